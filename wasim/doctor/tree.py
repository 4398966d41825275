"""A table's files judged: everything that its metadata refers to, against everything that its folder holds."""

from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from functools import partial

from wasim.doctor.content import ContentFiles, Entries, are_complete, entry_sizes, is_whole, read_content
from wasim.doctor.decoding import Decoder
from wasim.doctor.deletable import Blocker, Evidence, find_blockers, is_older, is_past, is_same_table, judge, past_json
from wasim.doctor.heads import JsonHead, read_avro_heads, read_json_heads
from wasim.doctor.list_chain import ListFront
from wasim.doctor.lists import ManifestIndex, index_manifests, listed_manifests
from wasim.doctor.opening import OpenedTable
from wasim.doctor.succession import read_succession
from wasim.doctor.table_files import FaultKind, Faults, FileState, Places, State, is_outside
from wasim.iceberg import ManifestFile
from wasim.iceberg.names import is_staged_by_flink, kind_by_name, snapshot_of_statistics
from wasim.iceberg.snapshots import PartitionStatisticsFile, StatisticsFile, is_stamp
from wasim.ledger import DATA_KINDS, Kind
from wasim.units import DAY_S

DEFAULT_GRACE_S = 3 * DAY_S
"""As `remove_orphan_files` has it by default."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree:
    """What a table's metadata refers to, and the state of every file in its folder.

    `content` is None if manifests were not to be read: unreferenced data files are then not known. `json_heads` are of
    the metadata.json that the metadata log does not name, None where one cannot be read. `blockers` are why no file at
    all is called an orphan.
    """

    opened: OpenedTable
    places: Places
    index: ManifestIndex
    content: ContentFiles | None
    files: list[FileState]
    faults: Faults
    json_heads: Mapping[str, JsonHead | None]
    blockers: tuple[Blocker, ...]
    grace_s: float

    @property
    def stored_share(self) -> float:
        """Stored bytes of the current metadata.json for each byte of its text: below 1 where it is compressed."""
        return self.opened.json_bytes / max(1, len(self.opened.json_text))

    @property
    def is_current_read(self) -> bool:
        """Whether the current snapshot's manifest list and manifests were read."""
        content = self.content
        return self.index.live_is_known and not (content is not None and content.unread_live_manifests)

    @property
    def missing_live_files(self) -> int:
        """The live data and delete files that are absent from the folder; 0 in a tree of metadata alone."""
        content = self.content
        if content is None or self.has_no_data_files:
            return 0
        live = (key for key, place in content.places.items() if content.is_live[place] and not is_outside(key))
        return sum(key not in self.opened.files for key in live)

    @property
    def has_no_data_files(self) -> bool:
        """Whether not one of the data files is there: a tree of metadata alone."""
        content = self.content
        return content is not None and len(content) > 0 and not any(key in self.opened.files for key in content.places)


def _contradictions(opened: OpenedTable) -> Iterator[str]:
    """What a metadata.json says that no table can be."""
    metadata, path = opened.metadata, opened.chosen.path
    current = metadata.current_snapshot_id
    if current is not None and all(one.snapshot_id != current for one in metadata.snapshots):
        yield f"{path}: its current snapshot {current} is not among its own"
    stamps = (metadata.last_updated_ms, *(one.timestamp_ms for one in metadata.snapshots))
    if (stamp := next((one for one in stamps if not is_stamp(one)), None)) is not None:
        yield f"{path}: it is stamped {stamp}, which are no milliseconds of the years 1970 to 9999"


def read_tree(
    opened: OpenedTable, decoder: Decoder, *, grace_s: float, reads_manifests: bool, whole: bool = False
) -> Tree:
    """The tree of a table; its faults are gathered, never raised.

    Before any but a metadata.json is called an orphan, every manifest list is read `whole`.
    """
    metadata, faults = opened.metadata, deepcopy(opened.faults)
    places = Places(root=opened.root, location=metadata.location, files=opened.files, scheme=opened.storage.scheme)
    snapshots = sorted(metadata.snapshots, key=lambda one: (one.sequence_number, one.timestamp_ms))
    for text in _contradictions(opened):
        faults.add(FaultKind.INCONSISTENT, text)
    read = partial(decoder.lists, whole=whole)
    index = index_manifests(snapshots, read, current=metadata.current_snapshot_id, places=places, faults=faults)
    content = None
    if reads_manifests:
        content = read_content(index, manifests=decoder.manifests(index.keys), places=places, faults=faults)
    states = _States(opened, places, index, content, grace_s)
    files, json_heads, blockers = states.of_all(decoder)
    # Manifest lists say nothing of metadata.json, which is judged by other metadata.json alone.
    asks = any(one.state is State.ORPHAN and one.kind is not Kind.METADATA_JSON for one in files)
    if asks and not whole and not _is_confirmed(index, decoder, places):
        return read_tree(opened, decoder, grace_s=grace_s, reads_manifests=reads_manifests, whole=True)
    _find_faults(states, faults)
    return Tree(
        opened=opened,
        places=places,
        index=index,
        content=content,
        files=files,
        faults=faults,
        json_heads=json_heads,
        blockers=blockers,
        grace_s=grace_s,
    )


def _is_confirmed(index: ManifestIndex, decoder: Decoder, places: Places) -> bool:
    """Whether the lists, read whole, hold the manifests that they were said to hold."""
    read = partial(decoder.lists, whole=True)
    confirmed = index_manifests(index.snapshots, read, current=None, places=places, faults=Faults())
    return (confirmed.keys, confirmed.spans, confirmed.counts) == (index.keys, index.spans, index.counts)


class _States:
    """References by key, and the state of each file by them."""

    def __init__(
        self, opened: OpenedTable, places: Places, index: ManifestIndex, content: ContentFiles | None, grace_s: float
    ) -> None:
        self.opened, self.places, self.index, self.content = opened, places, index, content
        self.grace_s = grace_s
        self.metadata: dict[str, tuple[Kind, State, int | None]] = {}
        self.expected_bytes: dict[str, tuple[FaultKind, int]] = {}
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

    def of_all(self, decoder: Decoder) -> tuple[list[FileState], dict[str, JsonHead | None], tuple[Blocker, ...]]:
        """The state of every file, the heads of metadata.json that the log does not name, and why none is an orphan."""
        referred = {key: found for key in self.opened.files if (found := self._referred(key)) is not None}
        unreferred = _Unreferred(self, decoder, [key for key in self.opened.files if key not in referred])
        files = [
            FileState(key, file.size_bytes, file.modified_s, *(referred.get(key) or unreferred.judged(key)))
            for key, file in self.opened.files.items()
        ]
        return files, unreferred.json_heads, unreferred.evidence.blockers

    def _referred(self, key: str) -> tuple[Kind, State, int | None] | None:
        content = self.content
        if (found := self.metadata.get(key)) is not None or content is None:
            return found
        place = content.places.get(key)
        if place is None:
            return None
        state = State.LIVE if content.is_live[place] else State.RETAINED
        return content.kinds[place], state, content.last_seen[place]

    def missing(self) -> Iterator[tuple[str, int | None]]:
        """The key of each file that metadata names and the folder does not hold, with its size where that is known."""
        files, content = self.opened.files, self.content
        for key in self.metadata:
            if key not in files:
                yield key, self.expected_bytes[key][1] if key in self.expected_bytes else None
        for key, place in ({} if content is None else content.places).items():
            if key not in files:
                yield key, content.bytes[place] if content is not None else None


class _Unreferred:
    """Files that nothing refers to, judged by everything that could."""

    def __init__(self, states: _States, decoder: Decoder, keys: list[str]) -> None:
        self.states, self.decoder, self.opened = states, decoder, states.opened
        self.kinds = {key: None if is_hidden(key) else kind_by_name(f"/{key}") for key in keys}
        self.avro_heads = read_avro_heads(
            self.opened,
            [(key, kind) for key, kind in self.kinds.items() if kind in (Kind.DATA_MANIFEST, Kind.MANIFEST_LIST)],
        )
        self.kinds |= {key: head.kind for key, head in self.avro_heads.items()}
        json = [key for key, kind in self.kinds.items() if kind is Kind.METADATA_JSON]
        self.json_heads = read_json_heads(self.opened, json)
        own = {key: head for key, head in self.json_heads.items() if head and is_same_table(self.opened, head)}
        self.succession = read_succession(self.opened, own, states.places)
        self.evidence = self._evidence()

    def judged(self, key: str) -> tuple[Kind | None, State, None, str]:
        """Kind, state and reason of a file."""
        kind = self.kinds[key]
        if self.states.content is None and kind in DATA_KINDS:  # whatever its age: most of these are live
            return kind, State.UNKNOWN, None, "no manifest of this table was read, and one may refer to it"
        state, reason = judge(key, self.opened.files[key], kind, self.evidence)
        return kind, state, None, reason

    def _evidence(self) -> Evidence:
        states, opened, index, content = self.states, self.opened, self.states.index, self.states.content
        later, past, unread = self._later_and_past()
        blockers = [*find_blockers(opened, index, content, self.json_heads, self.succession)]
        blockers += [
            Blocker(reason=f"{key} may be newer than the current metadata.json and could not be read") for key in unread
        ]
        missing = [*states.missing(), *((key, size) for key, size in later.items() if key not in opened.files)]
        names = frozenset(key.rpartition("/")[2] for key, _ in missing)
        return Evidence(
            blockers=tuple(blockers),
            written_at_s=opened.files[opened.chosen.path].modified_s,
            listed_at_s=opened.listed_at_s,
            grace_s=states.grace_s,
            missing_names=names,
            missing_bytes=frozenset(size for _, size in missing if size is not None),
            later=later.keys(),
            past=past | past_json(opened, self.json_heads, self.succession.left, names),
            retained_ids=frozenset(one.snapshot_id for one in index.snapshots),
            has_unread_versions=not self.succession.is_complete,
            has_unread_lists=-1 in index.counts or not are_complete(index, content),
            has_unread_manifests=content is None or content.unread_manifests > 0,
        )

    def _is_end_unread(self, key: str) -> bool:
        """Whether what the end of a succession refers to is not all read: format version 1 may name manifests there."""
        end = self.succession.ends[key]
        return end is None or any(not one.manifest_list for one in end.snapshots)

    def _later_and_past(self) -> tuple[dict[str, int | None], set[str], list[str]]:
        """What commits that may be newer than the current metadata.json refer to, and its bytes, themselves included;
        the files of older ones; and what of the newer ones was not read.
        """
        opened, heads, places = self.opened, self.avro_heads, self.states.places
        lists = [key for key, head in heads.items() if head.kind is Kind.MANIFEST_LIST]
        ends = [one for one in self.succession.ends.values() if one is not None]
        snapshots = [one for end in ends for one in end.snapshots]
        elsewhere = {places.key(one.manifest_list) for one in snapshots if one.manifest_list}
        later = {key for key in lists if key in elsewhere or not is_past(opened, opened.files[key], heads[key])}
        past = set(lists) - later
        found: dict[str, int | None] = dict.fromkeys(later)
        found |= {places.key(one.statistics_path): one.file_size_bytes for end in ends for one in end.statistics}
        found |= {places.key(one.statistics_path): None for end in ends for one in end.partition_statistics}
        unread, listed = list(filter(self._is_end_unread, self.succession.ends)), dict[str, ManifestFile]()
        for key in later:
            (front,) = self.decoder.lists([key])
            if isinstance(front, ListFront):
                listed |= listed_manifests(front, places)
            else:
                unread.append(key)
        passed = {heads[key].snapshot_id for key in past}
        statistics = {key for key, kind in self.kinds.items() if kind is Kind.STATISTICS}
        manifests = heads.keys() - set(lists)
        past |= {key for key in manifests | statistics if is_older(opened, opened.files[key])}
        past |= {key for key in statistics if snapshot_of_statistics(key.rpartition("/")[2]) in passed}
        if not past.issuperset(manifests):
            fronts = self.decoder.lists([key for key in lists if key in past], whole=True)
            past |= {key for front in fronts if isinstance(front, ListFront) for key in listed_manifests(front, places)}
        staged = {key for key in manifests if is_staged_by_flink(key.rpartition("/")[2])}
        found |= {key: one.manifest_length for key, one in listed.items()}
        asked = sorted((listed.keys() - self.states.metadata.keys()) | (manifests - past) | staged)
        for key, entries in zip(asked, self.decoder.manifests(asked), strict=True):
            if isinstance(entries, Entries) and entries.rows:  # none are left of one that was cut after its header
                found |= entry_sizes(entries, places)
                one = listed.get(key)
                if one is None or is_whole(one, entries, opened.files.get(key), key, Faults()):
                    continue
            unread.append(key)
        return found, past, unread


def is_hidden(key: str) -> bool:
    """Iceberg's own orphan removal passes over names that begin with a dot or an underscore."""
    return any(part.startswith((".", "_")) for part in key.split("/") if "=" not in part)


def _find_faults(states: _States, faults: Faults) -> None:
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
    for key, place in sorted(content.places.items(), key=lambda one: not content.is_live[one[1]]):  # live ones first
        if is_outside(key):
            faults.add(FaultKind.OUTSIDE, f"{key}: a {content.kinds[place].value} file outside the table's folder")
        elif key not in files:
            held = "live" if content.is_live[place] else "retained"
            faults.add(FaultKind.ABSENT_DATA, f"{key}: a {held} {content.kinds[place].value} file is absent")
        elif files[key].size_bytes != content.bytes[place]:
            size = files[key].size_bytes
            faults.add(FaultKind.WRONG_DATA_SIZE, f"{key}: has {size} bytes; its manifest says {content.bytes[place]}")
