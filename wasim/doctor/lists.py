"""Every manifest that a table's snapshots hold, decoding of each manifest list only what the one before had not.

Lists of a streaming table are their predecessor with a record or two at the front: of 240 consecutive real ones, 239
held the older one's bytes as their end. So a history of n commits is decoded in n records, not in n².
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from wasim.doctor.faults import Faults
from wasim.doctor.places import Places
from wasim.iceberg import IcebergFileError, ManifestFile
from wasim.iceberg.containers import read_container
from wasim.iceberg.manifest_lists import PartitionFieldSummary, list_record
from wasim.iceberg.record_scanning import Row, Scanner, allowed_items, record_scanner, scan_records
from wasim.iceberg.snapshots import Snapshot
from wasim.storage import StorageError

_PARTITIONS = 507
_NUMBERS = (500, 501, 502, 503, 504, 505, 506, 512, 513, 514, 515, 516, 517)
_SUMMARY = (509, 510, 511)


@dataclass(frozen=True, slots=True, kw_only=True)
class ManifestIndex:
    """All manifests of the retained snapshots, and which snapshots hold each.

    `manifests[i]`, under the key `keys[i]`, is in the list of the `last_seen[i]`-th of `snapshots`, and of none after
    it. `live` are those of the current snapshot, in its list's order; `in_other_refs` those of the snapshots of other
    branches and tags. `counts` and `bytes` are of each snapshot's manifests, -1 where its list cannot be read;
    `list_keys` are the lists, empty for manifests that metadata.json names itself.
    """

    snapshots: tuple[Snapshot, ...]
    manifests: list[ManifestFile]
    keys: list[str]
    last_seen: list[int]
    live: list[int]
    in_other_refs: frozenset[int]
    counts: list[int]
    bytes: list[int]
    list_keys: list[str]
    live_is_known: bool
    """False if the current snapshot's manifest list cannot be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _List:
    """A list as it was read: its records' bytes, and which manifest each is.

    `lefts` are the bytes from each record's beginning to the end, which what is put before it leaves as they are.
    """

    scanner: Scanner | None
    raw: bytes
    lefts: list[int]
    ids: list[int]


_EMPTY = _List(scanner=None, raw=b"", lefts=[], ids=[])


def index_manifests(
    snapshots: Sequence[Snapshot],
    *,
    current: int | None,
    other_refs: frozenset[int],
    read: Callable[[str], bytes],
    places: Places,
    faults: Faults,
) -> ManifestIndex:
    """The manifests of these snapshots, oldest first; `current` and `other_refs` are snapshot ids.

    `read` takes a key of `Places`. Lists that cannot be read go into `faults`.
    """
    return _Indexing(read, places, faults).run(snapshots, current, other_refs)


class _Indexing:
    def __init__(self, read: Callable[[str], bytes], places: Places, faults: Faults) -> None:
        self.read, self.places, self.faults = read, places, faults
        self.manifests: list[ManifestFile] = []
        self.keys: list[str] = []
        self.last_seen: list[int] = []
        self.by_path: dict[str, int] = {}

    def run(self, snapshots: Sequence[Snapshot], current: int | None, other_refs: frozenset[int]) -> ManifestIndex:
        before, live, others, live_is_known = _EMPTY, list[int](), set[int](), current is None
        counts, sizes, list_keys = list[int](), list[int](), list[str]()
        for place, snapshot in enumerate(snapshots):
            key, found = self._list_of(snapshot, before)
            list_keys.append(key)
            counts.append(-1 if found is None else len(found.ids))
            if found is None:
                sizes.append(-1)
                continue
            left, came = _difference(before, found)
            for gone in left:
                self.last_seen[gone] = place - 1
            known = sizes[-1] if sizes and sizes[-1] >= 0 and before is not _EMPTY else None
            sizes.append(self._bytes(found.ids) if known is None else known + self._bytes(came) - self._bytes(left))
            if snapshot.snapshot_id == current:
                live, live_is_known = found.ids, True
            if snapshot.snapshot_id in other_refs:
                others.update(found.ids)
            before = found
        for kept in before.ids:
            self.last_seen[kept] = len(snapshots) - 1
        return ManifestIndex(
            snapshots=tuple(snapshots),
            manifests=self.manifests,
            keys=self.keys,
            last_seen=self.last_seen,
            live=live,
            in_other_refs=frozenset(others),
            counts=counts,
            bytes=sizes,
            list_keys=list_keys,
            live_is_known=live_is_known,
        )

    def _bytes(self, ids: Sequence[int]) -> int:
        return sum(self.manifests[one].manifest_length for one in ids)

    def _list_of(self, snapshot: Snapshot, before: _List) -> tuple[str, _List | None]:
        if snapshot.manifest_list is None:
            return "", self._inline(snapshot)
        key = self.places.key(snapshot.manifest_list)
        try:
            return key, self._read(self.read(key), key, before)
        except FileNotFoundError:
            self.faults.add_missing(
                key, f"the manifest list of snapshot {snapshot.snapshot_id}", was_listed=key in self.places.files
            )
        except (IcebergFileError, StorageError) as error:
            self.faults.add_unreadable(error)
        return key, None

    def _inline(self, snapshot: Snapshot) -> _List:
        """Manifests that v1 metadata names itself; only their paths and sizes are known."""
        ids = []
        for path in snapshot.manifests:
            stored = self.places.files.get(self.places.key(path))
            length = 0 if stored is None else stored.size_bytes
            added = snapshot.snapshot_id if path not in self.by_path else None
            ids.append(
                self._known(
                    ManifestFile(
                        manifest_path=path, manifest_length=length, partition_spec_id=0, added_snapshot_id=added
                    )
                )
            )
        return _List(scanner=None, raw=b"", lefts=[], ids=ids)

    def _read(self, data: bytes, key: str, before: _List) -> _List:
        container = read_container(data, source=key)
        try:
            scanner = _scanner(container.header.get("avro.schema", b""))
        except IcebergFileError as error:
            raise IcebergFileError(key, error.problem) from error
        blocks = container.blocks
        raw = blocks[0].raw if len(blocks) == 1 else b"".join([block.raw for block in blocks])
        items, records = allowed_items(len(data)), sum(block.record_count for block in blocks)
        shared = _shared_records(before, scanner, raw)
        if shared is not None:
            stop = len(raw) - before.lefts[shared]
            try:
                scanned = scan_records(raw, scanner, source=key, items=items, records=records, stop=stop)
            except IcebergFileError:
                pass  # what is alike is no whole number of records
            else:
                head = self._ids(scanned.rows, scanner)
                lefts = [len(raw) - start for start in scanned.starts]
                return _List(
                    scanner=scanner, raw=raw, lefts=lefts + before.lefts[shared:], ids=head + before.ids[shared:]
                )
        scanned = scan_records(raw, scanner, source=key, items=items, records=records)
        lefts = [len(raw) - start for start in scanned.starts]
        return _List(scanner=scanner, raw=raw, lefts=lefts, ids=self._ids(scanned.rows, scanner))

    def _ids(self, rows: Sequence[Row], scanner: Scanner) -> list[int]:
        return [self._known_row(row, scanner.places) for row in rows]

    def _known_row(self, row: Row, places: Mapping[int, int]) -> int:
        path = str(row[places[500]])
        found = self.by_path.get(path)
        return self._known(_manifest(row, places)) if found is None else found

    def _known(self, manifest: ManifestFile) -> int:
        found = self.by_path.get(manifest.manifest_path)
        if found is None:
            found = self.by_path[manifest.manifest_path] = len(self.manifests)
            self.manifests.append(manifest)
            self.keys.append(self.places.key(manifest.manifest_path))
            self.last_seen.append(-1)
        return found


@lru_cache(maxsize=64)
def _scanner(avro_schema: bytes) -> Scanner:
    """How a list is read. Ids of the summaries' own fields are wanted too, so that these are read in part."""
    record = list_record({"avro.schema": avro_schema}, source="")
    return record_scanner(record, (*_NUMBERS, _PARTITIONS, *_SUMMARY))


def _shared_records(before: _List, scanner: Scanner, raw: bytes) -> int | None:
    """The first record of the list before from which on this list ends in the same bytes; None if none."""
    if before.scanner is not scanner or not before.lefts:
        return None
    if raw.endswith(before.raw):
        return 0
    low, high = 1, len(before.lefts)  # the tail from `high` on is alike, being empty
    while low < high:
        middle = (low + high) // 2
        if raw.endswith(before.raw[-before.lefts[middle] :]):
            high = middle
        else:
            low = middle + 1
    return low if low < len(before.lefts) else None


def _difference(before: _List, found: _List) -> tuple[list[int], list[int]]:
    """Manifests that left between two lists, and those that came; only the fronts of the lists are compared."""
    alike = 0
    most = min(len(before.ids), len(found.ids))
    if before.ids and found.ids[-len(before.ids) :] == before.ids:
        alike = len(before.ids)
    else:
        while alike < most and before.ids[-1 - alike] == found.ids[-1 - alike]:
            alike += 1
    old, new = before.ids[: len(before.ids) - alike], found.ids[: len(found.ids) - alike]
    kept = set(old) & set(new)
    return [one for one in old if one not in kept], [one for one in new if one not in kept]


def _manifest(row: Row, places: Mapping[int, int]) -> ManifestFile:
    def number(field_id: int) -> int | None:
        value = row[places[field_id]] if field_id in places else None
        return value if isinstance(value, int) else None

    return ManifestFile(
        manifest_path=str(row[places[500]]),
        manifest_length=number(501) or 0,
        partition_spec_id=number(502) or 0,
        added_snapshot_id=number(503),
        content=number(517) or 0,
        sequence_number=number(515) or 0,
        min_sequence_number=number(516) or 0,
        added_files_count=number(504),
        existing_files_count=number(505),
        deleted_files_count=number(506),
        added_rows_count=number(512),
        existing_rows_count=number(513),
        deleted_rows_count=number(514),
        partitions=_summaries(row[places[_PARTITIONS]] if _PARTITIONS in places else None),
    )


def _summaries(value: object) -> tuple[PartitionFieldSummary, ...] | None:
    if not isinstance(value, tuple):
        return None
    summaries = []
    for one in value:
        contains_null, lower, upper = (*one, None, None)[:3] if isinstance(one, tuple) else (None, None, None)
        summaries.append(
            PartitionFieldSummary(
                contains_null=bool(contains_null),
                lower_bound=lower if isinstance(lower, bytes) else None,
                upper_bound=upper if isinstance(upper, bytes) else None,
            )
        )
    return tuple(summaries)
