"""Which setting is chosen: the cheapest within all limits, or the freshest."""

from dataclasses import replace

import pytest
from support.by_hand import at_most, some_figures
from support.plans import a_plan

from wasim.capacity import Figures, Requirements, SettingSimulator, make_plan, plan_lines, request_from_flags
from wasim.capacity.choice import cheapest_of, choose, frontier_of, relax, within_band
from wasim.capacity.search import NEGLIGIBLE_COST
from wasim.capacity.words import value_words


@pytest.mark.slow
def test_a_looser_limit_never_gives_a_longer_interval():
    chosen = [a_plan(prefer="freshest", metadata_bytes_per_day=bound).chosen for bound in ("3GB", "30GB", "300GB")]
    assert all(one is not None for one in chosen)
    intervals = [one.setting.interval_s for one in chosen]
    assert intervals == sorted(intervals, reverse=True)
    assert intervals[0] > intervals[-1]
    assert [one.metadata_bytes_per_day <= bound for one, bound in zip(chosen, (3e9, 30e9, 300e9), strict=True)] == [
        True
    ] * 3


def test_within_limits_the_shortest_is_taken_and_the_bound_named():
    found = a_plan(prefer="freshest", metadata_json_bytes="500KB")
    shorter = [one for one in found.best if one.setting.interval_s < found.chosen.setting.interval_s]
    assert all(one.broken(found.limits) for one in shorter)
    assert {limit.metric for limit in found.stopped_by} == {"metadata_json_bytes"}


def test_the_cheapest_fresh_setting_is_taken_and_the_freshest_named():
    found = a_plan()
    assert found.other_end.setting.interval_s == min(one.setting.interval_s for one in found.best if one.keeps_up)
    assert found.chosen.monthly_cost == min(one.monthly_cost for one in found.best if one.keeps_up)
    assert found.shorter.monthly_cost > found.chosen.monthly_cost


def test_of_intervals_that_cost_the_same_the_shortest_is_taken():
    found = a_plan(None)
    cheapest = min(one.monthly_cost for one in found.best)
    assert found.chosen.monthly_cost <= cheapest + NEGLIGIBLE_COST
    assert found.chosen.setting.interval_s < found.request.longest_s
    kept, gone = found.keeping_json, found.chosen
    assert kept.values["metadata_bytes"] == gone.values["metadata_bytes"]
    assert kept.values["metadata_on_disk_bytes"] > gone.values["metadata_on_disk_bytes"]


def test_a_choice_that_the_band_could_change_is_called_close():
    found = a_plan(prefer="freshest", metadata_json_bytes="500KB")
    (limit,), chosen = found.limits, found.chosen
    for bound, is_close in ((1.0001 * chosen.values["metadata_json_bytes"], True), (1e12, False)):
        limits = [replace(limit, bound=bound)]
        assert bool(within_band([chosen, found.longer], "freshest", limits, chosen)) == is_close


@pytest.mark.slow
def test_gathered_manifests_are_rewritten_where_a_limit_asks_for_fewer():
    table = {"rows_per_second": "1000", "columns": "30", "files_per_commit": "4", "writer": "flink"}
    for horizon in ("30d", "30d12h"):
        asked = Requirements(freshness="15m", provider="s3", limits={"planning_p50_ms": "1s"})
        chosen = make_plan(request_from_flags({**table, "horizon": horizon}, asked), explains=False).chosen
        assert chosen is not None
        assert chosen.values["manifests"] < 30
        assert chosen.setting.maintenance.rewrite_every_s


@pytest.mark.parametrize(
    ("rows_per_second", "columns", "freshness", "limits", "horizon"),
    [
        pytest.param("107", "40", "1m", {"metadata_json_bytes": "100KB"}, "30d", marks=pytest.mark.slow),
        pytest.param("64.5", "40", "5m", {"monthly_cost": "0.638683"}, "30d", marks=pytest.mark.slow),
        pytest.param("19", "20", "1m", {"planning_p50_ms": "9ms"}, "30d", marks=pytest.mark.slow),
        ("500", "6", "30s", {"metadata_bytes_per_day": "60MB", "metadata_json_bytes": "20KB"}, "6d"),
    ],
)
def test_a_limit_relaxed_to_what_is_printed_is_met(rows_per_second, columns, freshness, limits, horizon):
    asked = {"rows_per_second": rows_per_second, "columns": columns, "horizon": horizon}
    request = request_from_flags(asked, Requirements(freshness=freshness, limits=limits))
    refused, simulator = make_plan(request), SettingSimulator(request=request)
    assert refused.chosen is None
    for one in refused.relaxations:  # by the file sizes of its own interval, not interpolated ones
        simulator.encode(one.figures.setting.interval_s)
        assert simulator.figures(one.figures.setting).values == one.figures.values
    said = {one.limit.metric: value_words(one.limit.metric, one.value, "") for one in refused.relaxations}
    assert all(f"to {words}" in " ".join(plan_lines(refused)) for words in said.values())
    relaxed = {metric: words.replace(" ", "").replace(",", "") for metric, words in said.items()}
    found = make_plan(
        request_from_flags(asked, Requirements(freshness=freshness, limits=limits | relaxed)), explains=False
    )
    assert found.chosen is not None


def made(interval_s: float, cost: float, *, manifests: float = 1.0, json: float = 1.0, late_s: float | None = None):
    """Figures that nobody simulated."""
    return some_figures(
        interval_s, cost, manifests=manifests, metadata_json_bytes=json, bands={"manifests": 0.1}, keeps_up_s=late_s
    )


def intervals_of(found: tuple[Figures, ...]) -> list[float]:
    return [one.setting.interval_s for one in found]


def test_each_interval_left_has_one_setting_cheaper_than_shorter_ones():
    each = [made(10, 9.0), made(30, 9.0), made(60, 4.0), made(120, 6.0), made(300, 1.0)]
    assert intervals_of(frontier_of(each)) == [10, 60, 300]


def test_of_settings_within_limits_the_freshest_or_cheapest_is_chosen():
    each = [made(1, 2.0, late_s=5.0), made(10, 9.0, manifests=100), made(30, 4.4), made(60, 4.0), made(90, 3.8)]
    few = [at_most("manifests", 95)]
    assert [choose(each, "freshest", some).setting.interval_s for some in ([], few)] == [10, 30]
    assert choose(each, "freshest", few, shift=-1.0).setting.interval_s == 10  # ten percent fewer at the band's end
    assert choose(each, "cheapest", few) is each[3]  # 4.3 would be the most that costs about the same
    assert choose(each, "cheapest", few) is choose(each[::-1], "cheapest", few)
    assert choose(each[:1], "cheapest", []) is None
    assert intervals_of(within_band(each, "freshest", few, each[2])) == [10]


def test_the_one_limit_that_must_move_least_is_relaxed():
    each = [
        made(10, 9.0, manifests=200, json=5),
        made(30, 4.0, manifests=150, json=9),
        made(60, 1.0, manifests=180, json=20),
    ]
    few, small = at_most("manifests", 100), at_most("metadata_json_bytes", 10)
    (found,) = relax(each, [few, small])
    assert (found.limit, found.figures) == (few, each[1])
    assert found.value >= 150
    both = relax(each, [few, at_most("metadata_json_bytes", 4)])  # 150 / 100 and 9 / 4, or 200 / 100 and 5 / 4
    assert [one.limit.metric for one in both] == ["manifests", "metadata_json_bytes"]
    assert {one.figures.setting.interval_s for one in both} == {10}
    assert relax([], [few]) == ()
    (below,) = relax(each, [at_most("manifests", 150, "<")])
    assert below.value > 150


def test_what_costs_the_same_to_half_a_unit_is_shortest():
    each = [some_figures(10.0, 4.51), some_figures(30.0, 4.5), some_figures(60.0, 4.0), some_figures(90.0, 4.2)]
    assert cheapest_of(each) is each[1]
    assert cheapest_of(each[2:]) is each[2]
    assert choose(each, "cheapest", [at_most("monthly_cost", 4.3)]) is each[2]


def test_within_the_bands_least_metadata_is_taken():
    day, banded = "metadata_bytes_per_day", {"cost_band": 0.05}
    each = [
        some_figures(10.0, 6215.0, **{day: 600.0}, **banded),
        some_figures(300.0, 7293.0, **{day: 20.0}, **banded),
        some_figures(600.0, 6233.0, **{day: 10.0}, **banded),
        some_figures(900.0, 7000.0, **{day: 5.0}, **banded),
    ]
    assert choose(each, "cheapest", []) is each[2]  # 18 less for 10s is no reason, 767 more for 900s is one
    assert choose(each[:2], "cheapest", []) is each[0]
    assert cheapest_of([replace(one, cost_band=0.0) for one in each]).setting == each[0].setting
    assert choose(each, "freshest", []) is each[0]


def test_equal_costs_leave_longer_intervals_off_the_frontier():
    each = [some_figures(10.0, 9.0), some_figures(30.0, 9.0), some_figures(60.0, 8.0)]
    assert [one.setting.interval_s for one in frontier_of(each)] == [10, 60]


def test_the_band_s_ends_are_named_once():
    each = [some_figures(10.0, 9.0, manifests=100, bands={"manifests": 0.1}), some_figures(30.0, 5.0, manifests=80)]
    few = [at_most("manifests", 95)]
    assert within_band(each, "freshest", few, each[1]) == (each[0],)
    assert within_band(each, "freshest", few, each[0]) == (each[1],)
    assert within_band(each, "freshest", [at_most("manifests", 50)], each[0]) == ()
    assert within_band(each, "cheapest", [], each[1]) == ()


def test_a_strict_limit_is_relaxed_beyond_what_it_must_allow():
    each = [some_figures(10.0, 9.0, manifests=80.0)]
    (loose,), (strict,) = (relax(each, [at_most("manifests", 50, of)]) for of in ("<=", "<"))
    assert loose.value == 80
    assert strict.value > 80
    assert not strict.figures.broken([replace(strict.limit, bound=strict.value)])
    cheaper = [some_figures(10.0, 9.0, manifests=80), some_figures(30.0, 5.0, manifests=80)]
    assert relax(cheaper, [at_most("manifests", 50)])[0].figures is cheaper[1]
