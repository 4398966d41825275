"""What each remedy would free, and the SQL that applies it. Nothing is ever applied here."""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from wasim.doctor.json_parts import JsonParts
from wasim.doctor.states import Amount, State, StateTotals
from wasim.doctor.tree import Tree
from wasim.iceberg.properties import (
    GC_ENABLED,
    METADATA_COMPRESSION,
    METADATA_DELETE_AFTER_COMMIT_ENABLED,
    METADATA_PREVIOUS_VERSIONS_MAX,
    TableProperties,
)
from wasim.iceberg.spark_sql import call_procedure, set_properties
from wasim.ledger import Kind
from wasim.units import format_duration

_DAY_S = 86_400.0
_KEEPS = (100, 10, 1)
_AGES_S = (5 * _DAY_S, _DAY_S, 3_600.0)
_SAMPLE_BYTES = 8 << 20
_SHORT_LOG = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Remedy:
    """A remedy: what it frees on storage, by kind, and what it takes off each metadata.json written from then on.

    `is_estimate` where it was reckoned from sizes rather than counted in files.
    """

    name: str
    frees: dict[Kind, Amount]
    json_bytes_saved: int = 0
    is_estimate: bool = False
    note: str = ""
    sql: str = ""

    @property
    def total(self) -> Amount:
        """All that it frees."""
        return sum(self.frees.values(), Amount())


def find_remedies(tree: Tree, totals: StateTotals, parts: JsonParts, table: str) -> tuple[Remedy, ...]:
    """The remedies that would free something; `table` names the table in SQL."""
    removals = [*_expiries(tree, parts, table), _orphan_removal(totals, table)]
    if not TableProperties.read_leniently(tree.opened.metadata.properties).gc_enabled:
        removals = [one and _refused(one) for one in removals]
    rewrites = (_delete_after_commit(tree, totals, table), _rewritten_manifests(tree, table), _gzip(tree, table))
    return tuple(one for one in (*removals, *rewrites) if one is not None)


def _refused(remedy: Remedy) -> Remedy:
    """The remedy with a word about what stands against it."""
    return replace(remedy, note=f"{remedy.note}; refused as long as {GC_ENABLED} is false")


def _expiries(tree: Tree, parts: JsonParts, table: str) -> list[Remedy]:
    """Expiry to a number of snapshots and to an age, as `expire_snapshots` counts them; each outcome once."""
    count, found, seen = len(tree.index.snapshots), list[Remedy](), set[int]()
    for keep in _KEEPS:
        if keep < count:
            seen.add(count - keep)
            name = f"expire_snapshots to the last {keep}" if keep > 1 else "expire_snapshots to the current one"
            # retain_last is a floor: an age beyond every snapshot makes it the ceiling too.
            now = _timestamp(tree.opened.listed_at_s)
            call = call_procedure("expire_snapshots", table, f"older_than => {now}, retain_last => {keep}")
            found.append(_expiry(tree, parts, count - keep, name, call))
    for age_s in _AGES_S:
        oldest_ms = tree.opened.listed_at_s * 1000 - age_s * 1000
        first = sum(one.timestamp_ms < oldest_ms for one in tree.index.snapshots)
        first = min(first, count - 1)
        if first > 0 and first not in seen:
            seen.add(first)
            oldest = _timestamp(tree.opened.listed_at_s - age_s)
            call = call_procedure("expire_snapshots", table, f"older_than => {oldest}")
            found.append(_expiry(tree, parts, first, f"expire_snapshots older than {format_duration(age_s)}", call))
    return found


def _expiry(tree: Tree, parts: JsonParts, first_kept: int, name: str, sql: str) -> Remedy:
    """The expiry of the snapshots before a place. Those that a branch or a tag holds stay, and what they hold."""
    index = tree.index
    current = tree.opened.metadata.current_snapshot_id
    referred = {ref.snapshot_id for ref in tree.opened.metadata.refs.values()} | {current}
    kept_lists = {key for place, key in enumerate(index.list_keys) if index.snapshots[place].snapshot_id in referred}
    kept_manifests = {index.keys[place] for place in index.in_other_refs} | {index.keys[place] for place in index.live}
    frees: dict[Kind, Amount] = {}
    for file in tree.files:
        is_freed = (
            file.kind is not None
            and file.state is State.RETAINED
            and file.last_seen is not None
            and file.last_seen < first_kept
            and file.key not in kept_lists
            and file.key not in kept_manifests
        )
        # Data that an older branch alone holds would be kept; which that is, manifests of refs alone would tell.
        if (
            is_freed
            and file.kind is not None
            and not (index.in_other_refs and file.kind in (Kind.DATA, Kind.DELETE_FILE))
        ):
            frees[file.kind] = frees.get(file.kind, Amount()) + Amount(files=1, bytes=file.bytes)
    per_snapshot = parts.growth_bytes.get("snapshots", 0.0) + parts.growth_bytes.get("snapshot-log", 0.0)
    gone = first_kept - sum(index.snapshots[place].snapshot_id in referred for place in range(first_kept))
    share = tree.opened.json_bytes / max(1, len(tree.opened.json_text))
    return Remedy(
        name=name,
        frees=frees,
        json_bytes_saved=round(per_snapshot * gone * share),
        note=f"{gone:,} snapshots go",
        sql=sql,
    )


def _orphan_removal(totals: StateTotals, table: str) -> Remedy | None:
    frees = {kind: totals.of(kind, State.ORPHAN) for kind in Kind if totals.of(kind, State.ORPHAN).files}
    if not frees:
        return None
    return Remedy(
        name="remove_orphan_files",
        frees=frees,
        note="files that nothing refers to, older than the grace period",
        sql=call_procedure("remove_orphan_files", table),
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
            table,
            {
                METADATA_DELETE_AFTER_COMMIT_ENABLED: "true",
                METADATA_PREVIOUS_VERSIONS_MAX: str(_SHORT_LOG),
            },
        ),
    )


def _rewritten_manifests(tree: Tree, table: str) -> Remedy | None:
    """Live manifests packed into as few as their entries fill; headers are most of a small manifest."""
    index = tree.index
    live = [index.manifests[place] for place in index.live if index.manifests[place].content == 0]
    total = sum(one.manifest_length for one in live)
    target_bytes = TableProperties.read_leniently(tree.opened.metadata.properties).manifest_target_size_bytes
    packed = max(1, -(-total // max(1, target_bytes)))
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
    )


def _gzip(tree: Tree, table: str) -> Remedy | None:
    if tree.opened.is_compressed:
        return None
    text = tree.opened.json_text
    sample = text[:_SAMPLE_BYTES]
    saved = round(len(text) * (1 - len(zlib.compress(sample, 6)) / len(sample)))
    return Remedy(
        name="gzip metadata.json",
        frees={},
        json_bytes_saved=saved,
        is_estimate=len(text) > _SAMPLE_BYTES,
        note="of those written from then on",
        sql=set_properties(table, {METADATA_COMPRESSION: "gzip"}),
    )


def _timestamp(seconds: float) -> str:
    """A moment as a literal, which is all that CALL takes."""
    return f"TIMESTAMP '{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M:%S} UTC'"


def best(remedies: Sequence[Remedy]) -> Remedy | None:
    """The one that frees most."""
    return max(remedies, key=lambda one: one.total.bytes, default=None)
