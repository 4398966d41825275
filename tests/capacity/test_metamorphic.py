"""Relations that hold between plans of like requests, drawn at random."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

from wasim.capacity import Figures, Plan, PlanRequest, Requirements, SettingSimulator, make_plan, request_from_flags
from wasim.capacity.last_cycle import window_of
from wasim.capacity.search import NEGLIGIBLE_COST
from wasim.capacity.settings import case_of
from wasim.forecast.ahead import profile_of
from wasim.runs.limits import HELD
from wasim.twin import Site
from wasim.years import simulate_years

FEW, MANY = 1, 300
NEAR = 0.03  # of a figure: two plans may read sizes off between different files
TIED = 1.08  # of a cost: settings whose costs lie within their bands count as the same
LIMITS = {
    "metadata_json_bytes": ("60KB", "400KB", "3MB"),
    "manifests": ("20", "60", "300"),
    "planning_p50_ms": ("150ms", "1s", "5s"),
    "metadata_bytes_per_day": ("50MB", "1GB", "20GB"),
    "metadata_on_disk_bytes": ("20MB", "300MB"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """A request by its flags, its horizon in hours, and what is asked."""

    flags: dict[str, str]
    hours: int
    requirements: Requirements

    def request(self, *, hours: int = 0, limits: dict[str, str] | None = None, **flags: str) -> PlanRequest:
        """The request, with a longer horizon, other limits or other flags."""
        asked = self.requirements if limits is None else replace(self.requirements, limits=limits)
        return request_from_flags({**self.flags, "horizon": f"{self.hours + hours}h", **flags}, asked)


def drawn(seed: int) -> Drawn:
    rng = np.random.default_rng(seed)
    flags = {
        "rows_per_second": str(rng.choice([5, 50, 500, 5000])),
        "columns": str(rng.choice([6, 20, 60])),
        "files_per_commit": str(rng.choice([1, 2, 4])),
        "partitions": str(rng.choice([0, 0, 4])),
        "writer": str(rng.choice(["streaming", "streaming", "batch", "flink"])),
    }
    metric = str(rng.choice(list(LIMITS)))
    requirements = Requirements(
        freshness=str(rng.choice(["1m", "5m", "30m"])),
        time_travel=str(rng.choice(["1d", "2d"])),
        limits={metric: str(rng.choice(LIMITS[metric]))},
        prefer=str(rng.choice(["cheapest", "freshest"])),
    )
    return Drawn(flags=flags, hours=24 * int(rng.choice([8, 12])), requirements=requirements)


def cost_of(plan: Plan) -> float:
    return float("inf") if plan.chosen is None else plan.chosen.monthly_cost


def figures_of(request: PlanRequest, like: Figures) -> Figures:
    return SettingSimulator(request=request).figures(like.setting)


def agrees_with_its_simulation(request: PlanRequest, planned: Figures) -> None:
    """Of a horizon that is a multiple of the cycle; else the plan's ends at the nearest multiple."""
    case = case_of(request, planned.setting)
    if window_of(case).end_s != case.horizon_s:
        return
    summed = simulate_years(case, profile_of(case), Site(location=request.location))
    for metric in HELD:
        band = max(NEAR, planned.bands.get(metric, 0.0))
        assert planned.values[metric] == pytest.approx(summed.settled[metric], rel=band, abs=1), metric
    days, band = planned.spreads["metadata_bytes_per_day"], max(NEAR, planned.bands["metadata_bytes_per_day"])
    last = summed.settled["metadata_bytes_per_day"]  # of days that differ, as merges fill a manifest in some
    assert days.mean * (1 - band) <= last <= days.most * (1 + band)


def check(seed: int) -> None:
    of = drawn(seed)
    plan = make_plan(of.request(), explains=False)
    like = plan.chosen or plan.best[-1]
    simulated = figures_of(of.request(), like)
    for hours in (-1, 1):  # whatever the phase of the horizon, the same is true of the same setting
        other = figures_of(of.request(hours=hours), like)
        for metric in ("metadata_json_bytes", "planning_p50_ms", "metadata_bytes_per_day", "monthly_cost"):
            assert other.values[metric] == pytest.approx(simulated.values[metric], rel=NEAR), (hours, metric)
    if plan.chosen is not None:
        assert not plan.chosen.broken(plan.limits)
        agrees_with_its_simulation(of.request(), plan.chosen)
        for spread in plan.chosen.spreads.values():
            assert spread.final <= spread.most * (1 + NEAR)
            assert spread.mean <= spread.most * (1 + NEAR)
    wider = figures_of(of.request(columns=str(2 * int(of.flags["columns"]))), like)
    assert wider.values["metadata_bytes_per_day"] >= simulated.values["metadata_bytes_per_day"] * (1 - NEAR)
    rows = float(of.flags["rows_per_second"])
    more = figures_of(of.request(rows_per_second=str(2 * rows)), like)
    assert more.values["metadata_json_bytes"] >= simulated.values["metadata_json_bytes"] * (1 - NEAR)
    if of.requirements.prefer == "cheapest":  # a limit taken away never costs more
        unlimited = make_plan(of.request(limits={}), explains=False)
        assert cost_of(unlimited) <= cost_of(plan) * TIED + NEGLIGIBLE_COST


@pytest.mark.parametrize("seed", range(FEW))
def test_plans_of_like_requests_agree(seed: int):
    check(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(FEW, MANY))
def test_plans_of_many_like_requests_agree(seed: int):
    check(seed)
