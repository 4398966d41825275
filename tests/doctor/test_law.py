"""The table's own law: what its files are made of comes out of their sizes."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from support.synthetic import synthetic_case
from support.trees import emit_tree, newest_json

from wasim.doctor import InspectOptions, inspect_location
from wasim.doctor.growth import Trend, days_until_share
from wasim.ledger import Kind

AT_INTERVAL = InspectOptions(grace_s=0, commit_interval_s=60.0)
MERGING = {"commit.manifest.min-count-to-merge": "4", "write.metadata.previous-versions-max": "20"}


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    case = synthetic_case(horizon_s=60.0, writer="batch", files_per_commit=2, properties=MERGING)
    return emit_tree(tmp_path_factory.mktemp("law") / "t", case).root


def test_the_law_gives_what_each_commit_wrote(root):
    inspection = inspect_location(str(root), AT_INTERVAL)
    assert set(inspection.laws) == {Kind.METADATA_JSON, Kind.MANIFEST_LIST, Kind.DATA_MANIFEST}
    for kind, law in inspection.laws.items():
        written = inspection.history.ledger.written_bytes[kind]
        shown = inspection.history.known[kind.value] & (written > 0)
        assert law.predicted[shown] == pytest.approx(written[shown], rel=0.04), kind
        assert law.typical_error < 0.01


def test_its_terms_are_what_metadata_json_holds(root):
    inspection = inspect_location(str(root), AT_INTERVAL)
    found, parts = inspection.laws[Kind.METADATA_JSON].coefficients, inspection.parts.growth_bytes
    assert found["snapshot"] == pytest.approx(parts["snapshots"] + parts["snapshot-log"], rel=0.02)
    log = inspection.parts.bytes["metadata-log"] / len(inspection.tree.opened.metadata.metadata_log)
    assert found["log entry"] == pytest.approx(log, rel=0.1)
    # the log is full: a day of 1,440 commits adds that many snapshots and no entry
    growth = inspection.growth.trends["metadata_json_bytes"]
    assert growth.per_day == pytest.approx(1440 * found["snapshot"], rel=0.02)
    days = inspection.growth.days_until["metadata.json of 5 MB"]
    assert days == pytest.approx((5e6 - growth.now) / growth.per_day)


def test_an_expired_history_has_a_line_by_commits(root, tmp_path):
    newest = max((root / "metadata").glob("*.metadata.json"))
    document = json.loads(newest.read_bytes())
    document["snapshots"] = document["snapshots"][20:]
    path = newest.with_name("00999-11111111-2222-3333-4444-555555555555.metadata.json")
    path.write_text(json.dumps(document))
    inspection = inspect_location(str(path), AT_INTERVAL)
    path.unlink()
    assert list(inspection.laws[Kind.METADATA_JSON].coefficients) == ["fixed", "commit"]


def test_two_commits_have_no_law_and_alike_drivers_one_term(tmp_path):
    few = inspect_location(str(emit_tree(tmp_path / "few", horizon_s=2.0).root), AT_INTERVAL)
    assert few.laws == {}
    alike = inspect_location(str(emit_tree(tmp_path / "alike", horizon_s=8.0).root), replace(AT_INTERVAL, grace_s=9))
    assert list(alike.laws[Kind.DATA_MANIFEST].coefficients) == ["manifest"]
    assert np.isfinite(alike.laws[Kind.MANIFEST_LIST].predicted).all()


def test_metadata_overtakes_data_sooner_the_longer_its_files_grow(tmp_path):
    tree = emit_tree(tmp_path / "t", horizon_s=40.0)
    inspection = inspect_location(str(tree.root), AT_INTERVAL)
    trend = inspection.growth.trends["metadata_bytes"]
    history = inspection.history
    newest = sum(float(history.ledger.written_bytes[kind][-1]) for kind in inspection.laws)
    assert trend.per_day == pytest.approx(1440 * newest, rel=0.02)
    json_law, list_law = inspection.laws[Kind.METADATA_JSON], inspection.laws[Kind.MANIFEST_LIST]
    growth = json_law.coefficients["snapshot"] + list_law.coefficients["manifest"]
    assert trend.quickening == pytest.approx(1440**2 * growth, rel=0.02)
    trends = {
        "metadata_bytes": Trend(now=0.0, per_day=3.0, quickening=2.0),
        "data_bytes": Trend(now=100.0, per_day=3.0),
    }
    assert days_until_share(trends, 1.0) == pytest.approx(10.0)  # 100 + 3 t = 3 t + t²


def test_snapshots_that_stand_twice_leave_laws(tmp_path):
    root = emit_tree(tmp_path / "t", horizon_s=4.0).root
    path = Path(newest_json(root))
    document = json.loads(path.read_text())
    document["snapshots"] *= 2
    path.write_text(json.dumps(document))
    assert len(inspect_location(str(root), AT_INTERVAL).history.ledger) == 8
