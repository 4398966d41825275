"""Every commit counts: versions of metadata.json that record no new snapshot too."""

import json
from dataclasses import replace

import numpy as np
import pytest
from support.synthetic import synthetic_case
from support.trees import emit_tree

from wasim.doctor import InspectOptions, inspect_location
from wasim.doctor.history import snapshots_made
from wasim.doctor.outlook import outlook_of
from wasim.doctor.terminal import history_lines
from wasim.scenario.changes import Maintenance

NOW = InspectOptions(grace_s=0)


@pytest.fixture
def two_a_commit(tmp_path):
    """Twenty commits, each followed by a metadata.json of its own that adds statistics, as Trino's INSERT does."""
    root = emit_tree(tmp_path / "t", synthetic_case(horizon_s=20.0)).root
    found = sorted((root / "metadata").glob("*.metadata.json"))
    written, log, statistics = [], [], []
    for number, path in enumerate(found):
        document = json.loads(path.read_bytes())
        for is_second in (False, True) if document["snapshots"] else (False,):
            if is_second:
                blob = {
                    "snapshot-id": document["current-snapshot-id"],
                    "statistics-path": f"{root}/metadata/{number}.stats",
                }
                sizes = {"file-size-in-bytes": 700, "file-footer-size-in-bytes": 300, "blob-metadata": []}
                statistics.append({**blob, **sizes})
                document["last-updated-ms"] += 1
            document |= {"statistics": list(statistics), "metadata-log": list(log)}
            name = f"{len(written):05d}-{number:08d}-2222-3333-4444-{int(is_second):012d}.metadata.json"
            log = [*log, {"timestamp-ms": document["last-updated-ms"], "metadata-file": f"{root}/metadata/{name}"}]
            written.append((name, json.dumps(document, separators=(",", ":"))))
    for path in found:
        path.unlink()
    for name, text in written:
        (root / "metadata" / name).write_text(text)
    return root, [len(text) for _, text in written]


def test_versions_without_a_snapshot_are_counted(two_a_commit):
    root, sizes = two_a_commit
    history = inspect_location(str(root), NOW).history
    assert list(history.versions.bytes) == sizes
    assert (len(history.ledger), history.without_snapshot) == (20, 21)  # creation, and statistics after each commit
    assert f"  metadata.json written so far: {sum(sizes) / 1024:.0f} KiB in the 41 files left" in history_lines(
        inspect_location(str(root), NOW)
    )


def test_growth_is_the_file_s_and_not_its_snapshots(two_a_commit):
    root, sizes = two_a_commit
    inspection = inspect_location(str(root), NOW)
    log_entry = inspection.parts.bytes["metadata-log"] / 40
    lasting = (sizes[-1] - sizes[1]) / 39 - log_entry  # a version
    days = inspection.growth.trends["metadata_json_bytes"].per_day
    commits = inspection.history.commits_per_hour * 24
    assert days == pytest.approx(lasting * 2 * commits, rel=0.02)
    assert inspection.parts.growth_bytes["statistics"] == pytest.approx(inspection.parts.bytes["statistics"] / 20)


def test_a_version_that_is_gone_has_no_size(two_a_commit):
    root, sizes = two_a_commit
    sorted((root / "metadata").glob("*.metadata.json"))[3].unlink()
    versions = inspect_location(str(root), NOW).history.versions
    assert list(np.flatnonzero(np.isnan(versions.bytes))) == [3]
    assert versions.growth(0.0) == pytest.approx((sizes[-1] - sizes[0]) / 40, rel=0.1)


TAGS, COMMITS = 999, 20


@pytest.fixture(scope="module")
def tagged(tmp_path_factory):
    """Twenty commits, then a tag each second, 999 of them; and the bytes that were written of each."""
    root = emit_tree(tmp_path_factory.mktemp("tagged") / "t", horizon_s=float(COMMITS)).root
    *_, newest = found = sorted((root / "metadata").glob("*.metadata.json"))
    document = json.loads(newest.read_text())
    name, sizes = newest.name, [path.stat().st_size for path in found]
    for number in range(TAGS):
        logged = {"timestamp-ms": document["last-updated-ms"], "metadata-file": f"{root}/metadata/{name}"}
        document["metadata-log"] = [*document["metadata-log"], logged][-100:]
        document["last-updated-ms"] += 1_000
        snapshot = document["snapshots"][number % COMMITS]
        document["refs"][f"tag{number:04d}"] = {"snapshot-id": snapshot["snapshot-id"], "type": "tag"}
        name = f"{COMMITS + 1 + number:05d}-{number:08d}-2222-3333-4444-000000000000.metadata.json"
        sizes.append((root / "metadata" / name).write_text(json.dumps(document, separators=(",", ":"))))
    return inspect_location(str(root), NOW), sizes


def test_999_tags_are_999_commits_with_all_their_bytes(tagged):
    inspection, sizes = tagged
    history = inspection.history
    assert len(history.versions) == len(sizes) == 1 + COMMITS + TAGS
    assert history.without_snapshot == 1 + TAGS
    assert np.nansum(history.versions.bytes) == sum(sizes)
    lines = list(history_lines(inspection))
    assert "  versions of metadata.json: 1,020, 1,000 of them without a new snapshot" in lines[1]


def test_999_tags_bring_a_mark_nearer_by_their_bytes(tagged):
    inspection, sizes = tagged
    added = (sizes[-1] - sizes[-501]) / 500  # the log is full: a tag alone, each second
    days = (5e6 - sizes[-1]) / added / 86_400
    with_commits = (5e6 - sizes[-1]) / (added + COMMITS / TAGS * _snapshot_bytes(inspection)) / 86_400
    assert with_commits < inspection.growth.days_until["metadata.json of 5 MB"] < days
    assert inspection.growth.days_until["metadata.json of 5 MB"] == pytest.approx(days, rel=0.05)


def test_999_tags_are_part_of_the_forecast(tagged):
    inspection, sizes = tagged
    outlook = outlook_of(inspection, 500.0)
    ahead = outlook.prospects[0]
    added = (sizes[-1] - sizes[-501]) / 500
    commits = 500 * COMMITS / (COMMITS * 0.3 + TAGS)  # go on as before, one for each fifty tags
    assert ahead.written_ahead_bytes == pytest.approx(500 * (sizes[-1] + 250 * added), rel=0.1)
    assert ahead.metadata_json_bytes == pytest.approx(
        sizes[-1] + 500 * added + commits * _snapshot_bytes(inspection), rel=0.03
    )


def _snapshot_bytes(inspection):
    return len(json.dumps(json.loads(inspection.tree.opened.json_text)["snapshots"][-1], separators=(",", ":")))


def expired(root, version):
    """Forty commits of a table of a format version, with creation before and an expiry after each ten."""
    case = synthetic_case(horizon_s=40.0)
    jobs = Maintenance.model_validate({"expire_snapshots": {"every": "10s", "older_than": "5s"}})
    table = case.table.model_copy(update={"format_version": version})
    return inspect_location(str(emit_tree(root, replace(case, table=table, maintenance=jobs)).root), NOW)


@pytest.mark.parametrize(("version", "said"), [(2, (5, 45)), (1, (1, 7))])
def test_versions_of_expired_snapshots_recorded_those(tmp_path, version, said):
    history = expired(tmp_path / "t", version).history
    assert (len(history.versions), history.without_snapshot, history.judged) == (45, *said)


@pytest.mark.parametrize(("version", "made"), [(2, 40), (1, pytest.approx(40, abs=3))])
def test_all_snapshots_ever_made_are_counted(tmp_path, version, made):
    inspection = expired(tmp_path / "t", version)
    assert snapshots_made(inspection.tree, inspection.history) == made
