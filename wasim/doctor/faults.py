"""What is wrong with a table's files, found on the way; gathered by kind, so that a million faults take no memory."""

from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum

from wasim.errors import IcebergFileError, UnsupportedFile, WasimError, printable
from wasim.storage import StorageError

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

    def copy(self) -> "Faults":
        """The same faults, to which others can be added."""
        return Faults(counts=self.counts.copy(), examples={kind: [*texts] for kind, texts in self.examples.items()})

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
