"""Every column and total of a recording made by hand: three commits, a lost attempt, a failed commit, an expiry."""

from dataclasses import fields, replace

import numpy as np
import pytest

from wasim.ledger import (
    Action,
    CommitReports,
    FileEvents,
    Kind,
    Recording,
    RequestKind,
    Requests,
    StepRecords,
    request_kind,
    sum_by_operation,
    sum_contention,
    sum_events,
    view_by_commit,
)
from wasim.ledger.totals import amplification, ingested_bytes, peaks_of, written_by
from wasim.ledger.vocabulary import OUTSIDE_COMMITS

WRITE, DELETE = Action.WRITE, Action.DELETE
JSON, LIST, MANIFEST, DATA, DELETES = (
    Kind.METADATA_JSON,
    Kind.MANIFEST_LIST,
    Kind.DATA_MANIFEST,
    Kind.DATA,
    Kind.DELETE_FILE,
)
# step, commit, attempt, operation, action, kind, bytes, file
EVENTS = [
    (0, OUTSIDE_COMMITS, 1, "create-table", WRITE, JSON, 100, "json-0"),
    (1, 1, 1, "append", WRITE, DATA, 1000, "data-1"),
    (1, 1, 1, "append", WRITE, MANIFEST, 70, "manifest-1"),
    (1, 1, 1, "append", WRITE, LIST, 40, "list-1"),
    (1, 1, 1, "append", WRITE, JSON, 110, "json-1"),
    (2, 2, 1, "append", WRITE, DATA, 1100, "data-2"),
    (2, 2, 1, "append", WRITE, DATA, 17, "spilt-2"),  # written and deleted by the commit itself
    (2, 2, 1, "append", DELETE, DATA, 17, "spilt-2"),
    (2, 2, 1, "append", WRITE, MANIFEST, 71, "manifest-2"),
    (2, 2, 1, "append", WRITE, LIST, 50, "list-2a"),  # its attempt is lost
    (2, 2, 1, "append", WRITE, JSON, 119, "json-2a"),
    (2, 2, 1, "append", DELETE, LIST, 50, "list-2a"),
    (2, 2, 2, "append", WRITE, LIST, 51, "list-2"),
    (2, 2, 2, "append", WRITE, JSON, 120, "json-2"),
    (3, OUTSIDE_COMMITS, 1, "append", WRITE, DATA, 900, "data-failed"),
    (3, OUTSIDE_COMMITS, 1, "append", WRITE, MANIFEST, 72, "manifest-failed"),
    (3, OUTSIDE_COMMITS, 1, "append", WRITE, LIST, 52, "list-failed"),
    (3, OUTSIDE_COMMITS, 1, "append", DELETE, DATA, 900, "data-failed"),
    (4, 3, 1, "update", WRITE, DATA, 600, "data-3"),
    (4, 3, 1, "update", WRITE, DELETES, 30, "deletes-3"),
    (4, 3, 1, "update", WRITE, Kind.DELETE_MANIFEST, 75, "manifest-3"),
    (4, 3, 1, "update", WRITE, LIST, 60, "list-3"),
    (4, 3, 1, "update", WRITE, JSON, 130, "json-3"),
    (4, 3, 1, "update", DELETE, JSON, 100, "json-0"),
    (5, OUTSIDE_COMMITS, 1, "expire_snapshots", DELETE, LIST, 40, "list-1"),
]
REPORTED = {
    "step": [1, 2, 4],
    "attempts": [1, 2, 1],
    "manifests_created": [1, 1, 1],
    "manifests_kept": [0, 1, 2],
    "files_added": [1, 1, 1],
    "delete_files_added": [0, 0, 1],
    "files_live": [1, 2, 3],
    "delete_files_live": [0, 0, 1],
    "records_added": [10, 11, 6],
    "data_bytes_added": [1000, 1100, 630],  # delete files among them
}
STEPS = [  # step, operation, commits, rows that arrived, milliseconds, error
    (0, "create-table", 0, 0, 500.0, ""),
    (1, "append", 1, 10, 1000.0, ""),
    (2, "append", 1, 11, 2500.0, ""),
    (3, "append", 0, 0, 700.0, "CommitFailedException"),
    (4, "update", 1, 2, 1500.0, ""),
    (5, "expire_snapshots", 0, 0, 250.0, ""),
]


@pytest.fixture(scope="module")
def recording() -> Recording:
    step, commit, attempt, operation, action, kind, size, file = map(np.array, zip(*EVENTS, strict=True))
    reports = {field.name: np.arange(3) for field in fields(CommitReports)}
    reports |= {"operation": np.array(["append", "append", "update"])}
    number, done, commits, rows, wall_ms, error = map(np.array, zip(*STEPS, strict=True))
    return Recording(
        events=FileEvents(
            step=step,
            commit=commit,
            attempt=attempt,
            operation=operation,
            action=action,
            kind=kind,
            bytes=size,
            seen_at_s=np.zeros(len(step)),
            file=file,
        ),
        reports=CommitReports(**(reports | {name: np.array(values) for name, values in REPORTED.items()})),
        steps=StepRecords(
            step=number,
            operation=done,
            event_time_s=np.zeros(len(number)),
            commits=commits,
            rows_arrived=rows,
            began_at_s=np.zeros(len(number)),
            wall_ms=wall_ms,
            error=error,
        ),
    )


def by_kind(values: dict[Kind, object]) -> dict[Kind, list[int]]:
    return {kind: list(column) for kind, column in values.items() if any(column)}


def present(values: dict[Kind, int]) -> dict[Kind, int]:
    return {kind: value for kind, value in values.items() if value}


def test_a_commit_has_what_it_wrote_deleted_and_wasted(recording: Recording) -> None:
    ledger = view_by_commit(recording)
    assert list(ledger.commit) == [1, 2, 3]
    assert by_kind(ledger.written_bytes) == {
        JSON: [110, 239, 130],
        LIST: [40, 101, 60],
        MANIFEST: [70, 71, 0],
        Kind.DELETE_MANIFEST: [0, 0, 75],
        DATA: [1000, 1117, 600],
        DELETES: [0, 0, 30],
    }
    assert by_kind(ledger.deleted_bytes) == {JSON: [0, 0, 100], LIST: [0, 50, 0], DATA: [0, 17, 0]}
    assert by_kind(ledger.files_written) == {
        JSON: [1, 2, 1],
        LIST: [1, 2, 1],
        MANIFEST: [1, 1, 0],
        Kind.DELETE_MANIFEST: [0, 0, 1],
        DATA: [1, 2, 1],
        DELETES: [0, 0, 1],
    }
    assert list(ledger.wasted_bytes) == [0, 17 + 50 + 119, 0]
    assert list(ledger.metadata_bytes) == [220, 411, 265]
    assert (list(ledger.live_manifests), list(ledger.live_entries)) == ([1, 2, 3], [1, 2, 4])
    assert list(ledger.entries_added) == [1, 1, 2]
    assert list(ledger.head(2).metadata_bytes) == [220, 411]


def test_totals_hold_what_is_outside_commits_too(recording: Recording) -> None:
    totals = sum_events(recording.events)
    assert totals.metadata_bytes == 220 + 411 + 265 + 100 + 72 + 52
    assert totals.data_bytes == 1000 + 1117 + 630 + 900
    assert present(totals.on_disk_bytes) == {
        JSON: 110 + 239 + 130,
        LIST: 51 + 60 + 52,
        MANIFEST: 141 + 72,
        Kind.DELETE_MANIFEST: 75,
        DATA: 2700,
        DELETES: 30,
    }
    assert present(totals.files_written) == {
        JSON: 5,
        LIST: 5,
        MANIFEST: 3,
        Kind.DELETE_MANIFEST: 1,
        DATA: 5,
        DELETES: 1,
    }
    assert present(totals.files_deleted) == {JSON: 1, LIST: 2, DATA: 2}
    wa = amplification(totals, ingested_bytes=2000, horizon_s=3.0)
    assert (wa.data, wa.metadata, wa.total, wa.horizon_s) == (1.8235, 0.56, 1.8235 + 0.56, 3.0)


def test_operations_have_their_steps_commits_files_and_time(recording: Recording) -> None:
    found = {one.operation: one for one in sum_by_operation(recording)}
    assert list(found) == ["create-table", "append", "update", "expire_snapshots"]
    append = found["append"]
    assert (append.steps, append.commits, append.wall_s) == (3, 2, 4.2)
    assert append.totals.metadata_bytes == 220 + 411 + 72 + 52
    assert found["expire_snapshots"].totals.deleted_bytes[LIST] == 40


def test_ingested_is_the_share_of_the_rows_that_arrived(recording: Recording) -> None:
    assert ingested_bytes(recording) == 1000 + 1100 + 600 * 2 // 6


@pytest.fixture
def timed(recording: Recording) -> Recording:
    """The recording with times, whose expiry writes metadata.json."""
    events, steps, reports = recording.events, recording.steps, recording.reports
    return replace(
        recording,
        events=replace(events, action=np.append(events.action[:-1], WRITE), kind=np.append(events.kind[:-1], JSON)),
        steps=replace(steps, event_time_s=np.array([0.0, 1.0, 2.0, 3.0, 4.0, 7.0])),
        reports=replace(reports, event_time_s=np.array([1.0, 2.0, 4.0])),
    )


def test_what_an_expiry_writes_counts_from_its_own_time(timed: Recording) -> None:
    found = written_by(timed, np.array([0.5, 3.5, 4.0, 6.9, 7.0]), frozenset({JSON}))
    assert list(found) == [100, 449, 579, 579, 619]


@pytest.mark.parametrize(("since_s", "size", "files"), [(1.0, 500, 9), (2.0, 130, 4)])
def test_the_most_is_what_comes_after_a_time(timed: Recording, since_s: float, size: int, files: int) -> None:
    """The second commit's metadata.json and files, which come at 2 s, are more than the last one's."""
    events, reports = timed.events, timed.reports
    large = np.where(events.file == "json-2", 500, events.bytes)
    several = replace(reports, files_live=np.array([1, 9, 3]), delete_files_live=np.array([0, 0, 1]))
    found = peaks_of(replace(timed, events=replace(events, bytes=large), reports=several), since_s)
    assert (found["metadata_json_bytes"], found["files"], found["delete_files"]) == (size, files, 1)


def test_contention_counts_lost_attempts_failed_commits_and_what_they_leave(recording: Recording) -> None:
    found = sum_contention(recording)
    assert (found.attempts, found.lost_attempts) == (5, 2)
    assert (found.failed, found.failed_commits) == ({"CommitFailedException": 1}, 1)
    assert present(found.lost_bytes) == {JSON: 119, LIST: 50 + 52, MANIFEST: 72, DATA: 900}
    assert present(found.orphan_bytes) == {JSON: 119, LIST: 52, MANIFEST: 72}
    assert found.orphan_files == 3


@pytest.mark.parametrize(
    ("request_name", "kind"),
    [
        ("PutObject", RequestKind.PUT),
        ("UploadPart", RequestKind.PUT),
        ("GetObject", RequestKind.GET),
        ("HeadObject", RequestKind.HEAD),
        ("ListObjectsV2", RequestKind.LIST),
        ("DeleteObjects", RequestKind.DELETE),
        ("AbortMultipartUpload", RequestKind.DELETE),
    ],
)
def test_a_request_is_priced_as_its_kind(request_name: str, kind: RequestKind) -> None:
    assert request_kind(request_name) is kind


def test_requests_are_counted_of_commits_of_steps_and_outside() -> None:
    made = Requests(
        commit=np.array([1, OUTSIDE_COMMITS, OUTSIDE_COMMITS, OUTSIDE_COMMITS]),
        step=np.array([1, 2, 0, -1]),
        kind=np.array([RequestKind.PUT, RequestKind.DELETE, RequestKind.PUT, RequestKind.GET]),
        request=np.array(["PutObject", "DeleteObjects", "PutObject", "GetObject"]),
        count=np.array([3, 4, 5, 6]),
    )
    named = [
        {kind: count for kind, count in counts.items() if count}
        for counts in (made.of_commits(), made.of_steps(), made.outside())
    ]
    put, get, delete = RequestKind.PUT, RequestKind.GET, RequestKind.DELETE
    assert named == [{put: 3}, {put: 3, delete: 4}, {put: 5, get: 6}]
