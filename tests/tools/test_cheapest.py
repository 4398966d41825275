"""Plans against every setting there is, on a workload of few."""

from dataclasses import replace

import pytest

from tools.cheapest import Workload, best_of, compare, settings_of
from wasim.capacity import Requirements, SettingSimulator
from wasim.capacity.plan import search_for


@pytest.mark.slow
def test_a_plan_at_twice_the_cheapest_cost_is_missed():
    asked = Requirements(freshness="10m", time_travel="1d", limits={"metadata_json_bytes": "25KB"})
    workload = Workload(name="few", rows=0.005, columns=6, writer={"kind": "flink"}, horizon="2d", asked=asked)
    found = compare(workload)
    assert found.simulated > 300
    assert not found.is_missed
    assert found.tried is not None
    costlier = replace(found.tried, values={**found.tried.values, "monthly_cost": 2 * found.tried.monthly_cost + 2})
    assert replace(found, plan=replace(found.plan, chosen=costlier)).is_missed
    assert replace(found, plan=replace(found.plan, chosen=None)).is_missed
    simulator = SettingSimulator(request=workload.request())
    settings = list(settings_of(search_for(found.plan.case, simulator, ()), workload.request(), tried=True))
    within = [simulator.figures(one) for one in settings[:: len(settings) // 20]]
    best = best_of(within, found.plan, simulator)
    assert best is None or best.monthly_cost >= found.tried.monthly_cost * 0.98
