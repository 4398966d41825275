"""Partition specs and sort orders, their JSON, and the type of a partition tuple."""

import re
from dataclasses import dataclass
from functools import lru_cache

from wasim.iceberg.json_text import NUMBER, TEXT, Form, JsonFields, Member, json_array, json_object, read_json
from wasim.iceberg.schemas import NestedField, PrimitiveType, Schema, StructType, Type

_INT = PrimitiveType("int")
_WIDTH = re.compile(r"(\w+)\[(\d+)\]")


@dataclass(frozen=True, slots=True, kw_only=True)
class PartitionField:
    """One field of a spec. Files older than field ids count them from 1000."""

    name: str
    transform: str
    source_id: int
    field_id: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PartitionSpec:
    """How a table's files are partitioned, under one spec id; no fields means unpartitioned."""

    spec_id: int = 0
    fields: tuple[PartitionField, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SortField:
    """One key of a sort order."""

    transform: str
    source_id: int
    direction: str
    null_order: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SortOrder:
    """A sort order under its id; order 0 is unsorted."""

    order_id: int = 0
    fields: tuple[SortField, ...] = ()


@lru_cache(maxsize=64)
def partition_type(spec: PartitionSpec, schema: Schema) -> StructType:
    """The struct of a partition tuple: every field is optional, typed by its transform's result."""
    return StructType(
        tuple(
            NestedField(
                field_id=field.field_id,
                name=field.name,
                type=_result_type(field.transform, schema.find_type(field.source_id)),
            )
            for field in spec.fields
        )
    )


def _result_type(transform: str, source: Type | None) -> Type:
    width = _WIDTH.fullmatch(transform)
    match width[1].lower() if width else transform.lower():
        case "bucket" | "year" | "month" | "hour":
            return _INT
        case "day":
            return PrimitiveType("date")
        case "identity" | "truncate" | "void":
            # A dropped source column has lost its type; Iceberg then says unknown.
            return source or PrimitiveType("unknown")
        case _:
            return PrimitiveType("string")


def spec_fields_json(spec: PartitionSpec) -> str:
    """The fields alone, as manifests' headers and v1's `partition-spec` hold them."""
    return json_array(map(_PARTITION_FIELD.json, spec.fields))


def spec_json(spec: PartitionSpec) -> str:
    """The spec with its id, as `partition-specs` holds it."""
    return json_object([("spec-id", str(spec.spec_id)), ("fields", spec_fields_json(spec))])


def read_spec_fields(text: bytes | str, *, spec_id: int, source: str) -> PartitionSpec:
    """The spec of a manifest, from its header's fields and id."""
    wrapped = {"fields": read_json(text, source=source)}
    return PartitionSpec(
        spec_id=spec_id,
        fields=spec_fields_from(JsonFields(wrapped, where="partition-spec", source=source, unknown=[]), "fields"),
    )


def spec_from(fields: JsonFields) -> PartitionSpec:
    """The spec in an object already parsed."""
    return fields.made(PartitionSpec(spec_id=fields.integer("spec-id"), fields=spec_fields_from(fields, "fields")))


def spec_fields_from(fields: JsonFields, key: str) -> tuple[PartitionField, ...]:
    """The partition fields in the array under a key."""
    return tuple(
        item.made(
            PartitionField(
                name=item.text("name"),
                transform=item.text("transform"),
                source_id=_source_id(item),
                field_id=item.integer_or("field-id", 1000 + position),
            )
        )
        for position, item in enumerate(fields.objects(key))
    )


def _source_id(field: JsonFields) -> int:
    """The column that a field is made of; the first, where a transform of v3 takes several."""
    sources = () if field.has("source-id") else field.integers("source-ids")
    return sources[0] if sources else field.integer("source-id")


_SOURCE = Member(lambda field, _: _source_id(field), str)
_PARTITION_FIELD = Form(PartitionField, {"name": TEXT, "transform": TEXT, "source-id": _SOURCE, "field-id": NUMBER})
_SORT_FIELD = Form(SortField, {"transform": TEXT, "source-id": _SOURCE, "direction": TEXT, "null-order": TEXT})
SORT_ORDER = Form(SortOrder, {"order-id": NUMBER, "fields": _SORT_FIELD.each})
