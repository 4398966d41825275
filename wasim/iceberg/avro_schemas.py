"""The Avro schemas that Iceberg derives from its own types (`TypeToSchema`, as Avro prints them)."""

from wasim.iceberg import schemas
from wasim.iceberg.json_text import Json


def _time(unit: str, *, is_instant: bool) -> Json:
    return {"type": "long", "logicalType": f"timestamp-{unit}", "adjust-to-utc": is_instant}


_PLAIN: dict[str, Json] = {
    "unknown": "null",
    **{name: name for name in ("boolean", "int", "long", "float", "double", "string")},
    "binary": "bytes",
    "date": {"type": "int", "logicalType": "date"},
    "time": {"type": "long", "logicalType": "time-micros"},
    "timestamp": _time("micros", is_instant=False),
    "timestamptz": _time("micros", is_instant=True),
    "timestamp_ns": _time("nanos", is_instant=False),
    "timestamptz_ns": _time("nanos", is_instant=True),
}


def avro_schema(struct: schemas.StructType, name: str) -> Json:
    """The Avro schema of records of that struct, named as given; nested records are named `r<field id>`."""
    return _record(struct, name, set())


def _record(struct: schemas.StructType, name: str, named: set[str]) -> Json:
    return {"type": "record", "name": name, "fields": [_field(field, named) for field in struct.fields]}


def _field(field: schemas.NestedField, named: set[str]) -> Json:
    avro_name = field.name if _is_avro_name(field.name) else _sanitized(field.name)
    inner = _type(field.type, field.field_id, named)
    return {
        "name": avro_name,
        "type": inner if field.required else _optional(inner),
        **({"doc": field.doc} if field.doc is not None else {}),
        **({} if field.required else {"default": None}),
        **({"iceberg-field-name": field.name} if avro_name != field.name else {}),
        "field-id": field.field_id,
    }


def _optional(inner: Json) -> Json:
    # A union of null with null collapses: the type of an unknown column is null alone.
    return inner if inner == "null" else ["null", inner]


def _type(nested: schemas.Type, field_id: int, named: set[str]) -> Json:
    match nested:
        case schemas.StructType():
            return _record(nested, f"r{field_id}", named)
        case schemas.ListType():
            element = _type(nested.element, nested.element_id, named)
            items = element if nested.element_required else _optional(element)
            return {"type": "array", "items": items, "element-id": nested.element_id}
        case schemas.MapType():
            return _map(nested, named)
        case schemas.PrimitiveType():
            return _primitive(nested, named)


def _map(nested: schemas.MapType, named: set[str]) -> Json:
    key = _type(nested.key, nested.key_id, named)
    value = _type(nested.value, nested.value_id, named)
    value = value if nested.value_required else _optional(value)
    # Avro's own maps have string keys only; Iceberg's others are arrays of pairs.
    fields: list[Json] = [
        {"name": "key", "type": key, "field-id": nested.key_id},
        {"name": "value", "type": value, "field-id": nested.value_id},
    ]
    pair: Json = {"type": "record", "name": f"k{nested.key_id}_v{nested.value_id}", "fields": fields}
    return {"type": "array", "items": pair, "logicalType": "map"}


def _primitive(primitive: schemas.PrimitiveType, named: set[str]) -> Json:
    if primitive.name in _PLAIN:
        return _PLAIN[primitive.name]
    if primitive.name == "uuid":
        return _fixed("uuid_fixed", 16, {"logicalType": "uuid"}, named)
    if (length := schemas.fixed_length(primitive)) is not None:
        return _fixed(f"fixed_{length}", length, {}, named)
    if digits := schemas.decimal_digits(primitive.name):
        precision, scale = digits
        logical: dict[str, Json] = {"logicalType": "decimal", "precision": precision, "scale": scale}
        return _fixed(f"decimal_{precision}_{scale}", fixed_decimal_bytes(precision), logical, named)
    return "bytes"  # geometry and geography


def _fixed(name: str, size: int, logical: dict[str, Json], named: set[str]) -> Json:
    # Avro prints a named type once and refers to it by name afterwards.
    if name in named:
        return name
    named.add(name)
    return {"type": "fixed", "name": name, "size": size, **logical}


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
