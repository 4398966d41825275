"""Folders of runs: where one may lie, which one is resumed, and which one is the newest."""

from pathlib import Path

import pytest

from wasim.errors import EnvironmentFault, SavedFileError
from wasim.runs import RunMarker, find_run, open_run_folder


@pytest.mark.parametrize("name", ["50%20off", "what?", "a#b"])
def test_a_results_folder_that_sqlite_or_hadoop_misreads_is_refused(name: str, tmp_path: Path) -> None:
    marker = RunMarker(scenario="s", question="q?", keys=("a" * 12,))
    with pytest.raises(EnvironmentFault, match="part of a URI"), open_run_folder(tmp_path / name, marker, fresh=False):
        pass


def test_a_run_that_was_reported_before_its_end_is_resumed(tmp_path: Path) -> None:
    marker = RunMarker(scenario="s", question="q?", keys=("a" * 12, "b" * 12))
    opened = []
    for finished in (marker.keys[:1], marker.keys[1:], ()):
        with open_run_folder(tmp_path, marker, fresh=False) as folder:
            opened.append(folder.path)
            for key in finished:
                folder.case(key).mkdir()
                (folder.case(key) / "case.json").write_text("{}")
            folder.summary.write_text("{}")  # as `wasim report` leaves it
    assert opened[0] == opened[1] != opened[2]


def test_a_damaged_sibling_does_not_stop_a_run(tmp_path: Path) -> None:
    marker = RunMarker(scenario="s", question="q?", keys=("a" * 12,))
    for number, text in enumerate(("{", "[]", "{}", '{"keys": 3}')):
        (tmp_path / "s" / f"2026-{number}").mkdir(parents=True)
        (tmp_path / "s" / f"2026-{number}" / "run.json").write_text(text)
    with open_run_folder(tmp_path, marker, fresh=False) as folder:
        assert (folder.path / "run.json").exists()


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
