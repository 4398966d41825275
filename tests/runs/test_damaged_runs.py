"""A saved run that is damaged is one line, whatever of it is."""

import io
import shutil
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from rich.console import Console
from support.paths import SCENARIOS

from wasim.errors import SavedFileError
from wasim.runs import read_run
from wasim.scenario import load_scenario
from wasim.simulation import SimulationOptions, simulate

SMOKE = SCENARIOS / "smoke.yaml"


@pytest.fixture(scope="module")
def sound_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run's folder with one case, made without Spark."""
    results = tmp_path_factory.mktemp("results")
    simulate(load_scenario(SMOKE).only(["1"]), SimulationOptions(results=results), Console(file=io.StringIO()))
    (folder,) = (results / "smoke").iterdir()
    return folder


@pytest.fixture
def saved_run(sound_run: Path, tmp_path: Path) -> Path:
    """A copy of it, to be damaged."""
    return Path(shutil.copytree(sound_run, tmp_path / "run"))


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
