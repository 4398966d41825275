"""Which files of a table may be deleted: those that nothing refers to, once all that could refer to them was read.

And what an expiry of snapshots frees: the files that no snapshot left over holds.
"""

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from wasim.doctor.content import ContentFiles
from wasim.doctor.heads import AvroHead, JsonHead
from wasim.doctor.lists import ManifestIndex
from wasim.doctor.opening import OpenedTable
from wasim.doctor.succession import Succession
from wasim.doctor.table_files import Amount, State
from wasim.iceberg.names import is_staged_by_flink, snapshot_of_statistics
from wasim.iceberg.properties import GC_ENABLED, TableProperties
from wasim.iceberg.resolve import metadata_version
from wasim.ledger import Kind
from wasim.ledger.vocabulary import DATA_KINDS
from wasim.storage import StoredFile
from wasim.units import DAY_S, format_count

if TYPE_CHECKING:
    from wasim.doctor.tree import Tree

_FOREIGN = ("/_delta_log/", "/.hoodie/")
_MOST_APART_S = 60.0
_FORKED = "another catalog commits to this table too, or it was registered anew from an earlier version"


@dataclass(frozen=True, slots=True, kw_only=True)
class Blocker:
    """Why no file at all may be called an orphan. `name` is that of a finding, empty where another one says it.

    `is_about_current` says that the metadata.json taken as current may not be it.
    """

    reason: str
    name: str = ""
    is_about_current: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What is known of everything that could refer to a file which no snapshot and no metadata log names.

    `missing_names` and `missing_bytes` are of files that metadata names and the folder does not hold: one of them may
    have been renamed or copied to another place. `past` are metadata files shown to belong to commits before the
    current metadata.json; `later` are files that others, which may belong to newer ones, refer to. Times count from the
    epoch.
    """

    blockers: tuple[Blocker, ...] = ()
    written_at_s: float
    listed_at_s: float
    grace_s: float
    missing_names: Set[str] = field(default_factory=frozenset)
    missing_bytes: Set[int] = field(default_factory=frozenset)
    later: Set[str] = field(default_factory=frozenset)
    past: Set[str] = field(default_factory=frozenset)
    retained_ids: Set[int] = field(default_factory=frozenset)
    has_unread_versions: bool = False
    has_unread_lists: bool = False
    has_unread_manifests: bool = False


def judge(key: str, file: StoredFile, kind: Kind | None, evidence: Evidence) -> tuple[State, str]:
    """The state of a file that nothing refers to, and why. ORPHAN is the only one that may be deleted.

    A file is an orphan only if every file that could refer to it was read.
    """
    if kind is None:
        return State.OTHER, "it is not an Iceberg file"
    if kind is Kind.VERSION_HINT:
        return State.LIVE, "readers without a catalog start from it"
    if file.modified_s > evidence.listed_at_s - evidence.grace_s:
        return State.YOUNG, "unreferenced, but younger than the grace period: a commit in progress may be writing it"
    doubt = next(_doubts(key, file, kind, evidence), None)
    if doubt is not None:
        return State.UNKNOWN, doubt
    days = (evidence.listed_at_s - file.modified_s) / DAY_S
    return State.ORPHAN, (
        f"no retained snapshot and no metadata log refers to it, and it is {days:.1f} days old;"
        " remove_orphan_files deletes it"
    )


def _doubts(key: str, file: StoredFile, kind: Kind, evidence: Evidence) -> Iterator[str]:
    """Reasons why a file might be needed all the same."""
    yield from (blocker.reason for blocker in evidence.blockers)
    if kind is Kind.METADATA_JSON:
        if key not in evidence.past:
            yield "no later metadata.json of this table names it in its log: it may be current in another catalog"
        return  # nothing but a newer metadata.json refers to it
    name = key.rpartition("/")[2]
    if name in evidence.missing_names:
        yield "a file of this name is referred to and absent"
    if file.size_bytes in evidence.missing_bytes:
        yield "a file of this size is referred to and absent: this may be it, renamed"
    if is_staged_by_flink(name):
        yield "a Flink job that resumes from its checkpoint may still commit it"
    if kind is Kind.STATISTICS and snapshot_of_statistics(name) in (None, *evidence.retained_ids):
        yield "it may be the statistics of a retained snapshot"
    if key in evidence.later:
        yield "an uncommitted or newer snapshot refers to it"
    if file.modified_s > evidence.written_at_s:
        yield "it was written after the current metadata.json: a later commit may refer to it"
    if kind not in DATA_KINDS and key not in evidence.past:
        yield "nothing shows that it is older than the current metadata.json: a later snapshot may refer to it"
    if evidence.has_unread_versions:
        yield "of too many metadata.json it was not seen which later one names them: one may refer to it"
    if evidence.has_unread_lists:
        yield "a manifest list of this table was not read, or is not known to be whole: it may refer to it"
    if evidence.has_unread_manifests and kind in DATA_KINDS:
        yield "a manifest of this table was not read, and may refer to it"


def find_blockers(
    opened: OpenedTable,
    index: ManifestIndex,
    content: ContentFiles | None,
    heads: Mapping[str, JsonHead | None],
    succession: Succession,
) -> Iterator[Blocker]:
    """Why no file of the table may be called an orphan; `heads` are of metadata.json that its log does not name."""
    yield from _newer_metadata(opened, heads)
    yield from _other_commits(opened, succession)
    strangers = {
        head.table_uuid
        for head in heads.values()
        if head is not None and head.table_uuid and not is_same_table(opened, head)
    }
    if strangers:
        reason = f"another table's metadata.json lies in the same folder (table UUID {min(strangers)})"
        yield Blocker(name="shared_folder", reason=reason)
    for key, head in heads.items():
        if head is None or not (head.table_uuid and opened.metadata.table_uuid):
            why = "could not be read" if head is None else "cannot be compared by table UUID"
            yield Blocker(reason=f"{key} {why}: it may be another table's, which uses the same folder")
            break
    if opened.below:
        reason = f"another table, or a newer version of this one, lies in {opened.below[0]} and may use its files"
        yield Blocker(name="shared_folder", reason=reason)
    if foreign := next((key for key in opened.files if any(one in f"/{key}" for one in _FOREIGN)), None):
        yield Blocker(name="shared_folder", reason=f"{foreign} is of another table format, which may use its files")
    if opened.chosen.hint_is_ahead:
        reason = f"version-hint.text names {opened.chosen.hint}, which is not there"
        yield Blocker(reason=reason, is_about_current=True)
    current = opened.metadata.current_snapshot_id
    if not index.live_is_known:
        yield Blocker(reason=f"the manifest list of the current snapshot, {current}, could not be read")
    elif content is not None and content.unread_live_manifests:
        yield Blocker(reason="a manifest of the current snapshot could not be read")
    if not TableProperties.read_leniently(opened.metadata.properties).gc_enabled:
        reason = f"{GC_ENABLED} is false: other tables may use its files"
        yield Blocker(name="gc_disabled", reason=reason)


def _newer_metadata(opened: OpenedTable, heads: Mapping[str, JsonHead | None]) -> Iterator[Blocker]:
    """A metadata.json that may be the current one: unreadable, newer, or of the same version."""
    if opened.chosen.is_by_catalog:
        return  # what the catalog does not name was never committed
    version = metadata_version(opened.chosen.path)
    late = (key for key, head in heads.items() if head is None and metadata_version(key) >= version)
    unread = sorted({*opened.chosen.unread, *late})
    if unread:
        reason = f"{unread[-1]} could not be read, and may be the current metadata.json"
        yield Blocker(reason=reason, is_about_current=True)
    read = {key: head for key, head in heads.items() if head is not None and key not in unread}
    newer = [key for key, head in read.items() if _is_newer(opened, key, head)]
    if newer:
        latest = max(newer, key=lambda key: (metadata_version(key), key))
        versions = format_count(len(newer), "newer version exists", "newer versions exist")
        reason = f"this is the table's past: {versions}, the latest of them {latest}"
        yield Blocker(name="past_version", reason=reason, is_about_current=True)
    rivals = [key for key, head in read.items() if _is_rival(opened, key, head)]
    if rivals:
        reason = f"{rivals[0]} has the version of the metadata.json taken as current: which was committed is not known"
        yield Blocker(reason=reason, is_about_current=True)


def _other_commits(opened: OpenedTable, succession: Succession) -> Iterator[Blocker]:
    """Commits that were made on a metadata.json that the current one does not follow."""
    is_known = opened.chosen.is_by_catalog  # else newer ones say that this is the table's past
    newest = metadata_version(opened.chosen.path)
    forked = sorted(key for key in succession.forked if is_known or metadata_version(key) <= newest)
    if forked:
        reason = f"commits were made on {forked[-1]}, which this table's metadata does not follow: {_FORKED}"
        yield Blocker(name="forked", reason=reason, is_about_current=not is_known)


def is_same_table(opened: OpenedTable, head: JsonHead) -> bool:
    """Whether a metadata.json is this table's, as far as both say whose they are."""
    own = opened.metadata.table_uuid
    return own is None or head.table_uuid is None or head.table_uuid.lower() == own.lower()


def _is_beside(opened: OpenedTable, key: str) -> bool:
    return key.rpartition("/")[0] == opened.chosen.path.rpartition("/")[0]


def _is_newer(opened: OpenedTable, key: str, head: JsonHead) -> bool:
    if not is_same_table(opened, head):
        return False
    if head.last_updated_ms >= opened.metadata.last_updated_ms:
        return True
    return _is_beside(opened, key) and metadata_version(key) > metadata_version(opened.chosen.path)


def _is_rival(opened: OpenedTable, key: str, head: JsonHead) -> bool:
    version = metadata_version(key)
    is_equal = _is_beside(opened, key) and 0 <= version == metadata_version(opened.chosen.path)
    return is_equal and is_same_table(opened, head) and not _is_newer(opened, key, head)


def past_json(
    opened: OpenedTable, heads: Mapping[str, JsonHead | None], left: Set[str], missing: Set[str]
) -> frozenset[str]:
    """The metadata.json that are older ones of this table, by their own word and by the log of a later one, which names
    what is `left` behind.

    One that was written when a file of the metadata log was, and that is among the `missing`, may be that file.
    """
    log = opened.metadata.metadata_log
    absent_ms = {one.timestamp_ms for one in log if one.metadata_file.rpartition("/")[2] in missing}
    return frozenset(
        key
        for key, head in heads.items()
        if head is not None
        and key in left
        and not _is_newer(opened, key, head)
        and head.last_updated_ms not in absent_ms
    )


def is_older(opened: OpenedTable, file: StoredFile) -> bool:
    """Whether its stamp shows that a file was written before the current metadata.json.

    Copies have stamps of their own: stamps show something only if that metadata.json's is about when it was committed.
    """
    written_at_s = opened.files[opened.chosen.path].modified_s
    is_original = abs(written_at_s - opened.metadata.last_updated_ms / 1000) <= _MOST_APART_S
    return is_original and file.modified_s < written_at_s


def is_past(opened: OpenedTable, file: StoredFile, head: AvroHead) -> bool:
    """Whether an unreferenced manifest list belongs to a commit before the current metadata.json.

    A commit's sequence number is above all that came before it, so a list of a sequence number that the table has
    passed can never be committed. Format version 1 has none: there the time counts, and whether its parent is retained.
    """
    if head.sequence_number:
        return head.sequence_number <= opened.metadata.last_sequence_number
    retained = {one.snapshot_id for one in opened.metadata.snapshots}
    is_of_retained = head.snapshot_id in retained  # another attempt of a commit that was made
    return is_of_retained or (is_older(opened, file) and head.parent_id not in retained)


_BY_SNAPSHOT = (Kind.MANIFEST_LIST, Kind.STATISTICS)


class Expirable:
    """The retained files of a tree, gathered once for every expiry that is looked at."""

    def __init__(self, tree: "Tree") -> None:
        self.index, self.content = tree.index, tree.content
        self.files = [one for one in tree.files if one.state is State.RETAINED and one.kind is not None]
        self.manifest_places = {key: place for place, key in enumerate(self.index.keys)}

    def freed(self, kept: Set[int]) -> dict[Kind, Amount]:
        """Files and bytes by kind that go if only the snapshots of these ids stay.

        Data that a manifest of a snapshot left over may hold, because it could not be read, stays.
        """
        places = {place for place, one in enumerate(self.index.snapshots) if one.snapshot_id in kept}
        sizes: dict[Kind, list[int]] = {}
        stays = stays_with(self.index, kept)
        content = self.content if self.content is not None and not self.content.unread_manifests else None
        for file in self.files:
            if file.kind in _BY_SNAPSHOT:
                is_kept = file.last_seen is None or file.last_seen in places
            elif file.kind in DATA_KINDS:
                place = -1 if content is None else content.places[file.key]
                is_kept = content is None or any(
                    stays[one] for one in (content.manifests[place], *content.others.get(place, ()))
                )
            else:
                is_kept = stays[self.manifest_places[file.key]]
            if not is_kept and file.kind is not None:
                sizes.setdefault(file.kind, []).append(file.bytes)
        return {kind: Amount(files=len(found), bytes=sum(found)) for kind, found in sizes.items()}


def stays_with(index: ManifestIndex, kept: Set[int]) -> list[bool]:
    """Of each manifest, whether one of the snapshots of these ids holds it."""
    places = [place for place, one in enumerate(index.snapshots) if one.snapshot_id in kept]

    def holds_any(spans: Sequence[tuple[int, int]]) -> bool:
        return any((at := bisect_left(places, first)) < len(places) and places[at] <= last for first, last in spans)

    return list(map(holds_any, index.spans))
