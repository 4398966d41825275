"""The `avro.schema` strings that Iceberg derives from its own types (`TypeToSchema`, as Avro prints them)."""

from wasim.iceberg.json_text import json_array, json_object, quote
from wasim.iceberg.schemas import (
    ListType,
    MapType,
    NestedField,
    PrimitiveType,
    StructType,
    Type,
    decimal_digits,
    fixed_length,
)

_MICROS = '{"type":"long","logicalType":"timestamp-micros","adjust-to-utc":%s}'
_NANOS = '{"type":"long","logicalType":"timestamp-nanos","adjust-to-utc":%s}'
_PLAIN = {
    "unknown": '"null"',
    "boolean": '"boolean"',
    "int": '"int"',
    "long": '"long"',
    "float": '"float"',
    "double": '"double"',
    "string": '"string"',
    "binary": '"bytes"',
    "date": '{"type":"int","logicalType":"date"}',
    "time": '{"type":"long","logicalType":"time-micros"}',
    "timestamp": _MICROS % "false",
    "timestamptz": _MICROS % "true",
    "timestamp_ns": _NANOS % "false",
    "timestamptz_ns": _NANOS % "true",
}


def avro_schema_json(struct: StructType, name: str) -> str:
    """The Avro schema of records of that struct, named as given; nested records are named `r<field id>`."""
    return _record(struct, name, set())


def _record(struct: StructType, name: str, named: set[str]) -> str:
    fields = json_array([_field(field, named) for field in struct.fields])
    return json_object([("type", '"record"'), ("name", quote(name)), ("fields", fields)])


def _field(field: NestedField, named: set[str]) -> str:
    avro_name = field.name if _is_avro_name(field.name) else _sanitized(field.name)
    inner = _type(field.type, field.field_id, named)
    members = [("name", quote(avro_name)), ("type", inner if field.required else _optional(inner))]
    if field.doc is not None:
        members.append(("doc", quote(field.doc)))
    if not field.required:
        members.append(("default", "null"))
    if avro_name != field.name:
        members.append(("iceberg-field-name", quote(field.name)))
    members.append(("field-id", str(field.field_id)))
    return json_object(members)


def _optional(inner: str) -> str:
    # A union of null with null collapses: the type of an unknown column is null alone.
    return inner if inner == '"null"' else f'["null",{inner}]'


def _type(nested: Type, field_id: int, named: set[str]) -> str:
    match nested:
        case StructType():
            return _record(nested, f"r{field_id}", named)
        case ListType():
            element = _type(nested.element, nested.element_id, named)
            items = element if nested.element_required else _optional(element)
            return json_object([("type", '"array"'), ("items", items), ("element-id", str(nested.element_id))])
        case MapType():
            return _map(nested, named)
        case PrimitiveType():
            return _primitive(nested, named)


def _map(nested: MapType, named: set[str]) -> str:
    key = _type(nested.key, nested.key_id, named)
    value = _type(nested.value, nested.value_id, named)
    value = value if nested.value_required else _optional(value)
    # Avro's own maps have string keys only; Iceberg's others are arrays of pairs.
    pair = json_object(
        [
            ("type", '"record"'),
            ("name", quote(f"k{nested.key_id}_v{nested.value_id}")),
            (
                "fields",
                json_array(
                    [
                        json_object([("name", '"key"'), ("type", key), ("field-id", str(nested.key_id))]),
                        json_object([("name", '"value"'), ("type", value), ("field-id", str(nested.value_id))]),
                    ]
                ),
            ),
        ]
    )
    return json_object([("type", '"array"'), ("items", pair), ("logicalType", '"map"')])


def _primitive(primitive: PrimitiveType, named: set[str]) -> str:
    if primitive.name in _PLAIN:
        return _PLAIN[primitive.name]
    if primitive.name == "uuid":
        return _fixed("uuid_fixed", 16, '"logicalType":"uuid"', named)
    if (length := fixed_length(primitive)) is not None:
        return _fixed(f"fixed_{length}", length, "", named)
    if digits := decimal_digits(primitive):
        precision, scale = digits
        logical = f'"logicalType":"decimal","precision":{precision},"scale":{scale}'
        return _fixed(f"decimal_{precision}_{scale}", fixed_decimal_bytes(precision), logical, named)
    return '"bytes"'  # geometry and geography


def _fixed(name: str, size: int, logical: str, named: set[str]) -> str:
    # Avro prints a named type once and refers to it by name afterwards.
    if name in named:
        return quote(name)
    named.add(name)
    tail = f",{logical}" if logical else ""
    return f'{{"type":"fixed","name":"{name}","size":{size}{tail}}}'


def fixed_decimal_bytes(precision: int) -> int:
    """Bytes that hold every unscaled value of that many digits, with a sign."""
    return next(size for size in range(1, 24) if 10**precision <= 2 ** (8 * size - 1))


def _is_avro_name(name: str) -> bool:
    # Java's isLetter and isLetterOrDigit, over UTF-16 units; names outside the basic plane are sanitized.
    return (name[:1].isalpha() or name[:1] == "_") and all(_is_name_character(character) for character in name[1:])


def _is_name_character(character: str) -> bool:
    return character == "_" or (ord(character) < 0x10000 and (character.isalpha() or character.isdecimal()))


def _sanitized(name: str) -> str:
    first, rest = name[:1], name[1:]
    keep_first = first.isalpha() or first == "_"
    return (first if keep_first else _escaped(first)) + "".join(
        character if _is_name_character(character) else _escaped(character) for character in rest
    )


def _escaped(character: str) -> str:
    if character.isdecimal():
        return f"_{character}"
    units = character.encode("utf-16-be")
    return "".join(f"_x{int.from_bytes(units[at : at + 2]):X}" for at in range(0, len(units), 2))
