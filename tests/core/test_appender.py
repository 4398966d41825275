"""Engine `core` on real Iceberg: the metadata that Spark would have left, for data files that nobody wrote."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from support.contexts import context_of

from wasim import collect
from wasim.bench import BenchOptions, engine_named, keyed_cases
from wasim.bench.case import carry_out
from wasim.bench.probing import CaseContext
from wasim.core import DescribedData, check_describable
from wasim.errors import AuditMismatch, WasimError
from wasim.iceberg import DataFileEntry, read_manifest
from wasim.ledger import FULL_SCAN, Kind
from wasim.ledger.vocabulary import METADATA_KINDS
from wasim.model import drivers_at, read_appends
from wasim.runs import CaseRun
from wasim.runs.saved import read_case
from wasim.scenario import Case, load_scenario
from wasim.spark import Session
from wasim.spark.servers import Servers

MakeCase = Callable[..., Case]
RunOn = Callable[..., tuple[CaseRun, CaseContext]]
IN_MEMORY = "{warm_up_commits: 0, catalog: in_memory}"
"""Faster, and the same files."""


def newest_entries(context: CaseContext) -> list[DataFileEntry]:
    """The files of the table's newest manifest, as Iceberg wrote it."""
    path = max((context.table_root / "metadata").glob("*-m*.avro"), key=lambda path: path.stat().st_mtime_ns)
    return [entry.file for entry in read_manifest(path.read_bytes(), source=str(path)).entries]


MERGING = "{columns: [{name: reading, type: double}], properties: {commit.manifest.min-count-to-merge: '3'}}"


@pytest.mark.parametrize(("version", "writer"), [(1, "batch"), (2, "streaming"), (3, "batch")])
def test_live_manifests_follow_the_cadence_of_the_model(
    version: int, writer: str, run_on: RunOn, small_case: MakeCase
) -> None:
    table = MERGING.replace("{columns", f"{{format_version: {version}, columns")
    case = small_case(table=table, writer=writer, horizon="40s", environment=IN_MEMORY)
    run, _ = run_on("core", case)
    commits = np.arange(1, 41)
    expected = drivers_at(read_appends(case), commits)
    assert run.engine == "core"
    assert list(run.ledger.commit) == list(commits)
    assert list(run.ledger.records_live) == list(20 * commits)
    assert list(run.ledger.live_manifests) == list(expected.live_manifests)
    assert list(run.ledger.files_written[Kind.DATA_MANIFEST]) == list(expected.manifest_files)
    assert list(run.ledger.snapshots_retained) == list(expected.snapshots)
    assert (run.ledger.live_manifests.max() == 40) == (writer == "streaming")


@pytest.mark.parametrize("writer", ["batch", pytest.param("streaming", marks=pytest.mark.slow)])
def test_both_engines_write_metadata_of_the_same_size(writer: str, run_on: RunOn, small_case: MakeCase) -> None:
    case = small_case(writer=writer, horizon="6s")
    (core, _), (spark, _) = run_on("core", case), run_on("spark", case)
    grown = [np.diff(run.ledger.written_bytes[Kind.METADATA_JSON]) for run in (core, spark)]
    # ids of 18 or 19 digits, seldom less, and task ids and sizes that are a digit longer
    assert np.median(np.abs(grown[0] - grown[1])) <= 8, grown
    for kind in (Kind.DATA_MANIFEST, Kind.MANIFEST_LIST):
        assert core.totals.files_written[kind] == spark.totals.files_written[kind]
        assert core.totals.written_bytes[kind] == pytest.approx(spark.totals.written_bytes[kind], rel=0.003)


def test_entries_describe_the_files_that_spark_writes(run_on: RunOn, small_case: MakeCase) -> None:
    case = small_case(table="{columns: [{name: reading, type: double}, {name: s, type: string, length: 40}]}")
    (core,), (spark,) = (newest_entries(run_on(engine, case)[1]) for engine in ("core", "spark"))
    for name in ("record_count", "partition", "value_counts", "null_value_counts", "nan_value_counts", "split_offsets"):
        assert getattr(core, name) == getattr(spark, name)
    assert (core.lower_bounds, core.upper_bounds) == (spark.lower_bounds, spark.upper_bounds)
    assert list(core.column_sizes or {}) == list(spark.column_sizes or {})
    assert core.sort_order_id == spark.sort_order_id
    assert core.file_size_bytes == pytest.approx(spark.file_size_bytes, rel=0.15)
    names = [Path(file.file_path).name for file in (core, spark)]
    assert [len(name.split("-")) for name in names] == [9, 9]


PARTITIONED = (
    "{columns: [{name: region, type: string, values: 8}, {name: price, type: 'decimal(10,2)', values: 3},"
    " {name: day, type: date, values: 2}],"
    " partition_by: [{column: region}, {column: price}, {column: day}, {column: event_time, transform: hour},"
    " {column: event_id, transform: 'bucket[2]'}]}"
)


@pytest.mark.slow
def test_partitions_are_those_that_spark_finds(run_on: RunOn, small_case: MakeCase) -> None:
    workload = "{rows_per_second: 40, partitions_per_commit: 2, distribution_mode: hash}"
    case = small_case(table=PARTITIONED, workload=workload, writer="streaming", environment=IN_MEMORY)
    found = {}
    for engine in ("core", "spark"):
        run, context = run_on(engine, case)
        found[engine] = sorted((entry.partition, entry.record_count) for entry in newest_entries(context))
        assert run.probes[0].files_planned == run.ledger.live_entries[-1]
    assert found["core"] == found["spark"]
    assert len(found["core"]) > 4


def test_a_real_reader_plans_every_file_and_prunes_by_bounds(run_on: RunOn, small_case: MakeCase) -> None:
    case = small_case(
        horizon="12s",
        planning="{rounds: 1, rounds_at_end: 1, cold: true, execution: true, checkpoints: [1.0]}",
        workload="{rows_per_second: 20, files_per_commit: 4}",
        environment=IN_MEMORY,  # whose table a fresh process does not find by itself
    )
    run, _ = run_on("core", case)
    for temperature in ("warm", "cold"):
        scans = {probe.query: probe for probe in run.probes if probe.temperature == temperature}
        assert scans[FULL_SCAN].files_planned == run.ledger.live_entries[-1] == 48
        assert scans[FULL_SCAN].snapshots == 12
    assert all(len(probe.execution_ms) == 0 for probe in run.probes)  # nothing is there to be read
    assert {probe.files_planned for probe in run.probes if probe.query == "statistics"} == {4}


def test_events_count_what_entries_claim_the_disk_holds_metadata_alone(run_on: RunOn, small_case: MakeCase) -> None:
    run, context = run_on("core", small_case(horizon="5s", environment=IN_MEMORY))
    listing = collect.list_table(context.table_root)
    assert {collect.classify(file) for file in listing} <= set(METADATA_KINDS)
    on_disk = run.totals.on_disk_bytes
    assert sum(on_disk[kind] for kind in METADATA_KINDS) == sum(listing.values())
    claimed = sum(entry.file_size_bytes for entry in newest_entries(context))
    assert run.ledger.written_bytes[Kind.DATA][-1] == claimed > 0
    assert run.live_bytes[Kind.DATA] == run.ingested_bytes == on_disk[Kind.DATA]
    assert run.amplification.data == 1
    again = read_case(context.folder.case(context.key))
    assert again.engine == "core"
    newest = max((context.table_root / "metadata").glob("*.metadata.json"))
    assert again.location == json.loads(newest.read_text())["location"]


def test_data_that_turns_up_on_disk_fails_the_audit(
    session: Session, servers: Servers, small_case: MakeCase, tmp_path: Path
) -> None:
    def stray(_commits: int) -> None:
        (context.table_root / "data").mkdir(exist_ok=True)
        (context.table_root / "data" / "stray.parquet").write_bytes(b"x")

    context = context_of("core", small_case(), session, servers, tmp_path, on_commits=stray)
    with pytest.raises(AuditMismatch, match=r"data/stray.parquet .* is absent in the events, 1 B on disk"):
        carry_out(small_case(), context)


def test_the_real_clock_waits_for_each_commit(run_on: RunOn, small_case: MakeCase) -> None:
    case = small_case(clock="real", commit_interval="1s", horizon="3s", environment=IN_MEMORY)
    run, _ = run_on("core", case)
    assert np.all(np.abs(np.diff(run.ledger.reported_at_s) - 1) < 0.8)


def test_spark_writes_to_the_catalog_in_memory_too(run_on: RunOn, small_case: MakeCase) -> None:
    writer = "{kind: streaming, sink: foreach_batch}"  # in a session of its own
    for _ in range(2):  # what a warehouse held before is forgotten
        run, _ = run_on("spark", small_case(writer=writer, environment=IN_MEMORY, horizon="2s"))
        assert list(run.ledger.records_live) == [20, 40]


GOAL_COMMITS_PER_S = 30.0
TEN_COLUMNS = "{columns: [{name: reading, type: double, count: 4}, {name: sensor, type: string, values: 5, count: 4}]}"


@pytest.mark.slow
def test_core_makes_thirty_commits_a_second_at_first(
    session: Session, servers: Servers, small_case: MakeCase, tmp_path: Path
) -> None:
    rates: dict[str, list[float]] = {"jdbc": [], "in_memory": []}
    for turn in range(6):
        for catalog, seen in rates.items():
            environment = f"{{warm_up_commits: 0, catalog: {catalog}}}"
            case = small_case(table=TEN_COLUMNS, writer="streaming", horizon="100s", environment=environment)
            run = carry_out(case, context_of("core", case, session, servers, tmp_path / f"{turn}{catalog}"))
            at_s = run.ledger.reported_at_s
            seen.append((len(at_s) - 1) / (at_s[-1] - at_s[0]))
    for catalog, seen in rates.items():
        text = ", ".join(f"{rate:.1f}" for rate in seen)
        print(f"{catalog}: median {np.median(seen[1:]):.1f} commits/s over the first 100 ({text}; the first warms up)")
    assert np.median(rates["in_memory"][1:]) >= GOAL_COMMITS_PER_S


def test_the_engine_is_part_of_a_cases_key(small_case: MakeCase, tmp_path: Path) -> None:
    small_case()
    scenario = load_scenario(tmp_path / "small.yaml")
    keys = [set(keyed_cases(scenario, engine_named(name))) for name in ("spark", "core")]
    assert keys[0].isdisjoint(keys[1])
    assert BenchOptions(results=tmp_path).engine.name == "spark"


@pytest.mark.parametrize("engine", ["spark", "core"])
@pytest.mark.parametrize("writer", ["{kind: streaming, profile: trino}", "{kind: streaming, profile: kafka_connect}"])
def test_writers_that_only_a_profile_describes_are_not_benched(engine: str, writer: str, small_case: MakeCase) -> None:
    profile = "kafka_connect" if "kafka" in writer else "trino"
    with pytest.raises(WasimError, match=f"^writer.profile is {profile}, which no engine here runs"):
        engine_named(engine).check(small_case(writer=writer))


def test_an_engine_that_is_none_is_refused_with_the_choices() -> None:
    with pytest.raises(WasimError, match=r"--engine is 'trino'\. Give spark or core; bench takes"):
        engine_named("trino")


@pytest.mark.parametrize(
    ("lines", "named"),
    [
        (
            {"table": "{columns: [{name: n, type: int}], properties: {write.format.default: orc}}"},
            "write.format.default",
        ),
        (
            {"table": "{columns: [{name: n, type: int}], properties: {write.parquet.page-size-bytes: 4096}}"},
            "write.parquet.page-size-bytes",
        ),
        (
            {"table": "{columns: [{name: n, type: int}], properties: {write.spark.fanout.enabled: 'false'}}"},
            'write.spark.fanout.enabled is "false"',
        ),
        (
            {
                "table": "{columns: [{name: n, type: int}],"
                " properties: {write.spark.advisory-partition-size-bytes: '1000'}}"
            },
            "write.spark.advisory-partition-size-bytes",
        ),
        ({"environment": "{spark: {spark.sql.iceberg.compression-codec: gzip}}"}, "spark.sql.iceberg"),
        (
            {
                "table": "{columns: [{name: n, type: int, values: 3}], partition_by: [{column: n}]}",
                "workload": "{rows_per_second: 20, distribution_mode: range}",
            },
            "distribution_mode range",
        ),
    ],
)
def test_what_core_cannot_describe_is_refused_by_name(lines: dict[str, str], named: str, small_case: MakeCase) -> None:
    with pytest.raises(WasimError, match=named):
        check_describable(small_case(**lines))


def test_the_same_seed_describes_the_same_files(small_case: MakeCase) -> None:
    case = small_case()
    first, second, other = (
        DescribedData(chosen, "local-1").describe(1, "/table") for chosen in (case, case, replace(case, seed=1))
    )
    assert first == second
    assert first != other
    assert first.summary == {"spark.app.id": "local-1"}
