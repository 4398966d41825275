"""Days until marks, in the size that each of them judges."""

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from support.synthetic import synthetic_case
from support.trees import emit_tree, newest_json

from wasim.doctor import InspectOptions, inspect_location
from wasim.doctor.growth import Trend, days_until_share, mark_rows
from wasim.doctor.history import lasting_slope
from wasim.ledger import Kind
from wasim.scenario.changes import Maintenance

NOW = InspectOptions(grace_s=0)


def growth_of(root, **properties):
    emit_tree(root, synthetic_case(horizon_s=30.0, properties=properties))
    return inspect_location(str(root), NOW).growth


def test_compressed_metadata_reaches_marks_sooner_as_json_than_as_stored(tmp_path):
    growth = growth_of(tmp_path / "t", **{"write.metadata.compression-codec": "gzip"})
    as_json, as_stored = (growth.trends[f"metadata_json_{name}"] for name in ("text_bytes", "bytes"))
    assert as_json.now > 3 * as_stored.now
    # 5 MB is a limit on the file, 10 MB on what a catalog answers with
    assert growth.days_until["metadata.json of 5 MB"] > 3 * growth.days_until_other["metadata.json of 5 MB"]
    assert growth.days_until_other["metadata.json of 10 MB"] > 3 * growth.days_until["metadata.json of 10 MB"]


def test_both_sizes_are_one_where_nothing_is_compressed(tmp_path):
    growth = growth_of(tmp_path / "t")
    assert all(growth.days_until[name] == days for name, days in growth.days_until_other.items())


def test_a_mark_names_its_size_and_source(tmp_path):
    growth = growth_of(tmp_path / "t", **{"write.metadata.compression-codec": "gzip"})
    found = {name: (why, link) for name, _, why, link in mark_rows(growth)}
    why, link = found["metadata.json of 5 MB"]
    assert re.fullmatch(r"S3 Tables refuses it; as stored \(as JSON: .+\)", why)
    assert link == "https://github.com/estuary/connectors/issues/3984"
    assert found["metadata.json of 25 MB"][0].startswith("estuary#3404; as JSON (as stored: ")


AT_INTERVAL = InspectOptions(grace_s=0, commit_interval_s=60.0)
MERGING = {"commit.manifest.min-count-to-merge": "4", "write.metadata.previous-versions-max": "20"}


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    case = synthetic_case(horizon_s=60.0, writer="batch", files_per_commit=2, properties=MERGING)
    return emit_tree(tmp_path_factory.mktemp("law") / "t", case).root


def test_metadata_json_grows_by_the_snapshots_of_a_day(root):
    inspection = inspect_location(str(root), AT_INTERVAL)
    parts = inspection.parts.growth_bytes
    # the log is full: a day of 1,440 commits adds that many snapshots and no entry
    growth = inspection.growth.trends["metadata_json_bytes"]
    assert growth.per_day == pytest.approx(1440 * (parts["snapshots"] + parts["snapshot-log"]), rel=0.02)
    days = inspection.growth.days_until["metadata.json of 5 MB"]
    assert days == pytest.approx((5e6 - growth.now) / growth.per_day)


def test_a_saw_tooth_grows_by_what_stays_after_falls():
    tooth = np.arange(40.0) % 10
    at = np.arange(40.0)
    assert lasting_slope(at, tooth) == lasting_slope(at[:18], tooth[:18]) == 0  # one fall tells no growth
    assert lasting_slope(at, tooth + at / 5) == pytest.approx(0.2)
    assert lasting_slope(at[:15], (tooth + 3 * at)[:15]) > 3  # risen beyond what it fell from
    assert lasting_slope(at, at) == pytest.approx(1)


def test_what_merges_and_expires_as_it_grows_meets_no_mark(tmp_path):
    jobs = Maintenance.model_validate({"expire_snapshots": {"every": 20, "older_than": 20}})
    case = synthetic_case(
        horizon_s=110.0, writer="batch", properties=MERGING | {"commit.manifest.min-count-to-merge": "9"}
    )
    growth = inspect_location(str(emit_tree(tmp_path / "t", replace(case, maintenance=jobs)).root), AT_INTERVAL).growth
    marks = ("metadata.json of 5 MB", "metadata.json of 50 MB", "500 manifests", "5,000 manifests")
    assert {mark: growth.days_until[mark] for mark in marks} == dict.fromkeys(marks)
    assert growth.trends["metadata_bytes"].quickening == 0


def test_metadata_overtakes_data_sooner_the_longer_its_files_grow(tmp_path):
    tree = emit_tree(tmp_path / "t", horizon_s=40.0)
    inspection = inspect_location(str(tree.root), AT_INTERVAL)
    trend = inspection.growth.trends["metadata_bytes"]
    history = inspection.history
    kinds = (Kind.METADATA_JSON, Kind.MANIFEST_LIST, Kind.DATA_MANIFEST)
    newest = sum(float(history.ledger.written_bytes[kind][-1]) for kind in kinds)
    assert trend.per_day == pytest.approx(1440 * newest, rel=0.02)
    lists = history.ledger.written_bytes[Kind.MANIFEST_LIST]
    each_list, snapshot = (lists[-1] - lists[0]) / (len(lists) - 1), inspection.parts.growth_bytes["snapshots"]
    log = inspection.parts.growth_bytes["snapshot-log"]
    assert trend.quickening == pytest.approx(1440**2 * (snapshot + log + each_list), rel=0.02)
    trends = {
        "metadata_bytes": Trend(now=0.0, per_day=3.0, quickening=2.0),
        "data_bytes": Trend(now=100.0, per_day=3.0),
    }
    assert days_until_share(trends, 1.0) == pytest.approx(10.0)  # 100 + 3 t = 3 t + t²


def test_snapshots_that_stand_twice_leave_a_history(tmp_path):
    root = emit_tree(tmp_path / "t", horizon_s=4.0).root
    path = Path(newest_json(root))
    document = json.loads(path.read_text())
    document["snapshots"] *= 2
    path.write_text(json.dumps(document))
    assert len(inspect_location(str(root), AT_INTERVAL).history.ledger) == 8
