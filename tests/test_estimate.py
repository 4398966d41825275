"""What a bench would take: the constants are what was measured, and sums follow from them."""

from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from support.paths import DATA, ROOT, SCENARIOS

from wasim.errors import WasimError
from wasim.estimate import APPEND_S, CASE_S, OPERATION_S, OTHER_APPEND_S, estimate_run
from wasim.runs import read_run
from wasim.scenario import load_scenario

SAMPLE = DATA / "runs" / "version_3"


def recorded_s(operation: str) -> list[float]:
    """Seconds of each of the recorded steps of that name."""
    found: list[float] = []
    for path in (ROOT / "tests" / "data" / "operations").glob("*/steps.parquet"):
        steps = pq.read_table(path, columns=["operation", "wall_ms", "commits"]).to_pylist()
        found += [step["wall_ms"] / 1000 / max(1, step["commits"]) for step in steps if step["operation"] == operation]
    return found


@pytest.mark.parametrize("operation", OPERATION_S)
def test_an_operation_takes_as_long_as_recorded_ones_did(operation: str) -> None:
    assert OPERATION_S[operation] == pytest.approx(np.median(recorded_s(operation)), abs=0.1)


def test_appends_and_cases_take_as_long_as_the_samples() -> None:
    cases = read_run(SAMPLE).cases
    for writer, seconds in APPEND_S.items():
        medians = [np.median(case.ledger.step_ms) / 1000 for case in cases if case.case.writer.kind == writer]
        assert min(medians) - 0.02 < seconds < max(medians) + 0.02
    assert (
        pytest.approx(np.median([case.wall_s - case.ledger.step_ms.sum() / 1000 for case in cases]), abs=0.5) == CASE_S
    )


def test_commit_interval_is_estimated_as_the_readme_has_it() -> None:
    estimate = estimate_run(load_scenario(SCENARIOS / "commit_interval.yaml"), engine="spark")
    assert sum(case.commits for case in estimate.cases) == 632
    assert estimate.wall_s == pytest.approx(360, rel=0.1)  # "about six minutes on two cores"


def test_engine_core_is_quicker_and_writes_no_data() -> None:
    scenario = load_scenario(SCENARIOS / "smoke.yaml")
    spark, core = (estimate_run(scenario, engine=engine).cases[0] for engine in ("spark", "core"))
    assert spark.wall_s - core.wall_s == pytest.approx(12 * (APPEND_S["streaming"] - OTHER_APPEND_S["core"]), abs=0.1)
    assert spark.disk_bytes is not None
    assert core.disk_bytes is not None
    assert spark.disk_bytes - core.disk_bytes == pytest.approx(46_730, rel=0.05)  # the sample's data


def test_a_real_clock_waits_for_its_commits() -> None:
    scenario = load_scenario(SCENARIOS / "smoke.yaml", {"clock": "real"})
    assert estimate_run(scenario, engine="spark").cases[0].wall_s > 12


def test_what_is_not_simulated_has_no_known_disk(tmp_path: Path) -> None:
    scenario = load_scenario(SCENARIOS / "smoke.yaml", {"table.properties.write.format.default": "orc"})
    estimate = estimate_run(scenario, engine="spark")
    assert estimate.disk_bytes is None
    assert estimate.document()["cases"][0]["disk_bytes"] is None


def test_another_engine_is_refused() -> None:
    with pytest.raises(WasimError, match=r"--engine is 'trino'\. Give spark, core, pyiceberg or flink"):
        estimate_run(load_scenario(SCENARIOS / "smoke.yaml"), engine="trino")
