"""A case's rows as the text that Flink's source reads: those of engine `spark`, in the order of Flink's writers."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np

from wasim.scenario import Case
from wasim.twin.row_sets import new_rows
from wasim.twin.rows import decimal_digits, rows_of
from wasim.twin.schema import iceberg_schema, leaves


def rows_text(case: Case) -> tuple[str, list[str]]:
    """A line for each row, commit by commit, its values between tabs; and the type of each column."""
    columns, rows, tasks = leaves(case.table, iceberg_schema(case.table)), rows_of(case), case.workload.files_per_commit
    # Flink gives rows to its tasks in turn: the first of each task's stretch, then the second …
    numbers = np.arange(case.rows_per_commit * case.commits, dtype=np.int64)
    numbers = numbers.reshape(case.commits, tasks, -1).transpose(0, 2, 1).ravel()
    values = [
        [_text_of(leaf.column.type)(value) for value in rows.values(leaf, new_rows(numbers)).tolist()]
        for leaf in columns
    ]
    lines = ("\t".join(row) for row in zip(*values, strict=True))
    return "\n".join(lines) + "\n", [leaf.column.type for leaf in columns]


def _text_of(kind: str) -> Callable[[Any], str]:
    if kind.startswith("decimal"):
        scale = decimal_digits(kind)[1]
        return lambda value: str(Decimal(value).scaleb(-scale))
    return {"binary": bytes.hex, "boolean": lambda value: str(value).lower()}.get(kind, str)
