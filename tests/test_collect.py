"""Journal ─► recording, and the audit."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from wasim.collect import audit, classify, list_table, read_recording
from wasim.errors import BooksDoNotBalance
from wasim.ledger import Kind, Recording, sum_events, view_by_commit

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
    return read_recording(lines, table_root=ROOT)


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
def test_books_that_do_not_balance_name_the_file(change: dict[str, int | None], named: str) -> None:
    events = recorded(*CREATE, *one_commit(1)).events
    listing: dict[str, int | None] = dict(zip(events.file, (int(size) for size in events.bytes), strict=True))
    audit(events, {file: size for file, size in listing.items() if size is not None})
    listing |= change
    with pytest.raises(BooksDoNotBalance, match=named):
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
