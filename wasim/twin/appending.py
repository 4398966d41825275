"""Appends: Iceberg's FastAppend and MergeAppend."""

from collections.abc import Sequence

from wasim.iceberg import DataFileEntry
from wasim.iceberg.names import manifest_name
from wasim.twin.commits import Change, Merged, Moment, count_manifests, new_entries
from wasim.twin.identifiers import CommitIdentity
from wasim.twin.live_manifests import LiveManifest, MergedBefore, refuse_rolling
from wasim.twin.summary import CommitCounts, count_files, summary_counters, with_partitions
from wasim.twin.table import SimulatedTable


def append_files(table: SimulatedTable, files: Sequence[DataFileEntry], moment: Moment) -> None:
    """FastAppend, or MergeAppend where the table's rules say so."""
    identity = table.begin()
    table.write_files(files)
    new = table.write_manifest(manifest_name(identity.uuid, 0), new_entries(files, identity), identity)
    append_manifest(table, new, files, identity, moment)


def append_manifest(
    table: SimulatedTable,
    new: LiveManifest,
    files: Sequence[DataFileEntry],
    identity: CommitIdentity,
    moment: Moment,
    *,
    attempt: int = 1,
    made: MergedBefore | None = None,
) -> None:
    """One attempt to append a manifest of new files. `made` holds the merged manifests of earlier attempts by the
    manifests that they replace; this attempt adds its own.
    """
    refuse_rolling(new.file, table.rules.policy.target_bytes)
    merged = Merged(manifests=[new, *table.manifests])
    counted = CommitCounts(manifests_created=1, manifests_kept=len(table.manifests))
    if table.rules.appends_merge:
        merged = table.merge([new, *table.manifests], identity, first_number=1 + len(made or ()), made=made)
        counted = count_manifests(merged.manifests, identity)
    counts = counted._replace(
        manifests_replaced=merged.replaced,
        added=count_files(files),
        changed_partitions=len({file.partition for file in files}),
    ).after(table.totals)
    values = moment.texts | summary_counters(counts)
    own = {key: template.format_map(values) for key, template in table.rules.summary.items()}
    base = table.json.base
    limit = table.rules.properties.write_partition_summary_limit
    summary = with_partitions(own, base, limit, [[(base.default_spec_id, file) for file in files]])
    change = Change(operation="append", manifests=merged.manifests, counts=counts, summary=summary)
    table.publish(change, identity, moment, unused=merged.unused, attempt=attempt)
