"""Values from the command line take the place of the file's before anything is judged."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from wasim.errors import ScenarioError
from wasim.scenario import LoadedScenario, load_scenario
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


def loaded(tmp_path: Path, **overrides: str) -> LoadedScenario:
    path = tmp_path / "overridden.yaml"
    path.write_text(SOUND)
    return load_scenario(path, {name.replace("__", "."): value for name, value in overrides.items()})


def test_the_horizon_is_judged_as_overridden(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match='"1m", longer than the horizon of "10s"'):
        loaded(tmp_path)
    scenario = loaded(tmp_path, horizon="365d")
    assert scenario.notes == ()
    assert {case.horizon_s for case in scenario.cases()} == {365 * 86400.0}


def test_a_sweep_over_the_field_is_dropped_and_is_no_longer_part_of_a_case_s_name(tmp_path: Path) -> None:
    cases = loaded(tmp_path, commit_interval="5s").cases()
    assert [case.label for case in cases] == ["streaming every 5s", "streaming-foreach every 5s"]
    assert "commit_interval" not in cases[0].swept


def test_swept_values_take_an_overridden_field_within_them(tmp_path: Path) -> None:
    cases = loaded(tmp_path, horizon="1m", writer__append="merge").cases()
    assert {case.writer_name for case in cases} == {"streaming+merge", "streaming-foreach"}


def test_a_column_is_overridden_by_its_name(tmp_path: Path) -> None:
    (case, *_) = loaded(tmp_path, horizon="1m", table__columns__amount__count="40").cases()
    assert case.table.columns[0].count == 40


def test_a_limit_and_a_property_are_set_by_name(tmp_path: Path) -> None:
    given = {"limits__wa_metadata": "< 0.5", "table__properties__commit.manifest.min-count-to-merge": "5"}
    scenario = loaded(tmp_path, horizon="1m", **given)
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


def faults_of(tmp_path: Path, field: str, value: str) -> list[str]:
    """The faults, none if it loads; anything but a ScenarioError is a traceback and fails the test."""
    try:
        loaded(tmp_path, **{"horizon": "1m", field.replace(".", "__"): value})
    except ScenarioError as error:
        return error.faults or ["refused without a fault\n"]
    return []


@given(field=FIELDS, value=VALUES | ARGUMENTS)
@settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_value_at_any_field_loads_or_is_refused_in_lines(field: str, value: str, tmp_path: Path) -> None:
    assert all(fault.isprintable() for fault in faults_of(tmp_path, field, value))


def test_what_holds_for_the_whole_scenario_can_be_overridden_too(tmp_path: Path) -> None:
    assert len(loaded(tmp_path, horizon="1m", repetitions="2").cases()) == 8


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
    with pytest.raises(ScenarioError) as caught:
        loaded(tmp_path, **{"workload__rows_per_second": "5", "commit_interval": "1s", field: value})
    (line,) = caught.value.faults
    assert line.endswith(f"overridden.yaml: on the command line: {fault}")
