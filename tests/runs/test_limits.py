"""Limits judged case by case; nothing measured in minutes is called an hour."""

from collections.abc import Callable

import pytest
from support.synthetic import Sweep, synthetic_run

from wasim.runs import judge
from wasim.runs.limits import measures
from wasim.scenario import Case
from wasim.scenario.metrics import METRICS, parse_limit
from wasim.simulation import Mode
from wasim.simulation.case import SimulatedCase
from wasim.twin import Site, shipped_profile
from wasim.units import HOUR_S

HOURLY = parse_limit("metadata_bytes_per_event_hour", "< 1 GiB")


def test_every_case_has_its_value_and_verdict():
    run = synthetic_run(sweep=Sweep(intervals_s=(1.0, 60.0), writers=("streaming",)))
    (outcome,) = judge([parse_limit("manifests", "<= 100")], run)
    assert not outcome["holds"]
    assert outcome["cases"] == [
        {"case": "streaming every 1s", "value": 240.0, "holds": False},
        {"case": "streaming every 1m", "value": 4.0, "holds": True},
    ]


def test_an_hour_is_the_models_where_the_horizon_is_shorter():
    run = synthetic_run(sweep=Sweep(intervals_s=(1.0,), writers=("streaming",)))
    (without_model,) = judge([HOURLY], run)
    assert (without_model["worst"], without_model["holds"]) == (None, False)
    (modelled,) = judge([HOURLY], run, {HOUR_S: {"streaming every 1s": 6.6 * 1024**3}})
    assert (modelled["worst"], modelled["holds"]) == (6.6 * 1024**3, False)


def test_an_hour_is_measured_where_the_horizon_holds_one():
    run = synthetic_run(sweep=Sweep(intervals_s=(60.0,), writers=("streaming",), horizon_s=7200.0))
    (outcome,) = judge([HOURLY], run, {HOUR_S: {"streaming every 1m": 1.0}})
    assert outcome["worst"] == run.cases[0].totals.metadata_bytes / 2


def test_every_metric_is_measured_or_says_why_not():
    run = synthetic_run(sweep=Sweep(intervals_s=(60.0,), writers=("streaming",), horizon_s=86_400.0))
    outcomes = list(judge([parse_limit(name, "<= 1000000") for name in METRICS], run))
    assert [one["metric"] for one in outcomes if one["not_judged_because"]] == ["monthly_cost"]
    measured = {one["metric"]: one["worst"] for one in outcomes if one["holds"] is not None}
    assert [name for name, value in measured.items() if value is None] == []
    assert measured["metadata_bytes_per_day"] == measured["metadata_bytes"]
    assert measured["metadata_json_bytes"] == run.cases[0].live_bytes["metadata_json"]


@pytest.mark.parametrize("mode", [Mode.EXACT, Mode.FAST])
def test_limits_hold_at_the_worst_moment_wherever_the_horizon_ends(mode: Mode, small_case: Callable[..., Case]):
    """Snapshots expire every 40 s and stay for 20: metadata.json holds 22 of them just after, 63 just before."""
    found = {}
    properties = "write.metadata.delete-after-commit.enabled: true, write.metadata.previous-versions-max: 10"
    for horizon_s in (235, 240, 245, 260):
        case = small_case(
            horizon=f"{horizon_s}s",
            table=f"{{columns: [{{name: n, type: int}}], properties: {{{properties}}}}}",
            maintenance="{expire_snapshots: {every: 40s, older_than: 20s}, rewrite_manifests: {every: 40s}}",
        )
        one = SimulatedCase(case=case, mode=mode, profile=shipped_profile(case), site=Site(), emit=None)
        found[horizon_s] = measures(one.simulate()[0])
    most = found[235]
    assert (most["snapshots"], most["manifests"]) == (63, 41)
    for horizon_s, one in found.items():
        for metric in ("metadata_json_bytes", "snapshots", "manifests", "metadata_on_disk_bytes"):
            assert one[metric] == pytest.approx(most[metric], rel=0.02), (horizon_s, metric)
