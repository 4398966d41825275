"""What columns take in data files: encoded as Parquet would be, drawn from files like it, or by the profile's law."""

from dataclasses import dataclass, field

import numpy as np

from wasim.scenario import Case
from wasim.scenario.parts import Writer
from wasim.simulate.parquet_pages import column_bytes
from wasim.simulate.parquet_sizes import SizeLaw, column_size
from wasim.simulate.profile import WriterProfile
from wasim.simulate.row_sets import RowSet
from wasim.simulate.rows import Rows
from wasim.simulate.schema import Leaf

MOST_ROWS_ENCODED = 4_096  # of a file; larger ones hardly differ from each other, and the law has measured samples
MOST_FILES_ENCODED = 64  # of like ones, with as many rows
_ROWS_OF_LIKE_FILES = 16_384  # encoded at most, unless one file has more

BytesById = dict[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnSizes:
    """Sizes of the columns of a table's data files.

    The first files of so many rows are encoded, each for itself; later ones take after one of those. What may be null
    in rows that arrive is what their query knows: structs never are, nor is a batch's `event_id`; a stream to the table
    minds no NOT NULL.
    """

    leaves: tuple[Leaf, ...]
    rows: Rows
    profile: WriterProfile
    writer: Writer
    # by rows of a file, and if they arrive
    encoded: dict[tuple[int, bool], list[BytesById]] = field(default_factory=dict)
    laws: dict[int, list[SizeLaw]] = field(default_factory=dict)

    def of(self, rows: RowSet, rng: np.random.Generator, *, arrives: bool) -> BytesById:
        """Bytes of each column of a file that holds these rows, which arrive or were in the table before."""
        count = len(rows)
        if count > MOST_ROWS_ENCODED:
            return self._by_law(count, rng)
        alike = self.encoded.setdefault((count, arrives), [])
        if len(alike) < max(1, min(MOST_FILES_ENCODED, _ROWS_OF_LIKE_FILES // count)):
            alike.append(self._encode(rows, arrives=arrives) or self._by_law(count, rng))
            return alike[-1]
        return alike[int(rng.integers(len(alike)))]

    def _encode(self, rows: RowSet, *, arrives: bool) -> BytesById | None:
        sizes: BytesById = {}
        for leaf in self.leaves:
            depth = self._depth_of_new(leaf) if arrives else leaf.depth
            size = column_bytes(leaf, self.rows.values(leaf, rows), depth=depth)
            if size is None:
                return None
            sizes[leaf.field_id] = size
        return sizes

    def _depth_of_new(self, leaf: Leaf) -> int:
        if self.writer.kind == "batch":
            return 0 if leaf.column.required or leaf.name == "event_id" else 1
        return 0 if leaf.column.required and self.writer.sink == "foreach_batch" else 1

    def _by_law(self, count: int, rng: np.random.Generator) -> BytesById:
        if count not in self.laws:
            self.laws[count] = [column_size(leaf, count, self.profile) for leaf in self.leaves]
        noise = rng.standard_normal(len(self.leaves))
        return {
            leaf.field_id: max(1, round(law.mean_bytes + law.deviation_bytes * float(z)))
            for leaf, law, z in zip(self.leaves, self.laws[count], noise, strict=True)
        }


def column_sizes_of(case: Case, leaves: tuple[Leaf, ...], rows: Rows, profile: WriterProfile) -> ColumnSizes:
    """Those of the data files of a case's table."""
    return ColumnSizes(leaves=leaves, rows=rows, profile=profile, writer=case.writer)
