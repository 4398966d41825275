"""The command line when things go wrong: one line each, and the exit code that is documented."""

import errno
import io
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from rich.console import Console
from support.paths import SCENARIOS
from typer.testing import CliRunner

from wasim import cli, scenario
from wasim.errors import EnvironmentFault, SavedFileError, WasimError
from wasim.runs import RunMarker, open_run_folder, read_run
from wasim.scenario import load_scenario
from wasim.simulation import SimulationOptions, simulate

SMOKE = SCENARIOS / "smoke.yaml"


def run_main(*arguments: str) -> int:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.argv", ["wasim", *arguments])
        with pytest.raises(SystemExit) as end:
            cli.main()
    return int(end.value.code or 0)


def failing_with(error: Exception) -> Callable[..., object]:
    def fail(*_: object, **__: object) -> object:
        raise error

    return fail


def test_a_bug_keeps_its_traceback_and_says_70(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(scenario, "load_scenario", failing_with(ZeroDivisionError("division by zero")))
    assert run_main("validate", str(SMOKE)) == 70
    assert "Traceback" in capsys.readouterr().err


def test_a_full_disk_is_one_line_and_2(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    full = OSError(errno.ENOSPC, "No space left on device", "results/x")
    monkeypatch.setattr(scenario, "load_scenario", failing_with(full))
    assert run_main("validate", str(SMOKE)) == 2
    said = capsys.readouterr().err
    assert said.startswith("results/x: No space left on device. ")
    assert said.count("\n") == 1


def test_brackets_in_a_label_are_no_markup(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scenario = tmp_path / "brackets.yaml"
    text = SMOKE.read_text().replace("sweep:\n", 'sweep:\n  table.properties.note: ["[/b]", "[red]x"]\n')
    scenario.write_text(text)
    assert run_main("validate", "--cases", str(scenario)) == 0
    assert "[/b]" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["50%20off", "what?", "a#b"])
def test_a_results_folder_that_sqlite_or_hadoop_would_misread_is_refused(name: str, tmp_path: Path) -> None:
    marker = RunMarker(scenario="s", question="q?", keys=("a" * 12,))
    with (
        pytest.raises(EnvironmentFault, match="part of a URI"),
        open_run_folder(tmp_path / name, marker, fresh=False),
    ):
        pass


def test_a_damaged_sibling_does_not_stop_a_run(tmp_path: Path) -> None:
    marker = RunMarker(scenario="s", question="q?", keys=("a" * 12,))
    for number, text in enumerate(("{", "[]", "{}", '{"keys": 3}')):
        (tmp_path / "s" / f"2026-{number}").mkdir(parents=True)
        (tmp_path / "s" / f"2026-{number}" / "run.json").write_text(text)
    with open_run_folder(tmp_path, marker, fresh=False) as folder:
        assert (folder.path / "run.json").exists()


@pytest.fixture
def saved_run(tmp_path: Path) -> Path:
    """A run's folder with one case, made without Spark."""
    simulate(load_scenario(SMOKE), SimulationOptions(results=tmp_path), Console(file=io.StringIO()))
    (folder,) = (tmp_path / "smoke").iterdir()
    marker = json.loads((folder / "run.json").read_text())
    for key in marker["keys"][1:]:
        shutil.rmtree(folder / "cases" / key)
    (folder / "run.json").write_text(json.dumps({**marker, "keys": marker["keys"][:1]}))
    return folder


def the_case(folder: Path) -> Path:
    (case,) = (folder / "cases").iterdir()
    return case


def drop_column(path: Path) -> None:
    pq.write_table(pq.read_table(path).drop_columns(["commit"]), path)


def cut_rows(path: Path) -> None:
    pq.write_table(pq.read_table(path).slice(0, 3), path)


def test_a_sound_saved_run_is_read(saved_run: Path) -> None:
    assert len(read_run(saved_run).cases) == 1


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda run: (run / "run.json").write_text("[]"), "no JSON object"),
        (lambda run: (run / "run.json").write_text('{"keys": []}'), "is not as wasim saves it"),
        (lambda run: (the_case(run) / "case.json").write_text("{}"), "schema_version is None"),
        (lambda run: (the_case(run) / "case.json").write_text('{"schema_version": 3}'), "is not as wasim saves it"),
        (lambda run: (the_case(run) / "case.json").write_text('{"schema_version": 7}'), "schema_version is 7"),
        (lambda run: drop_column(the_case(run) / "ledger.parquet"), "lacks the column commit"),
        (lambda run: cut_rows(the_case(run) / "ledger.parquet"), "holds 3 commits, the case has 12"),
        (lambda run: (the_case(run) / "events.parquet").write_bytes(b"PAR1"), "cannot be read"),
    ],
)
def test_a_damaged_run_is_one_line(saved_run: Path, damage: Callable[[Path], object], said: str) -> None:
    damage(saved_run)
    with pytest.raises(SavedFileError, match=said) as fault:
        read_run(saved_run)
    assert "\n" not in str(fault.value)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["profile", "--writer", "flink"], "--writer is 'flink'. Give streaming or batch"),
        (["profile", "--engine", "trino"], "--engine is 'trino'"),
        (["profile", str(SMOKE)], "has the writers batch, streaming; a profile is of one"),
        (["simulate", str(SMOKE), "--profile", "none"], "is no file and no shipped profile"),
        (["simulate", str(SMOKE), "--location", " "], "--location is ' '"),
        (["simulate", str(SMOKE), "--location", "s3://b/t", "--emit", "x"], "exclude each other"),
    ],
)
def test_what_a_profile_or_a_place_cannot_be_is_said_in_a_line(arguments: list[str], said: str) -> None:
    result = CliRunner().invoke(cli.app, arguments)
    assert isinstance(result.exception, WasimError)
    assert said in str(result.exception)


def test_a_profile_of_a_table_whose_files_lie_elsewhere_is_refused_before_anything_runs(tmp_path: Path) -> None:
    scenario = tmp_path / "placed.yaml"
    text = SMOKE.read_text().replace("sweep:\n", "sweep:\n  table.properties.write.metadata.path: [log]\n")
    scenario.write_text(text.replace("writer: [streaming, batch]", "writer: [batch]"))
    result = CliRunner().invoke(cli.app, ["profile", str(scenario)])
    assert "table.properties.write.metadata.path puts files elsewhere" in str(result.exception)


@pytest.mark.parametrize("verb", [("simulate", "--table-only"), ("bench", "--dry-run")])
def test_what_is_carried_out_otherwise_than_written_is_said_first(
    verb: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "uneven.yaml"
    path.write_text(SMOKE.read_text().replace("horizon: 12s", "horizon: 12500ms"))
    assert run_main(verb[0], str(path), verb[1]) == 0
    assert capsys.readouterr().err.startswith(
        "note: horizon: 12.5s is cut to whole commits, to 12s at 1s, to 12s at 4s."
    )
