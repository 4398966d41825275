"""Rows as files hold them: which rows, in which order, and which values of theirs changes have replaced."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wasim.units import Ints

AS_ARRIVED = 0  # the version of a row that nothing has changed
INHERITED = -1  # v3 lineage that a file leaves out: a reader takes it from the entry


@dataclass(frozen=True, slots=True, kw_only=True)
class RowSet:
    """Rows in the order of their file, as columns of equal length.

    `versions` say with which values a row was written: its first ones, or a statement's. Of v3 are
    `row_ids` and `changed_at`, the sequence number of the commit that last changed the row; both may be INHERITED.
    """

    numbers: Ints
    versions: Ints
    row_ids: Ints
    changed_at: Ints

    def __len__(self) -> int:
        """The number of rows."""
        return len(self.numbers)

    def take(self, chosen: Ints | NDArray[np.bool_]) -> "RowSet":
        """The rows at these places, or those for which the mask holds, in that order."""
        if chosen.dtype == np.bool_ and chosen.all():
            return self
        places = np.flatnonzero(chosen) if chosen.dtype == np.bool_ else chosen
        return RowSet(
            numbers=self.numbers.take(places),
            versions=self.versions.take(places),
            row_ids=self.row_ids.take(places),
            changed_at=self.changed_at.take(places),
        )

    def by_number(self) -> "RowSet":
        """The rows in the order of their numbers."""
        return self.take(np.argsort(self.numbers, kind="stable"))

    def updated(self, hit: NDArray[np.bool_]) -> "RowSet":
        """The rows after an UPDATE of those that are hit. What it gives its one column moves no file's size."""
        return replace(self, changed_at=np.where(hit, INHERITED, self.changed_at))

    def replaced(self, version: int) -> "RowSet":
        """The rows after a MERGE that gives them new values in all columns."""
        return new_rows(self.numbers, version, row_ids=self.row_ids)


def new_rows(numbers: Ints, version: int = AS_ARRIVED, *, row_ids: Ints | None = None) -> RowSet:
    """Rows that are in no file yet, with ids only if they replace others."""
    inherited = np.full(len(numbers), INHERITED)
    return RowSet(
        numbers=numbers,
        versions=np.full(len(numbers), version),
        row_ids=inherited if row_ids is None else row_ids,
        changed_at=inherited,
    )


def all_rows(sets: Sequence[RowSet]) -> RowSet:
    """The rows of several sets, one after the other."""
    if not sets:
        return new_rows(np.arange(0))
    if len(sets) == 1:
        return sets[0]
    columns: dict[str, Any] = {
        name: np.concatenate([getattr(one, name) for one in sets]) for name in RowSet.__dataclass_fields__
    }
    return RowSet(**columns)
