"""A table after one thing of its evolution, and what does not fit it."""

from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from wasim.scenario.change_checks import DoesNotFit, evolve, wanted
from wasim.scenario.changes import Evolution
from wasim.scenario.parts import Table

COLUMNS = [
    {"name": "a", "type": "int"},
    {"name": "b", "type": "float", "required": True},
    {"name": "c", "type": "decimal(9,2)"},
    {"name": "many", "type": "int", "count": 2},
]
TABLE = Table.model_validate({"columns": COLUMNS, "partition_by": [{"column": "a", "transform": "bucket[2]"}]})


def after(table: Table = TABLE, **happens: Any) -> Table:
    return evolve(table, Evolution.model_validate({"at": "1s", **happens}))


def names(table: Table) -> list[str]:
    return [column.name for column in table.columns]


@given(data=st.data(), order=st.permutations(["v", "w", "x", "y", "z"]))
def test_a_column_moves_behind_another_or_first(data, order):
    table = Table.model_validate({"columns": [{"name": name, "type": "int"} for name in order]})
    column = data.draw(st.sampled_from(order))
    behind = data.draw(st.sampled_from([name for name in order if name != column] + ["event_time"]))
    rest = [name for name in order if name != column]
    place = 0 if behind == "event_time" else rest.index(behind) + 1
    assume(place != order.index(column))
    moved = after(table, move_column={"column": column, "after": behind})
    assert names(moved) == [*rest[:place], column, *rest[place:]]


def test_each_thing_changes_what_it_names_and_nothing_else():
    assert names(after(add_column={"name": "d", "type": "long"})) == ["a", "b", "c", "many", "d"]
    assert names(after(drop_column="b")) == ["a", "c", "many"]
    renamed = after(rename_column={"column": "a", "to": "z"})
    assert (names(renamed), renamed.partition_by[0].column) == (["z", "b", "c", "many"], "z")
    for column, wider in (("a", "long"), ("b", "double"), ("c", "decimal(38,2)"), ("c", "decimal(10,2)")):
        widened = after(widen_column={"column": column, "type": wider})
        assert [one.type for one in widened.columns if one.name == column] == [wider]
    assert not after(make_optional="b").columns[1].required
    by_day = {"column": "event_time", "transform": "day"}
    partitioned = after(add_partition_field=by_day)
    assert [field.column for field in partitioned.partition_by] == ["a", "event_time"]
    assert after(partitioned, drop_partition_field=by_day) == TABLE
    with_properties = after(set_properties={"k": "v"})
    assert with_properties.properties == {"k": "v"}
    assert after(with_properties, set_properties={"k": "v", "l": "w"}).properties == {"k": "v", "l": "w"}
    assert after(with_properties, set_properties={"k": "v"}) == with_properties
    assert after(create_tag="t") is TABLE


@pytest.mark.parametrize(
    ("happens", "problem"),
    [
        ({"add_column": {"name": "A", "type": "int"}}, "the table has already"),
        ({"add_column": {"name": "Event_ID", "type": "int"}}, "the table has already"),
        ({"add_column": {"name": "d", "type": "int", "required": True}}, "older rows have no value"),
        ({"drop_column": "a"}, "by which the table is partitioned"),
        ({"drop_column": "event_id"}, "which stays as it is: table.key_column names it"),
        ({"drop_column": "many"}, "which stands for 2 columns"),
        ({"drop_column": "none"}, "no column of the table at that time"),
        ({"rename_column": {"column": "a", "to": "b"}}, "the table has already"),
        ({"widen_column": {"column": "a", "type": "double"}}, "but the column is int"),
        ({"widen_column": {"column": "c", "type": "decimal(9,2)"}}, "but the column is decimal"),
        ({"widen_column": {"column": "c", "type": "decimal(12,3)"}}, "but the column is decimal"),
        ({"move_column": {"column": "a", "after": "a"}}, "is the column itself"),
        ({"move_column": {"column": "a", "after": "event_time"}}, "it follows already"),
        ({"make_optional": "a"}, "may be null already"),
        ({"add_partition_field": {"column": "a", "transform": "bucket[2]"}}, "in the partition spec already"),
        ({"drop_partition_field": {"column": "a", "transform": "bucket[3]"}}, "not in the partition spec at that time"),
        ({}, "not what happens"),
        ({"create_tag": "t", "drop_column": "b"}, "is given as well as drop_column"),
    ],
    ids=str,
)
def test_what_does_not_fit_is_said(happens, problem):
    with pytest.raises(DoesNotFit, match=problem):
        after(**happens)


def test_the_last_column_stays():
    one = Table.model_validate({"columns": [{"name": "a", "type": "int"}]})
    with pytest.raises(DoesNotFit, match="the last column"):
        after(one, drop_column="a")
    two = Table.model_validate({"columns": [{"name": "a", "type": "int"}, {"name": "b", "type": "int"}]})
    assert names(after(two, drop_column="a")) == ["b"]


def test_what_is_wanted_is_the_one_field_given():
    assert wanted(Evolution.model_validate({"at": "1s", "rollback_commits": 2})) == ("rollback_commits", 2)
