"""Bytes of a table's data files and of their columns: drawn by the law of `parquet_sizes`, as a profile measured it."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import exp, log

import numpy as np

from wasim.iceberg.schemas import Schema
from wasim.twin.lineage import lineage_sizes, with_lineage_fields
from wasim.twin.parquet_sizes import ColumnSizes, FileBytes, Kind, column_size, footer_bytes, kind_of
from wasim.twin.profile import WriterProfile
from wasim.twin.row_sets import RowSet
from wasim.twin.rows import Rows
from wasim.twin.schema import Leaf
from wasim.units import Floats

EXACT_ROWS, NEAR = 64, 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class FileSizes:
    """Sizes of a table's data files, which differ from file to file as those of the profile's writer do.

    `constant` are the field ids of columns that have one value in each file: the table is partitioned by them.
    """

    schema: Schema
    leaves: tuple[Leaf, ...]
    constant: frozenset[int]
    rows: Rows
    profile: WriterProfile
    means: dict[tuple[int, ...], tuple[Floats, Floats, int]] = field(default_factory=dict)  # by values of each column
    kinds: dict[Kind, ColumnSizes] = field(default_factory=dict)

    def draw(self, rows: RowSet, rng: np.random.Generator, *, has_lineage: bool = False) -> FileBytes:
        """Bytes of a file that holds these rows; with `has_lineage`, their lineage columns too."""
        counts = tuple(len(rows) - self.rows.nulls(leaf, rows) for leaf in self.leaves)
        columns, around = self._drawn(counts, rng)
        if has_lineage:
            columns |= lineage_sizes(rows)
            around = round(footer_bytes(with_lineage_fields(self.schema), len(columns), self.profile))
        return FileBytes(columns=columns, around=around)

    def _means(self, counts: Sequence[int]) -> tuple[Floats, Floats, int]:
        """Whole mean bytes of the columns, how they deviate, and bytes around them, in files of so many values."""
        pairs = zip(self.leaves, counts, strict=True)
        laws = [self._sizes_of(leaf).of(max(1, count)) for leaf, count in pairs]
        means = np.rint([law.mean_bytes for law in laws])
        deviations = np.array([law.deviation_bytes for law in laws])
        return means, deviations, round(footer_bytes(self.schema, len(laws), self.profile))

    def mean_bytes(self, rows: int) -> float:
        """Bytes of the columns of a file of so many rows, in the mean."""
        return sum(column_size(leaf, rows, self.profile).mean_bytes for leaf in self.leaves) if rows else 0.0

    def draw_full(self, rows: int, rng: np.random.Generator) -> FileBytes:
        """Bytes of a file of so many rows, each of which has every column.

        The law of each column is looked up at a round number of rows near by: looking it up is what takes time.
        """
        near = rows if rows < EXACT_ROWS else round(exp(round(log(rows) / NEAR) * NEAR))
        columns, around = self._drawn((near,) * len(self.leaves), rng)
        return FileBytes(columns={key: round(size * rows / near) for key, size in columns.items()}, around=around)

    def _drawn(self, counts: tuple[int, ...], rng: np.random.Generator) -> tuple[dict[int, int], int]:
        """Bytes of columns of so many values each, by field id, and bytes around them."""
        if counts not in self.means:
            self.means[counts] = self._means(counts)
        means, deviations, around = self.means[counts]
        # both are whole: most files have the same bytes, as real ones have
        sizes = np.maximum(1, means + np.rint(deviations * rng.standard_normal(len(means)))).astype(np.int64)
        return {leaf.field_id: size for leaf, size in zip(self.leaves, sizes.tolist(), strict=True)}, around

    def _sizes_of(self, leaf: Leaf) -> ColumnSizes:
        """Sizes of the leaf's column, shared by all of its kind."""
        varying = self._varying(leaf)
        kind = kind_of(varying)
        if kind not in self.kinds:
            self.kinds[kind] = ColumnSizes(varying, self.profile)
        return self.kinds[kind]

    def _varying(self, leaf: Leaf) -> Leaf:
        """The leaf with as many values as one file may hold."""
        if leaf.field_id not in self.constant:
            return leaf
        return replace(leaf, column=leaf.column.model_copy(update={"values": 1}))
