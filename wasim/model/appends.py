"""What the cost of metadata depends on, read from a case."""

from collections.abc import Iterator
from dataclasses import dataclass

from wasim.iceberg.properties import TableProperties
from wasim.model.cadence import ManifestSizes
from wasim.scenario.case import Case
from wasim.scenario.parts import Columns, Table

# Constants of a manifest's header by format version; measured: 2,245 of 2,245 headers rebuilt to the byte
_HEADER_BYTES = {1: 5447, 2: 6691, 3: 7504, 4: 11_100}


@dataclass(frozen=True, slots=True, kw_only=True)
class Appends:
    """Like appends, one after the other, without maintenance.

    `log_limit` is the most entries that the metadata log keeps. `statistics_columns` are those whose bounds an entry
    carries. `repeats_epoch` says whether each summary holds the streaming epoch, `counts_manifests` whether it says how
    many manifests were kept (Iceberg 1.11 and later), `hadoop_names` whether metadata.json files bear their version
    alone, as in Hadoop's catalog. `data_bytes_per_commit` is known only from a ledger; it moves nothing but the digits
    of total-files-size.
    """

    merges: bool
    repeats_epoch: bool
    files_per_commit: int
    rows_per_commit: int
    data_bytes_per_commit: float
    columns: int
    statistics_columns: int
    format_version: int
    log_limit: int
    min_count_to_merge: int
    target_manifest_bytes: int
    gzip_json: bool
    sizes: ManifestSizes
    counts_manifests: bool = True
    hadoop_names: bool = False


def read_appends(case: Case, *, data_bytes_per_commit: float | None = None) -> Appends:
    """The appends of a case. Without a ledger, data is taken as 100 B a row, and manifests as the format gives them."""
    properties = TableProperties.read(case.table.properties)
    leaves = [name for column in case.table.all_columns for name in _leaves(column)]
    files = _files_per_commit(case)
    statistics = sum(mode.bound_length is not None for mode in properties.metrics_modes(leaves))
    header = manifest_header_bytes(case.table)
    return Appends(
        merges=properties.manifest_merge_enabled and (case.merges or bool(case.key_columns)),
        repeats_epoch=case.writer.kind == "streaming" and case.writer.sink == "table",
        files_per_commit=files,
        rows_per_commit=case.rows_per_commit,
        data_bytes_per_commit=data_bytes_per_commit or 100.0 * case.rows_per_commit,
        columns=len(leaves),
        statistics_columns=statistics,
        format_version=case.table.format_version,
        log_limit=properties.metadata_previous_versions_max,
        min_count_to_merge=properties.manifest_min_merge_count,
        target_manifest_bytes=properties.packed_to_bytes,
        gzip_json=properties.metadata_compression == "gzip",
        hadoop_names=case.environment.catalog == "hadoop",
        sizes=ManifestSizes(
            new_bytes=header + entry_bytes(statistics) * files, header_bytes=header, entry_bytes=entry_bytes(statistics)
        ),
    )


def manifest_header_bytes(table: Table) -> float:
    """Bytes of a manifest before its entries: the schema as JSON between constants.

    K_v + |J_s| + vl(|J_s|) − 1 + partition fields, with J_s = 43 + Σ(44 + digits(id) + |name| + |type|) + (C − 1).
    Exact for flat columns of an unpartitioned table (7,282 B for ten columns, v2); within tens of bytes for the others.
    """
    columns = table.all_columns
    schema = 43 + len(columns) - 1
    schema += sum(44 + len(str(number)) + len(c.name) + len(c.type) for number, c in enumerate(columns, 1))
    per_field = (112 + 2 * len(field.column) + len(field.transform) + 12 + 55 for field in table.partition_by)
    length_digits = (schema >= 64) + (schema >= 8192)
    return float(_HEADER_BYTES[table.format_version] + schema + length_digits + sum(per_field))


def entry_bytes(statistics_columns: int) -> float:
    """Bytes of one deflated entry among many, before any is measured: 40, and 14 a column (84 … 1,480 for 6 … 100)."""
    return 40.0 + 14.0 * statistics_columns


def _files_per_commit(case: Case) -> int:
    """Data files that one commit adds: tasks that write, times partitions that each touches, at most one per row."""
    partitions = case.workload.partitions_per_commit or 1 if case.table.partition_by else 1
    return min(case.workload.files_per_commit * partitions, case.rows_per_commit)


def _leaves(column: Columns) -> Iterator[str]:
    """Dotted names of the primitive columns within."""
    for name in column.names:
        if column.parts:
            yield from (f"{name}.{inner}" for part in column.parts for inner in _leaves(part))
        else:
            yield name
