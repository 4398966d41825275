"""What an expiry takes off metadata.json is what the same file without those entries has less."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from support.synthetic import synthetic_case
from support.trees import emit_tree, newest_json

from wasim.doctor import InspectOptions, inspect_location


@pytest.mark.parametrize("logged", [0, 3, 20])
def test_an_expiry_saves_what_its_entries_take(logged, tmp_path):
    root = emit_tree(tmp_path / "t", horizon_s=20.0).root
    path = Path(newest_json(root))
    document = json.loads(path.read_text())
    for snapshot in document["snapshots"][:10]:  # older ones as another writer left them
        snapshot["summary"]["pipeline"] = "p" * 700
    document["snapshot-log"] = document["snapshot-log"][20 - logged :]
    before = _write(path, document)
    remedies = inspect_location(str(root), InspectOptions(grace_s=0)).remedies
    expiries = [one for one in remedies if one.kept]
    for expiry in expiries:
        left = {part: _of(expiry.kept, document[part]) for part in ("snapshots", "snapshot-log")}
        saved = before - len(json.dumps({**document, **left}, separators=(",", ":")))
        assert expiry.json_bytes_saved == pytest.approx(saved, rel=0.01)
    assert [len(one.kept) for one in expiries] == [1, 10]


def _of(ids, entries):
    return [one for one in entries if one["snapshot-id"] in ids]


def _write(path, document):
    text = json.dumps(document, separators=(",", ":"))
    return path.write_text(text)


def test_expiry_never_takes_a_staged_commit(tmp_path):
    root = emit_tree(tmp_path / "t", horizon_s=20.0).root
    path = Path(newest_json(root))
    document = json.loads(path.read_text())
    document["snapshots"][0]["summary"]["wap.id"] = "audit"
    _write(path, document)
    assert _expiries(root)
    assert all("wap.id audit" in one.blocked and not one.sql for one in _expiries(root))
    document["snapshots"][-1]["summary"]["published-wap-id"] = "audit"
    _write(path, document)
    assert all(one.sql for one in _expiries(root))


@pytest.mark.parametrize("lost", ["metadata/*-m0.avro", "data/*"])
def test_expiry_waits_for_files_that_are_absent(lost, tmp_path):
    root = emit_tree(tmp_path / "t", horizon_s=20.0).root
    for key in inspect_location(str(root)).tree.content.places:
        (root / key).parent.mkdir(exist_ok=True)
        (root / key).touch()
    assert all(one.sql for one in _expiries(root))
    next(root.glob(lost)).unlink()
    assert all(one.blocked and not one.sql for one in _expiries(root))


@pytest.mark.parametrize(
    ("profile", "properties", "is_offered"),
    [
        (None, {}, True),
        ("pyiceberg", {}, False),  # which never compresses metadata.json
        ("pyiceberg", {"write.metadata.compression-codec": "gzip"}, False),
    ],
)
def test_gzip_is_offered_to_writers_that_do_it(profile, properties, is_offered, tmp_path):
    case = synthetic_case(horizon_s=6.0, writer="batch", properties=properties)
    case = replace(case, writer=case.writer.model_copy(update={"profile": profile}))
    path = Path(newest_json(emit_tree(tmp_path / "t", case).root))
    document = json.loads(path.read_text())
    current = document["snapshots"][-1]
    named = Path(current["manifest-list"])
    first = named.rename(named.with_name(named.name.replace("-1-", "-0-", 1)))  # pyiceberg's attempts begin at 0
    current["manifest-list"] = str(first) if profile else str(first.rename(named))
    _write(path, document)
    remedies = inspect_location(str(tmp_path / "t")).remedies
    assert ("gzip metadata.json" in [one.name for one in remedies]) == is_offered


def _expiries(root):
    remedies = inspect_location(str(root), InspectOptions(grace_s=0)).remedies
    return [one for one in remedies if one.name.startswith("expire_snapshots")]
