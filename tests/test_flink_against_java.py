"""What profile `flink` writes of upserts, against Iceberg's own writers of deltas and its RowDelta: byte for byte."""

import re
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from uuid import UUID

import numpy as np
import pytest
from replay import Draws, differing, draws_of, metadata_files
from upserting_job import Checkpoint, UpsertingJob, rows_of_commits, subtasks_of, texts

from wasim.iceberg import DataFileEntry, read_manifest, read_metadata_json
from wasim.iceberg.names import parse_metadata_name
from wasim.scenario import Case
from wasim.simulate.books import Books
from wasim.simulate.commits import Moment
from wasim.simulate.creation import Site, new_table
from wasim.simulate.data_files import data_files_of
from wasim.simulate.profile import profile_named
from wasim.simulate.row_deltas import RowDelta, commit_row_delta
from wasim.spark import Session

COLUMNS = (
    "columns: [{name: sensor, type: string, length: 8, values: 3}, {name: level, type: int, values: 3},"
    " {name: reading, type: double, count: 4}]"
)
MERGING = "properties: {commit.manifest.min-count-to-merge: '4'}"
UPSERT = "{kind: streaming, upsert: {share: 0.4, mode: equality-deletes, repeats: 0.25%s}}"
CASES = {
    "v2": {"table": f"{{{COLUMNS}, {MERGING}}}", "writer": UPSERT % ""},
    "v2 partitioned, a partition to a subtask": {
        "table": f"{{{COLUMNS}, {MERGING}, partition_by: [{{column: sensor}}, {{column: event_id, transform: 'bucket[2]'}}]}}",
        "writer": UPSERT % ", key: [event_id, sensor], locality: newest",
        "workload": "{rows_per_second: 30, files_per_commit: 2, distribution_mode: hash}",
        "horizon": "14s",
    },
    "v3": {"table": f"{{format_version: 3, {COLUMNS}, {MERGING}}}", "writer": UPSERT % ", locality: newest"},
    "v3 partitioned, keys dealt out": {
        "table": f"{{format_version: 3, {COLUMNS}, {MERGING}, partition_by: [{{column: level}}]}}",
        "writer": UPSERT % ", key: [level, event_id]",
        "horizon": "14s",
    },
}
UUID_TEXT = re.compile(rb"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
SIZE_SHARE = 0.03  # of the bytes of delete files, in sum


@pytest.fixture(params=CASES.values(), ids=CASES)
def job(
    request: pytest.FixtureRequest, session: Session, small_case: Callable[..., Case], tmp_path: Path
) -> UpsertingJob:
    lines = {"workload": "{rows_per_second: 30, files_per_commit: 2}", "horizon": "24s", **request.param}
    return UpsertingJob(session, small_case(**lines), tmp_path / "real")


@pytest.mark.spark
def test_metadata_of_row_deltas_is_that_of_the_library_byte_for_byte(job: UpsertingJob, tmp_path: Path) -> None:
    with job.by_flink():
        checkpoints = [job.commit(number, rows) for number, rows in rows_of_commits(job.case)]
    staged = replay(job, checkpoints, tmp_path / "again")
    wrong, count = differing(job.folder, tmp_path / "again")
    assert wrong == []
    assert {path.name for path in (tmp_path / "again" / "metadata").iterdir()} == {
        path.name for path in (job.folder / "metadata").iterdir() if not path.name.startswith(".")
    }
    assert staged == {name: data for one in checkpoints for name, data in one.staged.items()}
    assert count > 3 * job.case.commits
    _check_drawn(job, checkpoints)


def replay(job: UpsertingJob, checkpoints: list[Checkpoint], folder: Path) -> dict[str, bytes]:
    """Commits the same files again into `folder`, with what the library drew; the manifests that were staged."""
    jsons = metadata_files(job.folder)
    metadata = [read_metadata_json(path.read_bytes(), source=str(path)) for path in jsons]
    profile, draws = profile_named("flink"), Draws([])
    site = Site(location=job.location, started_s=metadata[0].last_updated_ms / 1000)
    draws.queue += [UUID(metadata[0].table_uuid).bytes, UUID(parse_metadata_name(jsons[0].name).uuid).bytes]
    books = KeepingBooks(folder=folder)
    files = data_files_of(job.case, profile)
    table = new_table(job.case, profile, files, site=site, books=books, rng=draws)
    books.enter_step(0, "create-table", event_time_s=0.0, rows_arrived=0, at_s=0.0)
    table.create()
    for number, (path, state, checkpoint) in enumerate(zip(jsons[1:], metadata[1:], checkpoints, strict=True), 1):
        manifests = [read_manifest(data, source=name) for name, data in checkpoint.staged.items()]
        delta = RowDelta(**dict(zip(("data", "deletes"), map(_files, manifests), strict=True)))
        draws.queue += [manifest.sync_marker for manifest in manifests]
        snapshot = state.snapshots[-1]
        draws_of(job.folder, snapshot, draws)
        draws.queue.append(UUID(parse_metadata_name(path.name).uuid).bytes)
        moment = Moment(
            event_time_s=0.0,
            timestamp_ms=snapshot.timestamp_ms,
            updated_ms=state.last_updated_ms,
            texts=texts(number),
        )
        commit_row_delta(table, delta, moment)
        assert not draws.queue
    return books.staged


class KeepingBooks(Books):
    """Keeps what was staged and is gone."""

    staged: dict[str, bytes]

    def __init__(self, *, folder: Path) -> None:
        super().__init__(folder=folder)
        self.staged = {}

    def write(self, kind, file, data) -> None:
        super().write(kind, file, data)
        if "-m" not in file and file.endswith(".avro") and "snap-" not in file:
            self.staged[file.rpartition("/")[2]] = data


def _files(manifest) -> list[DataFileEntry]:
    return [entry.file for entry in manifest.entries]


def _check_drawn(job: UpsertingJob, checkpoints: list[Checkpoint]) -> None:
    """The files that the simulator describes are those that the library wrote, but for UUIDs and sizes."""
    subtasks, rng = subtasks_of(job.case, job.files, job.location), np.random.default_rng(0)
    sizes, drawn_sizes = [], []
    for checkpoint, (_, rows) in zip(checkpoints, rows_of_commits(job.case), strict=True):
        delta = subtasks.write(rows, rng)
        real = [_files(read_manifest(data, source=name)) for name, data in checkpoint.staged.items()]
        for drawn, written in zip((delta.data, delta.deletes), real, strict=True):
            assert len(drawn) == len(written)
            for ours, theirs in zip(_told(drawn), _told(written), strict=True):
                assert {key: (ours[key], theirs[key]) for key in ours if ours[key] != theirs[key]} == {}
        sizes += [file.file_size_bytes for file in real[1]]
        drawn_sizes += [file.file_size_bytes for file in delta.deletes]
    assert len(sizes) > len(checkpoints)
    print(f"delete files: {sum(sizes):,} B written, {sum(drawn_sizes):,} B drawn")
    assert sum(drawn_sizes) == pytest.approx(sum(sizes), rel=SIZE_SHARE)


def _told(files: Sequence[DataFileEntry]) -> list[dict[str, object]]:
    """The files' fields without what is random, and without sizes, which are a profile's.

    Where a Puffin file holds several vectors, they stand in the order of a map of random names.
    """
    told = []
    for file in files:
        fields = asdict(file)
        for name in ("file_path", "referenced_data_file"):
            fields[name] = UUID_TEXT.sub(b"", (fields[name] or "").encode())
        for name in ("lower_bounds", "upper_bounds"):
            fields[name] = {key: UUID_TEXT.sub(b"", value) for key, value in (fields[name] or {}).items()}
        fields["column_sizes"] = list(fields["column_sizes"] or ())
        del fields["file_size_bytes"], fields["content_offset"]
        told.append(fields)
    vectors = [place for place, fields in enumerate(told) if fields["referenced_data_file"]]
    in_order = sorted((told[place] for place in vectors), key=lambda fields: fields["referenced_data_file"])
    for place, fields in zip(vectors, in_order, strict=True):
        told[place] = fields
    return told
