"""Statements in the machine: they run at their times, and leave the rows that they should."""

from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from support.synthetic import synthetic_case

from wasim.scenario import Case
from wasim.scenario.changes import Changes, Maintenance
from wasim.twin import Site, shipped_profile
from wasim.years import History, read_shape
from wasim.years.flows import Flow
from wasim.years.machine.appends import append
from wasim.years.machine.changes import carry_out_changes, deletes_whole_files, next_statement
from wasim.years.machine.files import small_of
from wasim.years.machine.tables import (
    CLEARED_FROM,
    COMMITS,
    DELETE,
    DELETED_THROUGH,
    NEXT_TURN,
    PARTIAL_ROWS,
    SETTLED_ROWS,
    SMALL_ROWS,
    UPDATE,
)
from wasim.years.shape import Shape

PLAIN = synthetic_case(writer="batch", interval_s=30.0, horizon_s=1_200.0)
ROWS = 3_000  # of a commit


@cache
def shape() -> Shape:
    return read_shape(PLAIN, shipped_profile(PLAIN), Site())


def history_of(changes: dict[str, Any], **maintenance: dict[str, Any]) -> tuple[Case, History]:
    case = replace(PLAIN, changes=Changes.model_validate(changes), maintenance=Maintenance.model_validate(maintenance))
    return case, History(case=case, shape=shape())


def test_statements_run_as_soon_as_their_time_has_come():
    """Every 6 and 10 s, of commits every 30 s: those that follow the third come between 90 and 120 s."""
    update = {"every": 10.0, "rows": 5, "locality": "newest", "mode": "copy-on-write"}
    delete = {"every": 6.0, "rows": 5, "locality": "oldest", "mode": "copy-on-write"}
    _, history = history_of({"update": update, "delete": delete})
    table, laws = history.table, history.laws
    for _ in range(3):
        assert next_statement(table, laws) <= table.numbers[COMMITS] + 1
        append(table, laws, 1.0)
        if table.numbers[COMMITS] < 3:
            carry_out_changes(table, laws, float("inf"))
    for since_s in range(30):
        carry_out_changes(table, laws, since_s / 30)
        turns = [table.numbers[NEXT_TURN + change] for change in (UPDATE, DELETE)]
        assert turns == [(90 + since_s) // 10, (90 + since_s) // 6]
    assert not carry_out_changes(table, laws, 29.5 / 30)


@pytest.mark.parametrize("upkeep", [{}, {"rewrite_data_files": {"every": 90.0, "min_input_files": 3}}], ids=str)
@pytest.mark.parametrize("locality", ["newest", "oldest", "scattered"])
def test_rows_are_those_that_came_less_those_deleted(locality: str, upkeep: dict[str, Any]):
    each = {"every": 60.0, "rows": 400, "locality": locality, "mode": "copy-on-write"}
    for changes, inserted, deleted in (
        ({"update": each}, 0, 0),
        ({"merge": {**each, "new_rows": 250}}, 250, 0),
        ({"delete": each}, 0, 400),
        ({"delete": each, "merge": {**each, "new_rows": 250}}, 250, 400),
    ):
        case, history = history_of(changes, **upkeep)
        history.run()
        table, statements, left = history.table, int(case.horizon_s // 60), 0.0
        for turn in range(1, statements + 1):
            left += 2 * ROWS
            # scattered rows are a share of all that ever came, of which some are gone already
            gone_share = deleted / (2 * ROWS * turn) if locality == "scattered" else deleted / left
            left += inserted - gone_share * left
        there = table.numbers[SETTLED_ROWS] + small_of(table, SMALL_ROWS) + small_of(table, PARTIAL_ROWS)
        assert table.flows[Flow.ROWS] == pytest.approx(left, rel=1e-3), changes
        assert there == pytest.approx(left, rel=2e-3), changes
        assert table.flows[Flow.SNAPSHOTS] >= case.commits + statements


def test_rows_deleted_in_turn_are_cleared_from_the_first():
    """Of 6,000 rows the newest 100, then 3,000 that came after; of 3,000 more all but the first."""
    _, history = history_of({"delete": {"every": 60.0, "rows": 100, "locality": "newest", "mode": "copy-on-write"}})
    table, laws = history.table, history.laws
    for commits, first, cleared in ((2.0, 5_900.0, 5_900.0), (3.0, 6_000.0, 5_900.0), (4.0, 9_001.0, 9_001.0)):
        table.numbers[COMMITS] = commits
        deletes_whole_files(table, laws, 0.0, first)
        assert (table.numbers[CLEARED_FROM], table.numbers[DELETED_THROUGH]) == (cleared, commits * ROWS)
    for laws.knows_rows in (0, 1):  # which rows a file holds
        assert deletes_whole_files(table, laws, 0.0, 0.0) == laws.knows_rows
