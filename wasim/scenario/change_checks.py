"""What must fit together in changes, maintenance and evolution, and between them and the table."""

from collections.abc import Iterator

from wasim.iceberg.properties import MERGE_MODE, MODE_KEYS
from wasim.scenario.evolve import DoesNotFit, evolve, wanted
from wasim.scenario.faults import Draft, Fault, Place
from wasim.scenario.parts import EQUALITY_DELETES, Table, Upsert
from wasim.scenario.settings import property_faults

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
        problem = (
            f"is {draft.quoted(*place, 'share')}, which of {rows} rows in a commit leaves none new or none replaced"
        )
        yield Fault(place=(*place, "share"), problem=problem, remedy="Give another share, or more rows per commit.")
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
            problem = f"is {draft.quoted(*here, 'at')}, earlier than the one before it"
            yield Fault(place=(*here, "at"), problem=problem, remedy="Put them in the order of time.")
        latest = max(latest, evolution.at)
        try:
            wanted(evolution)
            table = evolve(table, evolution)
        except DoesNotFit as error:
            yield Fault(place=(*here, *error.place), problem=error.problem, remedy=error.remedy)
            return
        for name, value in (evolution.set_properties or {}).items():
            yield from property_faults((*here, "set_properties"), name, value)
