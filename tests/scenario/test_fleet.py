"""A fleet's file: what a table of it may be, and what is refused, with its place."""

from pathlib import Path

import pytest

from wasim.errors import ScenarioError
from wasim.scenario.fleet import MOST_TABLES, load_fleet

BUDGET = "version: 1\nbudget: {monthly_cost: 5}\n"
BOUNDS = {  # least and most, and what is just beyond
    "columns": (3, 4, 2000, 2001),
    "files_per_commit": (0, 1, 10_000, 10_001),
    "partitions": (-1, 0, 100_000, 100_001),
    "count": (0, 1, 100_000, 100_001),
    "rows_per_second": (0, 0.001, 1e9, 1.1e9),
    "weight": (0, 0.001, 1e6, 1.1e6),
}


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "fleet.yaml"
    path.write_text(text)
    return path


def table(**given: object) -> str:
    fields = {"name": "a", "rows_per_second": 5} | given
    return f"{BUDGET}tables: [{{{', '.join(f'{key}: {value}' for key, value in fields.items())}}}]\n"


@pytest.mark.parametrize("field", BOUNDS)
def test_a_number_between_its_bounds_is_taken_and_one_beyond_is_refused(field: str, tmp_path: Path):
    below, least, most, above = BOUNDS[field]
    for value in (least, most):
        assert getattr(load_fleet(written(tmp_path, table(**{field: value}))).tables[0], field) == value
    for value in (below, above):
        with pytest.raises(ScenarioError, match=field):
            load_fleet(written(tmp_path, table(**{field: value})))


def test_a_table_of_which_little_is_said_is_like_most(tmp_path: Path):
    (one,) = load_fleet(written(tmp_path, table())).tables
    assert one.model_dump() == {
        "name": "a",
        "rows_per_second": 5,
        "columns": 20,
        "files_per_commit": 1,
        "partitions": 0,
        "writer": "streaming",
        "freshness": 3600,
        "weight": 1,
        "count": 1,
    }


def test_tables_are_counted_together(tmp_path: Path):
    tables = [f"{{name: {name}, rows_per_second: 5, count: {MOST_TABLES // 2}}}" for name in "ab"]
    assert len(load_fleet(written(tmp_path, f"{BUDGET}tables: [{', '.join(tables)}]\n")).tables) == 2
    tables.append("{name: c, rows_per_second: 5}")
    with pytest.raises(ScenarioError, match=r"tables are 100,001 in all\. Give 100,000 at most"):
        load_fleet(written(tmp_path, f"{BUDGET}tables: [{', '.join(tables)}]\n"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("version: 2\nbudget: {monthly_cost: 5}\ntables: []\n", "version"),
        ("version: 1\nbudget: {}\ntables: [{name: a, rows_per_second: 5}]\n", "monthly_cost"),
        ("version: 1\nbudget: {monthly_cost: -1}\ntables: [{name: a, rows_per_second: 5}]\n", "monthly_cost"),
        (f"{BUDGET}tables: [{{name: a}}]\n", "rows_per_second"),
        (BUDGET, "tables"),
        (f"{BUDGET}tables: [{{name: a, rows_per_second: 5}}]\n{BUDGET}", "version is given twice"),
        ("- 1\n", ""),
    ],
)
def test_nonsense_is_named_with_its_place(text: str, said: str, tmp_path: Path):
    path = written(tmp_path, text)
    with pytest.raises(ScenarioError) as raised:
        load_fleet(path)
    assert said in str(raised.value)
    assert str(raised.value).startswith(f"{path}:")


def test_every_fault_is_told_at_once(tmp_path: Path):
    text = "version: 7\nversion: 1\nbudget: {monthly_cost: 0}\ntables: [{name: a, rows_per_second: none}]\n"
    with pytest.raises(ScenarioError) as raised:
        load_fleet(written(tmp_path, text))
    places = [line.split(": ")[0].removeprefix(f"{tmp_path}/fleet.yaml:") for line in str(raised.value).splitlines()]
    assert places == ["1:10", "2:1", "3:24", "4:37"]


def test_a_file_that_is_not_there_is_told_with_what_it_should_be(tmp_path: Path):
    with pytest.raises(ScenarioError, match=r"no such file\. Give the path of a fleet's file"):
        load_fleet(tmp_path / "none.yaml")


def test_two_tables_of_one_name_are_refused(tmp_path: Path):
    twice = f"{BUDGET}tables: [{{name: a, rows_per_second: 5}}, {{name: a, rows_per_second: 6}}]\n"
    with pytest.raises(ScenarioError, match="2 tables are called 'a'"):
        load_fleet(written(tmp_path, twice))
