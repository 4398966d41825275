"""Values from the command line take the place of the file's before anything is judged."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.scenarios import faults_of, loaded

from wasim.units import DURATION_WANTED

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


def test_a_sweep_over_the_field_is_dropped_and_is_no_longer_part_of_a_case_s_name(tmp_path: Path) -> None:
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
def test_any_value_at_any_field_loads_or_is_refused_in_lines(field: str, value: str, tmp_path: Path) -> None:
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


def test_a_fault_of_the_file_keeps_its_place_beside_what_is_overridden(tmp_path: Path) -> None:
    faults = faults_of(tmp_path, SOUND, table__columns__amount__count="0")
    assert [fault.split(" is ")[0] for fault in faults] == [
        "on the command line: table.columns[0].count",
        "8:26: sweep.commit_interval[1]",
    ]
