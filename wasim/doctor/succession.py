"""Which metadata.json of a table its commits have left behind: each that the log of a later one names.

A metadata.json that no later one names may be current elsewhere: where a second catalog has the table registered and
commits to it, or where a commit failed half-way. Nothing else on storage tells these two from an old version.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from wasim.doctor.heads import JsonHead
from wasim.doctor.opening import OpenedTable
from wasim.doctor.table_files import Places
from wasim.errors import IcebergFileError
from wasim.iceberg import TableMetadata, read_metadata_json
from wasim.iceberg.codecs import decompressed
from wasim.storage import StorageError

MOST_READ = 200  # metadata.json whose log is read: each mostly names the hundred before it


@dataclass(slots=True, kw_only=True)
class Succession:
    """The metadata.json that the current one's log does not name: `left` are named by the log of a later one, `ends` by
    none, and have None where one could not be read; `forked` are named by such an end alone.

    Where it is not complete, what was not looked at any more is in none of them.
    """

    left: set[str] = field(default_factory=set)
    ends: dict[str, TableMetadata | None] = field(default_factory=dict)
    forked: set[str] = field(default_factory=set)
    is_complete: bool = True


def read_succession(opened: OpenedTable, heads: Mapping[str, JsonHead], places: Places) -> Succession:
    """The succession of a table's metadata.json; `heads` are of all of its own that the current one's log does not
    name. The newest first, each is looked for in the log of the one that followed it.
    """
    found, reads = Succession(), _Reads(opened, places)
    follows = {places.key(one.metadata_file): one.timestamp_ms for one in opened.metadata.metadata_log}
    follows = {key: at_ms for key, at_ms in follows.items() if key in opened.files}
    follows[opened.chosen.path] = opened.metadata.last_updated_ms
    open_keys = sorted(heads, key=lambda key: heads[key].last_updated_ms)
    while open_keys and len(reads.read) <= MOST_READ:
        key = open_keys[-1]
        later = [one for one, at_ms in follows.items() if at_ms >= heads[key].last_updated_ms and one != key]
        next_one = min(later, key=lambda one: follows[one], default=None)
        if next_one is None or next_one in reads.read:
            open_keys.pop()
            if key not in found.forked:
                found.ends[key] = reads.metadata(key)
                found.forked |= (reads.named(key) & heads.keys()) - found.left
            continue
        passed = reads.named(next_one) & heads.keys()
        found.left |= passed
        follows |= {one: heads[one].last_updated_ms for one in passed}
        open_keys = [one for one in open_keys if one not in passed]
    found.is_complete = not open_keys
    return found


class _Reads:
    """metadata.json read whole, once each."""

    def __init__(self, opened: OpenedTable, places: Places) -> None:
        self._opened, self._places = opened, places
        self.read: dict[str, TableMetadata | None] = {opened.chosen.path: opened.metadata}

    def metadata(self, key: str) -> TableMetadata | None:
        """A metadata.json; None where it cannot be read."""
        if key not in self.read:
            try:
                data = self._opened.storage.read(self._opened.full(key))
                self.read[key] = read_metadata_json(decompressed(data, source=key), source=key)
            except (IcebergFileError, StorageError, FileNotFoundError):
                self.read[key] = None
        return self.read[key]

    def named(self, key: str) -> set[str]:
        """The metadata.json that its log names; none where it cannot be read."""
        metadata = self.metadata(key)
        return set() if metadata is None else {self._places.key(one.metadata_file) for one in metadata.metadata_log}
