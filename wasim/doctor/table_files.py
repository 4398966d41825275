"""A table's files as the doctor sees them: where each is found, why it is there, and what is wrong with some."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from wasim.errors import IcebergFileError, UnsupportedFile, WasimError, printable
from wasim.ledger import Kind
from wasim.storage import StorageError, StoredFile, plain_path, scheme_of


class Places:
    """Finds the files that metadata names among those that a listing of the table's folder found.

    A path is looked for below the location that metadata.json gives, below the folder that was inspected, and then by
    its longest tail that the listing holds: a table that was moved or copied keeps the paths of its first home.
    """

    def __init__(self, *, root: str, location: str, files: Mapping[str, StoredFile], scheme: str = "file") -> None:
        """`root` is a plain path, on storage of this scheme; `files` are by their paths below it."""
        self.files = files
        self._scheme = scheme
        self.location_differs = plain_path(location) != root
        self._location = f"{location.rstrip('/')}/"
        self._prefixes = tuple(f"{place.rstrip('/')}/" for place in dict.fromkeys((plain_path(location), root)))
        self.found_by_tail = 0

    def key(self, uri: str) -> str:
        """The path below the table's folder; for a file outside it, its plain path with a leading slash, and on other
        storage its URI.
        """
        if uri.startswith(self._location) and (key := uri[len(self._location) :]) in self.files and ".." not in key:
            return key
        path = plain_path(uri)
        is_plain = "../" not in path or ".." not in path.split("/")
        below = [path[len(prefix) :] for prefix in self._prefixes if is_plain and path.startswith(prefix)]
        found = next((key for key in below if key in self.files), None)
        if found is None and (not below or self.location_differs):
            found = self._tail(path)
        if found is not None or below:
            return found or below[0]
        scheme, path = scheme_of(uri), f"/{path.lstrip('/')}"
        return path if scheme == self._scheme else f"{scheme}:/{path}"

    def _tail(self, path: str) -> str | None:
        parts = path.strip("/").split("/")
        for start in range(len(parts) - 1):
            tail = "/".join(parts[start:])
            if tail in self.files:
                self.found_by_tail += 1
                return tail
        return None


def full_path(root: str, key: str) -> str:
    """The plain path of the file of a key that is not outside the table's folder."""
    return f"{root.rstrip('/')}/{key}"


def is_outside(key: str) -> bool:
    """Whether a key of `Places.key` is that of a file outside the table's folder."""
    return key.startswith("/") or is_on_other_storage(key)


def is_on_other_storage(key: str) -> bool:
    """Whether a key of `Places.key` is a URI: plain paths have single slashes."""
    return "://" in key


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


MOST_EXAMPLES = 20


class FaultKind(StrEnum):
    """A way in which metadata and files disagree."""

    ABSENT_METADATA = "absent_metadata"
    ABSENT_LOGGED = "absent_logged"  # a former metadata.json that the metadata log still names: harmless
    ABSENT_DATA = "absent_data"
    UNREADABLE = "unreadable"
    UNSUPPORTED = "unsupported"  # sound as far as can be seen, but encrypted or of a newer format
    VANISHED = "vanished"
    UNDER_WAY = "under_way"  # a metadata.json that is not whole yet
    WRONG_DATA_SIZE = "wrong_data_size"
    WRONG_MANIFEST_LENGTH = "wrong_manifest_length"
    WRONG_COUNT = "wrong_count"
    WRONG_STATISTICS = "wrong_statistics"
    OUTSIDE = "outside"
    NOT_READ = "not_read"  # outside the table's folder, and needed to say all that is asked
    INCONSISTENT = "inconsistent"


class OutsideTable(StorageError):
    """A file outside the table's folder that was not opened: its plain path, or its URI."""


@dataclass(slots=True)
class Faults:
    """Faults by kind: how many, and the first of them in words."""

    counts: Counter[FaultKind] = field(default_factory=Counter)
    examples: dict[FaultKind, list[str]] = field(default_factory=dict)

    def add(self, kind: FaultKind, text: str) -> None:
        """One more fault; the text names the file."""
        self.counts[kind] += 1
        examples = self.examples.setdefault(kind, [])
        if len(examples) < MOST_EXAMPLES:
            examples.append(printable(text))

    def add_missing(self, key: str, what: str, *, was_listed: bool) -> None:
        """A metadata file that could not be found. One that the listing still had was deleted meanwhile."""
        if was_listed:
            self.add(FaultKind.VANISHED, f"{key}: {what} vanished while the table was looked at")
        else:
            self.add(FaultKind.ABSENT_METADATA, f"{key}: {what} is absent")

    def add_unreadable(self, error: WasimError) -> None:
        """A file that could not be read, with what its reader says, or that was not opened."""
        if isinstance(error, OutsideTable):
            return self.add(FaultKind.NOT_READ, f"{error}: lies outside the table's folder and was not opened")
        text = f"{error.source}: {error.problem}" if isinstance(error, IcebergFileError) else str(error)
        return self.add(FaultKind.UNSUPPORTED if isinstance(error, UnsupportedFile) else FaultKind.UNREADABLE, text)
