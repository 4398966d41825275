"""The fast form under maintenance: as the exact simulation file by file in counts, and near to it in bytes."""

import io
import os
import subprocess
import sys
import time
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rich.console import Console
from support.paths import SCENARIOS
from support.synthetic import synthetic_case

from wasim.calibration import calibrate, calibrate_upkeep, exact_case_run, maintained_model
from wasim.errors import WasimError
from wasim.ledger import METADATA_KINDS, Kind
from wasim.scenario import Case, load_scenario
from wasim.scenario.changes import Maintenance
from wasim.simulation import SimulationOptions, simulate
from wasim.twin import Site, shipped_profile
from wasim.twin.fast import (
    Maintained,
    MaintainedModel,
    maintain_fast,
    maintained_live_bytes,
    maintained_totals,
    read_upkeep,
)

MOST_ERROR, MOST_ERROR_OF_A_KIND = 0.01, 0.03  # as docs/model.md publishes them
EXPIRY = {"every": "40s", "older_than": "20s"}
ORPHANS = {"every": "90s", "older_than": "30s"}
DROPPING = {"write.metadata.delete-after-commit.enabled": "true", "write.metadata.previous-versions-max": "30"}
MERGING = {"commit.manifest.min-count-to-merge": "10"}


def kept_case(maintenance: dict, **parts) -> Case:
    made = synthetic_case(**{"horizon_s": 450.0, **parts})
    return replace(made, maintenance=Maintenance.model_validate(maintenance))


def on_hadoop(case: Case) -> Case:
    return replace(case, environment=case.environment.model_copy(update={"catalog": "hadoop"}))


def modelled(case: Case) -> MaintainedModel:
    profile = shipped_profile(case)
    model, upkeep = calibrate(case, profile), read_upkeep(case)
    assert upkeep is not None
    return maintained_model(model, upkeep, calibrate_upkeep(case, model, profile), case, profile)


def followed(case: Case) -> Maintained:
    return maintain_fast(modelled(case))


def check_agreement(case: Case) -> None:
    """Counts of files written and deleted are equal, bytes within the published error, live ones too."""
    table = followed(case)
    fast, run = maintained_totals(table), exact_case_run(replace(case, seed=7), shipped_profile(case), Site())
    exact = run.totals
    assert fast.files_written == exact.files_written
    assert fast.files_deleted == exact.files_deleted
    assert fast.metadata_bytes == pytest.approx(exact.metadata_bytes, rel=MOST_ERROR)
    live = maintained_live_bytes(table)
    for kind in (*METADATA_KINDS, Kind.DATA):
        near = {"rel": MOST_ERROR_OF_A_KIND, "abs": 100}
        assert fast.written_bytes[kind] == pytest.approx(exact.written_bytes[kind], **near), kind
        assert fast.deleted_bytes[kind] == pytest.approx(exact.deleted_bytes[kind], **near), kind
        assert live[kind] == pytest.approx(run.live_bytes[kind], rel=0.06, abs=100), kind


@pytest.mark.parametrize(
    ("writer", "maintenance", "properties"),
    [
        pytest.param("streaming", {"expire_snapshots": EXPIRY}, {}, marks=pytest.mark.slow),
        pytest.param("batch", {"expire_snapshots": {**EXPIRY, "retain_last": 50}}, {}, marks=pytest.mark.slow),
        ("streaming", {"rewrite_manifests": {"every": "50s"}, "expire_snapshots": EXPIRY}, DROPPING),
        ("batch", {"rewrite_manifests": {"every": "35s"}, "expire_snapshots": EXPIRY}, MERGING),
        ("streaming", {"remove_orphan_files": ORPHANS, "expire_snapshots": EXPIRY}, {}),
        pytest.param("streaming", {"rewrite_data_files": {"every": "50s"}}, {}, marks=pytest.mark.slow),
        ("streaming", {"rewrite_data_files": {"every": "120s"}, "expire_snapshots": EXPIRY}, {}),
        pytest.param(
            "batch", {"rewrite_data_files": {"every": "50s"}, "expire_snapshots": EXPIRY}, {}, marks=pytest.mark.slow
        ),
        ("streaming", {"rewrite_data_files": {"when_small_files": 10}}, {}),
        ("batch", {"rewrite_manifests": {"when_manifests": 12}, "remove_orphan_files": ORPHANS}, {}),
        pytest.param(
            "streaming", {"expire_snapshots": {"when_snapshots": 30, "older_than": "20s"}}, {}, marks=pytest.mark.slow
        ),
    ],
)
def test_fast_and_exact_agree_under_maintenance(writer, maintenance, properties):
    check_agreement(kept_case(maintenance, writer=writer, properties=properties))


INHERITING = {"compatibility.snapshot-id-inheritance.enabled": "true"}


@pytest.mark.parametrize(
    ("writer", "properties", "more"),
    [
        pytest.param("streaming", {}, {}, marks=pytest.mark.slow),
        ("streaming", {"commit.manifest.target-size-bytes": "60000"}, {}),
        pytest.param("batch", MERGING, {"rewrite_data_files": {"every": "120s"}}, marks=pytest.mark.slow),
        pytest.param("streaming", INHERITING, {}, marks=pytest.mark.slow),
    ],
)
def test_fast_and_exact_agree_on_manifests_of_format_version_1_rewritten(writer, properties, more):
    upkeep = {"rewrite_manifests": {"every": "50s"}, "expire_snapshots": EXPIRY, **more}
    case = kept_case(upkeep, writer=writer, properties=properties)
    check_agreement(replace(case, table=case.table.model_copy(update={"format_version": 1})))


@pytest.mark.parametrize("properties", [pytest.param({}, marks=pytest.mark.slow), DROPPING])
def test_fast_and_exact_agree_in_hadoops_catalog_which_hints_at_versions(properties):
    check_agreement(on_hadoop(kept_case({"expire_snapshots": EXPIRY}, properties=properties)))


def test_fast_and_exact_agree_under_all_of_it_at_once_with_files_that_compaction_leaves_alone():
    compaction = {"every": "40s", "target_file_size_bytes": 1_500_000}
    everything = {
        "rewrite_data_files": compaction,
        "rewrite_manifests": {"every": "30s"},
        "expire_snapshots": EXPIRY,
        "remove_orphan_files": ORPHANS,
    }
    check_agreement(kept_case(everything, horizon_s=650.0, files_per_commit=2))


EVERY = st.integers(min_value=7, max_value=70).map(lambda seconds: f"{seconds}s")
UPKEEP = st.fixed_dictionaries(
    {},
    optional={
        "expire_snapshots": st.one_of(
            st.fixed_dictionaries({"every": EVERY, "older_than": EVERY, "retain_last": st.integers(1, 20)}),
            st.fixed_dictionaries({"when_snapshots": st.integers(5, 60), "older_than": EVERY}),
        ),
        "rewrite_manifests": st.one_of(
            st.fixed_dictionaries({"every": EVERY}),
            st.fixed_dictionaries({"when_manifests": st.integers(5, 40)}),
        ),
        "rewrite_data_files": st.one_of(
            st.fixed_dictionaries({"every": EVERY, "min_input_files": st.integers(1, 9)}),
            st.fixed_dictionaries({"when_small_files": st.integers(5, 40)}),
        ),
        "remove_orphan_files": st.fixed_dictionaries({"every": EVERY, "older_than": EVERY}),
    },
).filter(bool)


@pytest.mark.slow
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    maintenance=UPKEEP,
    writer=st.sampled_from(["streaming", "batch"]),
    files=st.integers(min_value=1, max_value=3),
    interval_s=st.sampled_from([0.5, 1.0, 1.5]),
    properties=st.sampled_from([{}, DROPPING, MERGING]),
)
def test_fast_and_exact_agree_whatever_the_maintenance(maintenance, writer, files, interval_s, properties):
    check_agreement(
        kept_case(
            maintenance,
            writer=writer,
            files_per_commit=files,
            interval_s=interval_s,
            horizon_s=450 * interval_s,
            properties=properties,
        )
    )


AT_EVERY_COMMIT = {
    "rewrite_manifests": {"when_manifests": 2},
    "expire_snapshots": {"every": "15s", "older_than": "10s"},
    "remove_orphan_files": {"every": "30s", "older_than": "10s"},
}


def at_scale(maintenance: dict) -> tuple[dict[int, float], int]:
    """The seconds that following a table took, by commits, and the most bytes that it held of ten million."""
    case = kept_case(maintenance)
    model, profile = calibrate(case, shipped_profile(case)), shipped_profile(case)
    laws, times = calibrate_upkeep(replace(case, horizon_s=1e7), model, profile), {}
    for commits in (100_000, 10_000_000, 10_000_001):
        long = replace(case, horizon_s=float(commits))
        upkeep = read_upkeep(long)
        assert upkeep is not None
        if commits > 10_000_000:
            tracemalloc.start()  # which takes its time
        started_s = time.process_time()
        maintained_totals(maintain_fast(maintained_model(model, upkeep, laws, long, profile)))
        times[commits] = time.process_time() - started_s
    peak_bytes = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return times, peak_bytes


@pytest.mark.parametrize(
    "maintenance",
    [
        {"expire_snapshots": {"every": "1h", "older_than": "1h"}, "rewrite_manifests": {"every": "1h"}},
        AT_EVERY_COMMIT,
        pytest.param(
            {
                "rewrite_data_files": {"every": "5m"},
                "rewrite_manifests": {"every": "15m"},
                "expire_snapshots": {"every": "5m", "older_than": "1h"},
                "remove_orphan_files": {"every": "1h", "older_than": "1h"},
            },
            marks=pytest.mark.slow,
        ),
    ],
)
def test_ten_million_maintained_commits_take_seconds_and_little_memory(maintenance):
    times, peak_bytes = at_scale(maintenance)
    assert times[10_000_000] < 200 * max(times[100_000], 0.05)
    assert peak_bytes < 300e6


@pytest.mark.slow
def test_a_year_whose_manifests_are_rewritten_at_every_commit_takes_the_memory_of_a_day():
    most_mb = {}
    for horizon in ("1d", "365d"):
        command = ["simulate", str(SCENARIOS / "expire_and_rewrite.yaml"), "--horizon", horizon, "--mode", "fast"]
        started = subprocess.Popen([sys.executable, "-m", "wasim", *command], stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(started.pid, 0)
        assert os.waitstatus_to_exitcode(status) == 0
        most_mb[horizon] = usage.ru_maxrss / 1024
    assert most_mb["365d"] < 300
    assert most_mb["365d"] < most_mb["1d"] + 120


@pytest.mark.parametrize(
    ("interval_s", "maintenance"),
    [
        (1.5, {"rewrite_manifests": {"every": "4s"}, "expire_snapshots": EXPIRY}),  # after 2, 5, 8, 10 … commits
        (2.0, {"rewrite_manifests": {"every": "1s"}, "expire_snapshots": EXPIRY}),  # oftener than commits come
        (
            0.7,
            {"rewrite_manifests": {"when_manifests": 4}, "expire_snapshots": {"when_snapshots": 9, "older_than": "7s"}},
        ),
    ],
)
def test_rewrites_that_come_unevenly_are_the_same_one_by_one(interval_s, maintenance, monkeypatch):
    small = {"commit.manifest.target-size-bytes": "20000"}  # so that a rewrite makes ever more manifests
    model = modelled(kept_case(maintenance, interval_s=interval_s, horizon_s=3000 * interval_s, properties=small))
    folded = maintained_totals(maintain_fast(model))
    monkeypatch.setattr("wasim.twin.fast.rewritten._Walk._rounds_alike", lambda *_: 1)
    single = maintained_totals(maintain_fast(model))
    assert (folded.files_written, folded.files_deleted) == (single.files_written, single.files_deleted)
    assert folded.written_bytes == pytest.approx(single.written_bytes, rel=1e-9)
    assert folded.deleted_bytes == pytest.approx(single.deleted_bytes, rel=1e-9)


def test_rewrites_oftener_than_commits_agree_with_exact_ones():
    maintenance = {"rewrite_manifests": {"every": "1s"}, "expire_snapshots": {"every": "9s", "older_than": "7s"}}
    check_agreement(kept_case(maintenance, interval_s=2.0, horizon_s=120.0))


def test_rounds_that_are_skipped_give_what_all_of_them_give(monkeypatch):
    case = kept_case(
        {"rewrite_data_files": {"every": "20s"}, "rewrite_manifests": {"every": "30s"}, "expire_snapshots": EXPIRY},
        horizon_s=5_000.0,
    )
    skipped = followed(case)
    monkeypatch.setattr("wasim.twin.fast.rounds.MOST_REMEMBERED", 1)  # so that nothing is recognised
    replayed = followed(case)
    assert maintained_totals(skipped) == maintained_totals(replayed)


def test_more_commits_never_write_less_and_expiry_bounds_what_is_live():
    case = kept_case({"expire_snapshots": EXPIRY, "rewrite_manifests": {"every": "50s"}}, horizon_s=400.0)
    short, long = (followed(replace(case, horizon_s=horizon_s)) for horizon_s in (400.0, 40_000.0))
    assert maintained_totals(short).metadata_bytes < maintained_totals(long).metadata_bytes
    lives = [maintained_live_bytes(table)[Kind.METADATA_JSON] for table in (short, long)]
    assert lives[1] == pytest.approx(lives[0], rel=0.05)


def test_a_year_of_a_shipped_scenario_is_simulated_and_auto_says_that_it_is_fast():
    said = io.StringIO()
    scenario = load_scenario(SCENARIOS / "compaction.yaml", {"horizon": "30d"})
    run = simulate(scenario, SimulationOptions(), Console(file=said)).run
    assert said.getvalue().count(": fast, 1,296,000 commits") == len(run.cases)
    plain, *maintained = run.cases
    for case in maintained:
        assert case.live_bytes[Kind.DATA_MANIFEST] < plain.live_bytes[Kind.DATA_MANIFEST]
        assert case.ledger.snapshots_retained[-1] <= case.ledger.commit[-1]
        assert np.all(case.ledger.written_bytes[Kind.METADATA_JSON] > 0)
    assert maintained[-1].live_bytes[Kind.METADATA_JSON] < plain.live_bytes[Kind.METADATA_JSON] / 1000


def test_compaction_into_several_files_is_refused_as_exact_mode_refuses_it():
    case = kept_case({"rewrite_data_files": {"every": "300s", "target_file_size_bytes": 1_000_000}})
    with pytest.raises(WasimError, match="would write several"):
        followed(case)
