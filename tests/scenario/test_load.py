"""What a sound scenario becomes: values as written, cases, keys."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.paths import SCENARIOS
from support.scenarios import faults_of, loaded

from wasim.errors import ScenarioError
from wasim.scenario import case_from_document, load_scenario
from wasim.units import DURATION_WANTED

SHIPPED = sorted((SCENARIOS).glob("*.yaml"))
# ten thousand cases are for --grid alone, a year is simulated only, and maintenance beside Flink too
BENCHED = [path for path in SHIPPED if path.stem not in ("grid", "events_lake", "flink_upsert")]

HEAD = """\
name: sound
question: What loads?
workload: {rows_per_second: 10}
horizon: 1m
"""
TABLE = "table: {columns: [{name: payload, type: string}]}\n"
WHOLE = HEAD + TABLE + "commit_interval: 5s\nwriter: batch\n"


def test_properties_are_the_text_as_written(tmp_path: Path) -> None:
    properties = "{a: true, b: 10, c: 1e3, d: no, e: 1:30, f: 0x1F, g: ~, h: 010, i: '', j: 2020-01-01}"
    scenario = loaded(tmp_path, WHOLE.replace("string}]", f"string}}], properties: {properties}"))
    assert scenario.scenario.table.properties == {
        "a": "true", "b": "10", "c": "1e3", "d": "no", "e": "1:30", "f": "0x1F", "g": "~", "h": "010", "i": "",
        "j": "2020-01-01",
    }  # fmt: skip


def test_numbers_become_numbers_where_numbers_are_wanted(tmp_path: Path) -> None:
    scenario = loaded(
        tmp_path, WHOLE.replace("10}", "1e3, files_per_commit: 3}") + "planning: {cold: false}\n"
    ).scenario
    assert (scenario.workload.rows_per_second, scenario.workload.files_per_commit) == (1000.0, 3)
    assert scenario.planning.cold is False
    assert (scenario.commit_interval, scenario.horizon) == (5.0, 60.0)


def test_the_text_is_kept_as_written(tmp_path: Path) -> None:
    text = "# a remark\n" + WHOLE
    assert loaded(tmp_path, text).text == text


def test_without_a_sweep_there_is_one_case(tmp_path: Path) -> None:
    (case,) = loaded(tmp_path, WHOLE).cases()
    assert (case.label, case.commits, case.rows_per_commit, case.swept) == ("batch every 5s", 12, 50, {})


def test_cases_are_all_combinations_in_the_order_written(tmp_path: Path) -> None:
    sweep = "sweep: {commit_interval: [5s, 60s], writer: [streaming, batch]}\n"
    cases = loaded(tmp_path, HEAD + TABLE + sweep).cases()
    assert [case.label for case in cases] == [
        "streaming every 5s", "batch every 5s", "streaming every 1m", "batch every 1m"
    ]  # fmt: skip
    assert cases[2].swept == {"commit_interval": "60s", "writer": "streaming"}


def test_every_case_is_measured_once_before_any_is_repeated(tmp_path: Path) -> None:
    sweep = "repetitions: 2\nsweep: {commit_interval: [5s, 6s], writer: [batch]}\n"
    cases = loaded(tmp_path, HEAD + TABLE + sweep).cases()
    assert [(case.commit_interval_s, case.repetition) for case in cases] == [(5, 0), (6, 0), (5, 1), (6, 1)]
    assert cases[2].label == "batch every 5s #2"


def test_a_swept_value_replaces_the_one_above(tmp_path: Path) -> None:
    cases = loaded(tmp_path, WHOLE + "sweep: {commit_interval: [1s, 2s]}\n").cases()
    assert [case.commit_interval_s for case in cases] == [1.0, 2.0]


def test_dotted_fields_reach_any_depth(tmp_path: Path) -> None:
    sweep = "sweep: {table.format_version: [1, 3], workload.files_per_commit: [2], planning.rounds: [7]}\n"
    cases = loaded(tmp_path, WHOLE + sweep).cases()
    assert [case.table.format_version for case in cases] == [1, 3]
    assert {(case.workload.files_per_commit, case.planning.rounds) for case in cases} == {(2, 7)}


def test_a_property_with_dots_in_its_name_is_swept(tmp_path: Path) -> None:
    sweep = "sweep: {table.properties.commit.manifest.min-count-to-merge: [5, 100]}\n"
    first, second = loaded(tmp_path, WHOLE + sweep).cases()
    assert first.table.properties == {"commit.manifest.min-count-to-merge": "5"}
    assert second.label == "batch every 5s commit.manifest.min-count-to-merge=100"


def test_a_column_is_swept_by_its_name(tmp_path: Path) -> None:
    cases = loaded(tmp_path, WHOLE + "sweep: {table.columns.payload.count: [1, 100]}\n").cases()
    assert [case.table.columns[0].count for case in cases] == [1, 100]
    assert cases[1].table.columns[0].names[:2] == ("payload_0", "payload_1")


def test_a_nested_field_is_swept_by_its_name(tmp_path: Path) -> None:
    table = "table: {columns: [{name: actor, type: struct, fields: [{name: tag, type: string}]}]}\n"
    sweep = "sweep: {table.columns.actor.fields.tag.length: [8, 64]}\n"
    cases = loaded(tmp_path, WHOLE.replace(TABLE, table) + sweep).cases()
    assert [case.table.columns[0].fields[0].length for case in cases] == [8, 64]


def test_the_short_writer_can_be_swept_into(tmp_path: Path) -> None:
    sweep = "sweep: {writer.append: [fast, merge]}\n"
    cases = loaded(tmp_path, WHOLE.replace("batch", "streaming") + sweep).cases()
    assert [(case.writer_name, case.merges) for case in cases] == [("streaming", False), ("streaming+merge", True)]


def test_whole_writers_can_be_swept(tmp_path: Path) -> None:
    sweep = "sweep:\n  writer:\n  - {kind: streaming, append: merge}\n  - kind: streaming\n    sink: foreach_batch\n"
    cases = loaded(tmp_path, HEAD + TABLE + "commit_interval: 5s\n" + sweep).cases()
    assert [case.writer_name for case in cases] == ["streaming+merge", "streaming-foreach"]
    assert [case.swept["writer"] for case in cases] == [
        "{kind: streaming, append: merge}", "{kind: streaming, sink: foreach_batch}"
    ]  # fmt: skip


def test_none_leaves_a_part_out_alone_and_in_a_sweep(tmp_path: Path) -> None:
    sweep = """
changes: none
evolution: none
sweep:
  maintenance: [none, {rewrite_manifests: {every: 5s}, expire_snapshots: none}]
  writer: [batch, {kind: batch, upsert: none}]
"""
    with pytest.raises(ScenarioError, match=r"sweep\.writer\[1\] is the same as sweep\.writer\[0\]"):
        loaded(tmp_path, WHOLE + sweep)
    cases = loaded(tmp_path, WHOLE + sweep.replace("upsert: none", "upsert: {share: 0.5}")).cases()
    assert [case.has_maintenance for case in cases] == [False, False, True, True]
    assert not cases[0].has_changes
    assert cases[0].label == "batch every 5s no maintenance"


@pytest.mark.parametrize(("text", "size"), [("4096", 4096), ("128 MiB", 128 * 1024**2), ("128MB", 128 * 10**6)])
def test_sizes_have_units(text: str, size: int, tmp_path: Path) -> None:
    upkeep = f"maintenance: {{rewrite_data_files: {{every: 5s, target_file_size_bytes: {text}}}}}\n"
    compaction = loaded(tmp_path, WHOLE + upkeep).scenario.maintenance.rewrite_data_files
    assert compaction is not None
    assert compaction.target_file_size_bytes == size


@pytest.mark.parametrize(("text", "seconds"), [("2w", 14 * 86400.0), ("1y", 365 * 86400.0), ("1y1d", 366 * 86400.0)])
def test_weeks_and_years_are_durations(text: str, seconds: float, tmp_path: Path) -> None:
    assert loaded(tmp_path, WHOLE.replace("1m", text)).scenario.horizon == seconds


def test_flink_is_a_stream_with_its_profile_that_merges(tmp_path: Path) -> None:
    sweep = (
        "sweep: {writer: [flink, {kind: flink, upsert: {share: 0.5}}, {kind: streaming, profile: lake/mine.json}]}\n"
    )
    appends, upserts, own = loaded(tmp_path, WHOLE.replace("writer: batch\n", "") + sweep).cases()
    assert [case.writer_name for case in (appends, upserts, own)] == ["flink", "flink-upsert", "mine"]
    assert [case.merges for case in (appends, upserts, own)] == [True, True, False]
    assert (appends.writer.kind, appends.writer.profile) == ("streaming", "flink")
    assert upserts.key_columns == ("event_id",)
    assert case_from_document(upserts.document()) == upserts


def test_a_case_without_a_profile_keeps_its_old_document(tmp_path: Path) -> None:
    (case,) = loaded(tmp_path, WHOLE).cases()
    assert "profile" not in case.document()["writer"]  # type: ignore[operator]


def test_a_required_field_within_a_part_may_be_swept_alone(tmp_path: Path) -> None:
    sweep = "sweep: {workload.rows_per_second: [1, 2]}\n"
    cases = loaded(tmp_path, WHOLE.replace("workload: {rows_per_second: 10}\n", "") + sweep).cases()
    assert [case.rows_per_commit for case in cases] == [5, 10]


def test_a_named_merge_append_is_the_batch_writer(tmp_path: Path) -> None:
    (case,) = loaded(tmp_path, WHOLE.replace("writer: batch", "writer: {kind: batch, append: merge}")).cases()
    assert (case.writer_name, case.merges) == ("batch", True)


@pytest.mark.parametrize("transform", ["hour", "day", "month", "year", "bucket[8]"])
def test_event_time_is_partitioned_by_any_coarse_transform(transform: str, tmp_path: Path) -> None:
    partition = f'partition_by: [{{column: event_time, transform: "{transform}"}}], columns'
    assert loaded(tmp_path, WHOLE.replace("columns", partition)).scenario.table.partition_by[0].transform == transform


def test_event_id_is_partitioned_by_bucket_but_not_by_itself(tmp_path: Path) -> None:
    bucket = WHOLE.replace("columns", 'partition_by: [{column: event_id, transform: "bucket[16]"}], columns')
    assert loaded(tmp_path, bucket).scenario.table.partition_by[0].column == "event_id"
    with pytest.raises(ScenarioError, match="would make a partition of every event_id"):
        loaded(tmp_path, WHOLE.replace("columns", "partition_by: [{column: event_id}], columns"))


def test_day_and_hour_of_one_column_are_refused(tmp_path: Path) -> None:
    both = "partition_by: [{column: event_time, transform: day}, {column: event_time, transform: hour}], columns"
    with pytest.raises(ScenarioError, match="repeats event_time, partitioned by time already"):
        loaded(tmp_path, WHOLE.replace("columns", both))


def test_a_case_survives_its_document(tmp_path: Path) -> None:
    table = (
        "table: {columns: [{name: a, type: struct, fields: [{name: b, type: int, values: 3}]}], properties: {x: 1}}\n"
    )
    (case,) = loaded(tmp_path, WHOLE.replace(TABLE, table)).cases()
    assert case_from_document(case.document()) == case


def test_cases_have_different_keys_and_keep_them(tmp_path: Path) -> None:
    text = WHOLE + "sweep: {seed: [1, 2], table.format_version: [1, 2]}\nrepetitions: 2\n"
    keys = [[case.key({"iceberg": "1.12.0"}) for case in loaded(tmp_path, text).cases()] for _ in range(2)]
    assert keys[0] == keys[1]
    assert len(set(keys[0])) == 8


def test_a_byte_order_mark_and_windows_line_ends_are_read(tmp_path: Path) -> None:
    assert loaded(tmp_path, b"\xef\xbb\xbf" + WHOLE.replace("\n", "\r\n").encode()).name == "sound"


def test_a_file_too_large_is_refused_and_not_cut(tmp_path: Path) -> None:
    (fault,) = faults_of(tmp_path, WHOLE.ljust(1024 * 1024 + 1, "#"))
    assert fault.startswith("1:1: the file is larger than 1 MiB.")


@pytest.mark.parametrize(
    "path",
    # a grid has thousands of cases
    [pytest.param(path, id=path.stem, marks=[pytest.mark.slow] if path.stem == "grid" else []) for path in SHIPPED],
)
def test_shipped_scenarios_are_sound_and_named_as_their_files(path: Path) -> None:
    scenario = load_scenario(path)
    assert scenario.name == path.stem
    assert scenario.text.startswith("# yaml-language-server: $schema=schema.json\n")


def test_shipped_scenarios_stay_within_what_real_spark_does_in_minutes() -> None:
    commits = {path.stem: load_scenario(path).commits for path in BENCHED}
    assert commits.pop("commit_interval") <= 900
    assert commits.pop("smoke") <= 35
    assert max(commits.values()) <= 500


def test_the_main_scenario_spans_sixty_times_with_both_writers() -> None:
    cases = load_scenario(next(path for path in SHIPPED if path.stem == "commit_interval")).cases()
    intervals = {case.commit_interval_s for case in cases}
    assert max(intervals) / min(intervals) >= 60
    assert {case.writer.kind for case in cases} == {"streaming", "batch"}


UNHURRIED = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
PIECES = st.sampled_from(
    [
        b"*a",
        b"&a ",
        b"!!x ",
        b"%YAML 9.9\n",
        b"---\n",
        b"...\n",
        b"? ",
        b"- ",
        b": ",
        b"[",
        b"]",
        b"{",
        b"}",
        b"|",
        b">",
        b'"',
        b"'",
        b'"\\ud800"',
        b"\xff",
        b"\xc2\x85",
        b"\xe2\x80\xa8",
        b"\x00",
        b"\t",
        b"#",
        b"\n",
        b"\r",
        b"<<",
        b",",
        b"1e999",
        b"99999999999999999999d",
        b"%TAG ! x\n",
        b"~",
        b"|9",
        b"!<",
        b"sweep: ",
        b"table.",
        b"writer.kind",
    ]
)


@given(content=st.binary(max_size=200))
@UNHURRIED
def test_any_bytes_load_or_are_refused_in_lines(content: bytes, tmp_path: Path) -> None:
    assert all(fault.isprintable() for fault in faults_of(tmp_path, content))


@given(data=st.data(), original=st.sampled_from(BENCHED))
@UNHURRIED
def test_mutated_scenarios_load_or_are_refused_in_lines(data: st.DataObject, original: Path, tmp_path: Path) -> None:
    content = bytearray(original.read_bytes())
    for _ in range(data.draw(st.integers(1, 5))):
        start = data.draw(st.integers(0, len(content)))
        content[start : start + data.draw(st.integers(0, 12))] = data.draw(PIECES | st.binary(max_size=4))
    assert all(fault.isprintable() for fault in faults_of(tmp_path, bytes(content)))


@given(data=st.data(), original=st.sampled_from(BENCHED))
@UNHURRIED
def test_shuffled_lines_load_or_are_refused_in_lines(data: st.DataObject, original: Path, tmp_path: Path) -> None:
    lines = original.read_bytes().splitlines(keepends=True)
    chosen = data.draw(st.lists(st.sampled_from(lines), max_size=2 * len(lines)))
    assert all(fault.isprintable() for fault in faults_of(tmp_path, b"".join(chosen)))


SOUND = """\
name: overridden
question: What holds?
table: {columns: [{name: amount, type: double}]}
workload: {rows_per_second: 100}
horizon: 10s
maintenance: {expire_snapshots: {every: 30d, older_than: 5d}}
sweep:
  commit_interval: [10s, 1m]
  writer: [streaming, {kind: streaming, sink: foreach_batch}]
"""


def test_the_horizon_is_judged_as_overridden(tmp_path: Path) -> None:
    (fault,) = faults_of(tmp_path, SOUND)
    assert '"1m", longer than the horizon of "10s"' in fault
    scenario = loaded(tmp_path, SOUND, horizon="365d")
    assert scenario.notes == ()
    assert {case.horizon_s for case in scenario.cases()} == {365 * 86400.0}


def test_a_set_field_is_neither_swept_nor_named_in_cases(tmp_path: Path) -> None:
    cases = loaded(tmp_path, SOUND, commit_interval="5s").cases()
    assert [case.label for case in cases] == ["streaming every 5s", "streaming-foreach every 5s"]
    assert "commit_interval" not in cases[0].swept


def test_swept_values_take_an_overridden_field_within_them(tmp_path: Path) -> None:
    cases = loaded(tmp_path, SOUND, horizon="1m", writer__append="merge").cases()
    assert {case.writer_name for case in cases} == {"streaming+merge", "streaming-foreach"}


def test_a_column_is_overridden_by_its_name(tmp_path: Path) -> None:
    (case, *_) = loaded(tmp_path, SOUND, horizon="1m", table__columns__amount__count="40").cases()
    assert case.table.columns[0].count == 40


def test_a_limit_and_a_property_are_set_by_name(tmp_path: Path) -> None:
    given = {"limits__wa_metadata": "< 0.5", "table__properties__commit.manifest.min-count-to-merge": "5"}
    scenario = loaded(tmp_path, SOUND, horizon="1m", **given)
    assert [(limit.metric, limit.bound) for limit in scenario.limits] == [("wa_metadata", 0.5)]
    assert scenario.scenario.table.properties == {"commit.manifest.min-count-to-merge": "5"}


FIELDS = st.sampled_from(
    [
        *("horizon", "table", "table.columns", "table.columns.amount", "table.columns.amount.count", "commit_interval"),
        *("writer", "writer.upsert", "writer.upsert.share", "maintenance", "maintenance.expire_snapshots.every"),
        *("limits", "limits.x", "evolution", "sweep", "sweep.writer", "seed.x", "a..b", ""),
    ]
)
VALUES = st.sampled_from(
    ["5", "none", "{}", "[]", "{a: b}", "[1s, x]", "flink", "{kind: flink}", "&a x", "#", "- a\n- b"]
)
ARGUMENTS = st.text(st.characters(exclude_categories=[]), max_size=12)


@given(field=FIELDS, value=VALUES | ARGUMENTS)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_value_at_any_field_loads_or_is_refused(field: str, value: str, tmp_path: Path) -> None:
    faults = faults_of(tmp_path, SOUND, **{"horizon": "1m", field: value})
    assert all(fault.isprintable() for fault in faults)


def test_what_holds_for_the_whole_scenario_can_be_overridden_too(tmp_path: Path) -> None:
    assert len(loaded(tmp_path, SOUND, horizon="1m", repetitions="2").cases()) == 8


@pytest.mark.parametrize(
    ("field", "value", "fault"),
    [
        ("horizon", "soon", 'horizon is "soon". Give ' f"{DURATION_WANTED}."),
        ("horzion", "1m", "horzion is unknown. Did you mean horizon?"),
        ("horizon", "[1m", 'horizon: "[1m" is no value. Give it as a scenario writes it, such as 365d, [1s, 5s] or '
         "{kind: batch}."),
    ],
)  # fmt: skip
def test_faults_of_the_command_line_say_so(field: str, value: str, fault: str, tmp_path: Path) -> None:
    overrides = {"workload__rows_per_second": "5", "commit_interval": "1s", field: value}
    assert faults_of(tmp_path, SOUND, **overrides) == [f"on the command line: {fault}"]


def test_faults_keep_their_place_under_overrides(tmp_path: Path) -> None:
    faults = faults_of(tmp_path, SOUND, table__columns__amount__count="0")
    assert [fault.split(" is ")[0] for fault in faults] == [
        "on the command line: table.columns[0].count",
        "8:26: sweep.commit_interval[1]",
    ]
