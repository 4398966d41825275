"""The doctor's totals against what is known to have been written."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from support.synthetic import synthetic_case
from support.trees import emit_tree

from wasim.doctor import InspectOptions, Severity, inspect_location
from wasim.doctor.document import inspection_document
from wasim.doctor.inspection import inspect_table, live_bytes
from wasim.doctor.opening import open_table
from wasim.doctor.table_files import State
from wasim.doctor.terminal import latency_line
from wasim.ledger import METADATA_KINDS, Action, Kind, view_by_commit
from wasim.ledger.machine import SHIPPED_MACHINE
from wasim.scenario.changes import Changes, Maintenance

NOW = InspectOptions(grace_s=0)
GZIPPED = {"write.metadata.compression-codec": "gzip", "commit.manifest.min-count-to-merge": "3"}
SHORT_LOG = {"write.metadata.delete-after-commit.enabled": "true", "write.metadata.previous-versions-max": "3"}


CASES = {
    "streaming": synthetic_case(horizon_s=20.0),
    "batch, merging, gzipped": synthetic_case(horizon_s=20.0, writer="batch", properties=GZIPPED),
    "short log": synthetic_case(horizon_s=20.0, properties=SHORT_LOG, files_per_commit=3),
    "deletes": replace(
        synthetic_case(horizon_s=20.0, writer="batch"),
        changes=Changes.model_validate({"delete": {"every": 5, "rows": 3, "mode": "merge-on-read"}}),
    ),
    "expiry": replace(
        synthetic_case(horizon_s=20.0),
        maintenance=Maintenance.model_validate({"expire_snapshots": {"every": 6, "retain_last": 3, "older_than": 4}}),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_totals_are_those_of_the_recording_to_the_byte(name, tmp_path):
    tree = emit_tree(tmp_path / "t", CASES[name])
    inspection = inspect_location(str(tree.root), NOW)
    found = {kind: inspection.totals.of(kind).bytes for kind in METADATA_KINDS}
    assert found == {kind: tree.on_disk_bytes[kind] for kind in METADATA_KINDS}
    assert live_bytes(inspection) == tree.simulated.live_bytes


@pytest.mark.parametrize("name", ["streaming", "batch, merging, gzipped"])
def test_the_history_is_the_ledger_of_the_recording(name, tmp_path):
    tree = emit_tree(tmp_path / "t", CASES[name])
    expected, inspection = view_by_commit(tree.simulated.recording), inspect_location(str(tree.root), NOW)
    found, history = inspection.history.ledger, inspection.history
    assert [one.snapshot_id for one in inspection.tree.index.snapshots] == list(expected.snapshot_id)
    assert inspection.tree.index.counts == list(expected.live_manifests)
    assert list(found.data_bytes_live) == list(expected.data_bytes_live)
    for kind in (Kind.METADATA_JSON, Kind.MANIFEST_LIST, Kind.DATA):
        assert history.known[kind.value].all()
        assert list(found.written_bytes[kind]) == list(expected.written_bytes[kind]), kind
    kept = expected.written_bytes[Kind.DATA_MANIFEST] - expected.deleted_bytes[Kind.DATA_MANIFEST]
    assert list(found.written_bytes[Kind.DATA_MANIFEST]) == list(kept)


def test_every_part_of_metadata_json_is_counted_once(tmp_path):
    tree = emit_tree(tmp_path / "t", CASES["streaming"])
    inspection = inspect_location(str(tree.root), NOW)
    assert inspection.parts.total_bytes == inspection.tree.opened.json_bytes
    assert inspection.parts.bytes["snapshots"] > inspection.parts.bytes["schemas"] > 100
    assert inspection.parts.growth_bytes["snapshot-log"] == pytest.approx(65, abs=1)


def test_unreferenced_files_are_orphans_after_the_grace_period(tmp_path):
    tree = emit_tree(tmp_path / "t", CASES["streaming"])
    lost = tree.root / "metadata" / "snap-1-1-11111111-2222-3333-4444-555555555555.avro"
    lost.write_bytes(next((tree.root / "metadata").glob("snap-*")).read_bytes())
    young = inspect_location(str(tree.root), replace(NOW, grace_s=3600))
    assert young.totals.of(Kind.MANIFEST_LIST, State.YOUNG).files == 1
    os.utime(lost, (0, 0))
    old = inspect_location(str(tree.root), replace(NOW, grace_s=3600))
    assert old.totals.of(Kind.MANIFEST_LIST, State.ORPHAN).bytes == lost.stat().st_size
    verdicts = {row["file"]: row for row in inspection_document(old, files=True)["file_verdicts"]}
    assert [name for name, row in verdicts.items() if row["may_delete"]] == [f"metadata/{lost.name}"]


def test_removals_that_iceberg_would_refuse_say_so(tmp_path):
    case = synthetic_case(
        horizon_s=20.0, properties={"gc.enabled": "false", "write.metadata.previous-versions-max": "2"}
    )
    remedies = {one.name: one for one in inspect_location(str(emit_tree(tmp_path / "t", case).root), NOW).remedies}
    expiries = [one for name, one in remedies.items() if name.startswith("expire_snapshots")]
    assert len(expiries) >= 2
    assert {(one.blocked, one.sql) for one in expiries} == {("refused as long as gc.enabled is false", "")}
    assert "remove_orphan_files" not in remedies


@pytest.mark.parametrize(("properties", "says"), [({"history.expire.min-snapshots-to-keep": "2"}, True), ({}, False)])
def test_limits_of_a_table_are_said_to_expire_nothing(properties, says, tmp_path):
    root = emit_tree(tmp_path / "t", synthetic_case(horizon_s=20.0, properties=properties)).root
    first, *others = [one for one in inspect_location(str(root), NOW).remedies if "expire_snapshots" in one.name]
    assert ("expire nothing by themselves" in first.note) is says
    assert not any("by themselves" in one.note for one in others)


def test_stamps_in_microseconds_are_a_contradiction(tmp_path):
    root = emit_tree(tmp_path / "t", synthetic_case(horizon_s=3.0)).root
    newest = max((root / "metadata").glob("*.metadata.json"))
    newest.write_text(re.sub(r'("[a-z-]+-ms":)(\d{13})', r"\g<1>\g<2>000", newest.read_text()))
    inspection = inspect_location(str(root), NOW)
    assert "WA113" in [one.identity for one in inspection.findings]


def test_files_of_a_nested_table_are_none_of_its_orphans(tmp_path):
    tree = emit_tree(tmp_path / "t", CASES["streaming"])
    alone = inspect_location(str(tree.root), NOW)
    emit_tree(tree.root / "below", CASES["streaming"])
    assert inspect_location(str(tree.root), NOW).totals == alone.totals


def test_expiry_frees_what_the_simulator_s_own_expiry_deletes(tmp_path):
    case = synthetic_case(horizon_s=20.0, writer="batch", properties={"commit.manifest.min-count-to-merge": "3"})
    before = inspect_location(str(emit_tree(tmp_path / "a", case).root), NOW)
    (remedy,) = [one for one in before.remedies if one.name == "expire_snapshots to the last 10"]
    expiry = {"expire_snapshots": {"every": 20, "retain_last": 10, "older_than": 1}}
    expired = emit_tree(tmp_path / "b", replace(case, maintenance=Maintenance.model_validate(expiry)))
    events = expired.simulated.recording.events
    deleted = (events.operation == "expire_snapshots") & (events.action == Action.DELETE)
    for kind in (Kind.MANIFEST_LIST, Kind.DATA_MANIFEST):
        sizes = events.bytes[deleted & (events.kind == kind)]
        assert remedy.frees[kind].files == len(sizes) == 10
        # another table of the same case: its ids pack into a few bytes more or less
        assert remedy.frees[kind].bytes == pytest.approx(sizes.sum(), rel=0.001)


def test_reading_changes_nothing(tmp_path):
    tree = emit_tree(tmp_path / "t", CASES["streaming"])

    def fingerprint():
        return {
            path: (path.stat().st_mtime_ns, hashlib.sha256(path.read_bytes()).hexdigest())
            for path in sorted(tree.root.rglob("*"))
            if path.is_file()
        }

    before = fingerprint()
    inspect_location(str(tree.root), NOW)
    assert fingerprint() == before


def test_each_commit_has_its_metadata_json_outside_the_log_too(tmp_path):
    properties = {"write.metadata.previous-versions-max": "5"}
    tree = emit_tree(tmp_path / "t", synthetic_case(horizon_s=20.0, properties=properties))
    expected, history = view_by_commit(tree.simulated.recording), inspect_location(str(tree.root), NOW).history
    # files that have left the log are told by what stands at their beginning
    assert history.known[Kind.METADATA_JSON.value].all()
    found = history.ledger.written_bytes[Kind.METADATA_JSON]
    assert list(found) == list(expected.written_bytes[Kind.METADATA_JSON])
    rival = sorted((tree.root / "metadata").glob("*.metadata.json"))[9]
    shutil.copy(rival, rival.with_name(f"{rival.name[:5]}-11111111-2222-3333-4444-555555555555.metadata.json"))
    known = inspect_location(str(tree.root), NOW).history.known[Kind.METADATA_JSON.value]
    assert list(np.flatnonzero(~known)) == [8]


WATCHED = """
import os, sys
from wasim.cli import app
writes = []
def hook(event, arguments):
    if event == "open" and isinstance(arguments[2], int) and arguments[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
        writes.append(arguments[0])
    elif event in ("os.remove", "os.rename", "os.mkdir", "os.rmdir", "os.truncate", "os.chmod", "os.utime", "os.link"):
        writes.append(event)
for arguments in (["--json"], ["--files"], ["--prometheus"], []):
    sys.addaudithook(hook)
    app(["inspect", sys.argv[1], "--fail-on", "never", *arguments], standalone_mode=False)
print("WRITES", writes, file=sys.stderr)
"""


def test_no_view_of_a_table_opens_a_file_to_write(tmp_path):
    tree = emit_tree(tmp_path / "t", CASES["streaming"])
    command = [sys.executable, "-B", "-c", WATCHED, str(tree.root)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    assert "WRITES []" in done.stderr


WRITING = re.compile(
    r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC"
    r"|\b(?:unlink|unlinkat|rename|renameat2?|mkdir|mkdirat|rmdir|truncate|ftruncate|link|linkat|symlink|symlinkat|f?chmod"
    r"|fchmodat2?|utimensat|f?setxattr|lsetxattr|creat|mknod|mknodat)\("
)


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
@pytest.mark.parametrize(
    "arguments",
    [
        ["--json"],
        pytest.param(["--files"], marks=pytest.mark.slow),
        pytest.param(["--forecast", "1h", "--commit-interval", "1s"], marks=pytest.mark.slow),
    ],
)
def test_no_system_call_of_an_inspection_writes(arguments, tmp_path):
    tree, calls = emit_tree(tmp_path / "t", horizon_s=6.0), tmp_path / "calls"
    strace = [
        "strace",
        "-f",
        "-qq",
        "-e",
        "trace=%file,ftruncate,fchmod,fsetxattr",
        "-e",
        "signal=none",
        "-o",
        str(calls),
    ]
    command = [sys.executable, "-B", "-m", "wasim", "inspect", str(tree.root), "--fail-on", "never", *arguments]
    done = subprocess.run([*strace, *command], capture_output=True, text=True, check=False, timeout=300)
    if "ptrace" in done.stderr:
        pytest.skip("strace may not trace here")
    assert done.returncode == 0, done.stderr
    lines = calls.read_text().splitlines()
    assert any(str(tree.root) in line and "O_RDONLY" in line for line in lines)
    assert [line for line in lines if WRITING.search(line) and "/dev/null" not in line and "ENOENT" not in line] == []


def test_a_file_that_vanishes_meanwhile_is_said_and_nothing_worse(tmp_path):
    tree = emit_tree(tmp_path / "t", CASES["streaming"])
    opened = open_table(str(tree.root))
    for path in sorted((tree.root / "metadata").glob("snap-*"))[:2]:
        path.unlink()
    inspection = inspect_table(opened, NOW)
    found = {finding.name: (finding.value, finding.severity) for finding in inspection.findings}
    assert found["vanished"] == (2, Severity.NOTE)
    assert "absent_metadata" not in found


def test_a_virtual_clocks_table_takes_its_cases_interval(tmp_path):
    run = tmp_path / "run"
    tree = emit_tree(run / "warehouse" / "abc" / "db" / "t", synthetic_case(horizon_s=600.0, interval_s=60.0))
    stamped = inspect_location(str(tree.root), NOW).history
    assert (stamped.interval_source, stamped.interval_s.median < 1) == ("snapshots", True)
    given = inspect_location(str(tree.root), replace(NOW, commit_interval_s=30.0)).history
    assert (given.interval_source, given.interval_s.median, given.commits_per_hour) == ("given", 30, 120)
    (run / "cases" / "abc").mkdir(parents=True)
    (run / "cases" / "abc" / "case.json").write_text(json.dumps({"case": tree.case.document()}))
    found = inspect_location(str(tree.root), NOW)
    assert (found.history.interval_s.median, found.history.span_s) == (60, 540)
    assert found.growth.trends["manifests"].per_day == pytest.approx(1440)


def test_an_expired_history_takes_its_interval_from_the_metadata_log(tmp_path):
    tree = emit_tree(tmp_path / "t", CASES["streaming"])
    newest = max((tree.root / "metadata").glob("*.metadata.json"))
    document = json.loads(newest.read_bytes())
    document["snapshots"] = document["snapshots"][-1:]
    newest.write_text(json.dumps(document))
    history = inspect_location(str(tree.root), NOW).history
    assert history.interval_source == "metadata log"
    assert 0.1 < history.interval_s.median < 1


def test_planning_now_is_the_machine_s_law_of_live_files(tmp_path):
    root = str(emit_tree(tmp_path / "t", synthetic_case(horizon_s=20.0)).root)
    slow = replace(SHIPPED_MACHINE, threads=1, words="one thread")
    inspection = inspect_location(root, replace(NOW, machine=slow))
    size = sum((tmp_path / "t" / key).stat().st_size for key in inspection.tree.index.keys)
    json_bytes = inspection.tree.opened.json_bytes
    assert inspection.full_scan_ms == (slow.loading_ms(json_bytes), slow.scanning_ms(20, 20, size))
    assert latency_line(inspection).endswith("machine: one thread.")
