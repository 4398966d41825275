"""A case's rows as the text that Flink's source reads: those of engine `spark`, in the order of Flink's writers."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from itertools import chain
from typing import Any

import numpy as np

from wasim.iceberg.schemas import PrimitiveType, StructType, Type, parts_of
from wasim.scenario import Case
from wasim.twin.row_sets import RowSet, all_rows, new_rows
from wasim.twin.rows import Rows, decimal_digits, rows_of
from wasim.twin.schema import Leaf, iceberg_schema, leaves
from wasim.twin.statements import upserted_rows
from wasim.workload import Append, plan_steps


def rows_text(case: Case) -> str:
    """A line for each row, commit by commit, its values between tabs; how many a list or a map holds comes first."""
    schema, given = iceberg_schema(case.table), all_rows(list(_rows_of_commits(case)))
    texts = _Texts(rows=rows_of(case), given=given, leaves={one.field_id: one for one in leaves(case.table, schema)})
    columns = [column for one in schema.columns for column in texts.of(one.field_id, one.type)]
    return "\n".join("\t".join(row) for row in zip(*columns, strict=True)) + "\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Texts:
    """Columns of texts that spell these rows."""

    rows: Rows
    given: RowSet
    leaves: Mapping[int, Leaf]

    def of(self, field_id: int, kind: Type) -> list[list[str]]:
        """The columns that spell one of the table: several if it is nested."""
        parts = [self.of(number, part) for number, _, part in parts_of(kind)]
        if isinstance(kind, StructType):
            return [column for part in parts for column in part]
        if not isinstance(kind, PrimitiveType):  # item by item: an element, or a key and its value
            return [[str(len(parts[0]))] * len(self.given), *chain.from_iterable(zip(*parts, strict=True))]
        leaf = self.leaves[field_id]
        if leaf.items is None:
            values = [self.rows.values(leaf, self.given)]
        else:
            values = list(self.rows.items(leaf, self.given).T)
        return [list(map(_text_of(leaf.column.type), one.tolist())) for one in values]


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
