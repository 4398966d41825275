"""`latest` as a run's name."""

from pathlib import Path

import pytest

from wasim.errors import SavedFileError
from wasim.runs import find_run


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, finished in (("a/20260102T000000Z-1", True), ("b/20260103T000000Z-0", True), ("a/20260109T0-9", False)):
        run = tmp_path / "results" / name
        run.mkdir(parents=True)
        if finished:
            (run / "summary.json").write_text("{}")
    monkeypatch.chdir(tmp_path)
    return tmp_path / "results"


def test_latest_is_the_newest_finished_run_of_all_scenarios(results: Path) -> None:
    assert find_run(Path("latest")) == Path("results/b/20260103T000000Z-0")


def test_below_a_scenario_it_is_that_scenarios(results: Path) -> None:
    assert find_run(results / "a" / "latest") == results / "a" / "20260102T000000Z-1"


def test_any_other_name_is_a_folder(results: Path) -> None:
    assert find_run(Path("results/none")) == Path("results/none")


def test_a_folder_of_that_name_is_meant_itself(results: Path) -> None:
    (results / "latest").mkdir()
    assert find_run(results / "latest") == results / "latest"


def test_without_a_finished_run_it_is_a_line(tmp_path: Path) -> None:
    with pytest.raises(SavedFileError, match="no finished run is in it"):
        find_run(tmp_path / "latest")
