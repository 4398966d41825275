"""A fleet's file: what a table of it may be, and what is refused, with its place."""

from pathlib import Path

import pytest

from wasim.errors import ScenarioError
from wasim.scenario.fleet import MOST_TABLES, fleet_of, load_fleet

BUDGET = "version: 1\nbudget: {monthly_cost: 5}\n"
BOUNDS = {  # least and most, and what is just beyond
    "columns": (3, 4, 2000, 2001),
    "files_per_commit": (0, 1, 100_000, 100_001),
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
def test_a_number_beyond_its_bounds_is_refused(field: str, tmp_path: Path):
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
        "scenario": None,
        "set": {},
        "from_table": None,
        "freshness": None,
        "limits": {},
        "now": None,
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
        ("version: 1\ntables: []\n", "2:1: tables is an empty list. Give at least one"),
        (f"{BUDGET}tables: [{{rows_per_second: 5}}]\n", "3:10: tables[0] is a mapping. Give its name"),
        (table(scenario="a.yaml"), "3:10: tables[0] is a mapping. Give one of rows_per_second, scenario, from_table"),
        (f"{BUDGET}tables: [{{from_table: t, columns: 5}}]\n", "from_table without columns, which it has of its own"),
        (f"{BUDGET}tables: [{{from_table: t, set: {{seed: 1}}}}]\n", "from_table without set, which it has of its own"),
        (table(rows="5"), "tables[0].rows is unknown"),
        (table(limits="{wa_data: '< 1'}"), "limits on wa_metadata, "),
        (table(limits="{manifests: 5}"), "limits.manifests an upper bound"),
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


def test_a_missing_file_is_named_with_what_it_should_be(tmp_path: Path):
    with pytest.raises(ScenarioError, match=r"no such file\. Give the path of a fleet's file"):
        load_fleet(tmp_path / "none.yaml")


def test_two_tables_of_one_name_are_refused(tmp_path: Path):
    twice = f"{BUDGET}tables: [{{name: a, rows_per_second: 5}}, {{name: a, rows_per_second: 6}}]\n"
    with pytest.raises(ScenarioError, match="2 tables are called 'a'"):
        load_fleet(written(tmp_path, twice))


def test_paths_start_from_the_fleets_file_and_name_their_tables(tmp_path: Path):
    entries = ["scenario: s.yaml", "from_table: ../lake/t", "from_table: c.n.t", "from_table: s3://b/t", "scenario: /s"]
    tables = load_fleet(
        written(tmp_path, f"version: 1\ntables: [{', '.join(f'{{{one}}}' for one in entries)}]\n")
    ).tables
    assert [one.name for one in tables] == [one.split(": ")[1] for one in entries]
    assert [one.scenario or one.from_table for one in tables] == [
        f"{tmp_path}/s.yaml",
        f"{tmp_path}/../lake/t",
        "c.n.t",
        "s3://b/t",
        "/s",
    ]


def test_limits_are_a_scenarios(tmp_path: Path):
    (one,) = load_fleet(written(tmp_path, table(limits="{metadata_json_bytes: '< 5 MiB'}"))).tables
    assert [(bound.metric, bound.comparison, bound.bound) for bound in one.bounds] == [
        ("metadata_json_bytes", "<", 5 * 2**20)
    ]


def test_tables_of_a_warehouse_are_called_by_their_places():
    long = "x" * 300
    found = fleet_of(("s3://b/lake/db/t", f"s3://b/lake/{long}"), "s3://b/lake/", None).tables
    assert [one.name for one in found] == ["db/t", f"…{long[:199]}"]
    assert found[0].from_table == "s3://b/lake/db/t"
