"""Encoders of whole records, compiled from an Avro schema once and then run per record."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from wasim.iceberg.avro_encoding import (
    encode_boolean,
    encode_bytes,
    encode_bytes_map,
    encode_double,
    encode_float,
    encode_long,
    encode_long_map,
    encode_longs,
    encode_string,
)
from wasim.iceberg.avro_reader import AvroArray, AvroOptional, AvroPrimitive, AvroRecord, AvroType

Encoder: TypeAlias = Callable[[Any], bytes]
# How to take the value of a field, by its Iceberg field id, out of the dataclass that holds it.
Getters: TypeAlias = Mapping[int, Callable[[Any], Any]]

PARTITION_FIELD_ID = 102
_PRIMITIVES: dict[str, Encoder] = {
    "boolean": encode_boolean,
    "int": encode_long,
    "long": encode_long,
    "float": encode_float,
    "double": encode_double,
    "bytes": encode_bytes,
    "string": encode_string,
}


def record_encoder(record: AvroRecord, getters: Getters) -> Encoder:
    """A function from a value to its Avro bytes. KeyError carries the id of a field that no getter knows."""
    parts = []
    for field_id, node in record.fields:
        if field_id == PARTITION_FIELD_ID and isinstance(node, AvroRecord):
            parts.append((getters[field_id], _tuple_encoder([_encoder(part, getters) for _, part in node.fields])))
        else:
            parts.append((getters[field_id], _encoder(node, getters)))

    def encode(value: object) -> bytes:
        return b"".join([encode_part(take(value)) for take, encode_part in parts])

    return encode


def _encoder(node: AvroType, getters: Getters) -> Encoder:
    match node:
        case AvroPrimitive(kind="fixed"):
            return _fixed_encoder(node.size)
        case AvroPrimitive(kind="null"):
            return lambda _value: b""
        case AvroPrimitive():
            return _PRIMITIVES[node.kind]
        case AvroOptional():
            return _optional_encoder(_encoder(node.item, getters), node.null_first)
        case AvroArray():
            return _array_encoder(node.item, getters)
        case AvroRecord():
            return record_encoder(node, getters)


def _fixed_encoder(size: int) -> Encoder:
    def encode(value: bytes) -> bytes:
        if len(value) != size:
            raise ValueError(f"a value of {len(value)} bytes where the type fixes {size}")
        return value

    return encode


def _optional_encoder(encode_item: Encoder, null_first: bool) -> Encoder:
    null, present = (b"\x00", b"\x02") if null_first else (b"\x02", b"\x00")

    def encode(value: object) -> bytes:
        return null if value is None else present + encode_item(value)

    return encode


def _array_encoder(item: AvroType, getters: Getters) -> Encoder:
    match item:
        case AvroPrimitive(kind="int" | "long"):
            return encode_longs
        case AvroRecord(fields=((_, AvroPrimitive(kind="int")), (_, AvroPrimitive(kind="long" | "int")))):
            return encode_long_map
        case AvroRecord(fields=((_, AvroPrimitive(kind="int")), (_, AvroPrimitive(kind="bytes")))):
            return encode_bytes_map
    encode_item = _encoder(item, getters)

    def encode(values: Sequence[object]) -> bytes:
        if not values:
            return b"\x00"
        return b"".join([encode_long(len(values)), *map(encode_item, values), b"\x00"])

    return encode


def _tuple_encoder(encoders: list[Encoder]) -> Encoder:
    def encode(values: Sequence[object]) -> bytes:
        if len(values) != len(encoders):
            raise ValueError(f"a partition of {len(values)} values where the spec has {len(encoders)} fields")
        return b"".join([encode_value(value) for encode_value, value in zip(encoders, values, strict=True)])

    return encode
