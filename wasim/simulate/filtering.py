"""Commits that take files out: Iceberg's ManifestFilterManager, which rewrites each manifest that lists one of them."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from wasim.iceberg import DataFileEntry
from wasim.iceberg.names import manifest_name
from wasim.simulate.commits import Change, Moment, count_manifests
from wasim.simulate.identifiers import CommitIdentity
from wasim.simulate.live_manifests import LiveEntry, LiveManifest
from wasim.simulate.summary import CommitCounts, operation_summary
from wasim.simulate.table import SimulatedTable

APPLICATION_KEY = "spark.app.id"  # statements say who ran them, maintenance does not


@dataclass(frozen=True, slots=True, kw_only=True)
class Filtered:
    """Manifests after files were taken out, in order; `rewritten` of them are new."""

    manifests: list[LiveManifest]
    removed: list[LiveEntry]
    rewritten: int


def commit_changed_files(
    table: SimulatedTable,
    operation: str,
    *,
    removed: Collection[str],
    added: Sequence[LiveEntry] = (),
    identity: CommitIdentity,
    moment: Moment,
    own: Collection[str] = (),
) -> None:
    """Commits a snapshot without the files of `removed` paths and with new ones, as a merging operation of Iceberg's.

    `own` are the summary keys of the writer's that this commit has too.
    """
    filtered = filter_manifests(table, removed, identity)
    manifests, number = filtered.manifests, filtered.rewritten
    if added:
        manifests = [table.write_manifest(manifest_name(identity.uuid, number), added, identity), *manifests]
        number += 1
    merged = table.merge(manifests, identity, first_number=number)
    counts = replace(
        _count_files([one.file for one in filtered.removed], [one.file for one in added]),
        manifests_created=(made := count_manifests(merged.manifests, identity)).manifests_created,
        manifests_kept=made.manifests_kept,
        manifests_replaced=filtered.rewritten + merged.replaced,
    ).after(table.totals)
    summary = operation_summary(table.rules.summary, counts, moment.texts, own)
    change = Change(operation=operation, manifests=merged.manifests, counts=counts, summary=summary)
    table.publish(change, identity, moment, unused=merged.unused)


def filter_manifests(table: SimulatedTable, paths: Collection[str], identity: CommitIdentity) -> Filtered:
    """Rewrites every manifest that lists one of these files: the file as deleted, the others as existing."""
    manifests, removed, rewritten = [], [], 0
    for manifest in table.manifests:
        gone = [entry for entry in manifest.live if entry.file.file_path in paths]
        if gone:
            name = manifest_name(identity.uuid, rewritten)
            manifests.append(
                table.write_manifest(
                    name,
                    manifest.live,
                    identity,
                    spec_id=manifest.file.partition_spec_id,
                    removed=frozenset(entry.file.file_path for entry in gone),
                )
            )
            rewritten += 1
        else:
            manifests.append(manifest)
        removed += gone
    return Filtered(manifests=manifests, removed=removed, rewritten=rewritten)


def _count_files(removed: Sequence[DataFileEntry], added: Sequence[DataFileEntry]) -> CommitCounts:
    return CommitCounts(
        added_files=len(added),
        removed_files=len(removed),
        added_records=sum(file.record_count for file in added),
        removed_records=sum(file.record_count for file in removed),
        added_bytes=sum(file.file_size_bytes for file in added),
        removed_bytes=sum(file.file_size_bytes for file in removed),
        changed_partitions=len({file.partition for file in (*removed, *added)}),
    )
