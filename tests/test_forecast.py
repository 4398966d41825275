"""Scenarios simulated: exact and fast agree, and both give what a bench gives."""

import json
from pathlib import Path

import pytest
from support.paths import SCENARIOS
from typer.testing import CliRunner

from wasim.cli import app
from wasim.errors import WasimError
from wasim.forecast import ForecastOptions, Mode, forecast, horizon_named, mode_named
from wasim.ledger import METADATA_KINDS, Kind
from wasim.runs import Run
from wasim.scenario import load_scenario


def simulated(name: str, options: ForecastOptions) -> Run:
    return forecast(load_scenario(SCENARIOS / name), options, lambda line: None)


def test_fast_and_exact_agree_on_counts_and_within_a_hundredth_on_bytes_written() -> None:
    exact, fast = (
        simulated("smoke.yaml", ForecastOptions(mode=mode, horizon_s=500.0)) for mode in (Mode.EXACT, Mode.FAST)
    )
    for one, other in zip(exact.cases, fast.cases, strict=True):
        assert one.commits == other.commits
        assert one.totals.files_written == other.totals.files_written
        for kind in METADATA_KINDS:
            assert other.totals.written_bytes[kind] == pytest.approx(one.totals.written_bytes[kind], rel=0.01)
            assert other.live_bytes[kind] == pytest.approx(one.live_bytes[kind], rel=0.1)


def test_the_same_scenario_gives_the_same_bytes() -> None:
    first, second = (simulated("smoke.yaml", ForecastOptions()) for _ in range(2))
    assert [case.totals for case in first.cases] == [case.totals for case in second.cases]


def test_what_is_live_is_on_disk() -> None:
    for case in simulated("smoke.yaml", ForecastOptions()).cases:
        for kind in Kind:
            assert 0 <= case.live_bytes[kind] <= case.totals.on_disk_bytes[kind]


def test_a_long_horizon_is_fast_and_a_short_one_exact_unless_asked() -> None:
    said: list[str] = []
    forecast(load_scenario(SCENARIOS / "smoke.yaml"), ForecastOptions(horizon_s=86_400.0), said.append)
    forecast(load_scenario(SCENARIOS / "smoke.yaml"), ForecastOptions(), said.append)
    assert said[0] == "streaming every 1s: fast, 86,400 commits, profile spark_streaming (measured)"
    assert said[-1] == "batch every 4s: exact, 3 commits, profile spark_batch (measured)"


@pytest.mark.parametrize(("mode", "emit"), [("exactly", None), ("fast", Path("trees"))])
def test_a_mode_that_cannot_be_is_refused(mode: str, emit: Path | None) -> None:
    with pytest.raises(WasimError, match=r"--mode|--emit"):
        mode_named(mode, emit)


def test_a_horizon_that_is_no_duration_is_refused() -> None:
    with pytest.raises(WasimError, match=r"--horizon is 'soon'\. Give a duration"):
        horizon_named("soon")


def test_a_horizon_is_cut_to_whole_commits_and_must_hold_one() -> None:
    cases = simulated("smoke.yaml", ForecastOptions(horizon_s=15.0)).cases
    assert [(case.commits, case.amplification.horizon_s) for case in cases] == [(15, 15), (15, 15), (3, 12), (3, 12)]
    with pytest.raises(WasimError, match="shorter than the interval of streaming every 4s"):
        simulated("smoke.yaml", ForecastOptions(horizon_s=2.0))


def test_simulate_prints_the_document_that_bench_prints(tmp_path: Path) -> None:
    result = CliRunner().invoke(
        app, ["simulate", str(SCENARIOS / "smoke.yaml"), "--json", "--emit", str(tmp_path / "trees")]
    )
    document = json.loads(result.stdout)
    assert [case["engine"] for case in document["cases"]] == ["sim"] * 4
    assert [case["commits"] for case in document["cases"]] == [12, 12, 3, 3]
    assert document["cases"][0]["commit_ms"]["median"] is None
    trees = sorted(path.name for path in (tmp_path / "trees").iterdir())
    assert trees == ["batch_every_1s", "batch_every_4s", "streaming_every_1s", "streaming_every_4s"]
    assert list((tmp_path / "trees" / "batch_every_4s" / "metadata").glob("00003-*.metadata.json"))
