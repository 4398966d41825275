"""A fleet under one budget: what is spent, on which tables, and what a file may not say."""

import json
from pathlib import Path

import pytest
from support.command_line import document_of
from typer.testing import CliRunner

from wasim.capacity import Requirements, Setting
from wasim.capacity.fleet import MOST_ENCODED, FleetPlan, plan_fleet
from wasim.capacity.fleet_options import Layout, Option
from wasim.capacity.settings import NO_MAINTENANCE
from wasim.cli import app
from wasim.errors import WasimError
from wasim.scenario.fleet import Fleet

INTERVALS_S = (10.0, 60.0, 600.0, 3600.0)


def by_hand(parts: list[Layout]) -> list[tuple[tuple[Option, ...], ...]]:
    """A quadratic law instead of simulations: metadata goes with the square of commits; a unit is that of an hour."""
    return [tuple(tuple(map(_option, INTERVALS_S)) for _ in rates) for part in parts for rates in [part.rates]]


def _option(interval_s: float) -> Option:
    setting = Setting(interval_s=interval_s, maintenance=NO_MAINTENANCE)
    return Option(
        setting=setting, metadata_bytes_per_day=1e4 * (3600 / interval_s) ** 2, monthly_cost=3600 / interval_s
    )


def planned(units: int, *tables: dict[str, object]) -> FleetPlan:
    document = {"version": 1, "budget": {"metadata_per_day": units * 10_000}, "tables": list(tables)}
    return plan_fleet(Fleet.model_validate(document), Requirements(), by_hand)


def table(name: str, **given: object) -> dict[str, object]:
    return {"name": name, "rows_per_second": 10, **given}


def intervals(plan: FleetPlan) -> dict[str, float]:
    return {one.table.name: one.option.setting.interval_s for one in plan.assigned}


def test_more_budget_never_makes_a_fleet_staler_and_is_kept():
    fleets = [planned(size, table("a"), table("b", count=3)) for size in (4, 100, 5_000, 100_000, 10**7)]
    sums = [sum(intervals(one).values()) for one in fleets]
    assert sums == sorted(sums, reverse=True)
    assert sums[0] > sums[-1] == 20.0
    assert all(one.metadata_bytes_per_day <= one.fleet.budget.metadata_per_day for one in fleets)


def test_weight_and_count_decide_who_is_fresher():
    found = intervals(planned(3_700, table("weighted", weight=5), table("plain")))
    assert found["weighted"] < found["plain"]
    found = intervals(planned(6_000, table("one"), table("many", count=50)))
    assert found["one"] < found["many"]


def test_a_budget_too_small_leaves_each_at_its_longest_and_says_so():
    plan = planned(1, table("a"), table("b", freshness="10m"))
    assert not plan.fits
    assert intervals(plan) == {"a": 3600.0, "b": 600.0}


def test_a_freshness_that_no_writer_keeps_is_named():
    with pytest.raises(WasimError, match="b: no writer keeps up"):
        planned(10, table("b", freshness="5s"))


def test_a_rate_is_rounded_only_to_what_a_commit_can_carry_and_longer_intervals_are_left_out():
    rates: list[float] = []

    def keeping(parts: list[Layout]) -> list[tuple[tuple[Option, ...], ...]]:
        rates.extend(rate for part in parts for rate in part.rates)
        return by_hand(parts)

    tables = [{"name": "fast", "rows_per_second": 5e7, "freshness": "15s"}, {"name": "slow", "rows_per_second": 5}]
    plan_fleet(
        Fleet.model_validate({"version": 1, "budget": {"monthly_cost": 1}, "tables": tables}), Requirements(), keeping
    )
    assert rates == [4.0, 5e7]
    of_hour = Fleet.model_validate(
        {"version": 1, "budget": {"monthly_cost": 1e6}, "tables": [table("a") | {"rows_per_second": 1e6}]}
    )
    assert intervals(plan_fleet(of_hour, Requirements()))["a"] <= 1000


@pytest.mark.parametrize(("units", "rounds", "reached_s"), [(1, 1, 300.0), (10**9, 3, 5.0)])
def test_no_intervals_are_tried_but_those_that_the_budget_reaches_and_two_below_from_what_was_found_before_on(
    units: int, rounds: int, reached_s: float
):
    tried: list[tuple[float, ...]] = []
    begun: list[float | None] = []

    def by_law(parts: list[Layout]) -> list[tuple[tuple[Option, ...], ...]]:
        tried.append(parts[0].intervals_s[0])
        begun.append(parts[0].begin_with[0] and parts[0].begin_with[0].interval_s)
        return [tuple(tuple(map(_option, intervals_s)) for intervals_s in part.intervals_s) for part in parts]

    tables = [table(f"t{number}", columns=number + 4, freshness="5m") for number in range(MOST_ENCODED + 1)]
    document = {"version": 1, "budget": {"metadata_per_day": units * 10_000_000}, "tables": tables}
    plan = plan_fleet(Fleet.model_validate(document), Requirements(), by_law)
    assert tried == [(60.0, 120.0, 300.0), (10.0, 30.0), (5.0,)][:rounds]
    assert begun == [None, 60.0, 10.0][:rounds]
    assert {*intervals(plan).values()} == {reached_s}


def test_a_table_with_too_many_rows_for_a_commit_is_named():
    fleet = {"version": 1, "budget": {"monthly_cost": 1}, "tables": [table("a.b") | {"rows_per_second": 1e9}]}
    with pytest.raises(WasimError, match=r"^table a\.b: workload\.rows_per_second is .* more than 1000000000"):
        plan_fleet(Fleet.model_validate(fleet), Requirements())


def test_a_fleet_of_the_command_line(tmp_path: Path):
    path = tmp_path / "fleet.yaml"
    path.write_text(
        "version: 1\nbudget: {metadata_per_day: 2GB, monthly_cost: 50}\n"
        "tables:\n- {name: c.n.a, rows_per_second: 50, freshness: 10m, count: 2}\n"
    )
    result = CliRunner().invoke(app, ["plan", "--fleet", str(path), "--horizon", "3d"])
    assert "--horizon" in str(result.exception)
    result = CliRunner().invoke(app, ["plan", "--fleet", str(path)])
    assert result.exit_code == 0, result.output
    assert result.output.startswith("2 tables: 2 every ")
    assert max(map(len, result.output.splitlines())) <= 80


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
