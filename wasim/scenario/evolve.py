"""A table after one thing of its evolution, and what of an evolution does not fit the table that it finds."""

from collections.abc import Callable
from typing import Any

from wasim.scenario.changes import Evolution
from wasim.scenario.faults import Place, quote, suggest
from wasim.scenario.parts import Columns, PartitionField, Table

_WIDER = {"int": "long", "float": "double"}


class DoesNotFit(ValueError):
    """An evolution that the table does not allow: at `place` within it, with the problem and the remedy of a fault."""

    def __init__(self, place: Place, problem: str, remedy: str) -> None:
        super().__init__(problem)
        self.place, self.problem, self.remedy = place, problem, remedy


def evolve(table: Table, evolution: Evolution) -> Table:
    """The table afterwards; the same one where only references change. Raises DoesNotFit."""
    name, value = wanted(evolution)
    step = _STEPS.get(name)
    return step(table, value) if step else table


def wanted(evolution: Evolution) -> tuple[str, Any]:
    """The one thing that an evolution asks for, by field name. DoesNotFit if it is none, or several."""
    given = [name for name in type(evolution).model_fields if name != "at" and getattr(evolution, name) is not None]
    if len(given) == 1:
        return given[0], getattr(evolution, given[0])
    if not given:
        known = ", ".join(name for name in type(evolution).model_fields if name != "at")
        raise DoesNotFit((), "says what time, but not what happens", f"Give one of {known}.")
    raise DoesNotFit((given[1],), f"is given as well as {given[0]}", "Give each a list item of its own.")


def _find(table: Table, name: str, place: Place) -> int:
    role = {table.key_column: "key_column", table.time_column: "time_column"}.get(name)
    if role is not None:
        raise DoesNotFit(
            place, f"is {quote(name)}, which stays as it is: table.{role} names it", "Name another column."
        )
    return _place(table, name, place)


def _place(table: Table, name: str, place: Place) -> int:
    names = [column.name for column in table.columns]
    if name in names:
        index = names.index(name)
        if table.columns[index].count > 1:
            problem = f"is {quote(name)}, which stands for {table.columns[index].count} columns"
            raise DoesNotFit(place, problem, "Give the column a list item of its own, without a count.")
        return index
    raise DoesNotFit(place, f"is {quote(name)}, which is no column of the table at that time", suggest(name, names))


def _refuse_taken(table: Table, names: tuple[str, ...], place: Place) -> None:
    taken = {column.name.lower() for column in table.all_columns}
    clashing = next((name for name in names if name.lower() in taken), None)
    if clashing:
        raise DoesNotFit(place, f"is {quote(clashing)}, which the table has already", "Give another name.")


def _with_column(table: Table, index: int, column: Columns) -> Table:
    columns = [*table.columns]
    columns[index] = column
    return table.model_copy(update={"columns": tuple(columns)})


def _add_column(table: Table, column: Columns) -> Table:
    _refuse_taken(table, column.names, ("add_column", "name"))
    if column.required:
        raise DoesNotFit(("add_column", "required"), "is true, but older rows have no value", "Take it out.")
    return table.model_copy(update={"columns": (*table.columns, column)})


def _drop_column(table: Table, name: str) -> Table:
    index = _find(table, name, ("drop_column",))
    if any(field.column == name for field in table.partition_by):
        raise DoesNotFit(("drop_column",), f"is {quote(name)}, by which the table is partitioned", "Name another.")
    if len(table.columns) == 1:
        raise DoesNotFit(("drop_column",), "is the last column of the table's own", "Leave one.")
    return table.model_copy(update={"columns": (*table.columns[:index], *table.columns[index + 1 :])})


def _rename_column(table: Table, renaming: Any) -> Table:  # noqa: ANN401 - a Renaming
    index = _find(table, renaming.column, ("rename_column", "column"))
    _refuse_taken(table, (renaming.to,), ("rename_column", "to"))
    fields = tuple(
        field.model_copy(update={"column": renaming.to}) if field.column == renaming.column else field
        for field in table.partition_by
    )
    renamed = _with_column(table, index, table.columns[index].model_copy(update={"name": renaming.to}))
    return renamed.model_copy(update={"partition_by": fields})


def _widen_column(table: Table, widening: Any) -> Table:  # noqa: ANN401 - a Widening
    index = _find(table, widening.column, ("widen_column", "column"))
    before = table.columns[index].type
    if widening.type != _WIDER.get(before) and not _is_wider_decimal(before, widening.type):
        remedy = "Give long for an int, double for a float, or for a decimal more digits and the same scale."
        raise DoesNotFit(("widen_column", "type"), f"is {quote(widening.type)}, but the column is {before}", remedy)
    return _with_column(table, index, table.columns[index].model_copy(update={"type": widening.type}))


def _is_wider_decimal(before: str, after: str) -> bool:
    if not (before.startswith("decimal") and after.startswith("decimal")):
        return False
    (precision, scale), (wider, same) = ([int(n) for n in kind[8:-1].split(",")] for kind in (before, after))
    return scale == same and precision < wider <= 38


def _move_column(table: Table, moving: Any) -> Table:  # noqa: ANN401 - a Moving
    index = _find(table, moving.column, ("move_column", "column"))
    columns = [*table.columns]
    moved = columns.pop(index)
    if moving.after == moving.column:
        raise DoesNotFit(("move_column", "after"), "is the column itself", "Name another column.")
    is_first = moving.after in table.unlisted[-1:]
    after = -1 if is_first else _place(table, moving.after, ("move_column", "after"))
    columns.insert(0 if after < 0 else columns.index(table.columns[after]) + 1, moved)
    return table.model_copy(update={"columns": tuple(columns)})


def _make_optional(table: Table, name: str) -> Table:
    index = _find(table, name, ("make_optional",))
    if not table.columns[index].required:
        raise DoesNotFit(("make_optional",), f"is {quote(name)}, which may be null already", "Name a required column.")
    return _with_column(table, index, table.columns[index].model_copy(update={"required": False}))


def _add_partition_field(table: Table, field: PartitionField) -> Table:
    if field.column not in table.unlisted:
        _place(table, field.column, ("add_partition_field", "column"))
    if field in table.partition_by:
        raise DoesNotFit(("add_partition_field",), "is in the partition spec already", "Take it out.")
    return table.model_copy(update={"partition_by": (*table.partition_by, field)})


def _drop_partition_field(table: Table, field: PartitionField) -> Table:
    if field not in table.partition_by:
        raise DoesNotFit(("drop_partition_field",), "is not in the partition spec at that time", "Name one that is.")
    return table.model_copy(update={"partition_by": tuple(one for one in table.partition_by if one != field)})


def _set_properties(table: Table, properties: dict[str, str]) -> Table:
    return table.model_copy(update={"properties": {**table.properties, **properties}})


_STEPS: dict[str, Callable[[Table, Any], Table]] = {
    "add_column": _add_column,
    "drop_column": _drop_column,
    "rename_column": _rename_column,
    "widen_column": _widen_column,
    "move_column": _move_column,
    "make_optional": _make_optional,
    "add_partition_field": _add_partition_field,
    "drop_partition_field": _drop_partition_field,
    "set_properties": _set_properties,
}
