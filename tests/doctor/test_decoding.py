"""Whoever lists and decodes, the doctor's answer is the same to the byte."""

import json
import pickle

import pytest
from support.command_line import document_of
from support.paths import DATA
from support.synthetic import synthetic_case
from support.trees import emit_tree

from wasim.doctor import InspectOptions, decoding, inspect_location, opening
from wasim.doctor.document import inspection_document
from wasim.doctor.list_chain import ListFront

NOW_S = 1_900_000_000.0


@pytest.fixture(autouse=True)
def a_clock_that_stands(monkeypatch):
    monkeypatch.setattr(opening.time, "time", lambda: NOW_S)


def answer(root, map_parts=None):
    inspection = inspect_location(str(root), InspectOptions(grace_s=0), map_parts)
    return json.dumps(inspection_document(inspection, files=True))


class Elsewhere:
    """A `map` of another process: what goes there and comes back is pickled."""

    def __init__(self):
        self.parts = 0

    def __call__(self, work, parts):
        self.parts += len(parts)
        work, parts = pickle.loads(pickle.dumps((work, parts)))  # noqa: S301
        return [pickle.loads(pickle.dumps(work(part))) for part in parts]  # noqa: S301


def broken(root):
    """A table of several folders, with a list cut short, a manifest gone and one that is none."""
    emit_tree(
        root, synthetic_case(horizon_s=20.0, writer="batch", properties={"commit.manifest.min-count-to-merge": "3"})
    )
    lists, manifests = (sorted((root / "metadata").glob(one)) for one in ("snap-*", "*-m0.avro"))
    lists[4].write_bytes(lists[4].read_bytes()[:-30])
    manifests[2].unlink()
    manifests[5].write_bytes(b"Obj\x01")
    (root / "data" / "day=1" / "deep").mkdir(parents=True)
    (root / "data" / "day=1" / "deep" / "left.parquet").write_bytes(b"PAR1")
    return root


@pytest.mark.parametrize("name", ["evolving_v2", "nested_v3", "old_v1", "upgraded", "empty_v3", "equality_v2"])
def test_a_table_read_in_parts_is_the_same(name, monkeypatch):
    monkeypatch.setattr(decoding, "_PART_FILES", 3)
    elsewhere = Elsewhere()
    assert answer(DATA / "tables" / name, elsewhere) == answer(DATA / "tables" / name)


def test_faults_come_back_from_parts_as_they_are_found_here(tmp_path, monkeypatch):
    monkeypatch.setattr(decoding, "_PART_FILES", 3)
    root, elsewhere = broken(tmp_path / "t"), Elsewhere()
    expected = answer(root)
    assert answer(root, elsewhere) == expected
    assert elsewhere.parts > 10
    assert {"unreadable", "absent_metadata"} <= {one["name"] for one in json.loads(expected)["findings"]}


def test_only_the_first_list_of_a_part_is_decoded_whole(tmp_path):
    root = emit_tree(tmp_path / "t", synthetic_case(horizon_s=6.0)).root
    opened = opening.open_table(str(root))
    keys = [one.manifest_list.removeprefix(opened.metadata.location).lstrip("/") for one in opened.metadata.snapshots]
    found = list(decoding.Decoder(storage=opened.storage, root=opened.root).lists(keys[3:]))
    assert all(isinstance(one, ListFront) for one in found)
    assert [(one.kept, len(one.rows)) for one in found] == [(0, 4), (4, 1), (5, 1)]


@pytest.mark.slow
@pytest.mark.spark
def test_two_spark_workers_give_the_same_answer(tmp_path):
    from support.standalone import standalone

    root = broken(tmp_path / "t")

    def inspected_by(*more: str) -> dict[str, object]:
        document = document_of("inspect", root, "--fail-on", "never", *more)
        del document["remedies"]  # commands to paste, as of the minute in which they were printed
        return document

    with standalone(2, tmp_path / "work") as master:
        assert inspected_by("--master", master) == inspected_by()
