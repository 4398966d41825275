"""What manifests weigh, as lines over their entries: fitted, and only read here."""

from dataclasses import dataclass
from typing import overload

import numpy as np

from wasim.units import Floats, Ints


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """Bytes of a file: `fixed`, and `each` for every entry."""

    fixed: float
    each: float

    @overload
    def at(self, entries: float) -> float: ...
    @overload
    def at(self, entries: Ints | Floats) -> Floats: ...
    def at(self, entries: float | Ints | Floats) -> float | Floats:
        """Bytes of files of so many entries."""
        return self.fixed + self.each * entries  # type: ignore[return-value]  # a scalar of one for a scalar


@dataclass(frozen=True, slots=True, kw_only=True)
class FileLaw:
    """Bytes of a data file for some numbers of rows, ascending; between them straight in logarithms."""

    log_rows: Floats
    log_bytes: Floats

    def at(self, rows: float | Floats) -> Floats:
        """Bytes of files of so many rows."""
        return np.asarray(np.exp(np.interp(np.log(rows), self.log_rows, self.log_bytes)))


@dataclass(frozen=True, slots=True, kw_only=True)
class ManifestLaws:
    """Manifests of one table, by what wrote them.

    `new_bytes`: of one commit's files. `merged`: what a merge makes. `rewritten`: what rewrite_manifests makes.
    `filtered`: one that lists removed files as deleted, of so many entries; `compacted`: that of compaction's new
    files; `gathered`: what the merge of such ones makes. `filtered_spares`, `rewritten_spares`: how many bytes less a
    list holds of each such manifest than of one that came alone. `data_file`: data files by their rows.
    """

    new_bytes: float
    merged: Line
    rewritten: Line
    filtered: Line
    compacted: Line
    gathered: Line
    filtered_spares: float
    rewritten_spares: float
    data_file: FileLaw
