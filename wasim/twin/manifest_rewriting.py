"""Spark's rewrite_manifests: the live entries of a spec's manifests in new ones, sorted by partition."""

from collections.abc import Sequence

from wasim.errors import WasimError
from wasim.iceberg.manifest_entries import PartitionValue
from wasim.iceberg.names import manifest_name, rewritten_manifest_name
from wasim.ledger import Kind
from wasim.twin.commits import Change, Moment, count_manifests
from wasim.twin.identifiers import CommitIdentity, draw_uuid
from wasim.twin.live_manifests import LiveManifest
from wasim.twin.summary import operation_summary
from wasim.twin.table import SimulatedTable


def rewrite_manifests(table: SimulatedTable, moment: Moment) -> None:
    """Replaces the manifests of the spec in force, of data and of deletes, by as few as their bytes need.

    Nothing is committed where there is but one of each already. WasimError where those of a partitioned table would
    take several: Spark cuts them by a sample of the entries. Entries of an unpartitioned one are dealt out evenly, as
    Dataset.repartition does; which goes where is Spark's.
    """
    spec_id = table.json.base.default_spec_id
    matching = [one for one in table.manifests if one.file.partition_spec_id == spec_id]
    groups = [[one for one in matching if one.has_deletes == has_deletes] for has_deletes in (False, True)]
    rewritten = [group for group in groups if len(group) > 1 or (group and _parts(table, group) > 1)]
    if not rewritten:
        return
    identity = table.begin()
    made = [one for group in rewritten for one in _rewrite(table, group, identity)]
    # what a v1 commit lists it must have written itself: it copies what Spark's tasks wrote, which then is deleted
    copies = not table.rules.inherits_snapshot_ids
    new = [_copy(table, one, number, identity) for number, one in enumerate(made)] if copies else made
    replaced = {id(one) for group in rewritten for one in group}
    manifests = [*new, *(one for one in table.manifests if id(one) not in replaced)]
    counted = count_manifests(manifests, identity)
    counts = counted._replace(manifests_replaced=len(replaced), entries_processed=0).after(table.totals)
    summary = operation_summary(table.rules.summary, counts, moment.texts, own=())
    table.publish(Change(operation="replace", manifests=manifests, counts=counts, summary=summary), identity, moment)
    for staged in made if copies else ():
        table.log.delete(Kind.DATA_MANIFEST, table.relative(staged.file.manifest_path))


def _parts(table: SimulatedTable, group: Sequence[LiveManifest]) -> int:
    """How many manifests the live entries of these take."""
    target_bytes, total_bytes = table.rules.policy.target_bytes, sum(one.file.manifest_length for one in group)
    if total_bytes > target_bytes and table.json.base.default_spec().fields:
        refuse_several_partitioned(total_bytes, target_bytes)
    return min(-(-total_bytes // target_bytes), sum(len(one.live) for one in group))


def refuse_several_partitioned(total_bytes: float, target_bytes: int) -> None:
    """Raises WasimError: Spark cuts the manifests of a partitioned table by a sample of its entries."""
    raise WasimError(
        f"rewrite_manifests of {total_bytes:,.0f} B of manifests of a partitioned table would write several (the target"
        f" is {target_bytes} B), which is not simulated. Give a larger commit.manifest.target-size-bytes, or use engine"
        " spark."
    )


def _rewrite(table: SimulatedTable, group: Sequence[LiveManifest], identity: CommitIdentity) -> list[LiveManifest]:
    entries = [entry for manifest in group for entry in manifest.live]
    entries.sort(key=lambda entry: tuple(map(_place, entry.file.partition)))
    parts = _parts(table, group)
    names = [rewritten_manifest_name(draw_uuid(table.rng)) for _ in range(parts)]
    # Spark's writer of these ignores the table's properties
    return [table.write_manifest(name, entries[part::parts], identity, plain=True) for part, name in enumerate(names)]


def _copy(table: SimulatedTable, staged: LiveManifest, number: int, identity: CommitIdentity) -> LiveManifest:
    return table.write_manifest(manifest_name(identity.uuid, number), staged.entries, identity, plain=True)


def _place(value: PartitionValue) -> tuple[bool, PartitionValue]:
    """Where a partition value sorts: null first."""
    return value is not None, value
