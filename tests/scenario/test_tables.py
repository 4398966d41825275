"""One job that commits to several tables: what the language takes, and what it refuses in one line."""

import pytest
from support.scenarios import faults_of, loaded

SCENARIO = """\
name: several
question: What do they cost?
table: {columns: [{name: label, type: string}]}
workload: {rows_per_second: 1000}
writer: {%s}
commit_interval: 60s
horizon: 1h
"""
FOREACH = "kind: streaming, sink: foreach_batch, tables: "


@pytest.mark.parametrize(
    ("writer", "fault"),
    [
        (f"{FOREACH}0", 'writer.tables is "0". Give at least 1.'),
        (f"{FOREACH}-3", 'writer.tables is "-3". Give at least 1.'),
        (f"{FOREACH}10001", 'writer.tables is "10001". Give at most 10000.'),
        ("kind: streaming, tables: 3", "but a stream of Spark's into a table has one. Give sink: foreach_batch"),
        ("kind: batch, writers: 2, tables: 3", "but writer.writers is 2. Give one writer, or 1."),
    ],
)
def test_tables_that_cannot_be_are_refused(tmp_path, writer, fault):
    (said,) = faults_of(tmp_path, SCENARIO % writer)
    assert fault in said


@pytest.mark.parametrize("writer", [f"{FOREACH}12", "kind: batch, tables: 10000", "kind: flink, tables: 2"])
def test_each_table_gets_the_rows(tmp_path, writer):
    (case,) = loaded(tmp_path, SCENARIO % writer).cases()
    assert case.rows_per_commit == 60_000


def test_one_table_is_the_case_that_it_was_before(tmp_path):
    one, unsaid = (loaded(tmp_path, SCENARIO % f"kind: batch{text}").cases()[0] for text in (", tables: 1", ""))
    assert one.key({}) == unsaid.key({})
    assert "tables" not in str(one.document())
