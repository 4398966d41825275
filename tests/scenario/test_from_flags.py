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
    ("writer", "fields"),
    [
        (None, {"kind": "streaming", "sink": "foreach_batch"}),
        ("batch", {"kind": "batch"}),
        ("flink", {"kind": "flink"}),
        ("trino", {"kind": "batch", "profile": "trino"}),
    ],
)
def test_several_tables_are_written_to_as_the_writer_can(writer, fields):
    document, said = document_from_flags({"rows_per_second": "5", "tables": "12", "writer": writer})
    assert document["writer"] == fields | {"tables": 12}
    assert "writer to each of 12 tables, horizon" in said[-1]
    assert document_from_flags({"rows_per_second": "5", "tables": "1"})[0]["writer"] == "streaming"


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"rows_per_second": None}, "--rows-per-second is missing."),
        ({"rows_per_second": "-5"}, '--rows-per-second is "-5".'),
        ({"files_per_commit": "0"}, '--files-per-commit is "0".'),
        ({"columns": "3"}, "--columns is '3'. Give a whole number, at least 4, at most 2000."),
        ({"columns": "2001"}, "--columns is '2001'. Give a whole number, at least 4, at most 2000."),
        ({"partitions": "100001"}, "--partitions is '100001'. Give a whole number, at least 0, at most 100000."),
        ({"writers": "10001"}, "--writers is '10001'. Give a whole number, at least 1, at most 10000."),
        ({"writers": "2", "writer": "streaming"}, "--writers is '2', but several writers are batches."),
        ({"tables": "0"}, "--tables is '0'. Give a whole number, at least 1, at most 10000."),
        ({"tables": "2", "writers": "3"}, '--tables is "2", but writer.writers is 3. Give one writer, or 1.'),
        ({"horizon": "soon"}, '--horizon is "soon".'),
    ],
)
def test_nonsense_names_its_flag_and_what_it_may_be(given, told):
    with pytest.raises(WasimError) as raised:
        scenario_of_flags({"rows_per_second": "5"} | given, "1m")
    assert str(raised.value).startswith(told)
    assert "\n" not in str(raised.value)


def test_too_many_partitions_name_the_flag_and_its_maximum():
    flags = {"rows_per_second": "5000", "partitions": "5000"}
    with pytest.raises(WasimError) as raised:
        scenario_of_flags(flags, "1m")
    assert str(raised.value).startswith("--partitions ")
    assert str(raised.value).endswith("Give at most 1000.")
