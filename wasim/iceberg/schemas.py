"""Iceberg schemas: types as values, read from JSON and written exactly as `SchemaParser` writes them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias

from wasim.errors import IcebergFileError
from wasim.iceberg.json_text import (
    BOOLEAN,
    NUMBER,
    OPTIONAL_TEXT,
    TEXT,
    Form,
    Json,
    JsonFields,
    Member,
    compact_json,
    json_array,
    json_object,
    quote,
    read_json,
)

_PLAIN_TYPES = frozenset(
    """
    boolean int long float double date time timestamp timestamptz timestamp_ns timestamptz_ns string uuid binary
    unknown variant
    """.split()
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


def decimal_digits(type_name: str) -> tuple[int, int] | None:
    """Precision and scale of a decimal, None for other types."""
    match = _DECIMAL.fullmatch(type_name)
    return (int(match[1]), int(match[2])) if match else None


# Every file of a history repeats it.
@lru_cache(maxsize=64)
def schema_json(schema: Schema) -> str:
    """The schema as `SchemaParser` writes it: identifier fields only if there are any."""
    members = [("type", '"struct"'), ("schema-id", str(schema.schema_id))]
    if schema.identifier_field_ids:
        members.append(("identifier-field-ids", json_array(map(str, schema.identifier_field_ids))))
    members.append(("fields", json_array(map(_FIELD.json, schema.columns))))
    return json_object(members)


def type_json(nested: Type) -> str:
    """One type: a quoted name, or an object for struct, list and map."""
    if isinstance(nested, PrimitiveType):
        return quote(nested.name)
    return next(form for form in _NESTED.values() if form.made is type(nested)).json(nested)


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
    form = _NESTED.get(fields.text("type"))
    if form is None:
        raise fields.wrong("is neither struct, list nor map", "type")
    found: Type = form.read(fields)
    return found


def _part_from(fields: JsonFields, key: str) -> Type:
    value = fields.value(key)
    if isinstance(value, str):
        try:
            return primitive_type(value)
        except ValueError:
            return PrimitiveType(value)  # of a newer format: nothing here needs to know it
    return _type_from(fields.child(value, key))


def _default_from(fields: JsonFields, key: str) -> str | None:
    return compact_json(fields.value(key)) if fields.has(key) else None


_TYPE, _DEFAULT = Member(_part_from, type_json), Member(_default_from, lambda text: text)
_FIELD = Form(
    NestedField,
    {
        "id": NUMBER,
        "name": TEXT,
        "required": BOOLEAN,
        "type": _TYPE,
        "doc": OPTIONAL_TEXT,
        "initial-default": _DEFAULT,
        "write-default": _DEFAULT,
    },
    names={"id": "field_id"},
)
_LIST = {"element-id": NUMBER, "element": _TYPE, "element-required": BOOLEAN}
_MAP = {"key-id": NUMBER, "key": _TYPE, "value-id": NUMBER, "value": _TYPE, "value-required": BOOLEAN}
_NESTED: dict[str, Form[Any]] = {
    "struct": Form(StructType, {"fields": _FIELD.each}, kind="struct"),
    "list": Form(ListType, _LIST, kind="list"),
    "map": Form(MapType, _MAP, kind="map"),
}
