"""How far a case in sums may lie from the truth, and what was averaged: part of every answer."""

from collections.abc import Collection, Iterator, Mapping

from wasim.iceberg.parquet_manifests import PARQUET_SINCE
from wasim.iceberg.properties import TableProperties
from wasim.ledger import Kind
from wasim.scenario import Case
from wasim.scenario.load import UNFINISHED
from wasim.years.arrivals import Arrivals, compacted_files
from wasim.years.localities import merges_on_read, places_of, upserts_spread_out
from wasim.years.machine.tables import MOST_COUNTED

Widths = Mapping[Kind, float]


def _widths(json: float, lists: float, manifests: float, files: float) -> Widths:
    of_kind = {Kind.METADATA_JSON: json, Kind.MANIFEST_LIST: lists}
    of_kind |= dict.fromkeys((Kind.DATA_MANIFEST, Kind.DELETE_MANIFEST), manifests)
    return dict.fromkeys(Kind, files) | of_kind


# Half-widths by cause, from `tools.years`: they hold 97 % of the figures of drawn tables
_APPENDS = _widths(0.005, 0.015, 0.015, 0.015)
_PARTITIONED = _widths(0.005, 0.03, 0.06, 0.03)
_REWRITTEN = _widths(0.01, 0.03, 0.03, 0.03)
_COMPACTED = _widths(0.01, 0.03, 0.04, 0.03)
_PARTITIONS_COMPACTED = _widths(0.01, 0.06, 0.06, 0.03)  # lists of few manifests, each of many partitions
_SEVERAL = _widths(0.01, 0.03, 0.04, 0.06)  # where compaction makes several files of a group, which are taken again
_BY_KEY = _widths(0.01, 0.04, 0.05, 0.05)
_BY_KEY_COMPACTED = _widths(0.06, 0.05, 0.06, 0.06)  # when deletes go decides how many manifests are left
# How many files there are decides when they are compacted: by chance in one partition or another, or as statements hit
_BY_CHANCE = _widths(0.1, 0.06, 0.14, 0.03)
_BY_COUNT_OF_HIT = _widths(0.03, 0.08, 0.15, 0.11)
_ZIPPED = _widths(0.03, 0.0, 0.0, 0.0)
_SMALL_TARGET = _widths(0.01, 0.03, 0.08, 0.0)  # where few manifests fill a bin, single bytes decide what merges
_PARQUET = _widths(0.0, 0.0, 0.02, 0.0)  # manifests of format version 4, whose sizes follow what was measured
_RESTS = _widths(0.04, 0.05, 0.03, 0.03)  # what comes between commits of nothing is put before them all
_SMALL_TARGET_BYTES = 4 << 20
# of statements on the newest or oldest rows, on scattered ones, and where summaries that they write are compressed
_AT_AN_END = {**_widths(0.02, 0.03, 0.04, 0.04), Kind.DELETE_MANIFEST: 0.14, Kind.DELETE_FILE: 0.09}
# Where such statements find files that compaction made: which of them hold the rows, and when deletes are dropped
_AT_AN_END_COMPACTED = _widths(0.025, 0.06, 0.15, 0.15)
# How long an older manifest of deletes keeps an entry that no statement has hit differs from manifest to manifest
_SCATTERED = {**_widths(0.015, 0.05, 0.1, 0.14), Kind.DELETE_MANIFEST: 0.14, Kind.DELETE_FILE: 0.14}
# Which of the files that compaction left upserts hit again, and in how many manifests what names them stands
_UPSERTS_COMPACTED = _widths(0.015, 0.09, 0.15, 0.15)
# Upserts of the newest rows of partitions by time: which manifests hold the files of the day that is open
_UPSERTS_AT_AN_END = _widths(0.015, 0.15, 0.12, 0.06)
# INSERT OVERWRITE of the newest partitions: which manifests list their files
_OVERWRITTEN = _widths(0.015, 0.08, 0.15, 0.03)
ZIPPED_STATISTICS = 0.13  # entries of statistics in compressed metadata.json
_ZIPPED_STATEMENTS = _widths(0.035, 0.0, 0.0, 0.0)


def band_of(case: Case, arrivals: Arrivals, file_bytes: float, observed: Widths) -> dict[Kind, float]:
    """The relative half-width of the band of written bytes, by kind: of the widest cause, `observed` among them. Data
    files arrive with `file_bytes` each.
    """
    causes = [_APPENDS, *_causes(case, arrivals, file_bytes)]
    return {kind: max(widths.get(kind, 0.0) for widths in (*causes, observed)) for kind in Kind}


def _causes(case: Case, arrivals: Arrivals, file_bytes: float) -> Iterator[Widths]:
    kept, properties = case.maintenance, TableProperties.read(case.table.properties)
    places = places_of(case)
    if case.table.partition_by:
        yield _PARTITIONED
    if case.rests is not None:
        yield _RESTS
    if case.key_columns:
        yield _BY_KEY
    if kept.rewrite_manifests or kept.expire_snapshots:
        yield _REWRITTEN
    if kept.rewrite_data_files:
        yield _BY_KEY_COMPACTED if case.key_columns else _COMPACTED
        if case.table.partition_by:
            yield _PARTITIONS_COMPACTED
        if compacted_files(case, arrivals, file_bytes) > 1:
            yield _SEVERAL
        if kept.rewrite_data_files.every is None and arrivals.files % 1:
            yield _BY_CHANCE
        if kept.rewrite_data_files.every is None and places:
            yield _BY_COUNT_OF_HIT
    yield from _of_statements(case, places)
    if properties.metadata_compression == "gzip":
        yield _ZIPPED_STATEMENTS if places and case.writer.upsert is None else _ZIPPED
    if properties.manifest_target_size_bytes < _SMALL_TARGET_BYTES:
        yield _SMALL_TARGET
    if case.table.format_version >= PARQUET_SINCE:
        yield _PARQUET


def _of_statements(case: Case, places: Collection[str]) -> Iterator[Widths]:
    if places:
        yield _SCATTERED if "scattered" in places else _AT_AN_END
    if "end" in places and case.maintenance.rewrite_data_files:
        yield _AT_AN_END_COMPACTED
    if case.writer.upsert is not None and not case.key_columns:
        if merges_on_read(case) and case.maintenance.rewrite_data_files:
            yield _UPSERTS_COMPACTED
        if "end" in places and case.table.partition_by:
            yield _UPSERTS_AT_AN_END
    overwrite = case.changes.overwrite
    if overwrite is not None and overwrite.kind == "dynamic" and case.table.partition_by:
        yield _OVERWRITTEN


def approximations(case: Case, arrivals: Arrivals) -> tuple[str, ...]:
    """What was averaged, in plain sentences."""
    return tuple(_sentences(case, arrivals))


def _sentences(case: Case, arrivals: Arrivals) -> Iterator[str]:
    kept = case.maintenance
    if case.table.format_version >= PARQUET_SINCE:
        yield UNFINISHED
    if upserts_spread_out(case):
        yield "Rows that upserts replace lie in all partitions by time so far, in each as many."
    if "scattered" in places_of(case):
        yield "Statements that touch scattered rows touch files in proportion to their rows, on average."
    if case.table.partition_by and arrivals.partitions > 1:
        yield f"A commit writes {arrivals.files:,.1f} files into {arrivals.partitions:,.1f} partitions, on average."
    if kept.rewrite_data_files is not None and case.table.partition_by:
        if case.writer.upsert is not None and not merges_on_read(case):
            yield "Compaction takes partitions that are open at the same time as equal."
        elif arrivals.open_partitions > MOST_COUNTED:
            yield f"Compaction takes partitions that are open at the same time in {MOST_COUNTED:,} equal parts."
    if kept.rewrite_manifests is not None and case.table.partition_by:
        yield "Rewritten manifests of a partitioned table are as many as their bytes need, all of one size."
