"""What each remedy would free, and the SQL that applies it. Nothing is ever applied here."""

import zlib
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import chain

from wasim.doctor.deletable import Expirable, stays_with
from wasim.doctor.json_parts import JsonParts
from wasim.doctor.table_files import Amount, State, StateTotals, is_outside
from wasim.doctor.tree import DEFAULT_GRACE_S, Tree, is_hidden
from wasim.errors import printable
from wasim.iceberg import TableMetadata
from wasim.iceberg.properties import (
    GC_ENABLED,
    KEY_PREFIXES,
    METADATA_COMPRESSION,
    METADATA_DELETE_AFTER_COMMIT_ENABLED,
    METADATA_PREVIOUS_VERSIONS_MAX,
    TableProperties,
)
from wasim.iceberg.retention import Expiry, lineage, retained_snapshots
from wasim.iceberg.schemas import schema_json
from wasim.iceberg.snapshots import Snapshot
from wasim.iceberg.specs import spec_json
from wasim.iceberg.sql import call_procedure, set_properties
from wasim.ledger import Kind
from wasim.profiles import never_read_by, writer_of
from wasim.units import DAY_S, format_count, format_duration

_BARE_SNAPSHOT_BYTES, _BARE_PAIR_BYTES = 200, 6  # of JSON around a snapshot's list and summary, and around a pair of it


class SnapshotEntries:
    """Bytes that snapshots take in each part of a tree's metadata.json, gathered once for every expiry."""

    def __init__(self, tree: Tree, parts: JsonParts) -> None:
        self._metadata, self._parts, self._stored_share = tree.opened.metadata, parts, tree.stored_share
        self._sizes = [_bytes_of(one) for one in self._metadata.snapshots]

    def bytes_without(self, kept: Set[int]) -> int:
        """What the entries of all but these snapshots take of metadata.json as it is stored."""
        metadata = self._metadata
        log = [one.snapshot_id not in kept for one in metadata.snapshot_log]
        until_last_gone = len(log) - log[::-1].index(True) if True in log else 0  # the log is cleared up to there
        gone = {
            "snapshots": _share([one.snapshot_id not in kept for one in metadata.snapshots], self._sizes),
            "snapshot-log": until_last_gone / len(log) if log else 0.0,
            "statistics": _share([one.snapshot_id not in kept for one in metadata.statistics]),
            "partition-statistics": _share([one.snapshot_id not in kept for one in metadata.partition_statistics]),
        }
        return round(sum(_content(self._parts, part) * share for part, share in gone.items()) * self._stored_share)


def bytes_of_unused(kept: Set[int], tree: Tree, parts: JsonParts) -> int:
    """Stored bytes of the schemas and partition specs that none of these snapshots uses, nor the table itself."""
    metadata, index = tree.opened.metadata, tree.index
    stays = stays_with(index, kept)
    used_specs: set[int | None] = {metadata.default_spec_id}
    used_specs |= {one.partition_spec_id for one, is_kept in zip(index.manifests, stays, strict=True) if is_kept}
    used_schemas = {one.schema_id for one in metadata.snapshots if one.snapshot_id in kept}
    specs = [one.spec_id not in used_specs for one in metadata.partition_specs]
    sizes = [len(spec_json(one)) for one in metadata.partition_specs]
    saved = _content(parts, "partition-specs") * _share(specs, sizes)
    if None not in used_schemas:
        used_schemas |= {metadata.current_schema_id}
        schemas = [one.schema_id not in used_schemas for one in metadata.schemas]
        saved += _content(parts, "schemas") * _share(schemas, [len(schema_json(one)) for one in metadata.schemas])
    return round(saved * tree.stored_share)


def _content(parts: JsonParts, part: str) -> int:
    """Bytes of a part's array without its key, which stays."""
    return max(0, parts.bytes[part] - len(f'"{part}":[]'))


def _bytes_of(snapshot: Snapshot) -> int:
    """About the bytes of its entry, for a share of all: each one's JSON would take ten times as long."""
    summary = snapshot.summary or {}
    texts = sum(map(len, summary)) + sum(map(len, summary.values())) + _BARE_PAIR_BYTES * len(summary)
    return _BARE_SNAPSHOT_BYTES + len(snapshot.manifest_list or "") + texts


def _share(gone: Sequence[bool], sizes: Sequence[int] | None = None) -> float:
    """The share of bytes that goes; of entries as large as each other without sizes."""
    sizes = [1] * len(gone) if sizes is None else sizes
    return sum(size for is_gone, size in zip(gone, sizes, strict=True) if is_gone) / max(1, sum(sizes))


_KEEPS = (100, 10, 1)
_AGES_S = (5 * DAY_S, DAY_S, 3_600.0)
_SAMPLES, _SAMPLE_BYTES = 4, 32 << 10
_SHORT_LOG = 10
_EXPIRE_LIMITS = KEY_PREFIXES[-1]  # what the keys of its limits begin with
SMALL_FILE_BYTES = 32 << 20
_LEAST_SMALL_FILES = 32
_LATEST_MS = 253_402_300_799_000  # the last second of the year 9999, past which SQL has no moments


@dataclass(frozen=True, slots=True, kw_only=True)
class Remedy:
    """A remedy: what it frees on storage, by kind, and what it takes off each metadata.json written from then on.

    `is_estimate` where it was estimated from sizes, not counted in files. `blocked` is why its statement would fail, or
    do other than is said here; such a statement is not given. An `is_alternative` stands for the recommended one of its
    kind, never after it. `kept` are the snapshots that an expiry leaves.
    """

    name: str
    frees: dict[Kind, Amount]
    json_bytes_saved: int = 0
    is_estimate: bool = False
    note: str = ""
    sql: str = ""
    blocked: str = ""
    is_alternative: bool = False
    kept: frozenset[int] = frozenset()

    @property
    def total(self) -> Amount:
        """Files and bytes of all kinds that it frees."""
        return sum(self.frees.values(), Amount())


def find_remedies(tree: Tree, totals: StateTotals, parts: JsonParts, table: str) -> tuple[Remedy, ...]:
    """The remedies that would free something, in the order in which to apply them; `table` names the table in SQL."""
    found = (
        _compaction(tree, table),
        _rewritten_manifests(tree, table),  # before expiry, which then removes the manifests that it replaced
        *_with_expired_metadata(_expiries(tree, parts, table), tree, parts, table),
        _orphan_removal(tree, table),
        _delete_after_commit(tree, totals, table),
        _gzip(tree, table),
    )
    return tuple(_checked(one, tree) for one in found if one is not None)


def _checked(remedy: Remedy, tree: Tree) -> Remedy:
    """The remedy, blocked where this is not known to be the table as it stands, and without SQL where it is."""
    blocked = remedy.blocked or next((one.reason for one in tree.blockers if one.is_about_current), "")
    if not blocked:
        return remedy
    return replace(remedy, blocked=blocked, sql="", note=f"{remedy.note}; {blocked}" if remedy.note else blocked)


def _compaction(tree: Tree, table: str) -> Remedy | None:
    """Small data files, and those that delete files apply to, written together."""
    content = tree.content
    if content is None:
        return None
    small = sum(size < SMALL_FILE_BYTES for size in content.live_sizes(Kind.DATA))
    deletes = len(content.live_sizes(Kind.DELETE_FILE))
    if small <= _LEAST_SMALL_FILES and deletes <= _LEAST_SMALL_FILES:
        return None
    arguments = "options => map('delete-file-threshold', '1')" if deletes else ""
    also = f" and {format_count(deletes, 'delete file')}" if deletes else ""
    missing = "live files are absent: it would fail" if tree.missing_live_files else ""
    return Remedy(
        name="rewrite_data_files",
        frees={},
        note=f"{small:,} data files below 32 MiB{also} become few; the old ones go with their snapshots",
        sql=call_procedure("rewrite_data_files", table, arguments),
        blocked=missing,
    )


def _expiries(tree: Tree, parts: JsonParts, table: str) -> list[Remedy]:
    """Expiry by the table's own limits, to an age and to a number of snapshots, as `expire_snapshots` counts them.

    Each outcome stands once. The first, which keeps most, is recommended; the others are alternatives to it.
    """
    metadata, now_ms = tree.opened.metadata, round(tree.opened.listed_at_s * 1000)
    every = frozenset(one.snapshot_id for one in metadata.snapshots)
    expirable, seen, found = Expirable(tree), {every}, list[Remedy]()
    entries, unsafe = SnapshotEntries(tree, parts), _expiry_blocked(tree)
    newest_ms = max((one.timestamp_ms for one in metadata.snapshots), default=0)
    own_age_ms = TableProperties.read_leniently(metadata.properties).max_snapshot_age_ms
    for name, older_than_ms, retain_last in _expiries_to_try(now_ms, newest_ms, own_age_ms):
        expiry = Expiry(now_ms=now_ms, older_than_ms=older_than_ms, retain_last=retain_last)
        kept = retained_snapshots(metadata, expiry)
        if kept in seen:
            continue
        seen.add(kept)
        arguments = f"older_than => {_timestamp(older_than_ms / 1000)}" if name else ""
        arguments += "" if retain_last is None else f", retain_last => {retain_last}"
        gone, blocked = every - kept, unsafe
        if not unsafe and (staged := _unpublished(metadata, gone)):
            blocked = f"it would delete the staged commit of wap.id {printable(staged, 80)}: publish that first"
        found.append(
            Remedy(
                name=f"expire_snapshots {name or f'older than {format_duration(own_age_ms / 1000)}'}",
                frees=expirable.freed(kept),
                json_bytes_saved=entries.bytes_without(kept),
                note=f"{format_count(len(gone), 'snapshot goes', 'snapshots go')}{_off_main(metadata, gone)}"
                + _held_by_others(metadata, kept)
                + ("" if found else _says_nothing_expires(metadata)),
                sql=call_procedure("expire_snapshots", table, arguments),
                blocked=blocked,
                is_alternative=bool(found),
                kept=kept,
            )
        )
    return found


def _expiries_to_try(now_ms: int, newest_ms: int, own_age_ms: int) -> Iterator[tuple[str, int, int | None]]:
    """Words, older than which moment, and how many to retain; None where an age alone is given.

    The table's own limits come first, without words: `expire_snapshots` takes them where it is given none.
    """
    yield "", now_ms - own_age_ms, None
    for age_s in _AGES_S:
        yield f"older than {format_duration(age_s)}", now_ms - round(age_s * 1000), None
    # retain_last is a floor: an age beyond every snapshot, in whole seconds as SQL has it, makes it the ceiling too.
    beyond_ms = min((max(now_ms, newest_ms) // 1000 + 1) * 1000, _LATEST_MS)
    for keep in _KEEPS:
        yield (f"to the last {keep}" if keep > 1 else "to the current one"), beyond_ms, keep


def _expiry_blocked(tree: Tree) -> str:
    if not TableProperties.read_leniently(tree.opened.metadata.properties).gc_enabled:
        return f"refused as long as {GC_ENABLED} is false"
    if forked := next((one.reason for one in tree.blockers if one.name == "forked"), ""):
        return f"it would delete files that others may use: {forked}"
    if unread := _unread_metadata(tree):
        return f"fails half-way: Spark removes the snapshots, then cannot read {unread}, and leaves their files"
    if tree.missing_live_files:
        return "live files are absent, and earlier snapshots may be what to roll back to"
    return ""


def _unread_metadata(tree: Tree) -> str:
    """A manifest list or a manifest of a retained snapshot that is absent or cannot be read, if there is one."""
    index, content = tree.index, tree.content
    lists = (index.list_keys[place] for place, count in enumerate(index.counts) if count < 0)
    absent = (key for key in index.keys if not is_outside(key) and key not in tree.opened.files)
    unread = "a manifest" if content is not None and content.unread_manifests else ""
    return next(chain(lists, absent), unread)


def _unpublished(metadata: TableMetadata, gone: Set[int]) -> str:
    """A commit among these snapshots that is staged (write.wap.enabled) and not published, if there is one."""
    summaries = {one.snapshot_id: one.summary or {} for one in metadata.snapshots}
    published = {one.get("published-wap-id") for one in summaries.values()}
    staged = (summaries[one].get("wap.id") for one in sorted(gone))
    return next((one for one in staged if one and one not in published), "")


def _off_main(metadata: TableMetadata, gone: Set[int]) -> str:
    """A remark on the snapshots among these that main does not lead to, if there are any."""
    count = len(gone - {one.snapshot_id for one in lineage(metadata)})
    return f", {count:,} of them not in main's history: rolled back, staged or of another branch" if count else ""


def _held_by_others(metadata: TableMetadata, kept: Set[int]) -> str:
    """A remark on the branches and tags other than main that keep snapshots, if there are any."""
    names = sorted(name for name, ref in metadata.refs.items() if name != "main" and ref.snapshot_id in kept)
    return f"; what {len(names):,} more branches and tags keep stays" if names else ""


def _says_nothing_expires(metadata: TableMetadata) -> str:
    """A remark on limits that look as if they expired something, if the table has any."""
    has_limits = any(key.startswith(_EXPIRE_LIMITS) for key in metadata.properties)
    return f"; {_EXPIRE_LIMITS}* are limits for this call, and expire nothing by themselves" if has_limits else ""


def _with_expired_metadata(expiries: list[Remedy], tree: Tree, parts: JsonParts, table: str) -> list[Remedy]:
    """The expiries, and what they clear if asked to: schemas and partition specs that nothing retained uses.

    It is asked of the recommended expiry, or of one that removes no snapshot.
    """
    kept = expiries[0].kept if expiries else frozenset(one.snapshot_id for one in tree.index.snapshots)
    saved = bytes_of_unused(kept, tree, parts)
    if not saved:
        return expiries
    argument = "clean_expired_metadata => true"
    remedy = Remedy(
        name="clean_expired_metadata",
        frees={},
        json_bytes_saved=saved,
        is_estimate=True,
        note="schemas and partition specs that no snapshot left over uses",
        sql="" if expiries else call_procedure("expire_snapshots", table, argument),
        blocked=_expiry_blocked(tree),
    )
    cleaning = [replace(one, sql=f"{one.sql.removesuffix(')')}, {argument})") for one in expiries]
    return [
        *cleaning[:1],
        replace(remedy, note=f"{remedy.note}; with that expiry" if expiries else remedy.note),
        *cleaning[1:],
    ]


def _orphan_removal(tree: Tree, table: str) -> Remedy | None:
    """`remove_orphan_files` as far as it deletes what is known to be an orphan; it knows no doubt itself."""
    age_s = max(tree.grace_s, DAY_S)  # Spark refuses less than a day
    before_s = tree.opened.listed_at_s - age_s
    frees, others, doubtful = dict[Kind, Amount](), list[str](), list[str]()
    for file in tree.files:
        if file.modified_s > before_s or is_hidden(file.key):
            continue
        if file.state is State.ORPHAN and file.kind is not None:
            frees[file.kind] = frees.get(file.kind, Amount()) + Amount(files=1, bytes=file.bytes)
        elif file.state is State.OTHER:
            others.append(file.key)
        elif file.state is State.UNKNOWN:
            doubtful.append(file.key)
    if not frees:
        return None
    note = f"unreferenced files older than {format_duration(age_s)}"
    if others:
        note += f"; also deletes {len(others):,} that are not Iceberg's, such as {printable(others[0], 80)}"
    arguments = "" if age_s == DEFAULT_GRACE_S else f"older_than => {_timestamp(before_s)}"
    blocked = ""
    if doubtful:
        blocked = f"it would also delete {len(doubtful):,} that may be needed, such as {printable(doubtful[0], 80)}"
    if unread := _unread_metadata(tree):  # Spark reads all of them first
        blocked = f"fails: Spark cannot read {unread}, and deletes nothing"
    return Remedy(
        name="remove_orphan_files",
        frees=frees,
        note=note,
        sql=call_procedure("remove_orphan_files", table, arguments),
        blocked=blocked,
    )


def _delete_after_commit(tree: Tree, totals: StateTotals, table: str) -> Remedy | None:
    properties = TableProperties.read_leniently(tree.opened.metadata.properties)
    log = [file for file in tree.files if file.state is State.METADATA_LOG]
    if properties.metadata_delete_after_commit_enabled and properties.metadata_previous_versions_max <= _SHORT_LOG:
        return None
    log.sort(key=lambda file: file.modified_s)
    freed = log[: max(0, len(log) - _SHORT_LOG)]
    untracked = totals.of(Kind.METADATA_JSON, State.ORPHAN, State.YOUNG)
    note = f"and a log of {_SHORT_LOG}"
    if untracked.files:
        note += f"; {untracked.files:,} that left the log before stay until remove_orphan_files"
    return Remedy(
        name="delete-after-commit",
        frees={Kind.METADATA_JSON: Amount(files=len(freed), bytes=sum(file.bytes for file in freed))},
        note=note,
        sql=set_properties(
            table, {METADATA_DELETE_AFTER_COMMIT_ENABLED: "true", METADATA_PREVIOUS_VERSIONS_MAX: str(_SHORT_LOG)}
        ),
    )


def _rewritten_manifests(tree: Tree, table: str) -> Remedy | None:
    """Live manifests packed into as few as their entries fill; headers are most of a small manifest."""
    index = tree.index
    live = [index.manifests[place] for place in index.live if index.manifests[place].content == 0]
    total = sum(one.manifest_length for one in live)
    target_bytes = TableProperties.read_leniently(tree.opened.metadata.properties).packed_to_bytes
    packed = max(1, -(-total // target_bytes))
    specs = len({one.partition_spec_id for one in live})
    if len(live) <= max(packed, specs) + 1:
        return None
    smallest = min(one.manifest_length for one in live)
    entries = [(one.added_files_count or 0) + (one.existing_files_count or 0) for one in live]
    # A header is what the smallest manifest has beyond an entry or two; packed, entries share their bytes too.
    header = max(0, round(smallest * (0.97 if min(entries, default=1) <= 1 else 0.8)))
    left = max(specs, packed) * header + (total - header * len(live))
    return Remedy(
        name="rewrite_manifests",
        frees={Kind.DATA_MANIFEST: Amount(files=len(live) - max(specs, packed), bytes=max(0, total - left))},
        is_estimate=True,
        note=f"{len(live):,} become about {max(specs, packed):,}; the old ones go with their snapshots",
        sql=call_procedure("rewrite_manifests", table),
        blocked="" if tree.is_current_read else "a live manifest cannot be read: it would fail",
    )


def _gzip(tree: Tree, table: str) -> Remedy | None:
    """A smaller metadata.json, where its writer compresses it at all."""
    metadata = tree.opened.metadata
    is_set = TableProperties.read_leniently(metadata.properties).metadata_compression == "gzip"
    if tree.opened.is_compressed or is_set or _writes_plain_json(metadata):
        return None
    text = tree.opened.json_text
    step = max(_SAMPLE_BYTES, len(text) // _SAMPLES)
    samples = [text[at : at + _SAMPLE_BYTES] for at in range(0, len(text), step)]
    share = sum(len(zlib.compress(one, 6)) for one in samples) / max(1, sum(map(len, samples)))
    return Remedy(
        name="gzip metadata.json",
        frees={},
        json_bytes_saved=round(len(text) * (1 - share)),
        is_estimate=len(samples) > 1,
        note="of those written from then on",
        sql=set_properties(table, {METADATA_COMPRESSION: "gzip"}),
    )


def _writes_plain_json(metadata: TableMetadata) -> bool:
    current = lineage(metadata)[:1]
    writer = writer_of(current[0], metadata.properties) if current else None
    return writer is not None and METADATA_COMPRESSION in never_read_by(writer.profile)


def _timestamp(seconds: float) -> str:
    """A moment as a literal, which is all that CALL takes."""
    return f"TIMESTAMP '{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M:%S} UTC'"
