"""Spark's rewrite_manifests: the live entries of a spec's manifests in new ones, sorted by partition."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar

from wasim.errors import WasimError
from wasim.iceberg.hash_order import scala_map_order
from wasim.iceberg.manifests import PartitionValue
from wasim.iceberg.names import rewritten_manifest_name
from wasim.simulate.commits import Change, Moment, count_manifests
from wasim.simulate.identifiers import draw_uuid
from wasim.simulate.live_manifests import LiveEntry
from wasim.simulate.summary import operation_summary
from wasim.simulate.table import SimulatedTable

Value = TypeVar("Value", int, bytes)


def rewrite_manifests(table: SimulatedTable, moment: Moment) -> None:
    """Replaces the manifests of the spec in force by as few as their bytes need.

    Nothing is committed where there is but one already. WasimError where those of a partitioned table would take
    several: Spark cuts them by a sample of the entries. Entries of an unpartitioned one are dealt out evenly, as
    Dataset.repartition does; which goes where is Spark's.
    """
    spec_id = table.json.base.default_spec_id
    matching = [one for one in table.manifests if one.file.partition_spec_id == spec_id]
    target_bytes, total_bytes = table.rules.policy.target_bytes, sum(one.file.manifest_length for one in matching)
    if len(matching) <= 1 and total_bytes <= target_bytes:
        return
    if total_bytes > target_bytes and table.writer_of(spec_id).header.spec.fields:
        raise WasimError(
            f"rewrite_manifests of {total_bytes} B of manifests would write several (the target is {target_bytes} B),"
            " which is not simulated. Give a larger commit.manifest.target-size-bytes, or use engine spark."
        )
    entries = [_rewritten(entry) for manifest in matching for entry in manifest.live]
    entries.sort(key=lambda entry: tuple(map(_place, entry.file.partition)))
    identity = table.begin()
    parts = min(max(1, -(-total_bytes // target_bytes)), max(1, len(entries)))
    new = []
    for part in range(parts):
        name = rewritten_manifest_name(str(draw_uuid(table.rng)))
        # what writes it heeds no property of the table
        new.append(table.write_manifest(name, entries[part::parts], identity, plain=True))
    manifests = [*new, *(one for one in table.manifests if one.file.partition_spec_id != spec_id)]
    counts = replace(count_manifests(manifests, identity), manifests_replaced=len(matching), entries_processed=0).after(
        table.totals
    )
    summary = operation_summary(table.rules.summary, counts, moment.texts, own=())
    table.publish(Change(operation="replace", manifests=manifests, counts=counts, summary=summary), identity, moment)


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
