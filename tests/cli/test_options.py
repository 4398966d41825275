"""Options that several verbs take."""

from pathlib import Path

import pytest
from support.paths import SCENARIOS
from typer.main import get_command
from typer.testing import CliRunner

from wasim.cli import app
from wasim.cli.options import overrides_of
from wasim.errors import WasimError
from wasim.scenario import load_scenario


def flags_of(verb: str) -> set[str]:
    return {flag for one in get_command(app).commands[verb].params for flag in one.opts}


def test_verbs_that_read_tables_take_the_same_options() -> None:
    reaching = {f"--s3-{name}" for name in ("endpoint", "region", "profile", "anonymous", "timeout")}
    reaching |= {"--metadata-file", "--table-uuid", "--newest-by", "--outside"}
    for verb in ("inspect", "watch", "plan"):
        assert reaching - flags_of(verb) == set()


SMOKE = SCENARIOS / "smoke.yaml"


def test_set_replaces_a_value_and_the_last_one_counts() -> None:
    assert overrides_of(["a.b=1", "c={d: 2}", "a.b=x=y"]) == {"a.b": "x=y", "c": "{d: 2}"}
    assert overrides_of(None) == {}


@pytest.mark.parametrize("setting", ["horizon", "=5", " =5"])
def test_a_setting_without_field_or_value_is_a_line(setting: str) -> None:
    with pytest.raises(WasimError, match=r"--set is '.*'\. Give FIELD=VALUE"):
        overrides_of([setting])


def test_a_set_field_is_validated_as_the_files_would_be(tmp_path: Path) -> None:
    fault = CliRunner().invoke(app, ["validate", str(SMOKE), "--set", "workload.rows_per_second=-1"]).exception
    assert f"{SMOKE}: on the command line: workload.rows_per_second is " in str(fault)


def test_a_set_field_counts(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["validate", str(SMOKE), "--set", "writer=batch"])
    assert result.output == f"{SMOKE}: smoke, 2 cases, 15 commits\n"


@pytest.mark.parametrize(
    ("wanted", "labels"),
    [
        (["2"], ["batch every 1s"]),
        (["streaming"], ["streaming every 1s", "streaming every 4s"]),
        (["4s", "1"], ["streaming every 1s", "streaming every 4s", "batch every 4s"]),
    ],
)
def test_only_takes_numbers_and_parts_of_labels(wanted: list[str], labels: list[str]) -> None:
    assert [case.label for case in load_scenario(SMOKE).only(wanted).cases()] == labels


@pytest.mark.parametrize("wanted", ["5", "0", "flink"])
def test_only_for_no_case_is_a_line(wanted: str) -> None:
    with pytest.raises(WasimError, match=rf"--only is '{wanted}', and none of the 4 cases is called that"):
        load_scenario(SMOKE).only(["1", wanted])
