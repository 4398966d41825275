"""What a change does to the figures: by closed forms where there are some, and in the words of the headline."""

from dataclasses import replace

import pytest
from support.paths import SCENARIOS

from wasim.diff.difference import Difference, Differences, Workload, find_differences
from wasim.diff.projection import Terms
from wasim.diff.sides import Pair
from wasim.diff.words import difference_lines, differences_comment, differences_document, headline, judge_differences
from wasim.report.gate import parse_gate

SCENARIO = """
name: events
question: What does it cost?
table: {columns: [{name: v, type: double, count: 8}]}
workload: {rows_per_second: 100}
writer: batch
commit_interval: 10m
horizon: 1d
limits: {metadata_json_bytes: "<= 400 KiB"}
"""
SINK = "iceberg.tables=a.b,c.d,e.f\niceberg.control.commit.interval-ms="
WORKLOAD = Workload(text=SCENARIO, assumed=("Tried on this.",), expires=False)
TERMS = Terms(horizon="1d")


def differences(name: str, before: str | None, after: str | None) -> Differences:
    return find_differences([Pair(name=name, before=before, after=after)], WORKLOAD, TERMS)


def only(found: Differences) -> Difference:
    (difference,) = found.found
    return difference


def ratios(difference: Difference) -> dict[str, float]:
    return {one.metric: one.ratio or 0.0 for one in difference.figures}


@pytest.fixture(scope="module")
def found() -> Differences:
    """The differences of a file that shortens the interval."""
    return differences("events.yaml", SCENARIO, SCENARIO.replace("10m", "1m"))


@pytest.fixture(scope="module")
def shorter(found: Differences) -> Difference:
    return only(found)


def test_a_tenth_of_the_interval_makes_metadata_json_tenfold(shorter: Difference) -> None:
    assert ratios(shorter)["metadata_json_bytes"] == pytest.approx(10, rel=0.15)
    assert ratios(shorter)["metadata_bytes_per_day"] > 30  # its own size, at ten times as many commits


def test_the_headline_says_what_changed_and_what_breaks(shorter: Difference) -> None:
    said = headline(shorter)
    assert said.startswith("10m → 1m: metadata a day ")
    assert " USD a month" in said
    assert said.endswith("limit `metadata_json_bytes` breached")
    assert [one.limit.metric for one in shorter.broken] == ["metadata_json_bytes"]


def test_limits_that_are_not_judged_are_named() -> None:
    limited = SCENARIO.replace("limits: {", 'limits: {commit_p95_ms: "< 2s", metadata_bytes: "< 1 GiB", ')
    found = differences("events.yaml", limited, limited.replace("10m", "1m"))
    lines = "\n".join(difference_lines(found))
    verdict = judge_differences(found, None, fails_on_missing=False)
    for said in (lines, differences_comment(found, verdict)):
        assert "commit_p95_ms < 2s: not judged, of times a plan has the median of planning only." in said
        assert "metadata_bytes < 1 GiB: not judged, it is for the scenario's own horizon." in said
    (document,) = differences_document(found, verdict)["differences"]
    assert len(document["not_judged"]) == 2


def test_intervals_beyond_what_a_profile_ships_change_nothing() -> None:
    often = SCENARIO.replace("100}", "100000}").replace("writer: batch", "writer: {kind: batch, profile: firehose}")
    assert not differences("events.yaml", often, often.replace("10m", "5m")).found


def test_the_way_back_breaks_nothing() -> None:
    back = only(differences("events.yaml", SCENARIO.replace("10m", "1m"), SCENARIO))
    assert back.broken == ()
    assert " − " in f" {headline(back)}".replace(", −", " −")


def test_gzip_in_sql_shrinks_metadata_json_alone() -> None:
    sql = "CREATE TABLE t (a int) TBLPROPERTIES ('format-version'='2'{})"
    found = differences("t.sql", sql.format(""), sql.format(", 'write.metadata.compression-codec'='gzip'"))
    difference = only(found)
    assert ratios(difference)["metadata_json_bytes"] < 0.2
    assert ratios(difference)["manifests"] == 1
    assert difference.changes == ("`write.metadata.compression-codec` unset → gzip",)
    assert found.assumed == ("Tried on this.",)


def test_the_tables_own_age_of_snapshots_is_when_they_expire() -> None:
    text = "history.expire.max-snapshot-age-ms={}"
    terms = Terms(horizon="5d")
    pair = Pair(name="t.properties", before=text.format(4 * 86_400_000), after=text.format(86_400_000))
    difference = only(find_differences([pair], WORKLOAD, terms))
    assert "`maintenance.expire_snapshots.older_than` 4d → 1d" in difference.changes
    assert ratios(difference)["metadata_json_bytes"] < 0.5


def test_settings_of_one_writer_are_tried_on_that_writer() -> None:
    flink = Workload(text=SCENARIO.replace("batch", "flink"), assumed=("Flink.",), expires=False)
    workload = replace(WORKLOAD, of_writers={"flink": flink})
    pairs = [
        Pair(name="flink.yaml", before=None, after="execution.checkpointing.interval: 5min"),
        Pair(name="t.properties", before="stream.trigger=1m", after="stream.trigger=5m"),
    ]
    found = find_differences(pairs, workload, TERMS)
    assert [one.changes[0] for one in found.found] == ["10m → 5m", "1m → 5m"]
    assert found.assumed == ("Flink.", "Tried on this.")


def test_tables_that_a_file_names_are_counted_or_said() -> None:
    pairs = [Pair(name="sink.properties", before=f"{SINK}60000", after=f"{SINK}300000")]
    counting = replace(WORKLOAD, text=SCENARIO.replace("writer: batch", "writer: {kind: batch}"), counts_tables=True)
    one, all_of_them = (only(find_differences(pairs, workload, TERMS)) for workload in (WORKLOAD, counting))
    assert (one.tables, all_of_them.tables) == ((1, 1), (3, 3))
    assert one.notes[0].startswith("The file names 3 tables: figures are of 1 ")
    assert not any("The file names" in note for note in all_of_them.notes)


def test_a_new_file_is_compared_with_icebergs_defaults() -> None:
    found = differences("t.sql", None, "ALTER TABLE t SET TBLPROPERTIES ('write.metadata.compression-codec'='gzip')")
    assert ratios(only(found))["metadata_json_bytes"] < 0.2


def test_what_is_not_counted_or_not_read_is_named() -> None:
    sql = "ALTER TABLE t SET TBLPROPERTIES ('write.parquet.page-size-bytes'='{}', 'owner'='{}')"
    found = differences("t.sql", sql.format(1, "a"), sql.format(2, "b"))
    notes = only(found).notes
    assert any("write.parquet.page-size-bytes" in note and "not simulated" in note for note in notes)
    assert any("`owner` is no table property" in note for note in notes)
    broken = differences("t.sql", sql, "ALTER TABLE t SET TBLPROPERTIES ('commit.manifest.min-count-to-merge'='x')")
    assert not broken.found
    assert "commit.manifest.min-count-to-merge" in broken.unread[0]
    assert "/" not in broken.unread[0].partition(":")[2]
    assert not judge_differences(broken, None, fails_on_missing=True).passed


def test_where_files_lie_is_said_once() -> None:
    text = (SCENARIOS / "smoke.yaml").read_text().replace("[1s, 4s]", "[1h]").replace("12s", "1d")
    found = differences("smoke.yaml", text, text.replace("[1h]", "[2h]"))
    places = [line for line in difference_lines(found) if line.startswith("Files lie at ")]
    assert places == ["Files lie at s3://bucket-name-in-region/warehouse/database.db/table_name (default)."]
    pair = Pair(name="t.yaml", before=SCENARIO, after=SCENARIO.replace("10m", "1h"))
    elsewhere = find_differences([pair], WORKLOAD, Terms(horizon="1d", location="s3://b/t"))
    assert list(difference_lines(elsewhere))[-1] == "Files lie at s3://b/t."


def test_a_changed_trigger_in_code_is_named() -> None:
    code = "log()\ndf.writeStream.trigger(processingTime='60 seconds')\n"
    changed = differences("job.py", code, code.replace("60", "5"))
    assert [line.partition(" in a file")[0] for line in changed.unread] == ["job.py: \"processingTime='5 seconds')\""]
    assert not judge_differences(changed, None, fails_on_missing=True).passed
    assert differences("job.py", code, "log()\n").unread[0].startswith('job.py: before the change, "processingTime=')
    assert not differences("job.py", code, code.replace("log", "debug")).unread


def test_an_interval_that_is_no_period_is_not_compared() -> None:
    text = "a.execution.checkpointing.interval=10m\nb.execution.checkpointing.interval="
    found = differences("jobs.properties", f"{text}1m", f"{text}often")
    assert list(difference_lines(found)) == [
        "Nothing changes in what was compared.",
        "Not compared: jobs.properties: b.execution.checkpointing.interval is often, which is no period.",
    ]


def test_cases_of_sweeps_are_matched_by_label_then_order() -> None:
    text = (SCENARIOS / "smoke.yaml").read_text().replace("[1s, 4s]", "[10m, 1h]").replace("12s", "1d")
    found = differences("smoke.yaml", text, text.replace("10m", "30m").replace("50", "60"))
    assert [one.name.partition(" (")[2] for one in found.found] == [
        f"{writer} every {interval})" for interval in ("1h", "30m") for writer in ("streaming", "batch")
    ]
    assert [one.changes[0] == "10m → 30m" for one in found.found] == [False, False, True, True]
    assert not found.unread


def test_cases_of_one_side_alone_are_named_and_not_compared() -> None:
    text = (SCENARIOS / "smoke.yaml").read_text().replace("12s", "1d")
    found = differences("smoke.yaml", text.replace("[1s, 4s]", "[10m]"), text.replace("[1s, 4s]", "[20m, 1h, 2h]"))
    assert [line.partition(": only ")[2].partition(" the change")[0] for line in found.unread] == ["before", "after"]
    assert "batch every 10m" in found.unread[0]
    assert next(iter(difference_lines(found))) == "Nothing was compared."


def test_the_comment_is_found_again_by_its_first_line(found: Differences) -> None:
    verdict = judge_differences(found, parse_gate("metadata=1.1"), fails_on_missing=False)
    lines = differences_comment(found, verdict).splitlines()
    assert lines[0] == "<!-- wasim diff -->"
    assert lines[1].startswith("### ✗ 10m → 1m: ")
    assert sum(line.startswith("- ✗ events.yaml: ") for line in lines) == 3
    assert "- ✗ `metadata_json_bytes` at most 400 KiB: " in "\n".join(lines)
    assert all(len(line) <= 80 for line in difference_lines(found) if "×" in line)


def test_totals_of_several_tables_say_they_are_the_job_s() -> None:
    found = differences("events.yaml", SCENARIO, SCENARIO.replace("writer: batch", "writer: {kind: batch, tables: 5}"))
    grown = {name: ratio for name, ratio in ratios(only(found)).items() if ratio != pytest.approx(1)}
    assert grown == pytest.approx({"monthly_cost": 5, "metadata_bytes_per_day": 5, "metadata_on_disk_bytes": 5})
    assert any("are of all tables of the job, 1 before and 5 after" in line for line in difference_lines(found))
    (document,) = differences_document(found, judge_differences(found, None, fails_on_missing=False))["differences"]
    assert document["tables"] == {"before": 1, "after": 5}
