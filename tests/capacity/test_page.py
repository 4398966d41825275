"""A plan's page: where its sliders begin, what they reach, and the workloads at their ends."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from support.by_hand import ByLaw, at_most, plain, some_figures, some_plan
from support.plans import a_request

from wasim.capacity import Figures, Plan, PlanRequest, Requirements, Setting, request_from_document, request_from_flags
from wasim.capacity.choice import Relaxation
from wasim.capacity.fleet import Assigned, FleetPlan
from wasim.capacity.fleet_options import Answered
from wasim.capacity.lattice import PASSES, Lattice
from wasim.capacity.milestones import Milestones
from wasim.capacity.now import Money, Saving
from wasim.capacity.page import MOST_FILES, _base, _columns, _lattice, render_fleet, render_plan, scales_of
from wasim.scenario.fleet import Fleet
from wasim.units import DAY_S, HOUR_S

REQUEST = a_request()


def law(setting: Setting, rate: float) -> Figures:
    days = Milestones(json_passes=dict.fromkeys(PASSES.values()), metadata_outweighs=None)
    return some_figures(setting, HOUR_S / setting.interval_s, milestones=days)


def by_law(request: PlanRequest = REQUEST) -> ByLaw:
    return ByLaw(request=request, law=law)


def plan_of(*intervals_s: float, request: PlanRequest = REQUEST, **given: object) -> Plan:
    best = [law(plain(one), 1.0) for one in intervals_s]
    return some_plan(best, best[-1], request, **given)


def scales(request: PlanRequest, *intervals_s: float) -> dict[str, tuple[tuple[float, ...], int]]:
    return {one.key: (one.values, one.at) for one in scales_of(request, by_law(request), intervals_s)}


def test_a_workload_s_sliders_go_through_its_own_values():
    flags = {"rows_per_second": "500", "columns": "10", "files_per_commit": "4", "partitions": "3"}
    found = scales(request_from_flags(flags, Requirements()), 60.0)
    assert found["rate"] == ((50, 100, 250, 500, 1000, 1500, 2500, 5000), 3)
    assert found["columns"] == ((4, 5, 10, 20, 40), 2)  # a quarter of ten would be less than a table has
    assert found["files"] == ((1, 2, 4, 8, 16, 32), 2)


def test_sliders_end_at_too_few_or_many_rows():
    found = scales(request_from_flags({"rows_per_second": "1"}, Requirements()), 2.0, 600.0)
    assert found["rate"][0] == (0.5, 1, 2, 3, 5, 10)  # at a fifth, two seconds bring less than a row
    assert found["files"][0] == (1, 2)
    fast = scales(request_from_flags({"rows_per_second": "1e6"}, Requirements()), 60.0, 500.0)
    assert fast["rate"][0] == (1e5, 2e5, 5e5, 1e6, 2e6)  # a billion rows a commit at most
    many = request_from_flags({"rows_per_second": "1e6", "files_per_commit": "5000"}, Requirements())
    assert max(scales(many, 60.0)["files"][0]) == MOST_FILES


def test_scales_are_simulated_at_their_ends():
    request = request_from_flags({"rows_per_second": "500", "files_per_commit": "1"}, Requirements())
    found = {one.key: one.simulated for one in scales_of(request, by_law(request), (60.0,))}
    assert {key: [*ends] for key, ends in found.items()} == {"rate": [0, 7], "columns": [0, 4], "files": [3]}
    assert found["rate"][7].request.document["workload"]["rows_per_second"] == "5000.0"
    assert found["files"][3].request.document["workload"]["files_per_commit"] == "8"
    assert _columns(found["columns"][4].request.document["table"]) == (80, 0)


def test_only_tables_of_flags_have_a_columns_slider():
    flags = {"rows_per_second": "500", "columns": "12", "partitions": "5"}
    request = request_from_flags(flags, Requirements())
    assert _columns(request.document["table"]) == (12, 5)
    assert _columns(REQUEST.document["table"])[1] == 0
    read = request_from_document("a scenario", dict(request.document), Requirements())
    assert [*scales(read, 60.0)] == ["rate", "files"]


def test_sliders_begin_at_the_choice_or_nearest_to_it():
    plan = plan_of(10.0, 30.0)
    assert _base(plan).setting == plain(30.0)
    none = replace(plan, chosen=None)
    assert _base(none).setting == plain(30.0)  # the longest
    assert _base(replace(none, beyond=law(plain(60.0), 1.0))).setting == plain(60.0)
    relaxed = Relaxation(limit=at_most("manifests", 5), value=9.0, figures=law(plain(10.0), 1.0))
    assert _base(replace(none, relaxations=(relaxed,), beyond=law(plain(60.0), 1.0))).setting == plain(10.0)


def lattice_of(plan: Plan) -> Lattice:
    return _lattice(plan, _base(plan).setting, by_law(plan.request))


def test_sliders_reach_six_intervals_and_every_way_to_compact():
    found = lattice_of(plan_of(1.0, 2.0, 5.0, 10.0, 15.0, 20.0, 30.0))
    assert len(found.axes.intervals_s) == 6
    assert {1.0, 30.0} <= {*found.axes.intervals_s}
    assert found.axes.compactions_s == (None, DAY_S, HOUR_S)
    assert found.axes.gzips == (False, True)
    assert found.axes.horizons_s == (DAY_S, 7 * DAY_S, 10 * DAY_S, 30 * DAY_S, 365 * DAY_S)
    assert [one.key for one in found.scales] == ["rate", "columns", "files"]


def test_what_the_table_says_itself_has_no_slider():
    own = replace(REQUEST, own_properties={"write.metadata.compression-codec": "none"})
    jobs = {"rewrite_data_files": {"every": "2h"}}
    kept = replace(own, document={**own.document, "maintenance": jobs})
    found = lattice_of(plan_of(10.0, 30.0, request=kept))
    assert (found.axes.gzips, found.axes.compactions_s) == ((False,), (None,))


def test_of_several_writers_the_plan_s_own_horizon_is_shown():
    several = replace(REQUEST, document={**REQUEST.document, "writer": {"kind": "batch", "writers": 2}})
    found = lattice_of(plan_of(1.0, 2.0, 5.0, 10.0, 30.0, request=several))
    assert found.axes.horizons_s == (10 * DAY_S,)
    assert len(found.axes.intervals_s) == 4
    assert (found.axes.rewrites_s, found.axes.compactions_s) == ((None,), (None,))
    assert found.scales == ()


def test_merges_beside_jobs_are_left_out_but_for_the_base():
    batch = replace(REQUEST, document={**REQUEST.document, "writer": "batch"})
    compacted = Setting(interval_s=1.0, maintenance=replace(plain().maintenance, compact_every_s=HOUR_S))
    best = [law(compacted, 1.0), law(plain(30.0), 1.0)]
    found = lattice_of(some_plan(best, best[0], batch))
    cost = found.values[..., found.fields.index("monthly_cost")]
    hourly = found.axes.compactions_s.index(HOUR_S)
    # of a commit each second, a hundred thousand in more than a day: the base up to its own horizon
    assert np.isnan(cost[0, 0, hourly, 0, 1, 0]).tolist() == [False, False, False, True, True]
    assert np.isnan(cost[0, 0, hourly, 0, 0, 0]).tolist() == [False, True, True, True, True]


def test_a_page_shows_the_answer_and_its_sliders():
    limited = replace(REQUEST, limits=(at_most("manifests", 5),))
    chosen = replace(law(plain(30.0), 1.0), bands={"monthly_cost": 0.05, "manifests": 0.125})
    page = render_plan(some_plan([law(plain(10.0), 1.0), chosen], chosen, limited), by_law(limited))
    assert "Commit every 30s, no maintenance." in page
    assert "12%" in page
    assert "10s and 30s" in page
    assert "Recommended setting" in page
    assert 'id="saving"' not in page  # where nobody knows what is there now
    money = Money(month_1=1.0, month_12=1.0, year=12.0)
    saving = Saving(now=law(plain(10.0), 1.0), now_money=money, then_money=money, once_bytes=0.0)
    drawn = render_plan(some_plan([chosen], chosen, limited, saving=saving), by_law(limited))
    assert drawn.index("Now and then") < drawn.index('<figure id="saving">') < drawn.index("To apply it")
    none = render_plan(some_plan([chosen], None, limited), by_law(limited))
    assert "± 12% at most" in none
    assert "First setting" in none
    assert "Nothing up to 30s meets the limits." in none
    assert '<input type="range"' in page


@pytest.mark.parametrize("source", ["fleet.yaml", "s3://bucket/warehouse"])
def test_a_fleet_s_page_has_every_table_and_no_sliders(source: str):
    fleet = Fleet.model_validate({"version": 1, "tables": [{"name": "a.b", "rows_per_second": 5}]})
    option = some_figures(plain(60.0), 9.0, metadata_bytes_per_day=7.0)
    one = Assigned(table=fleet.tables[0], option=option, found=Answered(request=REQUEST))
    page = render_fleet(FleetPlan(fleet=fleet, assigned=(one,), classes=1), source)
    assert "1 table: 1 every 1m." in page
    assert source in page
    assert f"<title>{Path(source).name}" in page
    assert '<input type="range"' not in page
