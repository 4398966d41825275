"""Tables of the machine, put together row by row."""

from collections.abc import Iterable
from dataclasses import replace
from functools import cache

from support.synthetic import synthetic_case
from wasim.scenario.changes import Maintenance
from wasim.twin import Site, shipped_profile
from wasim.years import read_shape
from wasim.years.history import new_table
from wasim.years.jobs import jobs_of
from wasim.years.laws import laws_of
from wasim.years.machine.tables import BYTES, COUNT, FRESH, PARTIAL, SETTLED, Laws, Table

Manifests = tuple[int, int, int, int, int]  # how many, their bytes; fresh, partial and settled entries of each


@cache
def simple_laws() -> Laws:
    """The laws of a compacted table to which each commit appends one data file; a manifest of deletes takes
    what one of data does.
    """
    case = synthetic_case(writer="batch")
    case = replace(case, maintenance=Maintenance.model_validate({"rewrite_data_files": {"every": 20.0}}))
    shape = read_shape(case, shipped_profile(case), Site())
    laws = laws_of(case, shape, jobs_of(case, shape.arrivals))
    both = {name: getattr(laws, name)[:1] * 2 for name in ("entries_known", "entry_counts", "entry_bytes")}
    return replace(laws, **both)


def table_with(manifests: Iterable[Manifests], group: int = 0) -> Table:
    """A table that lists these, the oldest first."""
    table = new_table()
    for place, one in enumerate(manifests):
        row = table.rows[group][place]
        row[COUNT], row[BYTES], row[FRESH], row[PARTIAL], row[SETTLED] = map(float, one)
        table.used[group] = place + 1
    return table


def rows_of(table: Table, group: int = 0) -> list[list[float]]:
    """Its rows of manifests in use."""
    return table.rows[group][: table.used[group]]


def entries_of(table: Table, column: int) -> float:
    """Entries of a kind, or bytes, in all its manifests of data."""
    return sum(row[COUNT] * row[column] for row in rows_of(table))
