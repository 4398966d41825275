"""A scenario's table as Iceberg sees it: schema with field ids, partition spec, and which columns get which metrics."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import count
from typing import Literal, TypeAlias

from wasim.iceberg import schemas
from wasim.iceberg.properties import TableProperties
from wasim.iceberg.property_values import MetricsMode
from wasim.iceberg.specs import PartitionField, PartitionSpec
from wasim.scenario.parts import Columns, Table

FIRST_PARTITION_FIELD_ID = 1000
Role: TypeAlias = Literal["event_id", "event_time"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaf:
    """A primitive column, or a primitive part of a struct, list or map.

    `salt` is the place that it had in the rows' definition at first (`4`, `4.1`). `has_counts` and `bound_length` say
    which metrics it gets: a `bound_length` of None leaves bounds out, 0 keeps them whole. The table's key and its event
    time have the `role` event_id and event_time, whatever they are called.
    """

    field_id: int
    name: str  # dotted
    column: Columns
    salt: str
    has_counts: bool
    bound_length: int | None
    role: Role | None = None
    items: int | None = None  # within a list or a map, of which no bounds are kept: how many each row has
    is_map_key: bool = False  # of which all rows have the same ones


def iceberg_schema(table: Table, keys: Collection[str] = ()) -> schemas.Schema:
    """The schema with fresh ids: a struct's fields come before anything nested in them.

    Columns that are `keys` identify rows, so they are required.
    """
    given = [one.model_copy(update={"required": True}) if one.name in keys else one for one in table.all_columns]
    columns = _fields(given, count(1))
    return schemas.Schema(
        columns=columns, identifier_field_ids=tuple(one.field_id for one in columns if one.name in keys)
    )


def _fields(columns: list[Columns], ids: "count[int]") -> tuple[schemas.NestedField, ...]:
    numbers = [next(ids) for _ in columns]
    return tuple(
        schemas.NestedField(field_id=number, name=column.name, type=_type(column, ids), required=column.required)
        for number, column in zip(numbers, columns, strict=True)
    )


def new_field(column: Columns, ids: "count[int]") -> schemas.NestedField:
    """The column that ALTER TABLE adds: it takes its id before the fields within it."""
    return _fields([column], ids)[0]


def _type(column: Columns, ids: "count[int]") -> schemas.Type:
    match column.container:
        case "struct":
            return schemas.StructType(_fields(list(column.parts), ids))
        case "list":
            return schemas.ListType(element_id=next(ids), element=_type(column.parts[0], ids))
        case "map":
            key_id, value_id = next(ids), next(ids)
            key, value = (_type(part, ids) for part in column.parts)
            return schemas.MapType(key_id=key_id, key=key, value_id=value_id, value=value)
    return schemas.primitive_type(column.type)


def last_column_id(schema: schemas.Schema) -> int:
    """The highest field id: ids are dense."""
    return max(number for number, _ in schemas.types_by_id(schemas.StructType(schema.columns)))


def partition_spec(table: Table, schema: schemas.Schema) -> PartitionSpec:
    """The spec that CREATE TABLE makes, its fields named as Iceberg names them."""
    ids = {field.name: field.field_id for field in schema.columns}
    return PartitionSpec(
        fields=tuple(
            PartitionField(
                name=partition_field_name(field.column, field.transform),
                transform=field.transform,
                source_id=ids[field.column],
                field_id=FIRST_PARTITION_FIELD_ID + place,
            )
            for place, field in enumerate(table.partition_by)
        )
    )


def partition_field_name(column: str, transform: str) -> str:
    """What Iceberg calls a partition field that nobody names."""
    if transform == "identity":
        return column
    kind = transform.partition("[")[0]
    return f"{column}_{'trunc' if kind == 'truncate' else kind}"


def leaves(table: Table, schema: schemas.Schema) -> tuple[Leaf, ...]:
    """The table's primitive columns with the metrics that its properties give them."""
    names = dict(_level_order(schemas.StructType(schema.columns)))
    modes = TableProperties.read(table.properties).metrics_modes(list(names.values()))
    mode_of = dict(zip(names, modes, strict=True))
    roles: dict[str | None, Role] = {table.key_column: "event_id", table.time_column: "event_time"}
    return tuple(
        replace(leaf, role=roles.get(leaf.name))
        for column, field in zip(table.all_columns, schema.columns, strict=True)
        for leaf in _leaves(
            column,
            field.type,
            Leaf(
                field_id=field.field_id,
                name=field.name,
                column=column,
                salt=f"{field.field_id - 1}",
                has_counts=False,
                bound_length=None,
            ),
            mode_of,
        )
    )


def _leaves(column: Columns, kind: schemas.Type, around: Leaf, mode_of: Mapping[int, MetricsMode]) -> Iterator[Leaf]:
    """The leaves within a column of that type; `around` is the column itself, as if it were one."""
    if isinstance(kind, schemas.PrimitiveType):
        mode = mode_of[around.field_id]
        yield replace(around, has_counts=mode.has_counts, bound_length=None if around.items else mode.bound_length)
        return
    items = around.items if isinstance(kind, schemas.StructType) else column.items
    for place, (part, (number, name, part_kind)) in enumerate(zip(column.parts, schemas.parts_of(kind), strict=True)):
        inner = replace(
            around,
            field_id=number,
            name=f"{around.name}.{name}",
            column=part,
            salt=f"{around.salt}.{place}",
            items=items,
            is_map_key=isinstance(kind, schemas.MapType) and not place,
        )
        yield from _leaves(part, part_kind, inner, mode_of)


def _level_order(nested: schemas.Type, within: str = "") -> Iterator[tuple[int, str]]:
    """Ids and dotted names of primitive fields as Iceberg counts them: a struct's own before what is nested in it."""
    parts = schemas.parts_of(nested)
    yield from ((number, within + name) for number, name, kind in parts if isinstance(kind, schemas.PrimitiveType))
    for _, name, kind in parts:
        yield from _level_order(kind, f"{within}{name}.")
