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


NO_LINE = Line(fixed=0.0, each=0.0)
NO_FILES = FileLaw(log_rows=np.zeros(1), log_bytes=np.zeros(1))


@dataclass(frozen=True, slots=True, kw_only=True)
class ManifestLaws:
    """Manifests of one table, by what wrote them.

    `new_bytes`: of one commit's files. `merged`: what a merge makes. `rewritten`: what rewrite_manifests makes,
    `staged`: what it copies them from, where it does.
    `filtered`: one that lists removed files as deleted, of so many entries; `compacted`: that of compaction's new
    files; `gathered`: what the merge of such ones makes. `filtered_spares`, `compacted_spares` and
    `rewritten_spares`: how many bytes less a list holds of each such manifest than of one that came alone;
    `rewritten_alone_spares`: of one that holds all there is. `data_file`: data files by their rows.
    """

    new_bytes: float
    merged: Line
    rewritten: Line
    staged: Line | None
    filtered: Line
    compacted: Line
    gathered: Line
    filtered_spares: float
    compacted_spares: float
    rewritten_spares: float
    rewritten_alone_spares: float
    data_file: FileLaw


@dataclass(frozen=True, slots=True, kw_only=True)
class UpsertLaws:
    """What a commit that deletes by key writes beside its data files and their manifest.

    `manifests` are those of its delete files, an entry being all that one commit brings. `staged_bytes` are of the
    manifests of data and of deletes through which the files come to the commit. The first commit brings `first_files`
    delete files and later ones `files`, with their bytes.
    """

    manifests: ManifestLaws
    staged_bytes: tuple[float, float]
    first_files: float
    first_bytes: float
    files: float
    bytes: float

    def files_of(self, commits: float) -> float:
        """Delete files of the first so many commits."""
        return self.first_files + self.files * (commits - 1) if commits else 0.0

    def bytes_of(self, commits: float) -> float:
        """Bytes of the delete files of the first so many commits."""
        return self.first_bytes + self.bytes * (commits - 1) if commits else 0.0
