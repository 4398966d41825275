"""Spark's rewrite_manifests: the live entries of a spec's manifests in one new manifest, sorted by partition."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from wasim.errors import WasimError
from wasim.iceberg.hash_order import scala_map_order
from wasim.iceberg.manifests import PartitionValue
from wasim.iceberg.names import rewritten_manifest_name
from wasim.simulate.commits import Change, Moment, count_manifests
from wasim.simulate.identifiers import CommitIdentity, draw_uuid
from wasim.simulate.live_manifests import LiveEntry, LiveManifest
from wasim.simulate.summary import operation_summary
from wasim.simulate.table import SimulatedTable

Value = TypeVar("Value", int, bytes)


def rewrite_manifests(table: SimulatedTable, moment: Moment) -> None:
    """Replaces the manifests of the spec in force by one of data and one of deletes.

    Nothing is committed where there is but one of each already. WasimError where their bytes would take several: Spark
    cuts them by a sample of the entries.
    """
    spec_id = table.json.base.default_spec_id
    matching = [one for one in table.manifests if one.file.partition_spec_id == spec_id]
    groups = [[one for one in matching if one.has_deletes == has_deletes] for has_deletes in (False, True)]
    rewritten = [group for group in groups if _is_taken(group, table.rules.policy.target_bytes)]
    if not rewritten:
        return
    identity = table.begin()
    new = [_rewrite(table, group, identity) for group in rewritten if any(one.live for one in group)]
    replaced = {id(one) for group in rewritten for one in group}
    manifests = [*new, *(one for one in table.manifests if id(one) not in replaced)]
    counts = replace(count_manifests(manifests, identity), manifests_replaced=len(replaced), entries_processed=0).after(
        table.totals
    )
    summary = operation_summary(table.rules.summary, counts, moment.texts, own=())
    table.publish(Change(operation="replace", manifests=manifests, counts=counts, summary=summary), identity, moment)


def _is_taken(group: Sequence[LiveManifest], target_bytes: int) -> bool:
    total_bytes = sum(one.file.manifest_length for one in group)
    if total_bytes > target_bytes:
        raise WasimError(
            f"rewrite_manifests of {total_bytes} B of manifests would write several (the target is {target_bytes} B),"
            " which is not simulated. Give a larger commit.manifest.target-size-bytes, or use engine spark."
        )
    return len(group) > 1


def _rewrite(table: SimulatedTable, group: Sequence[LiveManifest], identity: CommitIdentity) -> LiveManifest:
    entries = [_rewritten(entry) for manifest in group for entry in manifest.live]
    entries.sort(key=lambda entry: tuple(map(_place, entry.file.partition)))
    name = rewritten_manifest_name(str(draw_uuid(table.rng)))
    # what writes it heeds no property of the table
    return table.write_manifest(name, entries, identity, plain=True)


def _rewritten(entry: LiveEntry) -> LiveEntry:
    """The entry as it comes back from Spark's rows, whose maps are Scala's."""
    file = entry.file
    file = replace(
        file,
        column_sizes=_in_scala_order(file.column_sizes),
        value_counts=_in_scala_order(file.value_counts),
        null_value_counts=_in_scala_order(file.null_value_counts),
        nan_value_counts=_in_scala_order(file.nan_value_counts),
        lower_bounds=_in_scala_order(file.lower_bounds),
        upper_bounds=_in_scala_order(file.upper_bounds),
    )
    return replace(entry, file=file, existing=None)


def _in_scala_order(values: Mapping[int, Value] | None) -> dict[int, Value] | None:
    return None if values is None else {key: values[key] for key in scala_map_order(values)}


def _place(value: PartitionValue) -> tuple[bool, PartitionValue]:
    """Where a partition value sorts: null first."""
    return value is not None, value
