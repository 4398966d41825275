"""Iceberg schemas: types as values, read from JSON and written exactly as `SchemaParser` writes them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from wasim.iceberg.faults import IcebergFileError
from wasim.iceberg.json_text import Json, JsonFields, compact_json, json_array, json_object, quote, read_json

_PLAIN_TYPES = frozenset(
    [
        "boolean",
        "int",
        "long",
        "float",
        "double",
        "date",
        "time",
        "timestamp",
        "timestamptz",
        "timestamp_ns",
        "timestamptz_ns",
        "string",
        "uuid",
        "binary",
        "unknown",
        "variant",
    ]
)
_FIXED = re.compile(r"fixed\[\s*(\d{1,9})\s*\]")
_DECIMAL = re.compile(r"decimal\(\s*(\d{1,2})\s*,\s*(\d{1,2})\s*\)")
_GEOMETRY = re.compile(r"geometry(?:\s*\(\s*([^)]*?)\s*\))?", re.IGNORECASE)
_GEOGRAPHY = re.compile(r"geography(?:\s*\(\s*([^,)]*?)\s*(?:,\s*(\w*)\s*)?\))?", re.IGNORECASE)
_DEFAULT_CRS = "OGC:CRS84"


@dataclass(frozen=True, slots=True)
class PrimitiveType:
    """A type without parts, by the name that Iceberg prints: `long`, `decimal(9, 2)`, `fixed[16]`, `variant` …"""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NestedField:
    """A column or a field of a struct. Defaults (v3) are JSON text, so that a number keeps its spelling."""

    field_id: int
    name: str
    type: "Type"
    required: bool = False
    doc: str | None = None
    initial_default: str | None = None
    write_default: str | None = None


@dataclass(frozen=True, slots=True)
class StructType:
    """Fields in order."""

    fields: tuple[NestedField, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ListType:
    """A list; its element has a field id of its own."""

    element_id: int
    element: "Type"
    element_required: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class MapType:
    """A map; key and value have field ids of their own."""

    key_id: int
    key: "Type"
    value_id: int
    value: "Type"
    value_required: bool = False


Type: TypeAlias = PrimitiveType | StructType | ListType | MapType


@dataclass(frozen=True, slots=True, kw_only=True)
class Schema:
    """A table's columns under one schema id. Old v1 files leave the id out: 0."""

    columns: tuple[NestedField, ...]
    schema_id: int = 0
    identifier_field_ids: tuple[int, ...] = ()

    def find_type(self, field_id: int) -> Type | None:
        """The type of a column or nested field, or None once it has been dropped."""
        return next((found for number, found in types_by_id(StructType(self.columns)) if number == field_id), None)


def parts_of(nested: Type) -> list[tuple[int, str, Type]]:
    """Id, name and type of what a type consists of: a struct's fields, a list's element, a map's key and value."""
    match nested:
        case StructType():
            return [(field.field_id, field.name, field.type) for field in nested.fields]
        case ListType():
            return [(nested.element_id, "element", nested.element)]
        case MapType():
            return [(nested.key_id, "key", nested.key), (nested.value_id, "value", nested.value)]
    return []


def types_by_id(nested: Type) -> Iterator[tuple[int, Type]]:
    """Id and type of all that is within a type, at any depth."""
    for number, _, part in parts_of(nested):
        yield number, part
        yield from types_by_id(part)


def primitive_type(name: str) -> PrimitiveType:
    """The type with that name in Iceberg's own spelling; ValueError for a name that is no type."""
    lower = name.lower()
    if lower in _PLAIN_TYPES:
        return PrimitiveType(lower)
    if match := _FIXED.fullmatch(lower):
        return PrimitiveType(f"fixed[{int(match[1])}]")
    if (match := _DECIMAL.fullmatch(lower)) and int(match[1]) <= 38:
        return PrimitiveType(f"decimal({int(match[1])}, {int(match[2])})")
    if match := _GEOMETRY.fullmatch(name):
        return PrimitiveType(f"geometry({match[1] or _DEFAULT_CRS})")
    if match := _GEOGRAPHY.fullmatch(name):
        return PrimitiveType(f"geography({match[1] or _DEFAULT_CRS}, {match[2] or 'spherical'})")
    raise ValueError(name)


def fixed_length(primitive: PrimitiveType) -> int | None:
    """Bytes in a `fixed[n]`, None for other types."""
    match = _FIXED.fullmatch(primitive.name)
    return int(match[1]) if match else None


def decimal_digits(primitive: PrimitiveType) -> tuple[int, int] | None:
    """Precision and scale of a decimal, None for other types."""
    match = _DECIMAL.fullmatch(primitive.name)
    return (int(match[1]), int(match[2])) if match else None


# Every file of a history repeats it.
@lru_cache(maxsize=64)
def schema_json(schema: Schema) -> str:
    """The schema as `SchemaParser` writes it: identifier fields only if there are any."""
    members = [("type", '"struct"'), ("schema-id", str(schema.schema_id))]
    if schema.identifier_field_ids:
        members.append(("identifier-field-ids", json_array(map(str, schema.identifier_field_ids))))
    members.append(("fields", json_array(map(_field_json, schema.columns))))
    return json_object(members)


def type_json(nested: Type) -> str:
    """One type: a quoted name, or an object for struct, list and map."""
    match nested:
        case PrimitiveType():
            return quote(nested.name)
        case StructType():
            return json_object([("type", '"struct"'), ("fields", json_array(map(_field_json, nested.fields)))])
        case ListType():
            return json_object(
                [
                    ("type", '"list"'),
                    ("element-id", str(nested.element_id)),
                    ("element", type_json(nested.element)),
                    ("element-required", compact_json(nested.element_required)),
                ]
            )
        case MapType():
            return json_object(
                [
                    ("type", '"map"'),
                    ("key-id", str(nested.key_id)),
                    ("key", type_json(nested.key)),
                    ("value-id", str(nested.value_id)),
                    ("value", type_json(nested.value)),
                    ("value-required", compact_json(nested.value_required)),
                ]
            )


def _field_json(field: NestedField) -> str:
    members = [
        ("id", str(field.field_id)),
        ("name", quote(field.name)),
        ("required", compact_json(field.required)),
        ("type", type_json(field.type)),
    ]
    if field.doc is not None:
        members.append(("doc", quote(field.doc)))
    if field.initial_default is not None:
        members.append(("initial-default", field.initial_default))
    if field.write_default is not None:
        members.append(("write-default", field.write_default))
    return json_object(members)


def read_schema(text: bytes | str, *, source: str) -> Schema:
    """The schema in JSON text such as a manifest's header value; what Iceberg does not know is left out."""
    unknown: list[tuple[str, Json]] = []
    try:
        schema = schema_from(JsonFields(read_json(text, source=source), where="schema", source=source, unknown=unknown))
    except RecursionError as error:
        raise IcebergFileError(source, "nests its schema too deeply to be Iceberg's") from error
    return schema


def schema_from(fields: JsonFields) -> Schema:
    """The schema in an object already parsed."""
    schema_id = fields.integer_or("schema-id", 0)
    identifiers = fields.integers("identifier-field-ids")
    struct = _type_from(fields)
    if not isinstance(struct, StructType):
        raise fields.wrong("is not a struct")
    return Schema(columns=struct.fields, schema_id=schema_id, identifier_field_ids=identifiers)


def _type_from(fields: JsonFields) -> Type:
    kind = fields.text("type")
    if kind == "struct":
        return fields.made(StructType(tuple(map(_field_from, fields.objects("fields")))))
    if kind == "list":
        return fields.made(
            ListType(
                element_id=fields.integer("element-id"),
                element=_part_from(fields, "element"),
                element_required=fields.boolean("element-required"),
            )
        )
    if kind == "map":
        return fields.made(
            MapType(
                key_id=fields.integer("key-id"),
                key=_part_from(fields, "key"),
                value_id=fields.integer("value-id"),
                value=_part_from(fields, "value"),
                value_required=fields.boolean("value-required"),
            )
        )
    raise fields.wrong("is neither struct, list nor map", "type")


def _part_from(fields: JsonFields, key: str) -> Type:
    value = fields.value(key)
    if isinstance(value, str):
        try:
            return primitive_type(value)
        except ValueError:
            return PrimitiveType(value)  # of a newer format: nothing here needs to know it
    return _type_from(fields.child(value, key))


def _field_from(fields: JsonFields) -> NestedField:
    return fields.made(
        NestedField(
            field_id=fields.integer("id"),
            name=fields.text("name"),
            required=fields.boolean("required"),
            type=_part_from(fields, "type"),
            doc=fields.optional_text("doc"),
            initial_default=_default_from(fields, "initial-default"),
            write_default=_default_from(fields, "write-default"),
        )
    )


def _default_from(fields: JsonFields, key: str) -> str | None:
    return compact_json(fields.value(key)) if fields.has(key) else None
