"""How compiled code holds a table and its laws: all that is of one size in one record each, which a pointer passes."""

from typing import Any, NamedTuple

import numpy as np

from wasim.machine.columns import (
    COHORT_COLUMNS,
    FLOWS,
    HITS,
    NUMBERS,
    OPERATIONS,
    SETTINGS,
    STATE,
    SUMS,
    Laws,
    Table,
)

MOST_COHORTS = 64
_LISTS, _COUNTS, _ROWS, _KEYS = 1024, 32, 128, 16  # at most
OF_TABLE: dict[str, tuple[int, ...]] = {
    "cohorts": (COHORT_COLUMNS, MOST_COHORTS),
    "state": (STATE,),
    "flows": (FLOWS,),
    "numbers": (NUMBERS,),
    "hits": (HITS,),
    "classes": (3, 3),
    "sums": (2 * SUMS,),
}
OF_LAWS: dict[str, tuple[int, ...]] = {
    "settings": (SETTINGS,),
    "list_sums": (_LISTS,),
    "list_counts": (_COUNTS,),
    "list_sizes": (_COUNTS,),
    "data_counts": (_COUNTS,),
    "data_sizes": (_COUNTS,),
    "delete_counts": (_COUNTS,),
    "delete_sizes": (_COUNTS,),
    "log_rows": (_ROWS,),
    "log_bytes": (_ROWS,),
    "log_compacted": (_ROWS,),
    "around": (OPERATIONS,),
    "key_bytes": (_KEYS,),
    "key_numbers": (_KEYS,),
}
LENGTH = "{}_length"  # of a column that need not be full
TABLE = np.dtype([(name, "f8", shape) for name, shape in OF_TABLE.items()])
LAWS = np.dtype(
    [(name, "f8", shape) for name, shape in OF_LAWS.items()] + [(LENGTH.format(name), "i8") for name in OF_LAWS]
)


class TableArrays(NamedTuple):
    """A table for compiled code; `fixed` is a record."""

    fixed: Any
    manifests: Any
    samples: Any
    jobs: Any
    places: Any


class LawArrays(NamedTuple):
    """Laws for compiled code."""

    fixed: Any
    chances: Any


def of_table(table: Table) -> tuple[TableArrays, Table]:
    """The arrays of a table, and the table by name, as views of them."""
    record = np.zeros(1, TABLE)
    for name in OF_TABLE:
        record[name] = getattr(table, name)
    own = {name: np.array(getattr(table, name), dtype=np.float64) for name in TableArrays._fields[1:]}
    arrays: Any = {name: record[name][0] for name in OF_TABLE} | own
    return TableArrays(record[0], *own.values()), Table(**arrays)


def of_laws(laws: Laws) -> LawArrays | None:
    """The arrays of laws; None where there is no room for one."""
    record = np.zeros(1, LAWS)
    for name, shape in OF_LAWS.items():
        column = getattr(laws, name)
        if len(column) > shape[0]:
            return None
        record[name][0, : len(column)] = column
        record[LENGTH.format(name)] = len(column)
    return LawArrays(record[0], np.array(laws.chances, dtype=np.float64))
