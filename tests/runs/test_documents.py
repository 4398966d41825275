"""Run folders: whole or absent, locked, resumed."""

import json
import threading
from pathlib import Path

import numpy as np
import pytest
from support.synthetic import synthetic_run

from wasim.errors import EnvironmentFault, SavedFileError
from wasim.ledger import FileEvents, Ledger
from wasim.ledger.parquet import read_columns, save_columns
from wasim.runs import RunMarker, open_run_folder, read_run, write_atomically
from wasim.runs.folder import UNFINISHED

MARKER = RunMarker(scenario="s", question="q?", keys=("a" * 12, "b" * 12))


def finish(folder: Path, *keys: str) -> None:
    for key in keys:
        (folder / "cases" / key).mkdir()
        (folder / "cases" / key / "case.json").write_text("{}")


def test_an_unfinished_run_of_the_same_cases_is_resumed(tmp_path: Path) -> None:
    with open_run_folder(tmp_path, MARKER, fresh=False) as first:
        finish(first.path, MARKER.keys[0])
    with open_run_folder(tmp_path, MARKER, fresh=False) as second:
        assert second == first
        assert second.finished(MARKER.keys) == [MARKER.keys[0]]


def test_fresh_starts_a_new_run(tmp_path: Path) -> None:
    with open_run_folder(tmp_path, MARKER, fresh=False) as first:
        pass
    with open_run_folder(tmp_path, MARKER, fresh=True) as second:
        assert second != first


def test_a_complete_run_is_measured_afresh(tmp_path: Path) -> None:
    with open_run_folder(tmp_path, MARKER, fresh=False) as first:
        finish(first.path, *MARKER.keys)
        first.summary.write_text('{"failures": {}}')
    with open_run_folder(tmp_path, MARKER, fresh=False) as second:
        assert second != first


def test_a_run_with_failed_cases_is_tried_again(tmp_path: Path) -> None:
    with open_run_folder(tmp_path, MARKER, fresh=False) as first:
        finish(first.path, MARKER.keys[0])
        first.summary.write_text('{"failures": {"batch every 1s": "boom"}}')
    with open_run_folder(tmp_path, MARKER, fresh=False) as second:
        assert second == first


def test_other_inputs_are_another_run(tmp_path: Path) -> None:
    other = RunMarker(scenario="s", question="q?", keys=("c" * 12,))
    with open_run_folder(tmp_path, MARKER, fresh=False) as first:
        pass
    with open_run_folder(tmp_path, other, fresh=False) as second:
        assert second != first


def test_two_runs_at_once_hold_two_folders(tmp_path: Path) -> None:
    with (
        open_run_folder(tmp_path, MARKER, fresh=False) as first,
        open_run_folder(tmp_path, MARKER, fresh=False) as second,
    ):
        assert second != first


def test_strays_are_swept_at_start_and_nothing_else(tmp_path: Path) -> None:
    with open_run_folder(tmp_path, MARKER, fresh=False) as first:
        finish(first.path, MARKER.keys[0])
        stray = first.unfinished_case(MARKER.keys[1])
        stray.mkdir()
        (stray / "events.parquet").write_text("torn")
        (first.path / f"{UNFINISHED}summary").write_text("torn")
    with open_run_folder(tmp_path, MARKER, fresh=False) as second:
        assert not [path for path in second.path.rglob("*") if UNFINISHED in path.name]
        assert second.finished(MARKER.keys) == [MARKER.keys[0]]


def test_a_results_folder_that_cannot_be_made_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with (
        pytest.raises(EnvironmentFault, match=r"file/s: no run folder can be made there .*--out") as fault,
        open_run_folder(tmp_path / "file", MARKER, fresh=False),
    ):
        pass
    assert "\n" not in str(fault.value)


def test_a_reader_sees_the_old_file_or_the_new_one(tmp_path: Path) -> None:
    path, seen = tmp_path / "f", set()
    write_atomically(path, "0" * 100_000)
    stop = threading.Event()

    def read() -> None:
        while not stop.is_set():
            text = path.read_text()
            seen.add((text[:1], len(text), len(set(text))))

    reader = threading.Thread(target=read)
    reader.start()
    for digit in "123456789":
        write_atomically(path, digit * 100_000)
    stop.set()
    reader.join()
    assert {(length, kinds) for _, length, kinds in seen} == {(100_000, 1)}


def test_a_ledger_comes_back_as_it_was_saved(tmp_path: Path) -> None:
    ledger = synthetic_run().cases[0].ledger
    save_columns(ledger, tmp_path / "ledger.parquet")
    again = read_columns(tmp_path / "ledger.parquet", Ledger)
    assert len(again) == len(ledger)
    for kind, column in ledger.written_bytes.items():
        assert np.array_equal(again.written_bytes[kind], column)
    assert list(again.operation) == list(ledger.operation)


def test_an_unknown_schema_version_is_refused_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wasim.ledger.parquet.SCHEMA_VERSION", 99)
    save_columns(synthetic_run().cases[0].ledger, tmp_path / "ledger.parquet")
    monkeypatch.undo()
    with pytest.raises(SavedFileError, match="schema_version is 99; this wasim reads 3"):
        read_columns(tmp_path / "ledger.parquet", Ledger)


@pytest.mark.parametrize("content", [b"", b"PAR1", b"not parquet at all"])
def test_a_damaged_file_is_one_line(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "events.parquet").write_bytes(content)
    with pytest.raises(SavedFileError, match="cannot be read") as fault:
        read_columns(tmp_path / "events.parquet", FileEvents)
    assert "\n" not in str(fault.value)


def test_a_folder_that_is_no_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SavedFileError, match="Name the folder of a run"):
        read_run(tmp_path)
    (tmp_path / "run.json").write_text(json.dumps({"scenario": "s", "question": "q", "keys": ["a"]}))
    with pytest.raises(SavedFileError, match="no case of this run is finished"):
        read_run(tmp_path)
