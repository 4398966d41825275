"""A table's files judged: everything that its metadata refers to, against everything that its folder holds."""

from dataclasses import dataclass

from wasim.doctor.content import ContentFiles, read_content
from wasim.doctor.decoding import Decoder
from wasim.doctor.faults import FaultKind, Faults
from wasim.doctor.lists import ManifestIndex, index_manifests, list_keys_of
from wasim.doctor.opening import OpenedTable
from wasim.doctor.places import Places, is_outside
from wasim.doctor.states import FileState, State
from wasim.iceberg import IcebergFileError
from wasim.iceberg.containers import read_container_header
from wasim.iceberg.manifest_entries import ManifestContent
from wasim.iceberg.manifests import read_manifest_header
from wasim.iceberg.parquet_manifests import PARQUET_MAGIC
from wasim.iceberg.snapshots import PartitionStatisticsFile, StatisticsFile
from wasim.ledger import Kind
from wasim.ledger.kinds import kind_by_name
from wasim.storage import StorageError, StoredFile
from wasim.units import DAY_S

DEFAULT_GRACE_S = 3 * DAY_S
"""As `remove_orphan_files` has it by default."""

_HEAD_BYTES = 1 << 16
_MOST_HEADS = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree:
    """What a table's metadata refers to, and the state of every file in its folder.

    `content` is None if manifests were not to be read: unreferenced data files are then not known.
    """

    opened: OpenedTable
    places: Places
    index: ManifestIndex
    content: ContentFiles | None
    files: list[FileState]
    faults: Faults

    @property
    def has_no_data_files(self) -> bool:
        """Whether not one of the data files is there: a tree of metadata alone."""
        content = self.content
        return content is not None and len(content) > 0 and not any(key in self.opened.files for key in content.places)


def read_tree(opened: OpenedTable, decoder: Decoder, *, grace_s: float, reads_manifests: bool = True) -> Tree:
    """The tree of a table; its faults are gathered, never raised."""
    metadata, faults = opened.metadata, opened.faults
    scheme = opened.storage.scheme
    places = Places(root=opened.root, location=metadata.location, files=opened.files, scheme=scheme)
    snapshots = sorted(metadata.snapshots, key=lambda one: (one.sequence_number, one.timestamp_ms))
    current = metadata.current_snapshot_id
    list_keys = list_keys_of(snapshots, places)
    index = index_manifests(
        snapshots,
        current=current,
        list_keys=list_keys,
        lists=decoder.lists([key for key in list_keys if key]),
        places=places,
        faults=faults,
    )
    if current is not None and all(one.snapshot_id != current for one in snapshots):
        faults.add(FaultKind.INCONSISTENT, f"{opened.chosen.path}: its current snapshot {current} is not among its own")
    content = None
    if reads_manifests:
        content = read_content(index, manifests=decoder.manifests(index.keys), places=places, faults=faults)
    states = _States(opened, places, index, content, grace_s)
    files = states.of_all()
    _find_faults(states, faults)
    return Tree(opened=opened, places=places, index=index, content=content, files=files, faults=faults)


class _States:
    """References by key, and the state of each file by them."""

    def __init__(
        self,
        opened: OpenedTable,
        places: Places,
        index: ManifestIndex,
        content: ContentFiles | None,
        grace_s: float,
    ) -> None:
        self.opened, self.places, self.index, self.content = opened, places, index, content
        self.oldest_young_s = opened.listed_at_s - grace_s
        self.metadata: dict[str, tuple[Kind, State, int | None]] = {}
        self.expected_bytes: dict[str, tuple[FaultKind, int]] = {}
        self.heads_read = 0
        self._refer_to_json()
        self._refer_to_statistics()
        self._refer_to_lists_and_manifests()

    def _refer_to_json(self) -> None:
        for entry in self.opened.metadata.metadata_log:
            self.metadata[self.places.key(entry.metadata_file)] = (Kind.METADATA_JSON, State.METADATA_LOG, None)
        self.metadata[self.opened.chosen.path] = (Kind.METADATA_JSON, State.LIVE, None)

    def _refer_to_statistics(self) -> None:
        metadata = self.opened.metadata
        places = {one.snapshot_id: place for place, one in enumerate(self.index.snapshots)}
        found: list[StatisticsFile | PartitionStatisticsFile] = [*metadata.statistics, *metadata.partition_statistics]
        for one in found:
            key = self.places.key(one.statistics_path)
            state = State.LIVE if one.snapshot_id == metadata.current_snapshot_id else State.RETAINED
            self.metadata[key] = (Kind.STATISTICS, state, places.get(one.snapshot_id))
            self.expected_bytes[key] = (FaultKind.WRONG_STATISTICS, one.file_size_bytes)

    def _refer_to_lists_and_manifests(self) -> None:
        index, live = self.index, set(self.index.live)
        current = self.opened.metadata.current_snapshot_id
        for place, (key, snapshot) in enumerate(zip(index.list_keys, index.snapshots, strict=True)):
            if key:
                state = State.LIVE if snapshot.snapshot_id == current else State.RETAINED
                self.metadata[key] = (Kind.MANIFEST_LIST, state, place)
        for place, manifest in enumerate(index.manifests):
            kind = Kind.DELETE_MANIFEST if manifest.content == 1 else Kind.DATA_MANIFEST
            state = State.LIVE if place in live else State.RETAINED
            self.metadata[index.keys[place]] = (kind, state, index.last_seen(place))
            self.expected_bytes[index.keys[place]] = (FaultKind.WRONG_MANIFEST_LENGTH, manifest.manifest_length)

    def of_all(self) -> list[FileState]:
        return [self._of(key, file) for key, file in self.opened.files.items()]

    def _of(self, key: str, file: StoredFile) -> FileState:
        kind, state, last_seen = self._judge(key, file)
        return FileState(
            key=key,
            bytes=file.size_bytes,
            modified_s=file.modified_s,
            kind=kind,
            state=state,
            last_seen=last_seen,
        )

    def _judge(self, key: str, file: StoredFile) -> tuple[Kind | None, State, int | None]:
        if referred := self.metadata.get(key):
            return referred
        content = self.content
        if content is not None and (place := content.places.get(key)) is not None:
            state = State.LIVE if content.is_live[place] else State.RETAINED
            return content.kinds[place], state, content.last_seen[place]
        kind = None if _is_hidden(key) else self._unreferred_kind(key)
        return kind, self._unreferred_state(kind, file), None

    def _unreferred_state(self, kind: Kind | None, file: StoredFile) -> State:
        if kind is None:
            return State.OTHER
        if kind is Kind.VERSION_HINT:
            return State.LIVE
        if self._may_be_referred_to(kind):
            return State.UNKNOWN
        return State.YOUNG if file.modified_s > self.oldest_young_s else State.ORPHAN

    def _may_be_referred_to(self, kind: Kind) -> bool:
        """Whether something that could not be read may refer to a file of that kind."""
        if kind in (Kind.METADATA_JSON, Kind.MANIFEST_LIST, Kind.STATISTICS):
            return False
        is_content = kind in (Kind.DATA, Kind.DELETE_FILE)
        return -1 in self.index.counts or (is_content and (self.content is None or self.content.unread_manifests > 0))

    def _unreferred_kind(self, key: str) -> Kind | None:
        kind = kind_by_name(f"/{key}")
        if kind is Kind.DATA_MANIFEST and self.heads_read < _MOST_HEADS:
            self.heads_read += 1
            return self._kind_by_header(key)
        return kind

    def _kind_by_header(self, key: str) -> Kind:
        """Names do not tell delete manifests from data manifests, and not every writer names lists `snap-…`."""
        try:
            path = f"{self.opened.root.rstrip('/')}/{key}"
            data = self.opened.storage.read(path, head=_HEAD_BYTES)
            if data[:4] == PARQUET_MAGIC:  # which has its header at the end
                content = read_manifest_header(self.opened.storage.read(path), source=key).content
                return Kind.DELETE_MANIFEST if content is ManifestContent.DELETES else Kind.DATA_MANIFEST
            header = read_container_header(data, source=key)
        except (IcebergFileError, StorageError, FileNotFoundError):
            return Kind.DATA_MANIFEST
        if "partition-spec" not in header and (
            "snapshot-id" in header or b"manifest_path" in header.get("avro.schema", b"")
        ):
            return Kind.MANIFEST_LIST
        return Kind.DELETE_MANIFEST if header.get("content") == b"deletes" else Kind.DATA_MANIFEST


def _is_hidden(key: str) -> bool:
    """Iceberg's own orphan removal passes over names that begin with a dot or an underscore."""
    return any(part.startswith((".", "_")) for part in key.split("/") if "=" not in part)


def _find_faults(states: _States, faults: Faults) -> None:
    """What metadata refers to and the folder does not hold, or holds in another size."""
    files = states.opened.files
    for key, (kind, state, _) in states.metadata.items():
        if is_outside(key):
            faults.add(FaultKind.OUTSIDE, f"{key}: a {kind.value} outside the table's folder")
        elif key not in files and kind is Kind.METADATA_JSON:
            faults.add(FaultKind.ABSENT_LOGGED, f"{key}: is named by the metadata log and absent")
        elif key not in files and kind is Kind.STATISTICS:
            faults.add(FaultKind.ABSENT_METADATA, f"{key}: a {state.value} statistics file is absent")
    for key, (fault, expected) in states.expected_bytes.items():
        if key in files and files[key].size_bytes != expected:
            faults.add(fault, f"{key}: has {files[key].size_bytes} bytes; metadata says {expected}")
    content = states.content
    if content is None:
        return
    for key, place in content.places.items():
        if is_outside(key):
            faults.add(FaultKind.OUTSIDE, f"{key}: a {content.kinds[place].value} file outside the table's folder")
        elif key not in files:
            held = "live" if content.is_live[place] else "retained"
            faults.add(FaultKind.ABSENT_DATA, f"{key}: a {held} {content.kinds[place].value} file is absent")
        elif files[key].size_bytes != content.bytes[place]:
            size = files[key].size_bytes
            faults.add(FaultKind.WRONG_DATA_SIZE, f"{key}: has {size} bytes; its manifest says {content.bytes[place]}")
