"""Commits that make a snapshot: appends (Iceberg's FastAppend and MergeAppend), and those that take files out too."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

from wasim.iceberg import DataFileEntry
from wasim.iceberg.names import manifest_name
from wasim.iceberg.record_fields import FileKey
from wasim.iceberg.snapshots import Way
from wasim.twin.commits import Change, Merged, Moment, count_commit, new_entries
from wasim.twin.identifiers import CommitIdentity
from wasim.twin.live_manifests import LiveEntry, LiveManifest, MergedBefore
from wasim.twin.summary import COUNTERS, operation_summary, summary_counters, with_partitions
from wasim.twin.table import SimulatedTable

APPLICATION_KEY = "spark.app.id"  # statements say who ran them, maintenance does not


def append_files(table: SimulatedTable, files: Sequence[DataFileEntry], moment: Moment) -> None:
    """FastAppend, or MergeAppend where the table's rules say so. Without files the snapshot has no manifest more."""
    identity = table.begin()
    table.write_files(files)
    new = table.write_new_manifests(0, new_entries(files, identity), identity) if files else ()
    append_manifests(table, new, files, identity, moment)


def append_manifests(
    table: SimulatedTable,
    new: Sequence[LiveManifest],
    files: Sequence[DataFileEntry],
    identity: CommitIdentity,
    moment: Moment,
    *,
    attempt: int = 1,
    made: MergedBefore | None = None,
) -> None:
    """One attempt to append manifests of new files. `made` holds the merged manifests of earlier attempts by the
    manifests that they replace; this attempt adds its own.
    """
    manifests = [*new, *table.manifests]
    merged = Merged(manifests=manifests)
    if table.rules.appends_merge:
        merged = table.merge(manifests, identity, first_number=len(new) + len(made or ()), made=made)
    counts = count_commit(merged, identity, files).after(table.totals)
    counters = summary_counters(counts)
    values, of_none = moment.texts | counters, COUNTERS - counters.keys()
    own = {key: text.format_map(values) for key, text in table.rules.summary.items() if key not in of_none}
    base = table.json.base
    limit = table.rules.properties.write_partition_summary_limit
    summary = with_partitions(own, base, limit, [(base.default_spec_id, file) for file in files])
    change = Change(operation="append", manifests=merged.manifests, counts=counts, summary=summary)
    table.publish(change, identity, moment, unused=merged.unused, attempt=attempt)


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChanges:
    """What a commit takes out of a table and what it brings, and what the snapshot's summary says apart from counters.

    `removed` are data files, by path, and `removed_deletes` the delete files that the operation names. One that works
    by partition or by filter names none: what it drops then, `drops_delete` says. New delete files come by the
    partition spec of what they delete from. Rows of added files are as old as the commit, or as the one that
    `planned_on` numbers. `writer_keys` are the summary keys of the writer's that this commit has too.
    """

    way: Way
    operation: str  # Iceberg's: append, delete, overwrite or replace
    added: Sequence[DataFileEntry] = ()
    removed: Collection[str] = ()
    added_deletes: Mapping[int, Sequence[DataFileEntry]] = field(default_factory=dict)
    removed_deletes: Collection[FileKey] = ()
    drops_delete: Callable[[DataFileEntry], bool] | None = None
    planned_on: int | None = None
    summary: Mapping[str, str] = field(default_factory=dict)
    writer_keys: Collection[str] = (APPLICATION_KEY,)


@dataclass(frozen=True, slots=True, kw_only=True)
class Filtered:
    """Manifests after files were taken out, in order; `rewritten` of them are new. Removed files stand with the id of
    their partition spec.
    """

    manifests: list[LiveManifest]
    removed: list[tuple[int, DataFileEntry]]
    rewritten: int


def write_and_commit(table: SimulatedTable, changes: FileChanges, moment: Moment) -> None:
    """Writes the files and commits the snapshot."""
    table.write_files(changes.added, [file for files in changes.added_deletes.values() for file in files])
    commit_file_changes(table, changes, moment)


def commit_file_changes(table: SimulatedTable, changes: FileChanges, moment: Moment) -> None:
    """Commits a snapshot with these changes, as a merging operation of Iceberg's; the files are there already."""
    identity, paths = table.begin(), frozenset(changes.removed)
    data = _filter(table, identity, 0, has_deletes=False, is_gone=lambda entry: entry.file.file_path in paths)
    deletes = _filter_deletes(table, changes, data, identity)
    replaced = number = data.rewritten + deletes.rewritten
    new, new_deletes = list[LiveManifest](), list[LiveManifest]()
    if changes.added:
        entries = new_entries(changes.added, identity, data_sequence_number=changes.planned_on)
        new = table.write_new_manifests(number, entries, identity)
        number += len(new)
    for spec_id, files in sorted(changes.added_deletes.items()):
        written = table.write_new_manifests(number, new_entries(files, identity), identity, spec_id=spec_id)
        new_deletes += written
        number += len(written)
    manifests = [*new, *data.manifests, *new_deletes, *deletes.manifests]
    merged = table.merge(manifests, identity, first_number=number)
    base, limit = table.json.base, table.rules.properties.write_partition_summary_limit
    added = [(base.default_spec_id, file) for file in changes.added]
    added += [(spec_id, file) for spec_id, files in changes.added_deletes.items() for file in files]
    removed = [*data.removed, *deletes.removed]
    counted = count_commit(merged, identity, [file for _, file in added], [file for _, file in removed])
    counts = counted._replace(manifests_replaced=replaced + merged.replaced).after(table.totals)
    own = operation_summary(table.rules.summary, counts, moment.texts, changes.writer_keys, changes.summary)
    summary = with_partitions(own, base, limit, added, removed)
    change = Change(operation=changes.operation, manifests=merged.manifests, counts=counts, summary=summary)
    table.publish(change, identity, moment, unused=merged.unused)


def _filter_deletes(table: SimulatedTable, changes: FileChanges, data: Filtered, identity: CommitIdentity) -> Filtered:
    """Manifests of delete files without those that the commit names, and without others that it comes across.

    Only manifests of named files are opened, or all if none is named but data files go or the operation works by
    partition or filter. In those it opens, vectors of data files that go are dropped, and what is older than all data.
    """
    named, removed = frozenset(changes.removed_deletes), {file.file_path for _, file in data.removed}
    drops = changes.drops_delete
    opens_all = not named and (bool(removed) or drops is not None)
    oldest = min([table.json.base.last_sequence_number, *(one.file.min_sequence_number for one in data.manifests)])

    def is_gone(entry: LiveEntry) -> bool:
        file = entry.file
        return (
            entry.key in named
            or file.referenced_data_file in removed
            or 0 < entry.sequence_number < oldest
            or (drops is not None and drops(file))
        )

    def is_opened(manifest: LiveManifest) -> bool:
        return opens_all or any(entry.key in named for entry in manifest.live)

    return _filter(table, identity, data.rewritten, has_deletes=True, is_gone=is_gone, is_opened=is_opened)


def _filter(
    table: SimulatedTable,
    identity: CommitIdentity,
    first_number: int,
    *,
    has_deletes: bool,
    is_gone: Callable[[LiveEntry], bool],
    is_opened: Callable[[LiveManifest], bool] = lambda manifest: True,
) -> Filtered:
    """Rewrites every manifest that lists a file which goes: that as deleted, the others as existing."""
    manifests, removed, rewritten = [], list[tuple[int, DataFileEntry]](), 0
    for manifest in table.manifests:
        if manifest.has_deletes != has_deletes:
            continue
        gone = [entry for entry in manifest.live if is_gone(entry)] if is_opened(manifest) else []
        kept = manifest
        if gone:
            kept = table.write_manifest(
                manifest_name(identity.uuid, first_number + rewritten),
                manifest.live,
                identity,
                spec_id=manifest.file.partition_spec_id,
                removed=frozenset(entry.key for entry in gone),
            )
            rewritten += 1
        manifests.append(kept)
        removed += [(manifest.file.partition_spec_id, entry.file) for entry in gone]
    return Filtered(manifests=manifests, removed=removed, rewritten=rewritten)
