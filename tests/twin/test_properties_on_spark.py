"""Table properties that change bytes: what real Spark writes under them, and what the simulator makes of it."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pyspark")

from support.replay import differing, metadata_files, replay
from support.round_trip import check_round_trip

from tools.comparison import compare
from wasim.bench.probing import CaseContext
from wasim.iceberg import DataFileEntry, TableMetadata, read_manifest, read_manifest_list, read_metadata_json
from wasim.iceberg.properties import TableProperties
from wasim.iceberg.record_fields import Status
from wasim.runs import CaseRun, read_recording
from wasim.scenario import Case
from wasim.twin import Site, shipped_profile, simulate_table
from wasim.twin.data_files import data_files_of
from wasim.twin.identifiers import locations_of

Run = Callable[[Case], tuple[CaseRun, CaseContext]]
COLUMNS = "{name: reading, type: double, count: 2}, {name: sensor, type: string, values: 40, length: 20}"
BY_BUCKET = "partition_by: [{column: sensor, transform: 'bucket[3]'}, {column: event_time, transform: day}]"
BY_DAY = "partition_by: [{column: event_time, transform: day}]"
APPENDS = {
    "zstd, spread over the store, partitions in summaries": (
        "write.manifest.compression-codec: zstd, write.object-storage.enabled: true, write.summary.partition-limit: 10",
        BY_BUCKET,
        "streaming",
    ),
    "zstd at level 12, spread without folders, one partition in summaries": (
        "write.manifest.compression-codec: ZSTD, write.manifest.compression-level: 12,"
        " write.object-storage.enabled: true, write.object-storage.partitioned-paths: false,"
        " write.summary.partition-limit: 1",
        "",
        "batch",
    ),
    "data and metadata elsewhere": (
        "write.data.path: lake/files, write.metadata.path: log, write.summary.partition-limit: 3",
        BY_BUCKET,
        "batch",
    ),
    "metrics by column": (
        "write.metadata.metrics.default: counts, write.metadata.metrics.column.sensor: truncate(3),"
        " write.metadata.metrics.column.reading_1: none, write.metadata.metrics.column.event_id: full,"
        " write.manifest.compression-codec: uncompressed",
        "",
        "batch",
    ),
    "snappy": ("write.manifest.compression-codec: snappy", "", "batch"),
}
UPKEPT = (
    "{rewrite_manifests: {every: 7s}, expire_snapshots: {every: 10s, older_than: 6s},"
    " remove_orphan_files: {every: 12s, older_than: 4s}, rewrite_data_files: {every: 14s}}"
)
OPERATIONS = {
    "vectors, everything elsewhere": {
        "table": f"{{format_version: 3, columns: [{COLUMNS}], {BY_DAY}, properties: {{write.data.path: lake,"
        " write.metadata.path: log, write.object-storage.enabled: true, write.summary.partition-limit: 5,"
        " write.manifest.compression-codec: zstd}}",
        "changes": "{delete: {every: 3s, rows: 40, mode: merge-on-read}, update: {every: 5s, rows: 20}}",
        "maintenance": UPKEPT,
    },
    "v1 whose manifests inherit their snapshots": {
        "table": f"{{format_version: 1, columns: [{COLUMNS}],"
        " properties: {compatibility.snapshot-id-inheritance.enabled: true}}",
        "maintenance": "{rewrite_manifests: {every: 6s}}",
    },
    "properties that change while it is written": {
        "table": f"{{columns: [{COLUMNS}], properties: {{commit.manifest.min-count-to-merge: 4}}}}",
        "evolution": "[{at: 4s, set_properties: {write.manifest.compression-codec: zstd}},"
        " {at: 6s, set_properties: {write.data.path: lake, write.metadata.path: log}},"
        " {at: 8s, set_properties: {write.metadata.metrics.default: none, write.object-storage.enabled: true,"
        " write.summary.partition-limit: 1}},"
        " {at: 10s, set_properties: {write.manifest.compression-codec: uncompressed}}]",
    },
    "columns of other names": {
        "table": "{key_column: number, time_column: at, columns: [{name: sensor, type: string, values: 40},"
        " {name: at, type: timestamp, required: true}, {name: reading, type: double, count: 2},"
        " {name: number, type: long}], partition_by: [{column: at, transform: day}]}",
        "changes": "{delete: {every: 4s, rows: 40, mode: merge-on-read}, merge: {every: 6s, rows: 20, new_rows: 5}}",
        "evolution": "[{at: 5s, add_column: {name: event_time, type: int}},"
        " {at: 9s, move_column: {column: sensor, after: at}}]",
    },
    "lists and maps, within structs too": {
        "table": "{columns: [{name: tags, type: list<string>, values: 50}, {name: sizes, type: list<double>, items: 3},"
        " {name: labels, type: 'map<string,string>', length: 20, items: 2}, {name: part, type: struct, fields:"
        " [{name: seen, type: list<long>}, {name: n, type: int}]}, {name: n, type: int},"
        " {name: deep, type: 'map<int,struct>', fields: [{name: x, type: float}, {name: y, type: 'decimal(9,2)'}]},"
        " {name: points, type: list<struct>, items: 2, fields: [{name: at, type: timestamp}]}],"
        " properties: {write.metadata.metrics.column.tags.element: none}}",
        "changes": "{update: {every: 4s, rows: 20}, delete: {every: 5s, rows: 40, mode: merge-on-read}}",
        "evolution": "[{at: 6s, add_column: {name: more, type: list<int>, items: 5}},"
        " {at: 9s, set_properties: {write.metadata.metrics.max-inferred-column-defaults: 12}}]",
    },
    "neither key nor time": {"table": f"{{key_column: none, time_column: none, columns: [{COLUMNS}]}}"},
    "metrics of a few columns, one of them new": {
        "table": "{columns: [{name: part, type: struct, fields: [{name: deep, type: struct,"
        " fields: [{name: x, type: int}]}, {name: y, type: long}]}, {name: n, type: int}, {name: z, type: string}],"
        " properties: {write.metadata.metrics.max-inferred-column-defaults: 5,"
        " write.metadata.metrics.column.event_time: counts}}",
        "evolution": "[{at: 4s, add_column: {name: late, type: int}},"
        " {at: 8s, move_column: {column: z, after: event_time}},"
        " {at: 10s, set_properties: {write.metadata.metrics.max-inferred-column-defaults: 3}},"
        " {at: 12s, set_properties: {write.metadata.metrics.column.part.deep.x: full}}]",
    },
}
_SIZES = re.compile(r"((?:added|removed)-files-size)=\d+")


# those of `make test`; the others are for `make test-all`
QUICK = {"data and metadata elsewhere", "neither key nor time"}


def slow_but_for(names: Iterable[str]) -> list[Any]:
    return [pytest.param(name, marks=[] if name in QUICK else [pytest.mark.slow]) for name in names]


@pytest.mark.parametrize("name", slow_but_for(APPENDS))
def test_a_real_table_is_written_again_byte_for_byte(
    name: str, small_case: Callable[..., Case], run_case: Run, tmp_path: Path
) -> None:
    properties, partitions, writer = APPENDS[name]
    given = f"{properties}, commit.manifest.min-count-to-merge: 5"
    table = f"{{columns: [{COLUMNS}], properties: {{{given}}}, {partitions}}}"
    workload = "{rows_per_second: 600, files_per_commit: 2}"
    case = small_case(table=table, workload=workload, writer=writer, horizon="12s")
    _, context = run_case(case)
    assert_data_lies_where_it_should(context.table_root, case)
    replay(context.table_root, case, tmp_path / "again")
    wrong, files = differing(context.table_root, tmp_path / "again")
    assert files > 3 * case.commits
    if "snappy" not in name:  # of which there is no standard form
        assert wrong == []
    mismatches = [check_round_trip(path) for path in metadata_files(context.table_root)[0].parent.glob("*.avro")]
    assert all(one is None or (one.is_compression_only and "snappy" in name) for one in mismatches)
    assert_simulated_alike(case, context)


@pytest.mark.parametrize("name", slow_but_for(OPERATIONS))
def test_a_table_that_is_kept_and_changed_is_simulated_alike(
    name: str, small_case: Callable[..., Case], run_case: Run
) -> None:
    case = small_case(workload="{rows_per_second: 400}", horizon="16s", **OPERATIONS[name])
    _, context = run_case(case)
    assert_simulated_alike(case, context)


def test_core_describes_files_where_properties_put_them(
    small_case: Callable[..., Case], run_on: Callable[[str, Case], tuple[CaseRun, CaseContext]], tmp_path: Path
) -> None:
    properties = "write.object-storage.enabled: true, write.data.path: lake, write.metadata.path: log"
    codec = "write.manifest.compression-codec: zstd, write.summary.partition-limit: 4"
    columns = f"{COLUMNS}, {{name: tags, type: list<string>}}, {{name: labels, type: 'map<int,string>'}}"
    table = f"{{columns: [{columns}], properties: {{{properties}, {codec}}}, {BY_BUCKET}}}"
    case = small_case(table=table, workload="{rows_per_second: 300}", writer="streaming", horizon="40s")
    _, context = run_on("core", case)
    assert_data_lies_where_it_should(context.table_root, case)
    replay(context.table_root, case, tmp_path / "again")
    assert differing(context.table_root, tmp_path / "again")[0] == []


def assert_data_lies_where_it_should(table: Path, case: Case) -> None:
    manifests = metadata_files(table)[0].parent.glob("*-m*.avro")
    entries = [one for path in manifests for one in read_manifest(path.read_bytes(), source=path.name).entries]
    locations = locations_of(str(table), TableProperties.read(case.table.properties))
    files = data_files_of(case, shipped_profile(case))
    assert entries
    for entry in entries:
        name = entry.file.file_path.rpartition("/")[2]
        if not locations.has_partition_folders:
            name = name.partition("-")[2]
        assert locations.data_file(files.folder_of(entry.file.partition), name) == entry.file.file_path


def assert_simulated_alike(case: Case, context: CaseContext) -> None:
    """Counts exact, every kind of metadata within 0.5 %, and summaries of the same keys and counts."""
    real, table = read_recording(context.folder.case(context.key)), context.table_root
    site, rng = Site(location=str(table)), np.random.default_rng(1)
    simulated = simulate_table(case, shipped_profile(case), rng, site=site)
    kinds = compare(real, simulated.recording)
    print([(str(kind.kind), kind.files_real, f"{kind.error:+.3%}") for kind in kinds])
    assert [kind for kind in kinds if not kind.counts_agree] == []
    path = metadata_files(table)[-1]
    newest = read_metadata_json(path.read_bytes(), source=path.name)
    summaries = [json.loads(text)["summary"] for text in simulated.table.json.snapshots.values()]
    assert partition_summaries(one.summary or {} for one in newest.snapshots) == partition_summaries(summaries)
    assert measured_columns(listed_files(newest, table)) == measured_columns(
        entry.file for manifest in simulated.table.manifests for entry in manifest.live
    )
    assert [kind for kind in kinds if not kind.meets_goal] == []


def listed_files(metadata: TableMetadata, table: Path) -> Iterator[DataFileEntry]:
    """Files that the newest snapshot holds."""
    listing = Path(metadata.snapshots[-1].manifest_list or "")
    for manifest in read_manifest_list(listing.read_bytes(), source=listing.name).manifests:
        path = Path(manifest.manifest_path)
        assert path.is_relative_to(table)
        entries = read_manifest(path.read_bytes(), source=path.name).entries
        yield from (entry.file for entry in entries if entry.status != Status.DELETED)


def measured_columns(files: Iterable[DataFileEntry]) -> Counter[tuple[frozenset[int], ...]]:
    """How many files have sizes, counts and bounds of which columns."""
    maps = ("column_sizes", "value_counts", "lower_bounds")
    return Counter(tuple(frozenset(getattr(file, name) or ()) for name in maps) for file in files)


def partition_summaries(summaries: Iterable[Mapping[str, str]]) -> list[dict[str, str]]:
    """What summaries say of partitions, in their order, without sizes."""
    return [
        {key: _SIZES.sub(r"\1", text) for key, text in summary.items() if key.startswith("partition")}
        for summary in summaries
    ]
