"""A table after one thing of its evolution; and what must fit together in changes, maintenance and evolution, and
between them and the table.
"""

from collections.abc import Callable, Iterator
from typing import Any

from wasim.iceberg.properties import MERGE_MODE, MODE_KEYS
from wasim.iceberg.schemas import decimal_digits
from wasim.scenario.changes import Evolution
from wasim.scenario.faults import Draft, Fault, Place, quote, suggest
from wasim.scenario.parts import EQUALITY_DELETES, Columns, PartitionField, Table, Upsert
from wasim.scenario.settings import property_faults

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
    old, new = decimal_digits(before), decimal_digits(after)
    return old is not None and new is not None and old[1] == new[1] and old[0] < new[0] <= 38


def _move_column(table: Table, moving: Any) -> Table:  # noqa: ANN401 - a Moving
    index = _find(table, moving.column, ("move_column", "column"))
    columns = [*table.columns]
    moved = columns.pop(index)
    if moving.after == moving.column:
        raise DoesNotFit(("move_column", "after"), "is the column itself", "Name another column.")
    is_first = moving.after in table.unlisted[-1:]
    after = -1 if is_first else _place(table, moving.after, ("move_column", "after"))
    columns.insert(0 if after < 0 else columns.index(table.columns[after]) + 1, moved)
    if columns == [*table.columns]:
        raise DoesNotFit(("move_column", "after"), "is what it follows already", "Name another.")
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


_NO_KEY = "has no column to tell rows apart by: table.key_column is none"
_GIVE_KEY = "Name a column of type long there, or leave it out for event_id."
_KEY_TYPES = ("long", "int", "string", "date", "timestamp", "timestamptz", "boolean")


def check_changes(draft: Draft) -> Iterator[Fault]:
    """Each change says once how much it touches, and what it needs is there."""
    scenario = draft.scenario
    for name, change in scenario.changes:
        place = ("changes", name)
        if change is None:
            continue
        if scenario.table.key_column is None and name != "overwrite":
            yield Fault(place=place, problem=_NO_KEY, remedy=_GIVE_KEY, at_key=True)
        if (change.share is None) == (change.rows is None):
            problem = "gives both share and rows" if change.rows else "says nothing of how many rows"
            yield Fault(place=place, problem=problem, remedy="Give share or rows, one of them.", at_key=True)
        if hasattr(change, "mode"):
            yield from _check_mode(draft, (*place, "mode"), change.mode, MODE_KEYS[name])
        if name in ("update", "merge") and changed_column(scenario.table) is None:
            remedy = "Add one to table.columns that no partition field names."
            yield Fault(place=place, problem="finds no column to give new values", remedy=remedy, at_key=True)


def changed_column(table: Table) -> str | None:
    """The column that updates give new values: the first plain one that is no partition's, no key and no time."""
    kept = {table.key_column, table.time_column, *(field.column for field in table.partition_by)}
    fitting = (column for column in table.columns if column.container is None and not kept & set(column.names))
    return next((column.names[0] for column in fitting), None)


def _check_mode(draft: Draft, place: Place, mode: str, name: str) -> Iterator[Fault]:
    properties = draft.scenario.table.properties
    if name in properties:
        problem, remedy = f"has a field of its own here: {'.'.join(map(str, place))}", "Take it out."
        yield Fault(place=("table", "properties", name), problem=problem, remedy=remedy, at_key=True)
    if mode == "merge-on-read" and draft.scenario.table.format_version == 1:
        problem = 'is "merge-on-read", but tables of format version 1 have no delete files'
        yield Fault(place=place, problem=problem, remedy="Give copy-on-write, or table.format_version 2 or 3.")


def check_upsert(draft: Draft) -> Iterator[Fault]:
    """Only what commits by a batch can merge, and some rows of a commit must be new and some replaced."""
    scenario, place = draft.scenario, ("writer", "upsert")
    upsert = scenario.writer.upsert
    if upsert is None:
        return
    if scenario.table.key_column is None:
        yield Fault(place=place, problem=_NO_KEY, remedy=_GIVE_KEY)
        return
    into_table, by_key = scenario.writer.is_stream_into_table, upsert.mode == EQUALITY_DELETES
    if into_table and not by_key:
        remedy = f"Give sink: foreach_batch, or kind: batch; or mode: {EQUALITY_DELETES}, which is Flink's."
        yield Fault(place=place, problem="is given, but a stream into the table only appends", remedy=remedy)
    rows = max(1, round(scenario.workload.rows_per_second * scenario.interval_s))
    if not 0 < round(upsert.share * rows) < rows:
        why = f"which of {rows} rows in a commit leaves none new or none replaced"
        yield draft.fault((*place, "share"), why, "Give another share, or more rows per commit.")
    if by_key:
        yield from _check_keys(draft, upsert, into_table=into_table)
        return
    yield from _check_mode(draft, (*place, "mode"), upsert.mode, MERGE_MODE)
    for name in ("key", "repeats"):
        if getattr(upsert, name) != type(upsert).model_fields[name].default:
            remedy = f"Take it out, or give mode: {EQUALITY_DELETES}."
            yield Fault(place=(*place, name), problem=f"is given, but the mode is {upsert.mode}", remedy=remedy)
    merge = scenario.changes.merge
    if merge is not None and merge.mode != upsert.mode:
        remedy = "Give both the same: it is one property of the table."
        yield Fault(place=("changes", "merge", "mode"), problem=f"is not writer.upsert's {upsert.mode}", remedy=remedy)


def _check_keys(draft: Draft, upsert: Upsert, *, into_table: bool) -> Iterator[Fault]:
    """What Flink asks of a table that it upserts into, and of its key."""
    table, place = draft.scenario.table, ("writer", "upsert")
    if not into_table:
        problem = f"is {EQUALITY_DELETES}, which a Flink stream writes into its table, and no batch"
        yield Fault(place=(*place, "mode"), problem=problem, remedy="Give kind: streaming without a sink.")
    if table.format_version == 1:
        problem = f"is {EQUALITY_DELETES}, but tables of format version 1 have no delete files"
        yield Fault(place=(*place, "mode"), problem=problem, remedy="Give table.format_version 2 or 3.")
    types = {column.name: column.type for column in table.all_columns}
    for number, name in enumerate(upsert.key):
        where = (*place, "key", number)
        if name not in types:
            yield Fault(place=where, problem=f"is {name!r}, no column of the table", remedy=f"Give {', '.join(types)}.")
        elif types[name] not in _KEY_TYPES:
            problem, remedy = f"is {name!r}, a {types[name]}", f"Give columns of {', '.join(_KEY_TYPES)}."
            yield Fault(place=where, problem=problem, remedy=remedy)
    key = table.key_column
    if key not in upsert.key:
        yield Fault(place=(*place, "key"), problem=f"lacks {key}, which tells rows apart", remedy="Add it.")
    for field in table.partition_by:
        if field.column not in upsert.key:
            problem = f"lacks {field.column}, by which the table is partitioned: Flink refuses to upsert so"
            yield Fault(place=(*place, "key"), problem=problem, remedy=f"Add it: key: [{key}, {field.column}].")


def check_maintenance(draft: Draft) -> Iterator[Fault]:
    """Each operation runs by period or by count, one of them."""
    for name, operation in draft.scenario.maintenance:
        if operation is None:
            continue
        place = ("maintenance", name)
        triggers = [field for field in type(operation).model_fields if field == "every" or field.startswith("when_")]
        given = [field for field in triggers if getattr(operation, field) is not None]
        if len(given) != 1:
            problem = f"gives both {' and '.join(given)}" if given else "does not say when"
            yield Fault(place=place, problem=problem, remedy=f"Give {' or '.join(triggers)}.", at_key=True)


def check_evolution(draft: Draft) -> Iterator[Fault]:
    """Each thing fits the table as those before it left it, in the order of time."""
    table, latest = draft.scenario.table, 0.0
    for index, evolution in enumerate(draft.scenario.evolution):
        here: Place = ("evolution", index)
        if evolution.at < latest:
            yield draft.fault((*here, "at"), "earlier than the one before it", "Put them in the order of time.")
        latest = max(latest, evolution.at)
        try:
            table = evolve(table, evolution)
        except DoesNotFit as error:
            yield Fault(place=(*here, *error.place), problem=error.problem, remedy=error.remedy)
            return
        for name, value in (evolution.set_properties or {}).items():
            yield from property_faults((*here, "set_properties"), name, value)
