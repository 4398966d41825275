"""Columns saved as Parquet and read again, and files that older versions saved."""

from dataclasses import fields

import numpy as np
import pyarrow.parquet as pq
import pytest
from support.paths import DATA

from wasim.errors import SavedFileError
from wasim.ledger import FileEvents, StepRecords
from wasim.ledger.parquet import read_columns, save_columns
from wasim.runs import read_recording

SAVED = DATA / "recordings" / "merging_v3"


@pytest.fixture
def steps() -> StepRecords:
    return read_recording(SAVED).steps


def test_columns_read_back_as_they_were(steps, tmp_path):
    for columns in (steps, read_recording(SAVED).events, read_recording(SAVED).reports):
        save_columns(columns, tmp_path / "columns.parquet")
        again = read_columns(tmp_path / "columns.parquet", type(columns))
        for field in fields(columns):
            np.testing.assert_array_equal(getattr(again, field.name), getattr(columns, field.name))


def test_steps_saved_before_failures_were_recorded_had_none(steps, tmp_path):
    save_columns(steps, tmp_path / "steps.parquet")
    older = pq.read_table(tmp_path / "steps.parquet").drop_columns(["error"])
    pq.write_table(older, tmp_path / "steps.parquet")
    assert list(read_columns(tmp_path / "steps.parquet", StepRecords).error) == [""] * len(steps)


def test_failures_are_read_as_they_were_saved(steps, tmp_path):
    steps.error[:] = [f"Failure {place}" for place in range(len(steps))]
    save_columns(steps, tmp_path / "steps.parquet")
    assert list(read_columns(tmp_path / "steps.parquet", StepRecords).error) == list(steps.error)


@pytest.mark.parametrize("version", [b"4", b"2", None])
def test_a_file_of_another_version_is_refused_by_name(version, steps, tmp_path):
    path = tmp_path / "steps.parquet"
    save_columns(steps, path)
    table = pq.read_table(path)
    pq.write_table(table.replace_schema_metadata(version and {b"wasim.schema_version": version}), path)
    with pytest.raises(SavedFileError, match=f"schema_version is {(version or b'none').decode()}; this wasim reads 3"):
        read_columns(path, StepRecords)


def test_a_column_that_is_absent_or_of_text_is_named(steps, tmp_path):
    path = tmp_path / "steps.parquet"
    save_columns(steps, path)
    with pytest.raises(SavedFileError, match="lacks the column commit"):
        read_columns(path, FileEvents)
    table = pq.read_table(path)
    place = table.column_names.index("wall_ms")
    pq.write_table(table.set_column(place, "wall_ms", table.column("error")), path)
    with pytest.raises(SavedFileError, match="column wall_ms holds no numbers"):
        read_columns(path, StepRecords)
