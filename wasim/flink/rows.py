"""A case's rows as the text that Flink's source reads: those of engine `spark`, in the order of Flink's writers."""

from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

import numpy as np

from wasim.scenario import Case
from wasim.twin.row_sets import RowSet, all_rows, new_rows
from wasim.twin.rows import decimal_digits, rows_of
from wasim.twin.schema import iceberg_schema, leaves
from wasim.twin.statements import upserted_rows
from wasim.workload import Append, plan_steps


def rows_text(case: Case) -> tuple[str, list[str]]:
    """A line for each row, commit by commit, its values between tabs; and the type of each column."""
    columns, rows = leaves(case.table, iceberg_schema(case.table)), rows_of(case)
    given = all_rows(list(_rows_of_commits(case)))
    values = [[_text_of(leaf.column.type)(value) for value in rows.values(leaf, given).tolist()] for leaf in columns]
    lines = ("\t".join(row) for row in zip(*values, strict=True))
    return "\n".join(lines) + "\n", [leaf.column.type for leaf in columns]


def _rows_of_commits(case: Case) -> Iterator[RowSet]:
    step = next(one for one in plan_steps(case) if isinstance(one, Append))
    for commit in range(1, case.commits + 1):
        if case.key_columns:
            yield upserted_rows(case, step, commit)
            continue
        # Flink gives rows to its tasks in turn: the first of each task's stretch, then the second …
        numbers = np.arange((commit - 1) * case.rows_per_commit, commit * case.rows_per_commit, dtype=np.int64)
        yield new_rows(numbers.reshape(case.workload.files_per_commit, -1).T.ravel())


def _text_of(kind: str) -> Callable[[Any], str]:
    if kind.startswith("decimal"):
        scale = decimal_digits(kind)[1]
        return lambda value: str(Decimal(value).scaleb(-scale))
    return {"binary": bytes.hex, "boolean": lambda value: str(value).lower()}.get(kind, str)
