"""What must fit together in a table: columns, what they can hold, and partitions."""

import re
from collections.abc import Iterator
from math import ceil, prod

from wasim.iceberg.schemas import decimal_digits
from wasim.scenario.case import rows_within
from wasim.scenario.faults import Draft, Fault, Place, quote, suggest
from wasim.scenario.parts import Columns, PartitionField, Table

MOST_LEAVES = 10_000
"""Columns of a table with all counts multiplied and nested ones taken apart."""

LEAST_KEY_LENGTH = 8
"""Hexadecimal digits of a map's keys, which must differ."""

MOST_PARTITIONS_PER_COMMIT = 1000
"""Each is a folder and a file for every task."""

_TIMES = ("timestamp", "timestamptz")
_BUCKETED = ("int", "long", "decimal", "date", *_TIMES, "string", "binary")
_TRUNCATED = ("int", "long", "decimal", "string", "binary")
_FITTING = {
    "year": ("date", *_TIMES),
    "month": ("date", *_TIMES),
    "day": ("date", *_TIMES),
    "hour": _TIMES,
    "bucket": _BUCKETED,
    "truncate": _TRUNCATED,
}
_METADATA_COLUMNS = tuple(
    """
    _file _pos _deleted _spec_id _partition _row_id _last_updated_sequence_number _change_type _change_ordinal
    _commit_snapshot_id
    """.split()
)
_MANY = 10**18
_MOST_VALUES = {
    "int": 2**31 - 1,
    "long": 2**62,
    "float": 2**24,
    "double": 2**53,
    "date": 3650,
    "timestamp": 315_360_000_000_000,
    "timestamptz": 315_360_000_000_000,
}
"""Different values that a workload's rows have by type: dates and times are spread over ten years."""

_SPAN_S = 315_360_000.0
_SECONDS = {"year": 365 * 86400.0, "month": 30 * 86400.0, "day": 86400.0, "hour": 3600.0}
_LONGEST_FOLDER_NAME = 255
_TIME_TRANSFORMS = ("year", "month", "day", "hour")


def check_columns(draft: Draft) -> Iterator[Fault]:
    """Names are used once, and each column has what its type needs and nothing else."""
    unsaid = "in the table without being listed, unless table.key_column and time_column name others"
    own = dict.fromkeys(draft.scenario.table.unlisted, unsaid)
    own |= dict.fromkeys(_METADATA_COLUMNS, "one of Iceberg's metadata columns")
    yield from _check_columns(draft, draft.scenario.table.columns, ("table", "columns"), own)


def _check_columns(draft: Draft, columns: tuple[Columns, ...], place: Place, taken: dict[str, str]) -> Iterator[Fault]:
    for index, column in enumerate(columns):
        here, names = (*place, index), column.names
        # Spark resolves names without regard to case, so `ID` and `id` are one.
        clashing = next((name for name in names if name.lower() in taken), None)
        if clashing:
            owner = taken[clashing.lower()]
            problem = f"is {quote(column.name)}, but {clashing} is {owner}"
            yield Fault(place=(*here, "name"), problem=problem, remedy="Give another name.")
        taken |= {name.lower(): f"taken by column {index + 1} already" for name in names}
        yield from _check_column(draft, column, here)
        yield from _check_columns(draft, column.fields, (*here, "fields"), {})


def _check_column(draft: Draft, column: Columns, here: Place) -> Iterator[Fault]:
    given, kind = column.model_fields_set, column.type
    inner = [one.type for one in column.parts] if column.container in ("list", "map") else [kind]
    for_others = f"is given, but the type is {kind}"
    if inner[-1] == "struct" and not column.fields:
        yield Fault(place=(*here, "fields"), problem="is missing", remedy="Give a struct at least one field.")
    if inner[-1] != "struct" and column.fields:
        yield Fault(place=(*here, "fields"), problem=for_others, remedy="Give type: struct, or take the fields out.")
    if "items" in given and column.container not in ("list", "map"):
        yield Fault(place=(*here, "items"), problem=for_others, remedy="Take it out: only list and map have them.")
    if column.container == "map" and inner[0] == "string" and column.length < LEAST_KEY_LENGTH:
        problem = f"is {column.length}, in which the keys of a map may not differ"
        yield Fault(place=(*here, "length"), problem=problem, remedy=f"Give at least {LEAST_KEY_LENGTH}.")
    if "length" in given and not {"string", "binary"} & set(inner):
        remedy = "Take it out: only string and binary have one."
        yield Fault(place=(*here, "length"), problem=for_others, remedy=remedy)
    if column.values is not None and inner[-1] in ("boolean", "struct"):
        yield Fault(place=(*here, "values"), problem=for_others, remedy="Take it out.")
    elif column.values is not None and column.values > (most := _most_values(column)):
        longer = ", or a greater length" if inner[-1] in ("string", "binary") else ""
        of = f"{kind} of length {column.length}" if longer else kind
        why = f"but wasim makes {most} different values of a {of}"
        yield draft.fault((*here, "values"), why, f"Give at most {most}{longer}.")
    if (digits := decimal_digits(inner[-1])) and not (1 <= digits[0] <= 38 and digits[1] <= min(digits[0], 37)):
        remedy = "Give a precision from 1 to 38 and a scale no greater, of 37 at most, such as decimal(10,2)."
        yield Fault(place=(*here, "type"), problem=f"is {draft.quoted(*here, 'type')}", remedy=remedy)


def check_roles(draft: Draft) -> Iterator[Fault]:
    """The key and the time are columns of the table, one of each, of a fitting type, with as many values as rows."""
    table, types = draft.scenario.table, {"key_column": ("long",), "time_column": ("timestamptz", "timestamp")}
    columns = _columns_by_name(table)
    for role, fitting in types.items():
        name, here = getattr(table, role), ("table", role)
        if name is None:
            continue
        if name not in columns:
            yield Fault(place=here, problem=f"is {quote(name)}, no column of the table", remedy=suggest(name, columns))
        elif columns[name].type not in fitting:
            yield draft.fault(here, f"a {columns[name].type}", f"Name a {' or '.join(fitting)}, or give none.")
        elif columns[name].values is not None:
            problem = f"is {quote(name)}, which has `values`, but differs from row to row"
            yield Fault(place=here, problem=problem, remedy="Take the `values` out, or name another column.")


def _most_values(column: Columns) -> int:
    """How many different values the rows of a workload can have in a column: text is hexadecimal digits."""
    if column.container in ("list", "map"):
        return _most_values(column.parts[-1])
    if column.type == "string":
        return int(16 ** min(column.length, 16))
    if column.type == "binary":
        return int(256 ** min(column.length, 8))
    if digits := decimal_digits(column.type):
        return int(10 ** min(digits[0], 18))
    return _MOST_VALUES[column.type]


def check_leaves(draft: Draft) -> Iterator[Fault]:
    """A table has no more columns than one can be read with, counts and nested ones taken apart."""
    leaves = sum(_leaves(column) for column in draft.scenario.table.columns)
    if leaves > MOST_LEAVES:
        problem = f"makes {leaves} columns, with counts multiplied and nested ones taken apart"
        yield Fault(place=("table", "columns"), problem=problem, remedy=f"Give at most {MOST_LEAVES}.")


def _leaves(column: Columns) -> int:
    return column.count * (sum(map(_leaves, column.parts)) or 1)


def check_partitions(draft: Draft) -> Iterator[Fault]:
    """Partition fields name columns, fit their types, and do not repeat each other."""
    columns = _columns_by_name(draft.scenario.table)
    seen: set[tuple[str, str]] = set()
    for index, field in enumerate(draft.scenario.table.partition_by):
        here: Place = ("table", "partition_by", index)
        if field.column not in columns:
            problem = f"is {quote(field.column)}, which is no column of the table"
            yield Fault(place=(*here, "column"), problem=problem, remedy=suggest(field.column, columns))
            continue
        yield from _check_transform(field, draft.scenario.table, here)
        family = (field.column, "time" if field.transform in _TIME_TRANSFORMS else _word(field.transform))
        if family in seen:
            problem = f"repeats {field.column}, partitioned by {family[1]} already"
            yield Fault(place=here, problem=problem, remedy="Keep one; Iceberg refuses both.")
        seen.add(family)


def _check_transform(field: PartitionField, table: Table, here: Place) -> Iterator[Fault]:
    columns, roles = _columns_by_name(table), (table.key_column, table.time_column)
    column = columns[field.column]
    transform, kind = _word(field.transform), _word(column.type)
    place = (*here, "transform")
    if transform == "identity":
        if column.container is not None:
            problem = f"is {quote(field.column)}, a {column.container}"
            yield Fault(place=(*here, "column"), problem=problem, remedy="Give a plain column.")
        elif field.column in roles:
            better = "bucket[16]" if field.column == table.key_column else "hour or day"
            problem = f"is identity, which would make a partition of every {field.column}"
            yield Fault(place=place, problem=problem, remedy=f"Give {better}.")
        else:
            yield from _check_identity(field, column, here)
        return
    if kind not in _FITTING[transform]:
        fitting = ["identity"] * (column.container is None) + [
            name for name, kinds in _FITTING.items() if kind in kinds
        ]
        remedy = f"Give {' or '.join(fitting)}." if fitting else "Give a plain column."
        problem = f"is {quote(field.transform)}, but {field.column} is of type {column.type}"
        yield Fault(place=place, problem=problem, remedy=remedy)
    made = f"{field.column}_{'trunc' if transform == 'truncate' else transform}"
    if made in columns:
        problem = f"is {quote(field.transform)}, which Iceberg calls {made}, as a column is called"
        yield Fault(place=place, problem=problem, remedy="Rename that column.")


def _check_identity(field: PartitionField, column: Columns, here: Place) -> Iterator[Fault]:
    name = field.column
    if _is_unbounded(field, column):
        problem = f"is {quote(name)}, which has no `values`, so that each row would make a partition of its own"
        yield Fault(place=(*here, "column"), problem=problem, remedy=f"Give {name} `values`, or a transform.")
    shown = {"string": column.length, "binary": 2 * column.length}.get(column.type, 0)
    most = _LONGEST_FOLDER_NAME - len(name) - 1
    if shown > most:
        problem = f"is {quote(name)}, whose values are too long for a folder's name"
        shorter = most if column.type == "string" else most // 2
        yield Fault(place=(*here, "column"), problem=problem, remedy=f"Give {name} a length of at most {shorter}.")


def check_partition_count(draft: Draft) -> Iterator[Fault]:
    """A commit touches no more partitions than a table can bear."""
    scenario, columns = draft.scenario, _columns_by_name(draft.scenario.table)
    interval_s, workload = scenario.interval_s, scenario.workload
    rows = rows_within(commit_interval_s=interval_s, rows_per_second=workload.rows_per_second)
    rotating, times = scenario.table.rotating_column, scenario.table.time_column
    known = [
        field
        for field in scenario.table.partition_by
        if field.column in columns and not _is_unbounded(field, columns[field.column])
    ]
    counts = [
        workload.partitions_per_commit
        if workload.partitions_per_commit and columns[field.column] == rotating and field.transform == "identity"
        else _most_partitions(field, columns[field.column], interval_s if field.column == times else _SPAN_S)
        for field in known
    ]
    partitions = min(prod(min(rows, count) for count in counts), rows)
    if partitions > MOST_PARTITIONS_PER_COMMIT:
        yield Fault(
            place=("table", "partition_by"),
            problem=f"can make {partitions} partitions in one commit",
            remedy=f"Give at most {MOST_PARTITIONS_PER_COMMIT}, by fewer `values`, a coarser transform or "
            "workload.partitions_per_commit.",
        )


def _is_unbounded(field: PartitionField, column: Columns) -> bool:
    """Whether each row would make a partition, which is a fault by itself."""
    return field.transform == "identity" and column.values is None and column.type != "boolean"


def _most_partitions(field: PartitionField, column: Columns, span_s: float) -> int:
    """Partitions that the rows of one commit can fall into, were there any number of rows; times span `span_s`."""
    values = column.values or (2 if column.type == "boolean" else _MANY)
    transform, _, width = field.transform.rstrip("]").partition("[")
    if transform == "bucket":
        return min(int(width), values)
    if transform == "truncate" and column.type in ("string", "binary"):
        return min(int(_most_values(column.model_copy(update={"length": int(width)}))), values)
    if transform in _TIME_TRANSFORMS:
        return min(ceil(span_s / _SECONDS[transform]), values)
    return values


def _columns_by_name(table: Table) -> dict[str, Columns]:
    return {column.name: column for column in table.all_columns}


def _word(text: str) -> str:
    """`bucket[16]` → `bucket`, `decimal(10,2)` → `decimal`, `list<int>` → `list`."""
    return re.split(r"[\[(<]", text)[0]
