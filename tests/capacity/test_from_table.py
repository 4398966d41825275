"""What a table's own times were set to, from stamps a little late."""

from pathlib import Path
from shutil import copytree
from types import SimpleNamespace

import numpy as np
import pytest
from support.paths import DATA
from support.synthetic import synthetic_case

from wasim.capacity import Requirements, Setting, request_from_document
from wasim.capacity.from_table import _as_set_s, _document, _drop_lengths, _warnings, request_from_table
from wasim.capacity.settings import case_of
from wasim.doctor import inspect_location
from wasim.doctor.outlook import outlook_of
from wasim.units import DAY_S

SEEN = {59.8: 60, 60.29: 60, 60.4: 60.4, 3_610: 3_600, 86_000: 86_400, 7.02: 7, 7.3: 7.3, 5_402: 5_400, 0.25: 0.25}
SEEN |= {172_900: 172_800, 1.004: 1, 44.9: 45}


@pytest.mark.parametrize(("seen_s", "set_s"), SEEN.items())
def test_times_are_whole_units_but_for_jitter(seen_s: float, set_s: float):
    assert _as_set_s(seen_s) == set_s


@pytest.mark.parametrize(("deletes", "warned"), [("0", 0), ("7", 1), (None, 0)])
def test_delete_files_of_the_current_snapshot_are_warned_of(deletes: str | None, warned: int):
    def snapshot(number: int, count: str | None) -> SimpleNamespace:
        summary = {} if count is None else {"total-delete-files": count}
        return SimpleNamespace(snapshot_id=number, summary=summary)

    metadata = SimpleNamespace(snapshots=[snapshot(1, "5"), snapshot(2, deletes)], current_snapshot_id=2)
    found = [*_warnings(metadata, 0)]
    assert len(found) == warned
    assert all(f"Its {deletes} delete files" in one for one in found)
    nothing = SimpleNamespace(snapshots=[SimpleNamespace(snapshot_id=2, summary=None)], current_snapshot_id=2)
    assert [*_warnings(nothing, 0)] == []
    assert [*_warnings(SimpleNamespace(snapshots=[], current_snapshot_id=None), 0)] == []


def test_only_strings_keep_their_lengths():
    columns = [
        {"name": "s", "type": "string", "length": 5},
        {"name": "b", "type": "binary", "length": 6},
        {"name": "d", "type": "double", "length": 7},
        {"name": "f", "type": "struct", "fields": [{"name": "i", "type": "int", "length": 8}]},
    ]
    _drop_lengths(columns)
    assert [column.get("length") for column in columns] == [5, 6, None, None]
    assert columns[3]["fields"] == [{"name": "i", "type": "int"}]


def test_a_table_s_document_is_read_as_its_case():
    case = synthetic_case(interval_s=60.0)
    document = _document(case)
    read = request_from_document("it", document, Requirements())
    found = case_of(read, Setting(interval_s=60.0))
    assert [one.name for one in found.table.columns] == [one.name for one in case.table.columns]
    assert found.workload == case.workload
    assert found.writer == case.writer


def test_a_table_is_read_with_its_interval_location_and_properties():
    path = DATA / "tables" / "evolving_v2"
    read = request_from_table(str(path), Requirements(now="interval=7m"), "3d")
    assert (read.now, read.horizon_s, read.writer_is_spark) == ("interval=7m", 3 * DAY_S, True)
    assert read.source == str(path)
    assert any(one.startswith(f"Read off {path}, which commits every ") for one in read.assumed)
    own = request_from_table(str(path), Requirements())
    assert own.properties
    # commits of a test follow each other in less than a second
    assert own.now is None


def test_manifests_that_cannot_be_read_are_warned_of(tmp_path: Path):
    table = copytree(DATA / "tables" / "evolving_v2", tmp_path / "t")
    assert not any("cannot be read" in one for one in request_from_table(str(table), Requirements()).warnings)
    manifests = sorted(table.glob("metadata/*-m*.avro"))
    for manifest in manifests:
        manifest.write_bytes(manifest.read_bytes()[:100])
    warned = "3 of its manifests cannot be read: wasim inspect names them."  # one of deletes is not looked at
    assert warned in request_from_table(str(table), Requirements()).warnings


def test_pauses_leave_a_plan_its_rows_a_second():
    """Its median interval is 0.9 s, and its mean one, in which its rows came, 4.3 s."""
    location = str(DATA / "tables" / "wide_v2")
    inspection = inspect_location(location)
    rows = np.mean([one.count_of("added-records") for one in inspection.tree.index.snapshots if one.adds_data])
    asked = request_from_table(location, Requirements()).document["workload"]["rows_per_second"]
    assert float(asked) == pytest.approx(rows / outlook_of(inspection, DAY_S).commit_interval_s)
