"""How far a case in sums may lie from the truth, and what was taken in the mean: part of every answer."""

from collections.abc import Iterator

from wasim.iceberg.properties import TableProperties
from wasim.ledger import Kind
from wasim.scenario import Case
from wasim.years.arrivals import Arrivals
from wasim.years.observed import Observed

# Half-widths by what happens to the table, from `wasim.benchmarks.years`: what holds 95 % of drawn cases
_APPENDS = {Kind.METADATA_JSON: 0.005, Kind.MANIFEST_LIST: 0.015, Kind.DATA_MANIFEST: 0.015}
_REWRITTEN = {Kind.METADATA_JSON: 0.01, Kind.MANIFEST_LIST: 0.04, Kind.DATA_MANIFEST: 0.05}
_COMPACTED = {Kind.METADATA_JSON: 0.01, Kind.MANIFEST_LIST: 0.03, Kind.DATA_MANIFEST: 0.04, Kind.DATA: 0.03}
_DATA = 0.03
_OBSERVED = 0.15
_ZIPPED = 0.1
_THRASHED, _SMALL_TARGET_BYTES = 0.2, 4 << 20  # where few manifests fill a bin, single bytes decide what merges


def band_of(case: Case, arrivals: Arrivals, observed: Observed | None) -> dict[Kind, float]:
    """The relative half-width of the band of written bytes, by kind."""
    kept, band = case.maintenance, dict.fromkeys(Kind, _DATA)
    rows = [_APPENDS]
    rows += (
        [_REWRITTEN]
        if kept.rewrite_manifests or kept.expire_snapshots or case.table.partition_by or case.key_columns
        else []
    )
    rows += [_COMPACTED] if kept.rewrite_data_files else []
    for kind in Kind:
        band[kind] = max([row.get(kind, _DATA) for row in rows])
    if case.key_columns:
        band[Kind.DELETE_MANIFEST] = _COMPACTED[Kind.DATA_MANIFEST]
    properties = TableProperties.read(case.table.properties)
    if properties.manifest_target_size_bytes < _SMALL_TARGET_BYTES:
        band[Kind.DATA_MANIFEST] = _THRASHED
    if properties.metadata_compression == "gzip":
        band[Kind.METADATA_JSON] = _ZIPPED
    if observed is not None:
        band = {kind: max(_OBSERVED, 3 * observed.spread.get(kind, 0.0), width) for kind, width in band.items()}
    return {kind: round(width, 4) for kind, width in band.items()}


def approximations(case: Case, arrivals: Arrivals, observed: Observed | None) -> tuple[str, ...]:
    """What was taken in the mean, in plain sentences."""
    return tuple(_sentences(case, arrivals, observed))


def _sentences(case: Case, arrivals: Arrivals, observed: Observed | None) -> Iterator[str]:
    kept = case.maintenance
    if observed is not None:
        yield from observed.sentences
    if case.table.partition_by and arrivals.partitions > 1:
        yield f"A commit writes {arrivals.files:,.1f} files into {arrivals.partitions:,.1f} partitions, in the mean."
    if kept.rewrite_data_files is not None:
        yield "Compaction treats partitions that are open at the same time as alike."
    if kept.rewrite_manifests is not None and case.table.partition_by:
        yield "Rewritten manifests of a partitioned table are as many as their bytes need, all alike."
