"""A trigger comes to an interval: the first of what it names."""

import pytest
from support.scenarios import faults_of, loaded

SCENARIO = """\
name: triggered
question: When does it commit?
table:
  columns: [{name: label, type: string, length: 76}, {name: price, type: "decimal(10,2)"}]
workload: {rows_per_second: 1000}
writer: {kind: batch, trigger: {%s}}
commit_interval: 60s
horizon: 1h
"""


@pytest.mark.parametrize(
    ("trigger", "interval_s"),
    [
        ("rows: 5000", 5.0),
        ("bytes: 1080 KB", 10.0),  # of 8 + 8 + 76 + 16 bytes a row
        ("bytes: 1080 KB, row_bytes: 540", 2.0),
        ("rows: 5000, bytes: 216 KB", 2.0),
        ("rows: 3333", 3.333),
    ],
)
def test_what_comes_first_is_the_interval(tmp_path, trigger, interval_s):
    (case,) = loaded(tmp_path, SCENARIO % trigger).cases()
    assert case.commit_interval_s == interval_s
    assert case.horizon_s <= 3600.0


def test_a_file_has_the_tables_target_size(tmp_path):
    (case,) = loaded(
        tmp_path, SCENARIO % "files: 2", table__properties='{"write.target-file-size-bytes": "540000"}'
    ).cases()
    assert case.commit_interval_s == 10.0


def test_a_trigger_that_never_fires_is_refused(tmp_path):
    assert faults_of(tmp_path, SCENARIO % "rows: 90000") == [
        '6:39: writer.trigger.rows is "90000", which takes 1m30s, so that commit_interval, "60s", always comes first'
        " and it never fires. Give less, a longer commit_interval, or take it out."
    ]


@pytest.mark.parametrize(
    ("workload", "writer", "fault"),
    [
        (", active: {lasts: 1d, every: 8h}", "kind: batch", "lasts 1d of every 8h. Give less than the period"),
        (", active: {lasts: 10s, every: 8h}", "kind: batch", "Give less than the period, and 1m at least."),
        ("", "kind: batch, idle_commit_every: 10", "writer.idle_commit_every is 10, but rows come in every interval"),
        (", active: {lasts: 8h, every: 1d}", "kind: batch, writers: 3", "is given with writer.writers. Take one of"),
    ],
)
def test_idle_time_that_cannot_be_is_refused(tmp_path, workload, writer, fault):
    text = SCENARIO.replace("1000}", f"1000{workload}}}").replace("kind: batch, trigger: {%s}", writer)
    assert [one for one in faults_of(tmp_path, text) if fault in one]
