"""What a fleet's plan says: sums over all tables, a line for each, and which have none."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from support.by_hand import plain, some_figures
from support.plans import a_request

from wasim.capacity import Figures, Setting
from wasim.capacity.answer import section_lines
from wasim.capacity.fleet import Assigned, FleetPlan
from wasim.capacity.fleet_answer import fleet_comment, fleet_document, fleet_lines, fleet_sections, headline
from wasim.capacity.fleet_options import Answered
from wasim.capacity.now import Money, Saving
from wasim.report.tables import TextTable
from wasim.scenario.fleet import Fleet, FleetTable

MIB = 2.0**20
NOW, THEN = Money(month_1=10.0, month_12=20.0, year=200.0), Money(month_1=1.0, month_12=2.0, year=30.0)


def option(interval_s: float, mebibytes: float, cost: float, **given: object) -> Figures:
    written = {"metadata_bytes_per_day": mebibytes * MIB, "metadata_on_disk_bytes": 10 * mebibytes * MIB}
    return some_figures(plain(interval_s), cost, **written | given)


def saving(*, is_known: bool = True) -> Saving:
    now = some_figures(1.0, 50.0, metadata_bytes_per_day=8 * MIB, metadata_on_disk_bytes=80 * MIB)
    return Saving(
        now=now if is_known else None, now_money=NOW if is_known else None, then_money=THEN, once_bytes=3 * MIB
    )


def assigned(name: str, of: Figures | None, count: int = 1, **found: object) -> Assigned:
    table = FleetTable(name=name, rows_per_second=10, count=count)
    return Assigned(table=table, option=of, found=Answered(**{"request": a_request()} | found))  # type: ignore[arg-type]


def plan_of(*tables: Assigned, budget: dict[str, object] | None = None, **given: object) -> FleetPlan:
    document = {"version": 1, "budget": budget, "tables": [one.table for one in tables]}
    return FleetPlan(fleet=Fleet.model_validate(document), assigned=tables, classes=2, **given)  # type: ignore[arg-type]


ONE, TWO = option(60.0, 2.0, 4.0), option(600.0, 1.0, 0.5)


def rows(plan: FleetPlan, title: str = "All tables, now and then") -> dict[str, tuple[str, ...]]:
    (section,) = (one for one in fleet_sections(plan) if one.title == title)
    (table,) = (block for block in section.blocks if isinstance(block, TextTable))
    return {row[0]: row[1:] for row in table.rows} | {"head": table.head}


def said(plan: FleetPlan) -> str:
    return " ".join("\n".join(section_lines(fleet_sections(plan))).split())


def test_a_headline_counts_tables_by_interval():
    assert headline(plan_of(assigned("a.b", ONE))) == "1 table: 1 every 1m."
    many = plan_of(assigned("a.b", ONE, 3), assigned("a.c", TWO), assigned("a.d", TWO, 2))
    assert headline(many) == "6 tables: 3 every 1m, 3 every 10m."
    some = plan_of(assigned("a.b", ONE, 3), assigned("a.c", None, 2))
    assert headline(some) == "3 of 5 tables: 3 every 1m."
    assert headline(plan_of(assigned("a.c", None, 2))) == "0 of 2 tables: none has a setting."
    small = plan_of(assigned("a.b", ONE, 3), budget={"monthly_cost": 11.9})
    assert headline(small).startswith("The budget is too small for 3 tables")
    assert headline(plan_of(assigned("a.b", ONE, 3), budget={"monthly_cost": 12})) == "3 tables: 3 every 1m."


def test_sums_count_each_table_as_often_as_it_is_there():
    plan = plan_of(assigned("a.b", ONE, 3), assigned("a.c", TWO), budget={"metadata_per_day": 7 * 2**20})
    found = rows(plan)
    assert found["head"] == ("All tables", "then", "budget")
    assert found["cost a month"] == ("12.50 USD", "")
    assert found["metadata a day"] == ("7.00 MiB", "✓ 7.00 MiB")
    assert found["metadata on disk, most"] == ("70.0 MiB", "")
    over = plan_of(assigned("a.b", ONE, 3), budget={"metadata_per_day": 6 * 2**20 - 1})
    assert rows(over)["metadata a day"][1].startswith("✗ ")
    assert (plan.fits, over.fits, plan.keeps_budget, over.keeps_budget) == (True, False, True, False)
    assert not plan_of(assigned("a.b", ONE), assigned("a.c", None)).fits


def test_savings_are_said_where_now_is_known():
    both = assigned("a.b", ONE, 3, saving=saving()), assigned("a.c", TWO, saving=saving())
    found = rows(plan_of(*both))
    assert found["cost, a year"] == ("800.00 USD", "120.00 USD", "−680.00 USD", "")
    assert found["cost a month"] == ("200.00 USD", "12.50 USD", "−187.50 USD", "")
    assert found["metadata a day"] == ("32.0 MiB", "7.00 MiB", "−25.0 MiB", "")
    assert "Deleted once, by the horizon's end: 12.0 MiB" in said(plan_of(*both))
    one = plan_of(both[0], assigned("a.c", TWO, saving=saving(is_known=False)))
    assert rows(one)["cost, a year"] == ("120.00 USD", "")
    assert "is known of 3 of 4: a year of those costs 600.00 USD now and 90.00 USD then (−510.00 USD)" in said(one)
    none = plan_of(assigned("a.b", ONE), assigned("a.c", TWO))
    assert "cost, a year" not in rows(none)
    assert "Deleted once" not in said(none)


def test_the_rule_that_divides_the_budget_is_said():
    plan = plan_of(assigned("a.b", ONE, 3), budget={"monthly_cost": 20})
    assert "Each at its cheapest" in said(plan)
    assert "Rule: from the longest interval" in said(replace(plan, prefer="freshest"))
    assert "Rule: from the longest interval" in said(plan_of(assigned("a.b", ONE, 3), budget={"monthly_cost": 1}))


def test_tables_are_listed_up_to_some_rows():
    tables = [assigned(f"a.t{number}", ONE) for number in range(5)]
    faulty = [assigned(f"a.f{number}", None, fault=f"fault {number}") for number in range(4)]
    (plan,) = (plan_of(*tables, *faulty),)
    short = "\n".join(section_lines(fleet_sections(plan, 3)))
    for shown, left in (("a.t2", "a.t3"), ("fault 2", "fault 3")):
        assert shown in short
        assert left not in short
    assert "… and 2 more." in short
    assert "… and 1 more." in short
    assert "Without a setting (4):" in short
    whole = "\n".join(section_lines(fleet_sections(plan)))
    assert "more." not in whole
    assert "more." not in "\n".join(section_lines(fleet_sections(plan, 5)))
    titles = [one.title for one in fleet_sections(plan_of(*faulty))]
    assert titles == ["Not planned", "What the figures are"]


def test_long_names_are_cut_on_a_terminal_only():
    long = "catalog.namespace.table_of_events"
    kept = replace(ONE, setting=Setting(interval_s=60.0, gzips_json=True, deletes_json=False, retries=20))
    plan = plan_of(assigned(long, kept, 12))
    lines = [*fleet_lines(plan)]
    assert max(map(len, lines)) <= 80
    (line,) = (one for one in lines if "×12" in one)
    name = line.split(" ×12")[0]
    assert name.startswith("…")
    assert long.endswith(name[1:])
    assert len(f"{name} ×12") == 23
    (row,) = (one for one in rows(plan, "The setting of each table") if "×12" in one)
    assert row == f"{long} ×12"
    exact = "a.n." + "x" * 19
    assert any(line.startswith(exact) for line in fleet_lines(plan_of(assigned(exact, ONE))))


def test_a_row_has_one_table_s_figures():
    found = rows(plan_of(assigned("a.b", ONE, 3)), "The setting of each table")
    assert found["head"] == ("Table", "every", "metadata/day", "USD/month", "setting")
    assert found["a.b ×3"] == ("1m", "2.00 MiB", "4.00", "no maintenance")


def test_a_comment_judges_the_budget_and_what_is_missing():
    kept = fleet_comment(plan_of(assigned("a.b", ONE), budget={"monthly_cost": 20}), "")
    assert "✓ the budget is kept" in kept
    assert "without a setting" not in kept
    unlimited = fleet_comment(plan_of(assigned("a.b", ONE), assigned("a.c", None, 2)), "https://example.com")
    assert "the budget" not in unlimited.split("<details>")[0].replace("All tables", "").split("Now and then")[0]
    assert "✗ 2 without a setting" in unlimited
    assert "https://example.com" in unlimited


def test_warnings_and_approximations_are_said_once_with_whom():
    tables: Sequence[Assigned] = [
        assigned("a.b", replace(ONE, approximated=("Means.",)), warnings=("Beware.",)),
        assigned("a.c", replace(ONE, approximated=("Means.",))),
    ]
    found = said(plan_of(*tables))
    assert found.count("Means.") == 1
    assert "Mind: Beware. (a.b)" in found
    assert "Simulated, not measured: 2 different tables. --json" in found
    assert "interpolated" in said(plan_of(*tables, is_read_off=True))


def test_a_document_holds_sums_and_each_table():
    plan = plan_of(
        assigned("a.b.c", ONE, 3, saving=saving(), warnings=("Beware.",)),
        assigned("a.c", None, 2, fault="no rows"),
        assigned("not a name!", TWO),
        budget={"monthly_cost": 20},
    )
    found = fleet_document(plan)
    assert (found["monthly_cost"], found["metadata_bytes_per_day"]) == (12.5, 7 * MIB)
    assert (found["metadata_on_disk_bytes"], found["currency"], found["fits"]) == (70 * MIB, "USD", False)
    assert found["money"] == {"now": None, "then": None}  # as of one of three kinds nothing is known
    known = fleet_document(plan_of(assigned("a.b.c", ONE, 3, saving=saving())))
    assert {name: known["money"][name]["year"] for name in known["money"]} == {"now": 600, "then": 90, "saved": 510}
    one, none, other = found["tables"]
    assert none == {"name": "a.c", "count": 2, "fault": "no rows"}
    assert (one["count"], one["fault"], one["commit_interval_s"], one["warnings"]) == (3, None, 60, ["Beware."])
    assert one["now"]["commit_interval_s"] == 1
    assert "a.b.c" in one["sql"][0]
    assert "catalog.namespace.table" in other["sql"][0]  # as SQL cannot call it so
    assert (other["now"], other["money"]) == (None, None)
    unknown = fleet_document(plan_of(assigned("a.b", ONE, saving=saving(is_known=False))))
    assert unknown["money"]["now"] is None
    assert unknown["money"]["then"]["year"] == 30
    assert unknown["budget"] is None


@pytest.mark.parametrize("count", [1, 7])
def test_a_fleet_of_like_tables_costs_as_often_as_much(count: int):
    one, many = (fleet_document(plan_of(assigned("a.b", ONE, times))) for times in (1, count))
    for name in ("monthly_cost", "metadata_bytes_per_day", "metadata_on_disk_bytes"):
        assert many[name] == count * one[name]
