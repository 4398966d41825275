"""Avro to values: a file's own schema must look like Iceberg's before fastavro sees any of it.

fastavro trusts its input: an array of empty records costs a byte in the file and gigabytes in memory. So only these
pass: records, optional values, fixed and primitive types, and arrays whose items take a byte or more; nothing refers
back to a record. Logical types are dropped, for a date is decoded as its days: what was written can be written again.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from io import BytesIO
from typing import Any, TypeAlias, cast

from fastavro import parse_schema, schemaless_reader
from fastavro.types import Schema

from wasim.errors import IcebergFileError
from wasim.iceberg.containers import Block
from wasim.iceberg.json_text import Json, JsonFields, read_json

_PRIMITIVES = frozenset({"null", "boolean", "int", "long", "float", "double", "bytes", "string"})
_DEEPEST = 12
_MOST_FIXED_BYTES = 1 << 20
_LONGEST_SCHEMA = 1 << 20
MAP_IDS = {"key": -1, "value": -2}
"""Ids of a map's key and value in files of writers that number neither."""
_FIRST_UNKNOWN_ID = -10


@dataclass(frozen=True, slots=True, kw_only=True)
class AvroPrimitive:
    """A primitive, or `fixed` of some bytes."""

    kind: str
    size: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class AvroOptional:
    """A union of null and one other type."""

    item: "AvroType"
    null_first: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class AvroArray:
    """An array; an Iceberg map is one of pairs."""

    item: "AvroType"


@dataclass(frozen=True, slots=True, kw_only=True)
class AvroRecord:
    """Fields in file order, each by its Iceberg field id."""

    fields: tuple[tuple[int, "AvroType"], ...]


FieldNames: TypeAlias = tuple[tuple[str, int], ...]
"""Iceberg's names of fields, and the id of each."""
AvroType: TypeAlias = AvroPrimitive | AvroOptional | AvroArray | AvroRecord
# What fastavro yields for one record, keyed by `f<field id>`; it goes no further than the module that asked.
AvroValues: TypeAlias = Mapping[str, Any]


class _SchemaReader:
    """Reads one schema; remembers the fixed types that it may name again."""

    def __init__(self, *, has_bare_fixed: bool, ids_by_name: Mapping[str, int]) -> None:
        self.has_bare_fixed = has_bare_fixed
        self.ids_by_name = ids_by_name
        self.fixed: dict[str, AvroPrimitive] = {}

    def wrong(self, problem: str) -> IcebergFileError:
        return IcebergFileError("", f"has an Avro schema that is not Iceberg's: {problem}")

    def type(self, node: Json, depth: int) -> AvroType:
        if depth > _DEEPEST:
            raise self.wrong("it nests too deeply")
        if isinstance(node, str):
            return self.named(node)
        if isinstance(node, list):
            return self.optional(node, depth)
        fields = JsonFields(node, where="avro.schema", source="", unknown=[])
        match kind := fields.value("type"):
            case "record":
                return self.record(fields, depth)
            case "array":
                return self.array(fields, depth)
            case "fixed":
                return self.new_fixed(fields)
            case str() if kind in _PRIMITIVES:
                return AvroPrimitive(kind=kind)
        raise self.wrong(f"a type {str(kind)[:40]!r}")

    def named(self, name: str) -> AvroType:
        if name in _PRIMITIVES:
            return AvroPrimitive(kind=name)
        if name in self.fixed:
            return self.fixed[name]
        raise self.wrong(f"the type name {name[:40]!r}")

    def optional(self, branches: list[Json], depth: int) -> AvroType:
        if len(branches) != 2 or branches.count("null") != 1:
            raise self.wrong("a union of other than null and one type")
        null_first = branches[0] == "null"
        return AvroOptional(item=self.type(branches[1 if null_first else 0], depth + 1), null_first=null_first)

    def array(self, fields: JsonFields, depth: int) -> AvroArray:
        item = self.type(fields.value("items"), depth + 1)
        if _least_bytes(item) == 0:
            raise self.wrong("an array whose items take no bytes")
        return AvroArray(item=item)

    def new_fixed(self, fields: JsonFields) -> AvroPrimitive:
        name, size = fields.text("name"), fields.integer("size")
        if not 0 <= size <= _MOST_FIXED_BYTES:
            raise self.wrong(f"a fixed type of {size} bytes")
        # Iceberg's Java writes and reads a plain fixed with a length before it, against Avro's specification
        # (`FixedByteBufferWriter`); only logical types, decimal and uuid, stand bare. Others write all so.
        bare = self.has_bare_fixed or fields.has("logicalType")
        return self.fixed.setdefault(
            name, AvroPrimitive(kind="fixed", size=size) if bare else AvroPrimitive(kind="bytes")
        )

    def unnumbered(self, field: JsonFields, place: int) -> int:
        """The id of a field that has none: by its name if that is Iceberg's own, else one that nobody asks for."""
        name = field.optional_text("name") or ""
        return self.ids_by_name.get(name, MAP_IDS.get(name, _FIRST_UNKNOWN_ID - place))

    def record(self, fields: JsonFields, depth: int) -> AvroRecord:
        found: dict[int, AvroType] = {}
        for place, item in enumerate(fields.objects("fields")):
            if item.has("field-id"):
                number = item.integer("field-id")
                if number in found:
                    raise self.wrong("a record with one field id twice")
            else:
                number = self.unnumbered(item, place)
                if number in found:  # some writers give a field by its former name too, and fill one of the two
                    number = _FIRST_UNKNOWN_ID - place
            found[number] = self.type(item.value("type"), depth + 1)
        return AvroRecord(fields=tuple(found.items()))


def _least_bytes(node: AvroType) -> int:
    match node:
        case AvroPrimitive():
            return node.size if node.kind == "fixed" else int(node.kind != "null")
        case AvroRecord():
            return sum(_least_bytes(part) for _, part in node.fields)
        case _:
            return 1


def field_of(record: AvroType | None, number: int) -> AvroType | None:
    """The type of a record's field, be it optional or not; None where there is no such record, or field."""
    node = dict(record.fields).get(number) if isinstance(record, AvroRecord) else None
    return node.item if isinstance(node, AvroOptional) else node


def read_avro_schema(
    text: bytes | str, *, source: str, has_bare_fixed: bool = False, names: FieldNames = ()
) -> AvroRecord:
    """The record that an `avro.schema` describes; IcebergFileError when it could not be one of Iceberg's.

    `has_bare_fixed` says that `fixed` values have no length before them, as Avro has it and Iceberg's Java has not.
    `names` are ids of fields for files that number none.
    """
    if len(text) > _LONGEST_SCHEMA:
        raise IcebergFileError(source, f"has an Avro schema of {len(text)} bytes; {_LONGEST_SCHEMA} are allowed")
    try:
        return _read_avro_schema(text, has_bare_fixed, names)
    except IcebergFileError as error:
        raise IcebergFileError(source, error.problem) from error


@lru_cache(maxsize=64)
def _read_avro_schema(text: bytes | str, has_bare_fixed: bool, names: FieldNames) -> AvroRecord:
    reader = _SchemaReader(has_bare_fixed=has_bare_fixed, ids_by_name=dict(names))
    record = reader.type(read_json(text, source=""), 0)
    if not isinstance(record, AvroRecord) or not _least_bytes(record):
        raise IcebergFileError("", "has an Avro schema that describes no record")
    return record


@lru_cache(maxsize=64)
def _fastavro_schema(record: AvroRecord) -> Schema:
    return parse_schema(_fastavro_node(record, "record"))


def _fastavro_node(node: AvroType, name: str) -> Schema:
    match node:
        case AvroPrimitive(kind="fixed"):
            return {"type": "fixed", "name": name, "size": node.size}
        case AvroPrimitive():
            return node.kind
        case AvroOptional():
            item = _fastavro_node(node.item, name)
            return ["null", item] if node.null_first else [item, "null"]
        case AvroArray():
            return {"type": "array", "items": _fastavro_node(node.item, f"{name}_item")}
        case AvroRecord():
            fields = [
                {"name": _key(field_id), "type": _fastavro_node(part, f"{name}_{_key(field_id)}")}
                for field_id, part in node.fields
            ]
            return {"type": "record", "name": name, "fields": fields}


def _key(field_id: int) -> str:
    return f"f{field_id}" if field_id >= 0 else f"n{-field_id}"


def conforms(found: AvroType, expected: AvroType) -> bool:
    """Whether values of one type can stand where the other is expected; fields of one side only do not count."""
    # Some writers make everything optional.
    found = found.item if isinstance(found, AvroOptional) else found
    expected = expected.item if isinstance(expected, AvroOptional) else expected
    match found, expected:
        case AvroPrimitive(), AvroPrimitive():
            return found.kind == expected.kind or {found.kind, expected.kind} == {"int", "long"}
        case AvroArray(), AvroArray():
            return conforms(found.item, expected.item)
        case AvroRecord(), AvroRecord():
            types = dict(expected.fields)
            return all(field_id not in types or conforms(part, types[field_id]) for field_id, part in found.fields)
    return False


def merged_records(one: AvroRecord, other: AvroRecord) -> AvroRecord:
    """A record with the fields of both; where both have one, the optional form, and nested records merged."""
    types = dict(one.fields)
    for field_id, node in other.fields:
        match types.get(field_id), node:
            case AvroRecord() as mine, AvroRecord():
                types[field_id] = merged_records(mine, node)
            case AvroOptional(), _:
                pass
            case _:
                types[field_id] = node
    return AvroRecord(fields=tuple(types.items()))


def decode_block(block: Block, record: AvroRecord, *, source: str) -> Iterator[AvroValues]:
    """The values of each record of a block. IcebergFileError if they do not fill the block exactly."""
    if block.record_count * _least_bytes(record) > len(block.raw):
        raise IcebergFileError(source, f"has a block of {len(block.raw)} bytes for {block.record_count} records")
    schema = _fastavro_schema(record)
    # A length that points past the end takes this byte too, which is how reading short is noticed.
    stream = BytesIO(block.raw + b"\x00")
    try:
        for _ in range(block.record_count):
            yield cast("AvroValues", schemaless_reader(stream, schema, None))
    except (EOFError, ValueError, IndexError, OverflowError, TypeError, MemoryError, KeyError) as error:
        raise IcebergFileError(source, f"has a block that is not made of its schema's records: {error}") from error
    if stream.tell() != len(block.raw):
        raise IcebergFileError(source, f"has a block whose {block.record_count} records do not fill it")
