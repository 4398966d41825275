"""A plan as a whole: intervals that are out of reach, requests that make no sense."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from support.by_hand import FREE, ByLaw, Law, some_figures
from support.plans import a_request, a_simulator

from wasim.capacity import (
    Figures,
    Plan,
    PlanRequest,
    Requirements,
    Setting,
    SettingSimulator,
    make_plan,
    request_from_flags,
)
from wasim.capacity.answer import plan_lines
from wasim.capacity.commits import MOST_FAILED, RETRIES, LosingJob
from wasim.capacity.now import now_of
from wasim.capacity.plan import search_for
from wasim.capacity.request import request_from_document
from wasim.errors import WasimError
from wasim.units import HOUR_S


def test_against_other_writers_intervals_not_sustained_are_out():
    asked = {"rows_per_second": "500", "horizon": "3d", "writers": "8"}
    requirements = Requirements(freshness="30s", provider="gcs", limits={"wa_metadata": "10000"})
    request = request_from_flags(asked, requirements)
    alone, several = make_plan(replace(request, writers=1)), make_plan(request)
    assert several.chosen.commit.outcome.lost_share > alone.chosen.commit.outcome.lost_share
    assert several.chosen.setting.interval_s >= several.sustained.interval_s
    assert several.out_of_reach
    assert several.chosen.setting.interval_s > max(several.out_of_reach)
    assert ["remove_orphan_files" in "".join(plan_lines(one, explains=True)) for one in (alone, several)] == [
        False,
        True,
    ]


@pytest.mark.parametrize(
    ("rows_per_second", "freshness"),
    [
        pytest.param("0.0000115", None, marks=pytest.mark.slow),
        ("0.0000115", "7d"),
        pytest.param("1000000", None, marks=pytest.mark.slow),
        ("1e9", "1s"),
    ],
)
def test_intervals_of_too_few_or_many_rows_are_not_tried(rows_per_second, freshness):
    asked = {"rows_per_second": rows_per_second, "horizon": "60d"}
    found = make_plan(request_from_flags(asked, Requirements(freshness=freshness)), explains=False)
    tried = [one.setting.interval_s * float(rows_per_second) for one in found.best]
    assert 0.5 <= min(tried) <= max(tried) <= 1e9


def test_rates_of_too_many_rows_a_commit_are_not_shown():
    found = make_plan(request_from_flags({"rows_per_second": "5e8"}, Requirements(freshness="2s")))
    assert found.at_rates == ()


def test_a_horizon_beyond_ten_years_is_refused():
    with pytest.raises(WasimError, match=r"--horizon is 36500d\. Give 3650d at most"):
        make_plan(request_from_flags({"rows_per_second": "5", "horizon": "100y"}, Requirements()))


def of_upserts(rows_per_second, **more):
    return more | {
        "name": "upserts",
        "question": "which?",
        "table": {"columns": [{"name": "v", "type": "long", "count": 4}]},
        "workload": {"rows_per_second": rows_per_second, "files_per_commit": 1},
        "writer": {"kind": "batch", "upsert": {"share": 0.3, "mode": "merge-on-read"}},
    }


@pytest.mark.slow
def test_of_upserts_intervals_end_where_shorter_ones_only_cost_more():
    request = request_from_document("a test", of_upserts(50), Requirements(freshness="10m"), "1d")
    plan = make_plan(request, explains=False)
    least, *others = sorted(one.monthly_cost for one in plan.best)
    assert plan.best[0].monthly_cost == others[-1] > 1.5 * least
    assert "freshest tried: " in "\n".join(plan_lines(plan))


def test_jobs_that_more_retries_save_get_them_in_the_statements():
    asked = {"rows_per_second": "200", "horizon": "2d"}
    requirements = Requirements(freshness="5s", time_travel="1d", provider="gcs", limits={"wa_metadata": "10"})
    plan = make_plan(request_from_flags(asked, requirements), explains=False)
    assert (plan.chosen.setting.retries, plan.losing) == (20, ())
    assert "'commit.retry.num-retries'='20'" in "\n".join(plan_lines(plan))


@pytest.mark.slow
def test_where_a_job_loses_a_longer_interval_is_taken():
    document = of_upserts(5, maintenance={"rewrite_data_files": {"every": "1h"}})
    requirements = Requirements(freshness="15m", provider="s3", prefer="freshest", limits={"monthly_cost": "5"})
    plan = make_plan(request_from_document("a test", document, requirements, "1d"), explains=False)
    interval_s, job = plan.avoided
    assert plan.losing == ()
    assert plan.chosen.setting.interval_s > interval_s
    assert f"{job.name} fails" in " ".join("\n".join(plan_lines(plan)).split())


def by_rate(setting: Setting, rate: float) -> Figures:
    """A month costs a unit for each commit in an hour; there are as many manifests, which more rows make more of."""
    hourly = HOUR_S / setting.interval_s
    return some_figures(setting, hourly * rate, manifests=hourly * rate)


def planned(request: PlanRequest, law: Law = by_rate, **given: Any) -> tuple[Plan, ByLaw]:
    simulator = ByLaw(request=request, law=law, **given)
    return make_plan(request, simulator), simulator


def tried(plan: Plan) -> list[float]:
    return [one.setting.interval_s for one in plan.best]


def asking(freshness: str | None = "5m", prefer: str | None = None, **limits: str) -> PlanRequest:
    return a_request(freshness, prefer, **limits)


def test_the_cheapest_interval_stands_between_its_neighbours():
    plan, simulator = planned(asking())
    assert tried(plan) == [1, 5, 10, 30, 60, 120, 300]
    assert plan.chosen.setting.interval_s == 300
    assert (plan.shorter.setting.interval_s, plan.longer.setting.interval_s) == (120, 600)
    assert plan.other_end.setting.interval_s == 1
    assert [(rate, one.monthly_cost) for rate, one in plan.at_rates] == [(2, 24), (3, 36)]
    assert not plan.keeping_json.setting.deletes_json
    assert plan.stopped_by == ()  # nothing keeps the cheapest from being shorter
    assert plan.evaluated == simulator.evaluated
    assert simulator.encoded == {300}
    assert plan.frontier == plan.best
    short, other = make_plan(asking(), ByLaw(request=asking(), law=by_rate), explains=False), plan
    assert (short.shorter, short.longer, short.at_rates, short.keeping_json) == (None, None, (), None)
    assert short.chosen == other.chosen


def test_the_freshest_within_a_limit_is_sought_between_the_steps():
    plan, _ = planned(asking("5m", "freshest", manifests="100"))
    # a hundred an hour are one in 36 s; of the steps between, 40 s is the shortest that keeps the limit
    assert plan.chosen.setting.interval_s == 40
    assert plan.shorter.setting.interval_s == 30
    assert [one.metric for one in plan.stopped_by] == ["manifests"]
    assert plan.longer.setting.interval_s == 60
    assert plan.other_end.setting.interval_s == 300
    below, _ = planned(asking("5m", "freshest", manifests="120"))
    assert below.chosen.setting.interval_s == 30
    hour, _ = planned(asking("5m", "freshest", manifests="1000000"))
    assert hour.chosen.setting.interval_s == 1  # the shortest step
    ten, _ = planned(asking("10s", "freshest", manifests="1200"))
    assert ten.chosen.setting.interval_s == 3


def test_longer_freshness_never_makes_the_shortest_interval_within_limits_longer():
    found = [planned(asking(one, "freshest", manifests="800"))[0] for one in ("1m", "10m", "1h", "6h")]
    assert {one.chosen.setting.interval_s for one in found} == {5}


def test_below_the_shortest_step_tried_shorter_ones_are_looked_for():
    plan, _ = planned(asking("1h", "freshest", manifests="800"))
    assert tried(plan)[:4] == [1, 3, 5, 10]  # of an hour, those from ten seconds on are tried at first
    assert plan.chosen.setting.interval_s == 5
    assert [one.metric for one in plan.stopped_by] == ["manifests"]


def test_a_choice_that_breaks_its_limit_once_encoded_gives_way():
    def exact(setting: Setting, rate: float) -> Figures:
        found = by_rate(setting, rate)
        return replace(found, values={**found.values, "manifests": found.values["manifests"] * 1.5})

    plan, simulator = planned(asking("5m", "freshest", manifests="100"), exact=exact)
    # 40 s and a minute have 135 and 90 of files of their own
    assert plan.chosen.setting.interval_s == 60
    assert plan.chosen.values["manifests"] == 90
    assert simulator.encoded == {40, 60}
    assert [one.values["manifests"] for one in plan.best if one.setting.interval_s == 40] == [135]


def test_without_a_setting_within_limits_the_nearest_bound_is_found():
    plan, _ = planned(asking("5m", manifests="10"))
    assert plan.chosen is None
    (relaxed,) = plan.relaxations
    assert (relaxed.limit.metric, relaxed.value, relaxed.figures.setting.interval_s) == ("manifests", 12, 300)
    assert plan.beyond.setting.interval_s == 600  # with six of them
    assert planned(asking("5m", manifests="6"))[0].beyond.setting.interval_s == 600
    assert planned(asking("5m", manifests="5"))[0].beyond is None
    assert (plan.saving, plan.other_end, plan.sustained) == (None, None, None)
    assert plan.case.commit_interval_s == 300


def test_intervals_that_are_never_kept_up_with_are_out():
    def late(setting: Setting, rate: float) -> Figures:
        return replace(by_rate(setting, rate), keeps_up_s=9.0 if setting.interval_s < 30 else None)

    plan, _ = planned(asking("1m"), late)
    assert plan.out_of_reach == (1, 5, 10)
    assert plan.chosen.setting.interval_s == 60
    none, _ = planned(asking("10s"), late)
    assert (none.chosen, none.relaxations) == (None, ())
    assert none.beyond.setting.interval_s == 30


def of_deletes(request: PlanRequest) -> PlanRequest:
    changes = {"delete": {"every": "1h", "rows": 10, "mode": "copy-on-write"}}
    return replace(request, document={**request.document, "changes": changes})


@pytest.mark.parametrize(("dear_s", "shortest_s"), [(10.0, 10), (0.0, 1), (60.0, 60)])
def test_of_statements_nothing_below_a_dear_interval_is_tried(dear_s: float, shortest_s: float):
    request = of_deletes(asking())

    def cliff(setting: Setting, rate: float) -> Figures:
        # more than half as much again as ten and what is negligible
        return some_figures(setting, 15.8 if setting.interval_s <= dear_s else 10.0)

    assert tried(planned(request, cliff)[0])[0] == shortest_s
    assert tried(planned(asking(), cliff)[0])[0] == 1  # of appends each is
    gentle = planned(
        request, lambda setting, rate: some_figures(setting, 15.7 if setting.interval_s <= dear_s else 10.0)
    )
    assert tried(gentle[0])[0] == 1
    freshest = of_deletes(asking("5m", "freshest", monthly_cost="1000"))
    assert tried(planned(freshest, cliff)[0])[0] == 1


def losing_below(shortest_s: float, share_retried: float) -> Callable[..., tuple[LosingJob, ...]]:
    def losing(figures: Figures, *_: object) -> tuple[LosingJob, ...]:
        if figures.setting.interval_s >= shortest_s or figures.setting.retries:
            return ()
        return (LosingJob(name="compact", share=0.5, share_retried=share_retried),)

    return losing


def test_a_job_that_loses_gets_retries_or_a_longer_interval(monkeypatch: pytest.MonkeyPatch):
    request = asking("5m", "freshest", manifests="1000000")
    monkeypatch.setattr("wasim.capacity.plan.losing_jobs", losing_below(10.0, MOST_FAILED))
    retried, _ = planned(request)
    assert (retried.chosen.setting.interval_s, retried.chosen.setting.retries) == (1, RETRIES)
    assert (retried.losing, retried.avoided) == ((), None)
    assert retried.best[0] is retried.chosen
    monkeypatch.setattr("wasim.capacity.plan.losing_jobs", losing_below(10.0, MOST_FAILED + 0.001))
    longer, simulator = planned(request)
    assert longer.chosen.setting.interval_s == 10
    assert (longer.losing, longer.avoided[0], longer.avoided[1].name) == ((), 1, "compact")
    assert {1, 5, 10} <= simulator.encoded
    monkeypatch.setattr("wasim.capacity.plan.losing_jobs", losing_below(1e9, 0.4))
    hopeless, _ = planned(request)
    assert hopeless.chosen.setting.interval_s == 1
    assert [one.share for one in hopeless.losing] == [0.5]
    assert hopeless.avoided is None


def test_a_job_that_never_wins_is_left_out_unless_needed(monkeypatch: pytest.MonkeyPatch):
    def loses(figures: Figures, *_: object) -> tuple[LosingJob, ...]:
        lost = figures.setting.maintenance.rewrite_every_s is not None
        return (LosingJob(name="rewrite_manifests", share=0.9, share_retried=0.5),) if lost else ()

    def rewriting(setting: Setting, rate: float) -> Figures:
        cost = 1.0 if setting.maintenance.rewrite_every_s else 9.0
        return some_figures(setting, cost, cost=replace(FREE, planning=cost))

    monkeypatch.setattr("wasim.capacity.plan.losing_jobs", loses)
    plan, _ = planned(asking("5m"), rewriting)
    assert plan.chosen.setting.maintenance.rewrite_every_s is None
    assert (plan.losing, plan.avoided[0]) == ((), plan.chosen.setting.interval_s)

    def needed(setting: Setting, rate: float) -> Figures:
        return some_figures(setting, 1.0, manifests=50 if setting.maintenance.rewrite_every_s else 500)

    kept, _ = planned(asking("5m", manifests="100"), needed)
    assert kept.chosen.setting.maintenance.rewrite_every_s is not None
    assert [one.name for one in kept.losing] == ["rewrite_manifests"]


@pytest.mark.parametrize(
    ("horizon", "freshness", "said"),
    [
        ("3650d", "5m", None),
        ("3651d", "5m", r"--horizon is 3651d\. Give 3650d at most"),
        ("15m", "5m", None),
        ("14m59s", "5m", r"no room for 3 commits every 5m\. Give 15m at least"),
    ],
)
def test_a_horizon_has_room_for_a_few_commits(horizon: str, freshness: str, said: str | None):
    request = asking(freshness)
    request = replace(request, document={**request.document, "horizon": horizon})
    if said is None:
        assert planned(request)[0].chosen is not None
    else:
        with pytest.raises(WasimError, match=said):
            planned(request)


def test_what_is_there_now_is_read_off_the_request():
    plan, _ = planned(replace(asking(), now="interval=1m"))
    assert plan.saving.now.setting.interval_s == 60
    assert plan.saving.now_money.year == pytest.approx(5 * plan.saving.then_money.year)
    assert planned(asking())[0].saving.now is None


def test_a_plan_s_approximations_are_those_of_its_choice():
    def said(setting: Setting, rate: float) -> Figures:
        return replace(by_rate(setting, rate), approximated=(f"{setting.interval_s:g}",))

    assert planned(asking(), said)[0].approximated == ("300",)
    late = planned(asking("1m", manifests="1"), said)[0]
    assert (late.chosen, late.approximated) == (None, ("60",))


def test_rates_beyond_what_a_commit_takes_are_left_out():
    request = request_from_flags({"rows_per_second": "4e8"}, Requirements(freshness="1s"))
    plan, _ = planned(request)
    assert [rate for rate, _ in plan.at_rates] == [2]  # a billion rows a commit at most
    assert request.writers == 1
    search = search_for(plan.case, ByLaw(request=request, law=by_rate), ())
    assert (search.merges, search.changes_rows, search.may_append_otherwise) == (False, False, True)
    case = plan.case
    for writer, otherwise in (({"profile": "flink"}, False), ({"kind": "batch"}, False)):
        changed = replace(case, writer=case.writer.model_copy(update=writer))
        assert search_for(changed, ByLaw(request=request, law=by_rate), ()).may_append_otherwise == otherwise


def test_now_has_its_own_files_as_the_choice_has():
    request = replace(a_request("1m"), now="interval=30s")
    found = make_plan(request, a_simulator(request), explains=False).saving
    simulator = SettingSimulator(request=request)
    simulator.encode(30.0)
    assert found is not None
    assert found.now == simulator.figures(now_of("interval=30s", request))
