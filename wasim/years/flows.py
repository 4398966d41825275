"""What a history accumulates, by name: sums since CREATE TABLE, on average, so floats."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

CHANGES_WIDTH = 12  # numbers of `values`: the last ones of a state
LIVE_ROWS = slice(-CHANGES_WIDTH, 3 - CHANGES_WIDTH)  # among a state's values, by class of files
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


class Flow:
    """Places in a list of running sums. Each pair or group of four counts files, then bytes, of data, then of deletes.

    `WASTED` manifests were written and deleted by one commit; `REPLACED` ones left the current snapshot; `REMOVED`
    content files did. Plain ints: a list is read ten times as fast by one as by a member of an enum.
    """

    SNAPSHOTS = 0
    SNAPSHOT_JSON_BYTES = 1  # of all snapshots that were ever made, as metadata.json holds them
    LIST_BYTES = 2
    WRITTEN_MANIFESTS = 3  # data files, data bytes, delete files, delete bytes; so the next four groups
    WASTED_MANIFESTS = 7
    REPLACED_MANIFESTS = 11
    WRITTEN_FILES = 15
    REMOVED_FILES = 19
    ROWS = 23  # live, in all data files
    POSITION_DELETES = 24
    EQUALITY_DELETES = 25
    MERGED_AGAIN = 26  # manifests of data, and of deletes, that a merge began with: what earlier ones had made


WIDTH = Flow.MERGED_AGAIN + 4
DATA, DELETES = 0, 2  # what to add to the place of a group


def no_flows() -> list[float]:
    """Sums before anything has happened."""
    return [0.0] * WIDTH
