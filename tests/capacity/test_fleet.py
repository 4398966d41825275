"""A fleet under one budget: what is spent, on which tables, and what a file may not say."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import pytest
from support.by_hand import some_figures
from support.command_line import document_of
from support.paths import ROOT, SCENARIOS
from typer.testing import CliRunner

from wasim.capacity import Figures, Requirements, make_plan, settings
from wasim.capacity.fleet import MOST_ENCODED, FleetPlan, _steps, allocate, by_interval, plan_fleet, shares_of
from wasim.capacity.fleet_answer import fleet_document, fleet_lines
from wasim.capacity.fleet_options import Answered, Asked, request_of
from wasim.capacity.request import PlanRequest
from wasim.cli import app
from wasim.errors import WasimError
from wasim.scenario.fleet import Budget, Fleet, FleetTable, load_fleet

INTERVALS_S = (10.0, 60.0, 600.0, 3600.0)


TABLES = ROOT / "tests" / "data" / "tables"
FRESHEST = Requirements(prefer="freshest")


def by_hand(work: object, parts: Sequence[Asked]) -> list[Answered]:
    """A quadratic law instead of simulations: metadata goes with the square of commits; a unit is that of an hour."""
    return [_answer(part.table.freshness or 3600.0, INTERVALS_S) for part in parts]


def _answer(longest_s: float, intervals_s: tuple[float, ...]) -> Answered:
    options = tuple(_option(one) for one in intervals_s if one <= longest_s)
    return Answered(options=options, chosen=options[-1] if options else None, fault="" if options else "none keeps up")


def _option(interval_s: float) -> Figures:
    return some_figures(interval_s, 3600 / interval_s, metadata_bytes_per_day=1e4 * (3600 / interval_s) ** 2)


def planned(units: int, *tables: dict[str, object]) -> FleetPlan:
    document = {"version": 1, "budget": {"metadata_per_day": units * 10_000}, "tables": list(tables)}
    return plan_fleet(Fleet.model_validate(document), FRESHEST, by_hand)


def table(name: str, **given: object) -> dict[str, object]:
    return {"name": name, "rows_per_second": 10, **given}


def intervals(plan: FleetPlan) -> dict[str, float]:
    return {one.table.name: option.setting.interval_s for one, option in plan.planned}


def test_more_budget_never_makes_a_fleet_staler_and_is_kept():
    fleets = [planned(size, table("a"), table("b", count=3)) for size in (4, 100, 5_000, 100_000, 10**7)]
    sums = [sum(intervals(one).values()) for one in fleets]
    assert sums == sorted(sums, reverse=True)
    assert sums[0] > sums[-1] == 20.0
    assert all(one.of_all("metadata_bytes_per_day") <= one.fleet.budget.metadata_per_day for one in fleets)


def test_weight_and_count_decide_who_is_fresher():
    found = intervals(planned(3_700, table("weighted", weight=5), table("plain")))
    assert found["weighted"] < found["plain"]
    found = intervals(planned(6_000, table("one"), table("many", count=50)))
    assert found["one"] < found["many"]


def test_a_budget_too_small_leaves_the_longest_intervals():
    plan = planned(1, table("a"), table("b", freshness="10m"))
    assert not plan.fits
    assert intervals(plan) == {"a": 3600.0, "b": 600.0}


def test_an_unsustainable_table_is_named_and_the_others_planned():
    plan = planned(10, table("a"), table("b", freshness="5s"))
    assert not plan.fits
    assert intervals(plan) == {"a": 3600.0}
    assert any("b: none keeps up" in line for line in fleet_lines(plan))


def test_rates_of_many_are_rounded_to_what_commits_carry():
    rates: list[float | None] = []

    def keeping(work: object, parts: Sequence[Asked]) -> list[Answered]:
        rates.extend(part.table.rows_per_second for part in parts if part.table.columns == 20)
        return [_answer(0.0, ()) if part.intervals_s is None else _answer(3600, part.intervals_s) for part in parts]

    fast = {"name": "fast", "rows_per_second": 5e7, "freshness": "15s"}
    tables = [
        fast,
        table("slow", rows_per_second=5),
        *(table(f"t{number}", columns=number + 30) for number in range(16)),
    ]
    plan_fleet(Fleet.model_validate({"version": 1, "tables": tables}), Requirements(), keeping)
    assert {*rates} == {4.0, 5e7}


@pytest.mark.parametrize(("units", "rounds", "reached_s"), [(1, 1, 300.0), (10**9, 3, 5.0)])
def test_only_intervals_near_the_budget_are_tried(units: int, rounds: int, reached_s: float):
    tried: list[tuple[float, ...]] = []
    begun: list[float | None] = []

    def by_law(work: object, parts: Sequence[Asked]) -> list[Answered]:
        for part in parts[:1]:
            tried.append(part.intervals_s or ())
            begun.append(part.begin_with and part.begin_with.interval_s)
        return [_answer(300.0, part.intervals_s or ()) for part in parts]

    tables = [table(f"t{number}", columns=number + 4, freshness="5m") for number in range(MOST_ENCODED + 1)]
    document = {"version": 1, "budget": {"metadata_per_day": units * 10_000_000}, "tables": tables}
    plan = plan_fleet(Fleet.model_validate(document), FRESHEST, by_law)
    assert tried == [(60.0, 120.0, 300.0), (10.0, 30.0), (5.0,)][:rounds]
    assert begun == [None, 60.0, 10.0][:rounds]
    assert {*intervals(plan).values()} == {reached_s}


@pytest.mark.parametrize(
    ("power", "expected"),  # 2 minutes cost 2.5 times 5 minutes, or 1.2 times: then one interval more is tried
    [(1.0, [(120.0, 300.0)]), (0.2, [(120.0, 300.0), (60.0,)])],
)
def test_without_a_budget_none_is_tried_below_a_dear_interval(power: float, expected: list[tuple[float, ...]]):
    tried: list[tuple[float, ...]] = []

    def by_law(work: object, parts: Sequence[Asked]) -> list[Answered]:
        tried.extend({part.intervals_s or () for part in parts})
        options = [map(_option, part.intervals_s or ()) for part in parts]
        return [
            Answered(options=tuple(some_figures(one.setting, 9 * one.monthly_cost**power) for one in of_table))
            for of_table in options
        ]

    tables = [table(f"t{number}", columns=number + 4, freshness="5m") for number in range(MOST_ENCODED + 1)]
    plan_fleet(Fleet.model_validate({"version": 1, "tables": tables}), Requirements(), by_law)
    assert tried == expected


def test_without_a_wish_for_freshness_each_table_has_its_cheapest():
    document = {"version": 1, "budget": {"metadata_per_day": 10**12}, "tables": [table("a"), table("b", count=3)]}
    plan = plan_fleet(Fleet.model_validate(document), Requirements(), by_hand)
    assert intervals(plan) == {"a": 3600.0, "b": 3600.0}
    assert plan.of_all("monthly_cost") == 4.0


@pytest.fixture
def few_intervals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "MOST_INTERVALS", 2)


@pytest.mark.usefixtures("few_intervals")
@pytest.mark.parametrize(
    "source",
    [
        pytest.param(
            {"rows_per_second": 1, "now": "interval=1h", "limits": {"metadata_bytes_per_day": "<= 60000"}},
            marks=pytest.mark.slow,
            id="rows_per_second",
        ),
        pytest.param({"scenario": str(SCENARIOS / "smoke.yaml"), "set": {"writer": "streaming"}}, id="scenario"),
        pytest.param({"from_table": str(TABLES / "dropped_source")}, id="from_table"),
    ],
)
def test_a_fleet_of_one_has_the_figures_of_its_plan(source: dict[str, object], tmp_path: Path):
    path = tmp_path / "fleet.yaml"
    path.write_text(json.dumps({"version": 1, "tables": [{"name": "c.n.a", "freshness": "12h", "count": 2, **source}]}))
    ((one,), plan) = (made := plan_fleet(load_fleet(path), Requirements())).assigned, make_plan(one_request(path))
    chosen, option = plan.chosen, one.option
    assert chosen is not None
    assert option is not None
    assert plan.saving is not None
    assert option.setting == chosen.setting
    assert (option.monthly_cost, option.metadata_bytes_per_day) == (chosen.monthly_cost, chosen.metadata_bytes_per_day)
    document = fleet_document(made)
    assert document["monthly_cost"] == 2 * chosen.monthly_cost
    assert document["money"]["then"]["year"] == 2 * plan.saving.then_money.year
    before = plan.saving.now_money
    known = None if before is None else {name: 2 * money for name, money in asdict(before).items()}
    assert document["money"]["now"] == known


def one_request(path: Path) -> PlanRequest:
    return request_of(load_fleet(path).tables[0], Requirements())


def test_all_tables_at_fault_are_named_before_any_is_planned():
    few = {"rows_per_second": 1, "files_per_commit": 16}
    tables = [table("a", **few, now="interval=10s"), table("b"), table("c", **few, freshness="1s")]

    def planned_too_early(work: object, parts: Sequence[Asked]) -> list[Answered]:
        raise AssertionError(parts)

    fleet = Fleet.model_validate({"version": 1, "tables": tables})
    with pytest.raises(WasimError) as raised:
        plan_fleet(fleet, Requirements(), planned_too_early)
    first, second = str(raised.value).splitlines()
    assert first.startswith('table a: --now: workload.files_per_commit is "16", but a commit every 10s has 10 rows.')
    assert second.startswith('table c: workload.files_per_commit is "16", but a commit every 1s has 1 row. Give')


@pytest.mark.usefixtures("few_intervals")
def test_a_fleet_of_the_command_line(tmp_path: Path):
    path = tmp_path / "fleet.yaml"
    path.write_text(
        "version: 1\nbudget: {metadata_per_day: 2GB, monthly_cost: 50}\n"
        "tables:\n- {name: c.n.a, rows_per_second: 1, freshness: 12h, count: 2}\n"
    )
    result = CliRunner().invoke(app, ["plan", "--fleet", str(path), "--horizon", "3d"])
    assert "--horizon" in str(result.exception)
    page = tmp_path / "fleet.html"
    result = CliRunner().invoke(app, ["plan", "--fleet", str(path), "--html", str(page)])
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("2 tables: 2 every 6h.")
    assert max(map(len, result.stdout.splitlines())) <= 80
    for words in ("2 tables: 2 every 6h.", "All tables, now and then", "c.n.a ×2", "cost, a year"):
        assert words in page.read_text()


def test_a_master_is_for_a_fleet():
    result = CliRunner().invoke(app, ["plan", "--rows-per-second", "5", "--master", "local[2]"])
    assert "--fleet" in str(result.exception)


@pytest.mark.slow
@pytest.mark.spark
def test_workers_of_a_spark_plan_as_this_machine_does(tmp_path: Path):
    from support.standalone import standalone

    tables = [table("narrow", freshness="10m"), table("wide", freshness="10m", columns=30, files_per_commit=3)]
    file = tmp_path / "fleet.yaml"
    file.write_text(json.dumps({"version": 1, "budget": {"metadata_per_day": 10**8}, "tables": tables}))
    with standalone(2, tmp_path / "work") as master:
        assert document_of("plan", "--fleet", file, "--master", master) == document_of("plan", "--fleet", file)


def option(interval_s: float, metadata: float, cost: float) -> Figures:
    return some_figures(interval_s, cost, metadata_bytes_per_day=metadata)


def fleet_table(weight: float = 1.0, count: int = 1) -> FleetTable:
    return FleetTable(name="a.b", rows_per_second=10, weight=weight, count=count)


def given(**budget: float) -> Budget:
    return Budget.model_construct(**{"metadata_per_day": None, "monthly_cost": None} | budget)


def test_shares_are_of_each_budget_that_is_given():
    assert shares_of(50.0, 3.0, given(metadata_per_day=200, monthly_cost=4.0)) == [0.25, 0.75]
    assert shares_of(50.0, 3.0, given(monthly_cost=4.0)) == [0.75]
    assert shares_of(50.0, 3.0, given()) == []


STEPS = (option(480.0, 10, 1), option(240.0, 20, 1), option(120.0, 40, 1), option(60.0, 80, 1))


@pytest.mark.parametrize(
    ("bound", "found"),
    [(19, (480, 480)), (20, (480, 480)), (30, (240, 480)), (40, (240, 240)), (79, (120, 240)), (160, (60, 60))],
)
def test_budgets_go_where_a_halving_takes_least(bound: float, found: tuple[float, float]):
    allocated = allocate([fleet_table(), fleet_table()], [STEPS, STEPS], given(metadata_per_day=bound))
    assert tuple(one.setting.interval_s for one in allocated) == found
    assert sum(one.metadata_bytes_per_day for one in allocated) <= max(bound, 20)


def test_twice_the_weight_or_half_the_count_goes_first():
    def first(weights: tuple[float, float], counts: tuple[int, int], bound: float) -> list[float]:
        tables = [fleet_table(weight, count) for weight, count in zip(weights, counts, strict=True)]
        found = allocate(tables, [STEPS, STEPS], given(metadata_per_day=bound))
        return [one.setting.interval_s for one in found]

    assert first((1.0, 1.5), (1, 1), 30) == [480, 240]
    # 10 for a halving of the first, worth three, then 20 for the next, which is worth as much as 10 of the other
    assert first((3.0, 1.0), (1, 1), 50) == [120, 480]
    # two tables of one kind take twice as much: where that is no room the other goes on alone
    assert first((5.0, 1.0), (2, 1), 49) == [480, 240]
    assert first((5.0, 1.0), (2, 1), 50) == [240, 480]


def test_both_budgets_are_kept():
    dear = (option(480.0, 10, 1), option(240.0, 20, 50))
    found = allocate([fleet_table(), fleet_table()], [STEPS, dear], given(metadata_per_day=1000, monthly_cost=40.0))
    assert [one.setting.interval_s for one in found] == [60, 480]


def test_steps_above_the_hull_are_left_out():
    budget = given(metadata_per_day=100)
    each = (option(480.0, 10, 1), option(240.0, 90, 1), option(120.0, 60, 1), option(60.0, 70, 1), option(60.0, 75, 1))
    # an interval of 120 s takes less than one of 240 s, and from 480 s to 60 s each halving takes 20
    assert [one.setting.interval_s for one in _steps(each, budget)] == [480, 60]
    assert [one.metadata_bytes_per_day for one in _steps(each, budget)] == [10, 70]
    convex = [one.setting.interval_s for one in _steps(STEPS, budget)]
    assert convex == [480, 240, 120, 60]
    assert _steps((STEPS[1], option(240.0, 15, 1)), budget)[0].metadata_bytes_per_day == 15


def test_tables_are_counted_by_their_interval():
    plan = planned(10**7, table("a", count=3), table("b"), table("c", freshness="5s"))
    assert by_interval(plan) == {10: 4}
    budget = planned(1, table("a", count=3), table("b", freshness="10m"))
    assert [*by_interval(budget).items()] == [(600, 1), (3600, 3)]
    assert budget.of_all("metadata_bytes_per_day") == 3 * 10_000 + 360_000
    assert budget.of_all("monthly_cost") == 3 * 1 + 6
    assert not budget.keeps_budget
    exact = planned(39, table("a", count=3), table("b", freshness="10m"))
    assert exact.keeps_budget
    assert exact.of_all("metadata_bytes_per_day") == exact.fleet.budget.metadata_per_day


def test_equal_tables_are_asked_for_once():
    asked: list[str] = []

    def counting(work: object, parts: Sequence[Asked]) -> list[Answered]:
        asked.extend(part.table.name for part in parts)
        return by_hand(work, parts)

    tables = [table("a", weight=2), table("b", count=9), table("c", columns=7)]
    plan = plan_fleet(Fleet.model_validate({"version": 1, "tables": tables}), Requirements(), counting)
    assert sorted(asked) == ["a", "a", "c", "c"]  # for its options, and for what one saves
    assert (plan.classes, plan.is_read_off, plan.currency) == (2, False, "")
    assert intervals(plan) == {"a": 3600, "b": 3600, "c": 3600}


def test_of_many_tables_savings_are_found_where_now_is_known():
    asked: list[Asked] = []

    def counting(work: object, parts: Sequence[Asked]) -> list[Answered]:
        asked.extend(part for part in parts if part.setting is not None)
        return [_answer(300.0, part.intervals_s or (60.0, 300.0)) for part in parts]

    known = {"now": "interval=1m"}
    for count, expected in ((MOST_ENCODED, MOST_ENCODED), (MOST_ENCODED + 1, 1)):
        asked.clear()
        tables = [
            table(f"t{number}", columns=number + 4, freshness="5m", **(known if number == 3 else {}))
            for number in range(count)
        ]
        plan_fleet(Fleet.model_validate({"version": 1, "tables": tables}), Requirements(), counting)
        assert len(asked) == expected
    assert asked[0].table.columns == 7
