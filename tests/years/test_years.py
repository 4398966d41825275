"""Sums over any horizon, compared with the exact simulation of every commit."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from support.paths import SCENARIOS

from wasim.ledger import METADATA_KINDS, Kind, Summed, Totals, sum_contention, sum_events
from wasim.scenario import Case, load_scenario
from wasim.scenario.changes import Maintenance
from wasim.scenario.examine import examine
from wasim.scenario.sweep import make_case
from wasim.twin import Site, shipped_profile, simulate_table
from wasim.years import simulate_years

COMPARED = [
    pytest.param("commit_interval", 0, 300, marks=pytest.mark.slow),
    ("commit_interval", 1, 300),
    ("partitioned", 5, 200),
    ("compaction", 1, 300),
    ("compaction", 2, 200),
    pytest.param("compaction", 3, 200, marks=pytest.mark.slow),
    ("expire_and_rewrite", 2, 300),
    ("expire_and_rewrite", 7, 200),
    ("remedies", 2, 200),
    pytest.param("flink_upsert", 0, 200, marks=pytest.mark.slow),
    ("flink_upsert", 1, 200),
    ("fidelity/rolled", 1, 30),
    ("fidelity/rolled", 2, 30),
    ("fidelity/compacted_large", 0, 30),
    ("fidelity/compacted_large", 1, 30),
]


def case_of(name: str, number: int, commits: int) -> Case:
    case = load_scenario(SCENARIOS / f"{name}.yaml").cases()[number]
    return replace(case, horizon_s=commits * case.commit_interval_s)


def years(case: Case) -> Summed:
    return simulate_years(case, shipped_profile(case), Site())


def exact(case: Case) -> Totals:
    made = simulate_table(case, shipped_profile(case), np.random.default_rng(1), most_rows_computed=1)
    return sum_events(made.recording.events)


def check_files_are_those_of_exact(document: dict[str, object], *, rel: float) -> None:
    """Of each kind as many files, and bytes of data but for this share."""
    document = {"name": "files", "question": "how many?", "writer": "streaming"} | document
    case = make_case(examine(document)[0], repetition=0, swept={})
    found, wanted = years(case).totals, exact(case)
    assert {kind: round(found.files_written[kind]) for kind in Kind} == wanted.files_written
    assert found.written_bytes[Kind.DATA] == pytest.approx(wanted.written_bytes[Kind.DATA], rel=rel)


@pytest.mark.parametrize(("name", "number", "commits"), COMPARED)
def test_files_are_counted_and_bytes_lie_within_the_band(name, number, commits):
    case = case_of(name, number, commits)
    found, wanted = years(case), exact(case)
    for kind in Kind:
        assert found.totals.files_written[kind] == pytest.approx(wanted.files_written[kind], rel=0.01)
        written = wanted.written_bytes[kind]
        assert abs(found.totals.written_bytes[kind] - written) <= found.band[kind] * written
    assert found.totals.metadata_bytes == pytest.approx(wanted.metadata_bytes, rel=0.01)
    for kind in METADATA_KINDS if not case.key_columns else ():
        assert found.totals.on_disk_bytes[kind] == pytest.approx(wanted.on_disk_bytes[kind], rel=0.06, abs=60_000)


BY_DAY = {"partition_by": [{"column": "event_time", "transform": "day"}]}


@pytest.mark.parametrize(("every", "table", "tasks"), [("30m", {}, 1), ("1h", BY_DAY, 2)])
def test_of_rolled_files_compaction_takes_those_left_over(every: str, table: dict[str, object], tasks: int):
    columns = [{"name": "v", "type": "double", "count": 5}]
    document = {
        "table": {"columns": columns, "properties": {"write.target-file-size-bytes": "1073742"}, **table},
        "workload": {"rows_per_second": 20, "files_per_commit": tasks},
        "writer": "batch",
        "commit_interval": every,
        "horizon": "4d",
        "maintenance": {"rewrite_data_files": {"every": "1d", "target_file_size_bytes": 1_073_742}},
    }
    check_files_are_those_of_exact(document, rel=0.001)


CLOSED_EARLY = BY_DAY | {"properties": {"write.target-file-size-bytes": "2097152"}}


@pytest.mark.parametrize(
    ("width", "values", "table", "times", "target"),
    [
        pytest.param(12, 100, {}, ("20s", "4h"), 4_450_000, id="of files 0.1 % larger one less"),
        pytest.param(40, 1000, CLOSED_EARLY, ("15m", "20h"), 5 << 20, id="of two sizes as a commit lists them"),
    ],
)
def test_how_many_files_a_task_takes(
    width: int, values: int, table: dict[str, object], times: tuple[str, str], target: int
):
    """A file that is left is taken again. Commits that close four files and leave a smaller one are no five equal ones:
    as if they were, a quarter more data came.
    """
    columns = [
        {"name": "v", "type": "double", "count": width},
        {"name": "s", "type": "string", "length": 24, "values": values},
    ]
    document = {
        "table": {"columns": columns, **table},
        "workload": {"rows_per_second": 30, "files_per_commit": 1},
        "commit_interval": times[0],
        "horizon": times[1],
        "maintenance": {"rewrite_data_files": {"every": "1h", "target_file_size_bytes": target}},
    }
    check_files_are_those_of_exact(document, rel=0.001)


def test_compacted_files_of_many_sizes_stay_apart():
    """Three files of 220 rows make one that is below the target for good, four make one beyond it."""
    columns = [
        {"name": "c0", "type": "long"},
        {"name": "c1", "type": "string", "length": 4},
        {"name": "c2", "type": "int"},
        {"name": "c3", "type": "string", "length": 15, "values": 3},
        {"name": "c4", "type": "string", "length": 40, "values": 3},
        {"name": "c5", "type": "date"},
    ]
    document = {
        "table": {"columns": columns},
        "workload": {"rows_per_second": 8, "files_per_commit": 2},
        "writer": "batch",
        "commit_interval": "5s",
        "horizon": "4000s",
        "maintenance": {"rewrite_data_files": {"every": "400s", "target_file_size_bytes": 30_000}},
    }
    check_files_are_those_of_exact(document, rel=0.001)


@pytest.mark.parametrize(("rows_per_second", "every", "table"), [(1, "12h", BY_DAY), (4, "12h", BY_DAY), (2, "6h", {})])
def test_statements_close_files_at_their_target(rows_per_second: int, every: str, table: dict[str, object]):
    columns, delete = [{"name": "v", "type": "double", "count": 40}], {"mode": "copy-on-write", "locality": "scattered"}
    document = {
        "table": {"columns": columns, "properties": {"write.target-file-size-bytes": "2097152"}, **table},
        "workload": {"rows_per_second": rows_per_second, "files_per_commit": 1},
        "commit_interval": "10m",
        "horizon": "16h",
        "changes": {"delete": {"every": every, "rows": 500, **delete}},
        "maintenance": {"rewrite_data_files": {"every": "1h", "target_file_size_bytes": 2_097_152}},
    }
    check_files_are_those_of_exact(document, rel=0.002)


@pytest.mark.parametrize("rows_per_second", [110, 400])  # files of three row groups; of 512 MiB, and what is left
def test_row_groups_are_packed_each_by_itself(rows_per_second: int):
    document = {
        "table": {"columns": [{"name": "v", "type": "double", "count": 200}]},
        "workload": {"rows_per_second": rows_per_second, "files_per_commit": 1},
        "writer": "batch",
        "commit_interval": "30m",
        "horizon": "18h",
        "maintenance": {"rewrite_data_files": {"every": "6h"}},
    }
    check_files_are_those_of_exact(document, rel=0.001)


NIGHTS = {"active": {"lasts": "8h", "every": "24h"}}


@pytest.mark.parametrize(
    ("rows_per_second", "commit_interval", "more", "jobs", "horizon"),
    [
        (1, "5m", NIGHTS, {"rewrite_manifests": {"every": "1h"}}, "96h"),  # by night too there are several to rewrite
        (1, "5m", NIGHTS, {"rewrite_data_files": {"every": "1h"}}, "96h"),  # the first of a night takes all small files
        (0.1, "1h", {}, {"rewrite_manifests": {"every": "20m"}}, "96h"),
        # all of a partition's files stay below three quarters of the target
        (1, "1h", {}, {"rewrite_data_files": {"every": "15m", "target_file_size_bytes": 30_000}}, "40h"),
    ],
)
def test_jobs_run_between_commits_as_long_as_any_is_due(
    rows_per_second: float, commit_interval: str, more: dict[str, object], jobs: dict[str, object], horizon: str
):
    columns = [{"name": "v", "type": "double", "count": 8}]
    document = {
        "name": "files",
        "question": "how many?",
        "table": {"columns": columns, "properties": {"commit.manifest.target-size-bytes": "20000"}},
        "workload": {"rows_per_second": rows_per_second, "files_per_commit": 2, **more},
        "writer": "streaming",
        "commit_interval": commit_interval,
        "horizon": horizon,
        "maintenance": jobs,
    }
    case = make_case(examine(document)[0], repetition=0, swept={})
    found, wanted = years(case).totals.files_written, exact(case).files_written
    for kind in (Kind.METADATA_JSON, Kind.MANIFEST_LIST, Kind.DATA):
        assert found[kind] == wanted[kind]
    assert found[Kind.DATA_MANIFEST] == pytest.approx(wanted[Kind.DATA_MANIFEST], rel=0.01)


def test_bytes_a_snapshot_hardly_depend_on_how_many_there_are():
    batch = next(case for case in load_scenario(SCENARIOS / "smoke.yaml").cases() if case.merges)
    sizes = []
    for commits in (2_500, 20_000, 25_000, 43_200):
        made = years(replace(batch, horizon_s=commits * batch.commit_interval_s))
        sizes.append(made.live_bytes[Kind.METADATA_JSON] / commits)
    assert max(sizes) < 1.005 * min(sizes)


@pytest.mark.parametrize("number", [6, 9])  # 4 writers in the Hadoop catalog, 2 in memory
def test_several_writers_lose_what_they_lose_in_exact_simulation(number):
    case = case_of("contention", number, 400)
    made = simulate_table(case, shipped_profile(case), np.random.default_rng(1), most_rows_computed=1)
    found, wanted, cost = years(case), sum_events(made.recording.events), sum_contention(made.recording)
    assert found.contention is not None
    assert found.contention.lost_attempts == pytest.approx(cost.lost_attempts, rel=0.2)  # by chance, in 400 commits
    assert found.contention.failed_commits == pytest.approx(cost.failed_commits, rel=0.2, abs=8)
    assert found.contention.orphan_files == pytest.approx(cost.orphan_files, rel=0.2)
    for kind in (*METADATA_KINDS, Kind.DATA):
        written = wanted.written_bytes[kind]
        assert abs(found.totals.written_bytes[kind] - written) <= found.band[kind] * written
        assert found.totals.on_disk_bytes[kind] == pytest.approx(wanted.on_disk_bytes[kind], rel=0.06, abs=20_000)
    assert found.totals.files_written[Kind.DATA] == case.commits


def test_maintenance_is_no_commit_of_several_writers():
    maintenance = {"rewrite_data_files": {"every": "10s", "min_input_files": 2}, "rewrite_manifests": {"every": "20s"}}
    case = replace(case_of("contention", 6, 400), maintenance=Maintenance.model_validate(maintenance))
    made = simulate_table(case, shipped_profile(case), np.random.default_rng(1), most_rows_computed=1)
    found, cost = years(case), sum_contention(made.recording)
    assert found.contention is not None
    assert found.contention.attempts == pytest.approx(cost.attempts, rel=0.1)
    assert found.contention.failed_commits == pytest.approx(cost.failed_commits, rel=0.25)  # by chance
    manifests = sum_events(made.recording.events).files_written[Kind.DATA_MANIFEST]
    assert found.totals.files_written[Kind.DATA_MANIFEST] == pytest.approx(manifests, rel=0.05)


SHIPPED = sorted(path.stem for path in SCENARIOS.glob("*.yaml") if path.stem != "grid")
OF_SECONDS = {"cow_vs_mor", "expire_and_rewrite", "kafka_connect", "remedies"}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if name in OF_SECONDS else name for name in SHIPPED]
)
def test_no_shipped_scenario_is_refused_a_year(name):
    for case in load_scenario(Path(SCENARIOS / f"{name}.yaml"), {"horizon": "365d"}).cases()[-1:]:
        summed = years(case)
        assert summed.totals.metadata_bytes > 0
        assert summed.ledger.event_time_s[-1] == pytest.approx(case.commits * case.commit_interval_s)
        assert all(width >= 0 for width in summed.band.values())


def test_rows_do_not_cost_time_or_memory():
    case = case_of("events_lake", 0, 1000)
    many = case.workload.model_copy(update={"rows_per_second": 1e6})
    summed = years(replace(case, workload=many))
    assert summed.totals.files_written[Kind.DATA] > 0


def test_scattered_statements_are_said_to_be_taken_in_the_mean():
    summed = years(case_of("cow_vs_mor", 0, 2000))
    assert any("scattered" in line for line in summed.approximated)
    assert summed.band[Kind.DATA] > summed.band[Kind.DATA_MANIFEST] > summed.band[Kind.METADATA_JSON]


@pytest.mark.slow
def test_over_a_year_delete_files_do_not_outnumber_data_files():
    case = load_scenario(Path(SCENARIOS / "cow_vs_mor.yaml"), {"horizon": "365d"}).cases()[6]  # scattered, by vectors
    summed = years(case)
    assert summed.ledger.live_entries[-1] <= 2 * summed.totals.files_written[Kind.DATA]
