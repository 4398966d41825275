"""Engine `spark` on real Spark and Iceberg: what the writers commit, and that they commit exactly that."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from support.on_spark import run_on_spark
from support.small import small_case_in

from tools.overhead import measure_overhead
from wasim.bench.probing import CaseContext
from wasim.ledger import Kind
from wasim.runs import CaseRun
from wasim.scenario import Case
from wasim.spark import CATALOG_NAME, Session, drive
from wasim.spark.servers import Servers

RunCase = Callable[[Case], tuple[CaseRun, CaseContext]]
MakeCase = Callable[..., Case]

WRITERS = {
    "batch": "{kind: batch}",
    "streaming": "{kind: streaming}",
    "streaming+merge": "{kind: streaming, append: merge}",
    "streaming-foreach": "{kind: streaming, sink: foreach_batch}",
}


COMMITS = 5
MERGES_AT_THREE = (
    "{columns: [{name: reading, type: double}, {name: sensor, type: string, values: 5}],"
    " properties: {commit.manifest.min-count-to-merge: '3'}}"
)
Written = dict[str, tuple[CaseRun, list[tuple[object, ...]]]]


def rows_of(context: CaseContext) -> list[tuple[object, ...]]:
    name = f"{CATALOG_NAME}.{drive.TABLE_NAME}"
    context.session.spark.sql(f"REFRESH TABLE {name}")
    return sorted(tuple(row) for row in context.session.spark.table(name).collect())


@pytest.fixture(scope="module")
def written(session: Session, servers: Servers, tmp_path_factory: pytest.TempPathFactory) -> Written:
    """What each writer makes of the same case, and the rows of its table."""
    found: Written = {}
    for name, writer in WRITERS.items():
        folder = tmp_path_factory.mktemp(name)
        case = small_case_in(
            folder, table=MERGES_AT_THREE, writer=writer, commit_interval="2s", horizon=f"{2 * COMMITS}s"
        )
        run, context = run_on_spark(session, servers, folder, case)
        found[run.case.writer_name] = run, rows_of(context)
    return found


def test_all_writers_write_the_same_rows(written: Written) -> None:
    assert list(written) == list(WRITERS)
    rows = [rows for _, rows in written.values()]
    assert len(rows[0]) == COMMITS * 40
    assert all(one == rows[0] for one in rows)


@pytest.mark.parametrize("writer", WRITERS)
def test_a_writer_commits_exactly_as_often_as_the_scenario_says(writer: str, written: Written) -> None:
    run, _ = written[writer]
    assert list(run.ledger.commit) == [1, 2, 3, 4, 5]
    assert list(run.ledger.records_live) == [40, 80, 120, 160, 200]
    assert set(run.ledger.operation) == {"append"}


def test_streaming_keeps_every_manifest_and_merge_append_folds_them(written: Written) -> None:
    for writer, (run, _) in written.items():
        folds = writer != "streaming"
        assert list(run.ledger.live_manifests) == ([1, 2, 1, 2, 1] if folds else [1, 2, 3, 4, 5])
        assert list(run.ledger.manifests_replaced) == ([0, 0, 2, 0, 2] if folds else [0] * COMMITS)


def test_a_merge_wastes_the_manifest_that_it_folds_at_once(written: Written) -> None:
    ledger = written["batch"][0].ledger
    bytes_written, deleted = ledger.written_bytes[Kind.DATA_MANIFEST], ledger.deleted_bytes[Kind.DATA_MANIFEST]
    assert list(ledger.files_written[Kind.DATA_MANIFEST]) == [1, 1, 2, 1, 2]
    assert list(deleted[:2]) == [0, 0]
    assert ledger.wasted_bytes[2] == deleted[2] > 0
    assert bytes_written[2] > bytes_written[1] + 6000


@pytest.mark.parametrize("writer", WRITERS)
def test_create_is_outside_the_commits(writer: str, written: Written) -> None:
    run, _ = written[writer]
    in_commits = run.ledger.written_bytes[Kind.METADATA_JSON]
    assert run.totals.files_written[Kind.METADATA_JSON] == 1 + len(in_commits)
    assert 0 < run.totals.written_bytes[Kind.METADATA_JSON] - in_commits.sum() < in_commits[0]
    assert np.all(np.diff(in_commits[1:]) > 0)


def test_event_time_advances_by_the_interval_at_each_commit(written: Written) -> None:
    run, rows = written["streaming"]
    times = [row[1] for row in rows]
    assert (times[-1] - times[0]).total_seconds() == pytest.approx(2 * COMMITS - 1 / 20)
    assert list(run.ledger.event_time_s) == [2, 4, 6, 8, 10]


def test_partitions_per_commit_are_what_the_workload_says(run_case: RunCase, small_case: MakeCase) -> None:
    case = small_case(
        table=(
            "{columns: [{name: region, type: string, values: 8}, {name: n, type: int}],"
            " partition_by: [{column: region}, {column: event_time, transform: hour}]}"
        ),
        workload="{rows_per_second: 40, partitions_per_commit: 3, distribution_mode: hash}",
        writer="streaming",
    )
    run, _ = run_case(case)
    assert list(run.ledger.entries_added) == [3, 3, 3, 3]


def test_values_stay_as_columns_move_and_are_renamed(run_case: RunCase, small_case: MakeCase) -> None:
    case = small_case(
        table=(
            "{columns: [{name: n, type: int}, {name: region, type: string, values: 8},"
            " {name: size, type: string, values: 2}], partition_by: [{column: region}]}"
        ),
        workload="{rows_per_second: 40, partitions_per_commit: 3, distribution_mode: hash}",
        evolution=(
            "[{at: 1s, move_column: {column: size, after: event_time}},"
            " {at: 2s, rename_column: {column: region, to: area}}]"
        ),
        writer="batch",
    )
    run, context = run_case(case)
    assert list(run.ledger.entries_added) == [3, 3, 3, 3]
    rows = context.session.spark.table(f"{CATALOG_NAME}.{drive.TABLE_NAME}").collect()
    assert len({row["area"] for row in rows}) == 8
    assert len({row["size"] for row in rows}) == 2


TYPES = ("boolean", "int", "long", "float", "double", "date", "timestamp", "timestamptz", "string", "binary")
DECIMALS = ("decimal(9,0)", "decimal(20,4)", "decimal(38,10)", "decimal(38,30)")
NESTED = (
    "{name: s, type: struct, fields: [{name: a, type: int, count: 2},"
    " {name: b, type: struct, fields: [{name: c, type: string, length: 70}]}]}"
)


def test_every_column_type_can_be_written_and_read(run_case: RunCase, small_case: MakeCase) -> None:
    named = [f'{{name: c{i}, type: "{name}"}}' for i, name in enumerate([*TYPES, *DECIMALS])]
    for version in (1, 3):
        table = f"{{columns: [{', '.join([*named, NESTED])}], format_version: {version}}}"
        run, context = run_case(small_case(table=table, horizon="1s"))
        row = rows_of(context)[7]
        assert len(row) == 2 + len(named) + 1
        assert None not in row
        for value, written in zip(row[2 + len(TYPES) : -1], DECIMALS, strict=True):
            scale = int(written.rstrip(")").split(",")[1])
            assert 0 < value.scaleb(scale) < 10**18
            assert value.scaleb(scale) % 100 != 0, "digits were lost"
        assert len(row[-1].b.c) == 70
        assert run.ledger.records_live[-1] == 20


@pytest.mark.slow
def test_the_real_clock_waits_for_each_commit(run_case: RunCase, small_case: MakeCase) -> None:
    for writer in ("batch", "streaming"):
        run, _ = run_case(small_case(writer=writer, clock="real", commit_interval="2s", horizon="8s"))
        gaps_s = np.diff(run.ledger.reported_at_s)
        # Spark fires a stream's first batch at once, and the others at whole intervals
        assert np.all(np.abs(gaps_s[1:] - 2) < 1.2), gaps_s


@pytest.mark.slow
def test_the_overhead_of_recording_can_be_measured(session: Session, small_case: MakeCase, tmp_path: Path) -> None:
    overhead = measure_overhead(session, small_case(), tmp_path, commits=4)
    assert len(overhead.recorded_ms) == len(overhead.bare_ms) == 4
    assert 0 < overhead.collecting_ms < 100
    assert overhead.ratio > 0
