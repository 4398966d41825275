"""Which of a table's files are live, retained, in the metadata log, orphans, or too young to say."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from wasim.ledger import Kind


class State(StrEnum):
    """Why a file is there."""

    LIVE = "live"
    RETAINED = "retained"
    METADATA_LOG = "metadata_log"
    ORPHAN = "orphan"
    YOUNG = "young"  # unreferenced, but not yet older than the grace period: a commit under way may be writing it
    UNKNOWN = "unknown"  # unreferenced by what could be read; something that could not may refer to it
    OTHER = "other"  # neither data nor metadata of Iceberg's: checksums, checkpoints, hidden files


class FileState(NamedTuple):
    """A file of the table's folder, by its path below it. `kind` is None for what is neither data nor metadata.

    `last_seen` is the place of the last snapshot that holds it, where one does; `reason` is why an unreferenced file
    has its state.
    """

    key: str
    bytes: int
    modified_s: float
    kind: Kind | None
    state: State
    last_seen: int | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Amount:
    """Files, and their bytes."""

    files: int = 0
    bytes: int = 0

    def __add__(self, other: "Amount") -> "Amount":
        return Amount(files=self.files + other.files, bytes=self.bytes + other.bytes)


@dataclass(frozen=True, slots=True, kw_only=True)
class StateTotals:
    """Files and bytes on storage by kind and state; what is neither data nor metadata is `other`."""

    amounts: Mapping[tuple[Kind, State], Amount]
    other: Amount

    def of(self, kind: Kind, *states: State) -> Amount:
        """All of a kind, in these states or in any."""
        return sum((self.amounts.get((kind, state), Amount()) for state in states or State), Amount())

    def of_kinds(self, kinds: tuple[Kind, ...], *states: State) -> Amount:
        """All of several kinds."""
        return sum((self.of(kind, *states) for kind in kinds), Amount())


def total_states(files: Iterator[FileState] | list[FileState]) -> StateTotals:
    """Sums by kind and state."""
    counts: dict[tuple[Kind, State], list[int]] = {}
    others = [0, 0]
    for file in files:
        sums = others if file.kind is None else counts.setdefault((file.kind, file.state), [0, 0])
        sums[0] += 1
        sums[1] += file.bytes
    amounts = {key: Amount(files=files, bytes=size) for key, (files, size) in counts.items()}
    return StateTotals(amounts=amounts, other=Amount(files=others[0], bytes=others[1]))
