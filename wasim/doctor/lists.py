"""Every manifest that a table's snapshots hold, and which snapshots hold each."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from wasim.doctor.list_chain import PARTITIONS_ID, PATH_ID, ListFront, ListRead
from wasim.doctor.table_files import Faults, Places
from wasim.errors import WasimError
from wasim.iceberg import ManifestFile
from wasim.iceberg.manifest_lists import PartitionFieldSummary
from wasim.iceberg.record_scanning import Row
from wasim.iceberg.snapshots import Snapshot


@dataclass(frozen=True, slots=True, kw_only=True)
class ManifestIndex:
    """All manifests of the retained snapshots, and which snapshots hold each.

    `manifests[i]`, under the key `keys[i]`, is held by the `snapshots` from the first to the last place of each of
    `spans[i]`. `live` are the manifests of the current snapshot, in its list's order. `counts` and `bytes` are of each
    snapshot's manifests, -1 where its list cannot be read; `list_keys` are the lists, empty for manifests that
    metadata.json names itself.
    """

    snapshots: tuple[Snapshot, ...]
    manifests: list[ManifestFile]
    keys: list[str]
    spans: list[list[tuple[int, int]]]
    live: list[int]
    counts: list[int]
    bytes: list[int]
    list_keys: list[str]
    live_is_known: bool
    """False if the current snapshot's manifest list cannot be read."""

    def last_seen(self, place: int) -> int:
        """The place of the last snapshot that holds a manifest."""
        return self.spans[place][-1][1]


def listed_manifests(front: ListFront, places: Places) -> dict[str, ManifestFile]:
    """The manifests in front of a list by their keys."""
    return {places.key(one.manifest_path): one for one in (_manifest(row, front.places) for row in front.rows)}


def index_manifests(
    snapshots: Sequence[Snapshot],
    read: Callable[[Sequence[str]], Iterator[ListRead]],
    *,
    current: int | None,
    places: Places,
    faults: Faults,
) -> ManifestIndex:
    """The manifests of these snapshots, oldest first; `current` is a snapshot's id.

    `read` reads manifest lists by their keys. Those that cannot be read go into `faults`.
    """
    keys = ["" if one.manifest_list is None else places.key(one.manifest_list) for one in snapshots]
    return _Indexing(read([key for key in keys if key]), places, faults).run(snapshots, keys, current)


class _Indexing:
    """Manifests by number as they come; `held` are the manifests of the list before, its last one first."""

    def __init__(self, lists: Iterator[ListRead], places: Places, faults: Faults) -> None:
        self.lists, self.places, self.faults = lists, places, faults
        self.manifests: list[ManifestFile] = []
        self.keys: list[str] = []
        self.spans: list[list[tuple[int, int]]] = []
        self.since: list[int] = []
        self.by_path: dict[str, int] = {}
        self.held: list[int] = []
        self.held_bytes = 0

    def run(self, snapshots: Sequence[Snapshot], list_keys: Sequence[str], current: int | None) -> ManifestIndex:
        live, live_is_known = list[int](), current is None
        counts, sizes = list[int](), list[int]()
        for place, (snapshot, key) in enumerate(zip(snapshots, list_keys, strict=True)):
            is_read = self._hold(snapshot, key, place)
            counts.append(len(self.held) if is_read else -1)
            sizes.append(self.held_bytes if is_read else -1)
            if is_read and snapshot.snapshot_id == current:
                live, live_is_known = self.held[::-1], True
        self._let_go(self.held, len(snapshots) - 1)
        return ManifestIndex(
            snapshots=tuple(snapshots),
            manifests=self.manifests,
            keys=self.keys,
            spans=self.spans,
            live=live,
            counts=counts,
            bytes=sizes,
            list_keys=list(list_keys),
            live_is_known=live_is_known,
        )

    def _hold(self, snapshot: Snapshot, key: str, place: int) -> bool:
        """Hold what a snapshot holds; False, and all as it was, if its list could not be read."""
        if not key:
            self._change(0, [self._known(one) for one in self._inline(snapshot)], place)
            return True
        match next(self.lists):
            case ListFront() as found:
                self._change(found.kept, [self._known_row(row, found.places) for row in found.rows], place)
                return True
            case FileNotFoundError():
                what = f"the manifest list of snapshot {snapshot.snapshot_id}"
                self.faults.add_missing(key, what, was_listed=key in self.places.files)
            case WasimError() as error:
                self.faults.add_unreadable(error)
        return False

    def _change(self, kept: int, front: list[int], place: int) -> None:
        left = self.held[kept:]
        del self.held[kept:]
        self.held += reversed(front)
        stay = set(left).intersection(front)
        self._let_go([one for one in left if one not in stay], place - 1)
        for came in front:
            if came not in stay:
                self.since[came] = place
        self.held_bytes += self._bytes(front) - self._bytes(left)

    def _let_go(self, ids: Iterable[int], last: int) -> None:
        for one in ids:
            self.spans[one].append((self.since[one], last))

    def _bytes(self, ids: Iterable[int]) -> int:
        return sum(self.manifests[one].manifest_length for one in ids)

    def _inline(self, snapshot: Snapshot) -> Iterator[ManifestFile]:
        """Manifests that v1 metadata names itself; only their paths and sizes are known."""
        for path in snapshot.manifests:
            stored = self.places.files.get(self.places.key(path))
            length = 0 if stored is None else stored.size_bytes
            added = snapshot.snapshot_id if path not in self.by_path else None
            yield ManifestFile(manifest_path=path, manifest_length=length, partition_spec_id=0, added_snapshot_id=added)

    def _known_row(self, row: Row, places: Mapping[int, int]) -> int:
        found = self.by_path.get(str(row[places[PATH_ID]]))
        return self._known(_manifest(row, places)) if found is None else found

    def _known(self, manifest: ManifestFile) -> int:
        found = self.by_path.get(manifest.manifest_path)
        if found is None:
            found = self.by_path[manifest.manifest_path] = len(self.manifests)
            self.manifests.append(manifest)
            self.keys.append(self.places.key(manifest.manifest_path))
            self.spans.append([])
            self.since.append(-1)
        return found


def _manifest(row: Row, places: Mapping[int, int]) -> ManifestFile:
    def number(field_id: int) -> int | None:
        value = row[places[field_id]] if field_id in places else None
        return value if isinstance(value, int) else None

    return ManifestFile(
        manifest_path=str(row[places[PATH_ID]]),
        manifest_length=number(501) or 0,
        partition_spec_id=number(502) or 0,
        added_snapshot_id=number(503),
        content=number(517) or 0,
        added_files_count=number(504),
        existing_files_count=number(505),
        deleted_files_count=number(506),
        partitions=_summaries(row[places[PARTITIONS_ID]] if PARTITIONS_ID in places else None),
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
