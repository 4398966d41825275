"""What statements that change rows leave in a table, on average."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

WIDTH = 12  # numbers of `values`: the last ones of a state
LIVE_ROWS = slice(-WIDTH, 3 - WIDTH)  # among those of a state, by class of files
Classes = Sequence[tuple[float, float]]  # files and their rows: as they arrived, rewritten, beyond compaction


@dataclass(slots=True, kw_only=True)
class RowChanges:
    """What statements have left behind: rows deleted by position, by class of data file, and where the next begin.

    `held` counts the data files that delete files name, `dead` their deleted rows. `edge_files` of `edge_rows` live
    rows are those that the last statement on the newest, or the oldest, rows wrote. `gone` numbers the rows that
    were deleted as the oldest.
    """

    dead: list[float] = field(default_factory=lambda: [0.0] * 3)
    held: list[float] = field(default_factory=lambda: [0.0] * 3)
    edge_files: float = 0.0
    edge_rows: float = 0.0
    squares: float = 0.0  # of the live rows of each rewritten file, added up: how unlike each other they are
    small_seen: float = 0.0  # files as they arrived, when the last statement on the newest rows had run
    gone: float = 0.0
    net: float = 0.0  # rows that statements brought, less those that they deleted anywhere else

    def values(self, classes: Classes) -> Iterator[float]:
        """The numbers that make it up: by class, how many rows are live and how many files no delete file names, for
        those change slowly; all else as it is.
        """
        if any(self.held):
            yield from (rows - dead for (_, rows), dead in zip(classes, self.dead, strict=True))
            yield from (files - held for (files, _), held in zip(classes, self.held, strict=True))
        else:
            yield from (*self.dead, *self.held)
        yield from (self.edge_files, self.edge_rows, self.squares, self.small_seen, self.gone, self.net)

    def restore(self, values: Iterator[float], classes: Classes) -> None:
        """Takes over such numbers, of a table that had delete files if this one has."""
        dead, held = ([next(values) for _ in range(3)] for _ in range(2))
        if any(self.held):
            dead = [max(0.0, rows - live) for (_, rows), live in zip(classes, dead, strict=True)]
            held = [max(0.0, files - free) for (files, _), free in zip(classes, held, strict=True)]
        self.dead, self.held = dead, held
        self.edge_files, self.edge_rows, self.squares, self.small_seen, self.gone, self.net = (
            next(values) for _ in range(6)
        )
