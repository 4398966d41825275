"""What a sum says is live at the end."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from support.paths import SCENARIOS

from wasim.ledger import METADATA_KINDS, Kind, sum_events, view_by_commit
from wasim.ledger.totals import ingested_bytes
from wasim.runs.values import settled_of
from wasim.scenario import Case, load_scenario
from wasim.scenario.changes import Maintenance
from wasim.twin import Site, shipped_profile, simulate_table
from wasim.years import History, YearsOf, grown_of, read_shape, simulate_ahead, simulate_years, sum_history
from wasim.years.machine.appends import live_bytes


def case_of(name: str, number: int, commits: int) -> Case:
    case = load_scenario(SCENARIOS / f"{name}.yaml").cases()[number]
    return replace(case, horizon_s=commits * case.commit_interval_s)


def test_all_data_that_appends_write_was_ingested_and_is_live():
    case = case_of("commit_interval", 0, 500)
    shape = read_shape(case, shipped_profile(case), Site())
    summed = sum_history(case, shape, grown_of(case, shape, History(case=case, shape=shape).run()))
    assert summed.live_bytes[Kind.DATA] == summed.totals.written_bytes[Kind.DATA] > 0
    assert summed.live_bytes[Kind.DELETE_FILE] == 0
    assert summed.ingested_bytes == summed.totals.data_bytes


@pytest.mark.parametrize(("name", "number"), [("compaction", 1), ("cow_vs_mor", 1), ("cow_vs_mor", 3)])
def test_live_data_and_delete_files_are_the_last_snapshot_s(name, number):
    case = case_of(name, number, 600)
    shape = read_shape(case, shipped_profile(case), Site())
    history = History(case=case, shape=shape)
    summed = sum_history(case, shape, grown_of(case, shape, history.run()))
    live = summed.live_bytes[Kind.DATA] + summed.live_bytes[Kind.DELETE_FILE]
    assert live == pytest.approx(live_bytes(history.table), abs=2)
    assert (summed.live_bytes[Kind.DELETE_FILE] > 0) == (case.changes.update is not None and number == 3)


EXPIRY = ", expire_snapshots: {every: 100s, older_than: 50s}"


def test_metadata_younger_than_the_removal_of_orphans_stays():
    """Metadata.json of 40 commits, of which the log names two: what is older than 10 s went at the last removal."""
    case = case_of("commit_interval", 0, 40)
    table = case.table.model_copy(update={"properties": {"write.metadata.previous-versions-max": "2"}})
    gone = []
    for older_s in (case.horizon_s * 2, case.horizon_s / 4):
        orphans = {"remove_orphan_files": {"every": case.horizon_s, "older_than": older_s}}
        one = replace(case, table=table, maintenance=Maintenance.model_validate(orphans))
        gone.append(simulate_years(one, shipped_profile(one), Site()).totals.files_deleted[Kind.METADATA_JSON])
    assert gone[0] == 0
    assert gone[1] == pytest.approx(30, abs=1)


def test_a_scan_reads_the_manifests_with_live_files_alone():
    """Appends that do not merge leave the manifests of compacted files listed, until the next compaction."""
    case = case_of("compaction", 1, 450)
    shape = read_shape(case, shipped_profile(case), Site())
    end = History(case=case, shape=shape).run()
    assert end.scanned_manifests[-1] == pytest.approx(end.entries[-1], abs=2)
    assert end.data_manifests[-1] > 1.5 * end.scanned_manifests[-1]
    assert end.scanned_bytes[-1] < end.data_manifest_bytes[-1]


@pytest.mark.parametrize(
    ("horizon_s", "logged", "every_s", "older_than_s"), [(200, 5, 20, 50), (205, 60, 50, 70), (219, 100, 30, 7)]
)
def test_orphan_removal_deletes_old_metadata_json_no_log_names(
    horizon_s: int, logged: int, every_s: int, older_than_s: int, small_case: Callable[..., Case]
):
    case = small_case(
        horizon=f"{horizon_s}s",
        table=f"{{columns: [{{name: n, type: int}}], properties: {{write.metadata.previous-versions-max: {logged}}}}}",
        maintenance=f"{{remove_orphan_files: {{every: {every_s}s, older_than: {older_than_s}s}}}}",
    )
    profile = shipped_profile(case)
    made = simulate_table(case, profile, np.random.default_rng(1), most_rows_computed=1)
    exact, summed = sum_events(made.recording.events), simulate_years(case, profile, Site()).totals
    assert summed.files_deleted == exact.files_deleted
    deleted = exact.deleted_bytes[Kind.METADATA_JSON]
    assert summed.deleted_bytes[Kind.METADATA_JSON] == pytest.approx(deleted, rel=0.005)


@pytest.mark.parametrize(
    ("logged", "every_s", "older_s", "expiry"),
    [(100, 300, 100, ""), (10, 300, 200, EXPIRY), pytest.param(10, 500, 100, EXPIRY, marks=pytest.mark.slow)],
)
def test_metadata_on_disk_is_most_before_orphans_are_removed(
    logged: int, every_s: int, older_s: int, expiry: str, small_case: Callable[..., Case]
):
    case = small_case(
        horizon="1050s",
        table=f"{{columns: [{{name: n, type: int}}], properties: {{write.metadata.previous-versions-max: {logged}}}}}",
        maintenance=f"{{remove_orphan_files: {{every: {every_s}s, older_than: {older_s}s}}{expiry}}}",
    )
    profile = shipped_profile(case)
    made = simulate_table(case, profile, np.random.default_rng(1), most_rows_computed=1)
    exact, summed = settled_of(case, made.recording, made.live_bytes), simulate_years(case, profile, Site()).settled
    assert summed["metadata_on_disk_bytes"] == pytest.approx(exact["metadata_on_disk_bytes"], rel=0.002)


@pytest.mark.parametrize("keeps_json", [True, False])
def test_metadata_on_disk_is_most_before_the_fullest_expiry(keeps_json: bool, small_case: Callable[..., Case]):
    """Compaction every 70 s replaces manifests that stay until the expiry after it: of every 20 s, some find more."""
    kept = "write.metadata.delete-after-commit.enabled: true, write.metadata.previous-versions-max: 5"
    case = small_case(
        horizon="430s",
        table=f"{{columns: [{{name: n, type: int}}], properties: {{{'' if keeps_json else kept}}}}}",
        maintenance="{expire_snapshots: {every: 20s, older_than: 10s}, rewrite_data_files: {every: 70s}}",
    )
    profile = shipped_profile(case)
    made = simulate_table(case, profile, np.random.default_rng(1), most_rows_computed=1)
    exact, summed = settled_of(case, made.recording, made.live_bytes), simulate_years(case, profile, Site())
    end = sum(summed.totals.on_disk_bytes[kind] for kind in METADATA_KINDS)
    most = summed.settled["metadata_on_disk_bytes"]
    assert most == pytest.approx(exact["metadata_on_disk_bytes"], rel=0.03)
    assert most >= end * (1 if keeps_json else 1.15)


def test_histories_stepped_through_in_other_processes_give_the_same_sums(monkeypatch):
    monkeypatch.setattr("wasim.processes.available_cores", lambda: 2)
    cases = [case_of("compaction", 1, commits) for commits in (300, 450)]
    ahead, alone = (YearsOf(profile=shipped_profile(cases[0]), site=Site()) for _ in range(2))
    simulate_ahead((ahead, case) for case in cases)
    assert len(ahead.histories) == len(cases)
    assert not alone.histories
    for case in cases:
        assert ahead.simulate(case).totals == alone.simulate(case).totals


def test_cases_of_one_shape_compress_as_their_jobs_leave_them(small_case: Callable[..., Case]):
    """Compaction each 30 commits: deflate finds each snapshot's manifests again, at the same time of another hour."""
    gzipped = "{columns: [{name: id, type: long}], properties: {write.metadata.compression-codec: gzip}}"
    cases = [
        small_case(table=gzipped, writer="streaming", commit_interval="2m", horizon="16h", maintenance=jobs)
        for jobs in ("{}", "{rewrite_data_files: {every: 1h}}")
    ]
    known = YearsOf(profile=shipped_profile(cases[0]), site=Site())
    for case in cases:
        written = known.simulate(case).totals.written_bytes[Kind.METADATA_JSON]
        exact = sum_events(simulate_table(case, known.profile, np.random.default_rng(case.seed)).recording.events)
        assert written == pytest.approx(exact.written_bytes[Kind.METADATA_JSON], rel=0.005)
        alone = YearsOf(profile=known.profile, site=Site()).simulate(case)
        assert written == alone.totals.written_bytes[Kind.METADATA_JSON]


def test_a_sum_is_the_same_whatever_was_asked_before(small_case: Callable[..., Case]):
    """Keys that are deleted are of more digits the longer a table is written to."""
    upsert = "{kind: streaming, upsert: {share: 0.3, mode: equality-deletes}}"
    case = small_case(workload="{rows_per_second: 2000}", writer=upsert, commit_interval="1s", horizon="150s")
    profile = shipped_profile(case)
    alone = YearsOf(profile=profile, site=Site()).simulate(case)
    short = simulate_years(replace(case, horizon_s=10.0), profile, Site())
    found = simulate_years(case, profile, Site())
    assert found.totals == alone.totals
    assert found.totals.written_bytes[Kind.DELETE_FILE] / 150 > 1.05 * short.totals.written_bytes[Kind.DELETE_FILE] / 10


@pytest.mark.parametrize("least", ["0", "-5"])
def test_two_manifests_merge_whatever_lesser_count_is_set(least: str, small_case: Callable[..., Case]):
    properties = f'{{commit.manifest.min-count-to-merge: "{least}"}}'
    case = small_case(
        horizon="40s", table=f"{{columns: [{{name: n, type: int}}], properties: {properties}}}", writer="batch"
    )
    summed = simulate_years(case, shipped_profile(case), Site())
    exact = simulate_table(case, shipped_profile(case), np.random.default_rng(3)).table.manifests
    assert len(exact) == summed.ledger.live_manifests[-1] == 1


@pytest.mark.parametrize(
    "lines",
    [
        {
            "workload": "{rows_per_second: 9, active: {lasts: 8s, every: 24s}}",
            "writer": "{kind: batch, idle_commit_every: 1}",
        },
        {"maintenance": "{rewrite_manifests: {every: 12s}}"},
    ],
    ids=["idle", "rewriting"],
)
def test_commits_after_the_writer_s_last_one_are_counted(lines: dict[str, str], small_case: Callable[..., Case]):
    case = small_case(horizon="72s", **lines)
    exact = simulate_table(case, shipped_profile(case), np.random.default_rng(3)).table
    assert simulate_years(case, shipped_profile(case), Site()).ledger.commit[-1] == len(exact.json.snapshots)


@pytest.mark.parametrize(
    "lines",
    [
        {"writer": "{kind: batch, upsert: {share: 0.3, mode: merge-on-read}}"},
        {"writer": "batch", "changes": "{merge: {every: 4s, rows: 5000, new_rows: 2000}}"},
        {"writer": "batch", "changes": "{merge: {every: 4s, share: 0.1, mode: merge-on-read}}"},
    ],
)
def test_rows_arrive_in_data_files_alone_a_merge_s_too(lines: dict[str, str], small_case: Callable[..., Case]):
    case = small_case(**lines, horizon="40s", commit_interval="1s", workload="{rows_per_second: 5000}")
    profile = shipped_profile(case)
    exact = simulate_table(case, profile, np.random.default_rng(1)).recording
    assert simulate_years(case, profile, Site()).ingested_bytes == pytest.approx(ingested_bytes(exact), rel=0.03)


def test_the_last_commit_s_table_is_as_maintenance_leaves_it(small_case: Callable[..., Case]):
    case = small_case(horizon="40s", commit_interval="1s", maintenance="{rewrite_data_files: {every: 20s}}")
    profile = shipped_profile(case)
    exact = view_by_commit(simulate_table(case, profile, np.random.default_rng(1)).recording)
    found = simulate_years(case, profile, Site()).ledger
    for column in ("commit", "live_manifests", "live_entries", "snapshots_retained"):
        assert getattr(found, column)[-1] == getattr(exact, column)[-1], column


def test_rows_that_come_part_of_a_day_have_days(small_case: Callable[..., Case]):
    """Of 48 hours rows come in 16, less than a day."""
    active = "{rows_per_second: 9, active: {lasts: 2h, every: 6h}}"
    upkeep = "{expire_snapshots: {every: 3h, older_than: 6h}}"
    case = small_case(horizon="48h", commit_interval="10m", workload=active, maintenance=upkeep)
    made = simulate_table(case, profile := shipped_profile(case), np.random.default_rng(1))
    exact, found = (settled_of(case, made.recording, made.live_bytes), simulate_years(case, profile, Site()).settled)
    for metric in ("metadata_bytes_per_event_hour", "metadata_bytes_per_day"):
        assert found[metric] == pytest.approx(exact[metric], rel=0.01), metric


def test_bounds_of_many_partitions_repeat_nothing_in_lists(small_case: Callable[..., Case]):
    """Each manifest takes as much of a list, however many there are."""
    columns, by = '[{name: price, type: "decimal(10,2)"}]', '[{column: price, transform: "truncate[9]"}]'
    table = f"{{columns: {columns}, partition_by: {by}}}"
    case = small_case(table=table, commit_interval="1s", workload="{rows_per_second: 60}")
    lists = read_shape(case, shipped_profile(case), Site()).sizes.lists.by_count
    assert lists.rise(256, 512) == pytest.approx(lists.rise(2, 64), rel=0.05)


def test_keys_of_upserts_are_as_large_as_on_the_way(small_case: Callable[..., Case]):
    """Bytes of delete files rise in steps as keys grow: by those half-way they were 13 % too many."""
    table = "{columns: [{name: region, type: string, length: 10, values: 8}, {name: v, type: double, count: 5}]}"
    case = small_case(
        table=table,
        writer="{kind: flink, upsert: {share: 0.5, repeats: 0.2}}",
        commit_interval="1s",
        horizon="600s",
        workload="{rows_per_second: 3000}",
    )
    exact = simulate_table(case, profile := shipped_profile(case), np.random.default_rng(1)).recording
    found = simulate_years(case, profile, Site()).totals.written_bytes[Kind.DELETE_FILE]
    assert found == pytest.approx(sum_events(exact.events).written_bytes[Kind.DELETE_FILE], rel=0.03)
