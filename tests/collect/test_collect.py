"""Journal ─► recording, and the audit."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from wasim.collect import audit, classify, list_table, read_journal
from wasim.errors import AuditMismatch
from wasim.ledger import Kind, Recording, sum_contention, sum_events, view_by_commit

ROOT = Path("/warehouse/db/events")
UUID = "60790434-8d90-488d-8bf8-22b422f74991"


def write(file: str, size: int, at_us: int = 0) -> dict[str, Any]:
    return {"at_us": at_us, "do": "write", "bytes": size, "file": f"file:{ROOT}/{file}"}


def delete(file: str) -> dict[str, Any]:
    return {"at_us": 0, "do": "delete", "file": f"{ROOT}/{file}"}


def step(number: int, operation: str = "append", at_us: int = 0, every_ms: int = 0) -> dict[str, Any]:
    times = {"event_ms": number * 2000, "every_ms": every_ms, "rows": 10}
    return {"at_us": at_us, "do": "step", "step": number, "operation": operation} | times


def done(snapshots: int, at_us: int = 0) -> dict[str, Any]:
    return {"at_us": at_us, "do": "done", "snapshots": snapshots}


def commit(snapshot_id: int, at_us: int = 0, **counters: int) -> dict[str, Any]:
    metrics: dict[str, Any] = {
        key.replace("_", "-"): {"unit": "count", "value": value} for key, value in counters.items()
    }
    metrics["total-duration"] = {"count": 1, "time-unit": "nanoseconds", "total-duration": 5_000_000}
    return {
        "at_us": at_us,
        "do": "commit",
        "report": {"snapshot-id": snapshot_id, "operation": "append", "metrics": metrics},
    }


def recorded(*lines: dict[str, Any]) -> Recording:
    return read_journal(lines, table_root=ROOT).recording


CREATE = (step(0, "create-table"), write("metadata/00000-a.metadata.json", 100))


def one_commit(number: int) -> tuple[dict[str, Any], ...]:
    return (
        step(number, at_us=number * 1000),
        write(f"data/{number}.parquet", 50),
        write(f"metadata/{number}{UUID[1:]}-m0.avro", 70),
        write(f"metadata/snap-{number}-1-{UUID}.avro", 40),
        write(f"metadata/0000{number}-{UUID}.metadata.json", 100 + number),
        commit(number, at_us=number * 1000 + 400, attempts=1, manifests_created=1, manifests_kept=number - 1),
    )


def test_every_event_up_to_a_report_belongs_to_its_commit() -> None:
    recording = recorded(*CREATE, *one_commit(1), *one_commit(2))
    assert list(recording.events.commit) == [-1, 1, 1, 1, 1, 2, 2, 2, 2]
    ledger = view_by_commit(recording)
    assert list(ledger.written_bytes[Kind.METADATA_JSON]) == [101, 102]
    assert list(ledger.live_manifests) == [1, 2]
    assert list(ledger.event_time_s) == [2.0, 4.0]
    assert list(ledger.commit_ms) == [5.0, 5.0]


def test_create_keeps_its_place_outside_the_commits() -> None:
    recording = recorded(*CREATE, *one_commit(1))
    assert recording.events.operation[0] == "create-table"
    assert sum_events(recording.events).written_bytes[Kind.METADATA_JSON] == 201


def test_a_stream_commits_many_steps_under_one_mark() -> None:
    lines = [line for number in (1, 2, 3) for line in one_commit(number) if line["do"] != "step"]
    recording = recorded(*CREATE, step(1, every_ms=2000), *lines)
    assert list(recording.reports.step) == [1, 2, 3]
    assert list(recording.events.step) == [0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3]


def test_a_pause_is_taken_out_of_the_step_time() -> None:
    first, second = one_commit(1), [line for line in one_commit(2) if line["do"] != "step"]
    resume = {"at_us": 9_000_000, "do": "resume"}
    second[-1] = second[-1] | {"at_us": 9_005_000}
    recording = recorded(*CREATE, *first, resume, *second)
    assert list(recording.reports.step_ms) == [0.4, 5.0]


def test_a_file_written_and_deleted_within_one_commit_is_waste() -> None:
    lines = [*one_commit(1)]
    lines[-1:] = [delete(f"metadata/1{UUID[1:]}-m0.avro"), write(f"metadata/1{UUID[1:]}-m1.avro", 90), lines[-1]]
    ledger = view_by_commit(recorded(*CREATE, *lines))
    assert list(ledger.wasted_bytes) == [70]
    assert list(ledger.deleted_bytes[Kind.DATA_MANIFEST]) == [70]
    assert list(ledger.written_bytes[Kind.DATA_MANIFEST]) == [160]


def test_a_renamed_file_is_known_by_its_last_name_only() -> None:
    rename = {
        "at_us": 0,
        "do": "rename",
        "from": f"{ROOT}/metadata/tmp.metadata.json",
        "file": f"{ROOT}/metadata/v1.metadata.json",
    }
    recording = recorded(step(0, "create-table"), write("metadata/tmp.metadata.json", 10), rename)
    assert list(recording.events.file) == ["metadata/v1.metadata.json"]
    audit(recording.events, {"metadata/v1.metadata.json": 10})


@pytest.mark.parametrize(
    ("file", "kind"),
    [
        (f"metadata/00001-{UUID}.metadata.json", Kind.METADATA_JSON),
        (f"metadata/00001-{UUID}.gz.metadata.json", Kind.METADATA_JSON),
        ("metadata/v3.metadata.json.gz", Kind.METADATA_JSON),
        (f"metadata/snap-12-1-{UUID}.avro", Kind.MANIFEST_LIST),
        (f"metadata/{UUID}-m0.avro", Kind.DATA_MANIFEST),
        (f"metadata/optimized-m-{UUID}.avro", Kind.DATA_MANIFEST),
        (f"metadata/12-{UUID}.stats", Kind.STATISTICS),
        (f"metadata/partition-stats-12-{UUID}.parquet", Kind.STATISTICS),
        ("metadata/version-hint.text", Kind.VERSION_HINT),
        (f"data/region=metadata/00000-1-{UUID}-0-00001.parquet", Kind.DATA),
        (f"data/00000-1-{UUID}-00001-deletes.parquet", Kind.DELETE_FILE),
        (f"data/00000-1-{UUID}-00001-deletes.puffin", Kind.DELETE_FILE),
    ],
)
def test_a_file_is_classified_by_its_path(file: str, kind: Kind) -> None:
    assert classify(file) == kind


def test_a_manifest_of_deletes_is_known_by_its_content() -> None:
    assert classify("metadata/ab-m0.avro", deletes=True) == Kind.DELETE_MANIFEST


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({f"metadata/1{UUID[1:]}-m0.avro": 71}, f"metadata/1{UUID[1:]}-m0.avro"),
        ({f"metadata/1{UUID[1:]}-m0.avro": None}, f"metadata/1{UUID[1:]}-m0.avro"),
        ({"data/stranger.parquet": 5}, "data/stranger.parquet"),
    ],
)
def test_an_audit_names_the_file_that_differs(change: dict[str, int | None], named: str) -> None:
    events = recorded(*CREATE, *one_commit(1)).events
    listing: dict[str, int | None] = dict(zip(events.file, (int(size) for size in events.bytes), strict=True))
    audit(events, {file: size for file, size in listing.items() if size is not None})
    listing |= change
    with pytest.raises(AuditMismatch, match=named):
        audit(events, {file: size for file, size in listing.items() if size is not None})


def test_a_listing_leaves_out_crc_twins(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "a.parquet").write_bytes(b"123")
    (tmp_path / "data" / ".a.parquet.crc").write_bytes(b"1")
    assert list_table(tmp_path) == {"data/a.parquet": 3}


def test_a_journal_without_commits_gives_an_empty_ledger() -> None:
    ledger = view_by_commit(recorded(*CREATE))
    assert len(ledger) == 0
    assert ledger.metadata_bytes.dtype == np.int64


def test_a_file_is_deleted_once_whoever_asks_again() -> None:
    manifest = f"metadata/1{UUID[1:]}-m0.avro"
    events = recorded(*CREATE, *one_commit(1), delete(manifest), delete(manifest), delete("data/never.parquet")).events
    assert list(events.action).count("delete") == 1
    assert sum_events(events).on_disk_bytes[Kind.DATA_MANIFEST] == 0


OTHER = "7f9c24e8-3b12-4f5e-9d3a-5c1d8e6b0a47"


def together(*lines: dict[str, Any]) -> Recording:
    edges = {"at_us": 0, "do": "together"}, {"at_us": 0, "do": "apart"}
    return recorded(*CREATE, edges[0], *lines, edges[1])


def by(number: int, line: dict[str, Any]) -> dict[str, Any]:
    return line | {"by": number}


def committed(number: int, sequence: int, at_us: int = 0, **counters: int) -> dict[str, Any]:
    line = by(number, commit(number, at_us, **counters))
    line["report"]["sequence-number"] = sequence
    return line


def test_lines_of_several_writers_differ_by_step_and_name() -> None:
    recording = together(
        by(1, step(1, at_us=1000)),
        by(2, step(2, at_us=2000)),
        by(2, write("data/b.parquet", 60)),
        by(1, write("data/a.parquet", 50)),
        write(f"metadata/{OTHER}-m0.avro", 72),  # a pool's threads know no step
        write(f"metadata/{UUID}-m0.avro", 71),
        by(1, write(f"metadata/snap-1-1-{UUID}.avro", 41)),
        by(2, write(f"metadata/snap-2-1-{OTHER}.avro", 42)),
        by(1, write("metadata/00001-a.metadata.json", 101)),
        by(2, write("metadata/00001-b.metadata.json", 102)),
        by(1, write(f"metadata/snap-1-2-{UUID}.avro", 43)),
        by(1, write("metadata/00002-c.metadata.json", 203)),
        delete(f"metadata/snap-1-1-{UUID}.avro"),
        committed(1, sequence=2, at_us=7000, attempts=2),
        committed(2, sequence=1, at_us=9000, attempts=1),  # reported last, but first in the table
    )
    ledger, contention = view_by_commit(recording), sum_contention(recording)
    assert list(recording.reports.step) == [2, 1]
    assert list(recording.reports.step_ms) == [7, 6]
    assert list(ledger.event_time_s) == [4, 2]
    assert list(ledger.snapshots_retained) == [1, 2]
    assert list(ledger.written_bytes[Kind.DATA]) == [60, 50]
    assert list(ledger.written_bytes[Kind.DATA_MANIFEST]) == [72, 71]
    assert list(ledger.files_written[Kind.METADATA_JSON]) == [1, 2]
    assert list(ledger.wasted_bytes) == [0, 41 + 101]
    assert [event for event in recording.events.file if event.startswith("data")] == [
        "data/b.parquet",
        "data/a.parquet",
    ]
    assert (contention.attempts, contention.lost_attempts, contention.failed) == (3, 1, {})
    assert contention.orphan_bytes[Kind.METADATA_JSON] == 101
    assert contention.orphan_files == 1
    lost = recording.events.where(recording.events.file == "metadata/00002-c.metadata.json")
    assert list(lost.attempt) == [2]


def test_a_failed_commit_counts_as_none_and_leaves_orphans() -> None:
    recording = together(
        by(1, step(1)),
        by(1, write("data/a.parquet", 50)),
        by(1, write(f"metadata/snap-1-1-{UUID}.avro", 40)),
        by(1, write("metadata/00001-a.metadata.json", 101)),
        by(1, delete(f"metadata/snap-1-1-{UUID}.avro")),
        delete("data/a.parquet"),
        by(1, {"at_us": 9, "do": "failed", "error": "CommitFailedException"}),
        by(1, step(2)),
        by(1, write("data/b.parquet", 60)) | {"by": 2},
        committed(2, sequence=1, attempts=1),
    )
    contention = sum_contention(recording)
    assert list(recording.steps.error) == ["", "CommitFailedException", ""]
    assert list(recording.steps.rows_arrived) == [10, 0, 10]
    assert list(recording.events.commit) == [-1] * 6 + [1]
    assert (contention.attempts, contention.lost_attempts, contention.failed_commits) == (2, 1, 1)
    assert sum(contention.lost_bytes.values()) == 50 + 40 + 101
    assert {kind: size for kind, size in contention.orphan_bytes.items() if size} == {Kind.METADATA_JSON: 101}


def test_a_file_of_two_writers_is_booked_as_seen() -> None:
    def hint(number: int, text: str, size: int) -> tuple[dict[str, Any], dict[str, Any]]:
        path = f"{ROOT}/metadata/{text}-version-hint.temp"
        rename = {"at_us": 0, "do": "rename", "from": path, "file": f"{ROOT}/metadata/version-hint.text"}
        return by(number, write(f"metadata/{text}-version-hint.temp", size)), by(number, rename)

    nine, ten = hint(1, "nine", 1), hint(2, "ten", 2)
    recording = together(
        by(1, step(1)), by(2, step(2)), *nine, ten[0], by(2, delete("metadata/version-hint.text")), ten[1],
        committed(2, sequence=1), committed(1, sequence=2),
    )  # fmt: skip
    audit(recording.events, {"metadata/version-hint.text": 2, "metadata/00000-a.metadata.json": 100})
    assert sum_events(recording.events).on_disk_bytes[Kind.VERSION_HINT] == 2


def test_an_unclaimed_metadata_json_says_whose_snapshot_it_holds(tmp_path: Path) -> None:
    (tmp_path / "metadata").mkdir()
    served = tmp_path / "metadata" / "00001-a.metadata.json"
    served.write_text('{"current-snapshot-id": 77}')
    lines = (
        {"at_us": 0, "do": "together"},
        by(1, step(1)),
        by(2, step(2)),
        by(2, {"at_us": 0, "do": "write", "bytes": 4, "file": f"{tmp_path}/metadata/snap-77-1-{UUID}.avro"}),
        {"at_us": 0, "do": "write", "bytes": 9, "file": f"{served}"},
        committed(1, sequence=1),
        committed(2, sequence=2),
        {"at_us": 0, "do": "apart"},
    )
    events = read_journal(lines, table_root=tmp_path).recording.events
    assert list(events.step) == [2, 2]
    assert list(events.commit) == [2, 2]
