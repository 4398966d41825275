"""A scenario from plain flags: `wasim simulate` and `wasim plan` without a file."""

import pytest
from typer.testing import CliRunner

from wasim.cli import app
from wasim.errors import WasimError
from wasim.scenario.from_flags import document_from_flags, scenario_of_flags


def test_columns_are_as_many_as_asked_for():
    for columns, partitions in (("4", "0"), ("40", "24"), ("7", "1")):
        document, _ = document_from_flags({"rows_per_second": "5", "columns": columns, "partitions": partitions})
        assert 2 + sum(one.get("count", 1) for one in document["table"]["columns"]) == int(columns)


def test_flags_simulate_every_interval():
    flags = ("--rows-per-second", "5", "--interval", "1m, 5m", "--horizon", "1d", "--table-only", "--format", "csv")
    result = CliRunner().invoke(app, ["simulate", *flags, "--mode", "fast"])
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert [line.split(",")[4] for line in lines[1:3]] == ["1m", "5m"]


@pytest.mark.parametrize(
    ("given", "flag"),
    [
        ({}, "--rows-per-second is missing"),
        ({"rows_per_second": "-5"}, '--rows-per-second is "-5"'),
        ({"rows_per_second": "5", "files_per_commit": "0"}, "--files-per-commit"),
        ({"rows_per_second": "5", "columns": "3"}, "--columns"),
        ({"rows_per_second": "5", "columns": "99999"}, "--columns"),
        ({"rows_per_second": "5", "partitions": "1000000000"}, "--partitions"),
        ({"rows_per_second": "5", "writers": "65"}, "--writers"),
        ({"rows_per_second": "5", "writers": "2", "writer": "streaming"}, "--writers"),
        ({"rows_per_second": "5", "horizon": "soon"}, "--horizon"),
    ],
)
def test_nonsense_names_its_flag(given, flag):
    with pytest.raises(WasimError) as raised:
        scenario_of_flags(given, "1m")
    assert str(raised.value).startswith(flag)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("flag", "text", "said"),
    [
        ("columns", "3", "at least 4, at most 2000."),
        ("partitions", "1000000000", "at least 0, at most 100000."),
        ("columns", "2001", "at least 4, at most 2000."),
        ("writers", "65", "at least 1, at most 64."),
    ],
)
def test_a_number_beyond_its_range_is_told_the_range(flag, text, said):
    with pytest.raises(WasimError, match=rf"Give a whole number, {said}$"):
        scenario_of_flags({"rows_per_second": "5", flag: text}, "1m")
