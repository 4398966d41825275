"""A saved run that is damaged is one line, whatever of it is."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from support.paths import DATA

from wasim.errors import SavedFileError
from wasim.runs import read_run


@pytest.fixture
def saved_run(tmp_path: Path) -> Path:
    """A copy of a run, to be damaged."""
    return Path(shutil.copytree(DATA / "runs" / "version_3", tmp_path / "run"))


def the_case(folder: Path) -> Path:
    return folder / "cases" / "7916ef03b544"


def drop_column(path: Path) -> None:
    pq.write_table(pq.read_table(path).drop_columns(["commit"]), path)


def cut_rows(path: Path) -> None:
    pq.write_table(pq.read_table(path).slice(0, 3), path)


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
