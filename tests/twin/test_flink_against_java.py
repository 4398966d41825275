"""What profile `flink` writes of upserts, against Iceberg's own writers of deltas and its RowDelta: byte for byte."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from uuid import UUID

import numpy as np
import pytest

pytest.importorskip("pyspark")

from support.replay import Draws, differing, draws_of, metadata_files
from support.trees import simulate
from support.upserting_job import Checkpoint, UpsertingJob, subtasks_of, texts
from support.upserts import MERGING, rows_expected, rows_of_commits, rows_of_step, upserting_case

from wasim.iceberg import DataFileEntry, ManifestFile, read_manifest, read_manifest_list, read_metadata_json
from wasim.iceberg.names import parse_metadata_name
from wasim.iceberg.record_fields import FileContent
from wasim.ledger import Action
from wasim.ledger.events import FileEvents
from wasim.scenario import Case
from wasim.spark import Session
from wasim.spark.catalogs import MemoryCatalog
from wasim.spark.drive.engine import Target
from wasim.spark.drive.operations import maintain, rewrite_data_files
from wasim.twin.commits import Moment
from wasim.twin.creation import Site, new_table
from wasim.twin.data_files import data_files_of
from wasim.twin.delete_files import bitmap_bytes
from wasim.twin.event_log import EventLog
from wasim.twin.flink import RowDelta, commit_row_delta
from wasim.twin.profile import profile_named
from wasim.workload import Append, Maintain, plan_steps

COLUMNS = (
    "columns: [{name: sensor, type: string, length: 8, values: 3}, {name: level, type: int, values: 3},"
    " {name: reading, type: double, count: 4}]"
)
BUCKETS = "{column: event_id, transform: 'bucket[2]'}"
MERGES = "properties: {commit.manifest.min-count-to-merge: '4'}"
UPSERT = "{kind: streaming, upsert: {share: 0.4, mode: equality-deletes, repeats: 0.25%s}}"
CASES = {
    "v2": {"table": f"{{{COLUMNS}, {MERGES}}}", "writer": UPSERT % ""},
    "v2 partitioned, a partition to a subtask": {
        "table": f"{{{COLUMNS}, {MERGES}, partition_by: [{{column: sensor}}, {BUCKETS}]}}",
        "writer": UPSERT % ", key: [event_id, sensor], locality: newest",
        "workload": "{rows_per_second: 30, files_per_commit: 2, distribution_mode: hash}",
    },
    "v3": {"table": f"{{format_version: 3, {COLUMNS}, {MERGES}}}", "writer": UPSERT % ", locality: newest"},
    "v3 partitioned, keys dealt out": {
        "table": f"{{format_version: 3, {COLUMNS}, {MERGES}, partition_by: [{{column: level}}]}}",
        "writer": UPSERT % ", key: [level, event_id]",
    },
}
UUID_TEXT = re.compile(rb"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


SLOW = {"v3", "v2 partitioned, a partition to a subtask"}


@pytest.fixture(
    params=[pytest.param(CASES[name], id=name, marks=[pytest.mark.slow] if name in SLOW else []) for name in CASES]
)
def job(
    request: pytest.FixtureRequest, session: Session, small_case: Callable[..., Case], tmp_path: Path
) -> UpsertingJob:
    lines = {"workload": "{rows_per_second: 30, files_per_commit: 2}", "horizon": "14s", **request.param}
    return UpsertingJob(session, small_case(**lines), tmp_path / "real")


def test_metadata_of_row_deltas_is_the_librarys_to_the_byte(job: UpsertingJob, tmp_path: Path) -> None:
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
    log = KeepingLog(folder=folder)
    files = data_files_of(job.case, profile)
    table = new_table(job.case, profile, files, site=site, log=log, rng=draws)
    log.enter_step(0, "create-table", event_time_s=0.0, rows_arrived=0, at_s=0.0)
    table.create()
    for number, (path, state, checkpoint) in enumerate(zip(jsons[1:], metadata[1:], checkpoints, strict=True), 1):
        manifests = [read_manifest(data, source=name) for name, data in checkpoint.staged.items()]
        delta = RowDelta(**dict(zip(("data", "deletes"), map(_files, manifests), strict=True)))
        draws.queue += [manifest.sync_marker for manifest in manifests]
        snapshot = state.snapshots[-1]
        draws_of(job.folder / "metadata", snapshot, draws)
        draws.queue.append(UUID(parse_metadata_name(path.name).uuid).bytes)
        moment = Moment(
            event_time_s=0.0, timestamp_ms=snapshot.timestamp_ms, updated_ms=state.last_updated_ms, texts=texts(number)
        )
        commit_row_delta(table, delta, moment)
        assert not draws.queue
    return log.staged


class KeepingLog(EventLog):
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
    """The files that the simulator describes are those that the library wrote, but for UUIDs and what comes of them."""
    subtasks, rng = subtasks_of(job.case, job.files, job.location), np.random.default_rng(0)
    count = 0
    for checkpoint, (_, rows) in zip(checkpoints, rows_of_commits(job.case), strict=True):
        delta = subtasks.write(rows, rng)
        real = [_files(read_manifest(data, source=name)) for name, data in checkpoint.staged.items()]
        for drawn, written in zip((delta.data, delta.deletes), real, strict=True):
            assert len(drawn) == len(written)
            pairs = zip(*(sorted(_comparable(files), key=_place) for files in (drawn, written)), strict=True)
            for ours, theirs in pairs:
                assert {key: (ours[key], theirs[key]) for key in ours if ours[key] != theirs[key]} == {}
            bytes_drawn, bytes_written = (sum(file.file_size_bytes for file in files) for files in (drawn, written))
            assert bytes_drawn == pytest.approx(bytes_written, rel=0.15)
        count += len(delta.deletes)
    assert count > len(checkpoints)


def _place(fields: Mapping[str, object]) -> tuple[str, ...]:
    """Sorts files: in which order a task closes its partitions is not simulated."""
    return tuple(str(fields[name]) for name in ("content", "partition", "file_path", "record_count"))


def _comparable(files: Sequence[DataFileEntry]) -> list[dict[str, object]]:
    """The files' fields without what is random, without sizes in bytes, which a law gives, and without the numbers of
    position delete files, which are opened as partitions are closed.

    Where a Puffin file holds several vectors, they stand in the order of a map of such names.
    """
    entries = []
    for file in files:
        fields = asdict(file)
        for name in ("file_path", "referenced_data_file"):
            fields[name] = UUID_TEXT.sub(b"", (fields[name] or "").encode())
        if file.content == FileContent.POSITION_DELETES:
            fields["file_path"] = re.sub(rb"-\d+\.parquet$", b"", fields["file_path"])
        for name in ("lower_bounds", "upper_bounds"):
            fields[name] = {key: UUID_TEXT.sub(b"", value) for key, value in (fields[name] or {}).items()}
        fields["column_sizes"] = list(fields["column_sizes"] or ())
        del fields["file_size_bytes"], fields["content_offset"]
        entries.append(fields)
    vectors = [place for place, fields in enumerate(entries) if fields["referenced_data_file"]]
    in_order = sorted((entries[place] for place in vectors), key=lambda fields: fields["referenced_data_file"])
    for place, fields in zip(vectors, in_order, strict=True):
        entries[place] = fields
    return entries


REWRITES = {"rewrite_data_files": {"every": "4s", "min_input_files": 2}, "rewrite_manifests": {"every": "6s"}}
EXPIRY = {"expire_snapshots": {"every": "5s", "older_than": "3s"}}
MAINTAINED = {
    "v2": {"maintenance": REWRITES | EXPIRY, "repeats": 0.25},
    "v3 partitioned": {"maintenance": REWRITES, "repeats": 0.25, "version": 3, "partitioned": True},
}
OF_WRITERS = (
    "-size",
    "flink.",
    "engine-",
    "iceberg-version",
    "app-",
)  # keys that say who wrote, or how large files are


@dataclass
class CommitTimes:
    """Which snapshot was committed at which event time."""

    ids: list[tuple[float, int]]

    def snapshots_since(self, event_time_s: float) -> list[int]:
        return [snapshot_id for at_s, snapshot_id in self.ids if at_s >= event_time_s - 1e-9]


@pytest.mark.parametrize(
    "fields",
    [pytest.param(fields, marks=[pytest.mark.slow] if fields.get("version") else []) for fields in MAINTAINED.values()],
    ids=MAINTAINED,
)
def test_sparks_procedures_leave_what_the_simulator_says(fields, session: Session, tmp_path: Path) -> None:
    case = upserting_case(commits=9, properties=MERGING, **fields)
    session.add_catalog(MemoryCatalog(name="upserting", warehouse=tmp_path), None)
    session.spark.conf.set("spark.sql.catalog.upserting.cache-enabled", "false")  # the job commits behind its back
    job = UpsertingJob(session, case, tmp_path)
    times = CommitTimes([])
    target = Target(
        session=session,
        case=case,
        table="upserting.db.events",
        location=job.location,
        journal=times,  # type: ignore[arg-type]
        checkpoint=tmp_path,
        on_commits=lambda commits: None,
    )
    for step in plan_steps(case):
        match step:
            case Append():
                for number, rows in rows_of_step(case, step):
                    job.commit(number, rows)
                    times.ids.append((number * case.commit_interval_s, job.table.currentSnapshot().snapshotId()))
            case Maintain(operation="rewrite_data_files"):
                rewrite_data_files(target, step)
            case Maintain():
                maintain(target, step)
        job.table.refresh()
    ours = simulate(case)
    last = read_metadata_json(metadata_files(job.folder)[-1].read_bytes(), source="")
    real = [{"operation": snapshot.operation, **snapshot.summary} for snapshot in last.snapshots]
    simulated = [json.loads(text)["summary"] for text in ours.table.json.snapshots.values()]
    assert [_counted(summary) for summary in simulated] == [_counted(summary) for summary in real]
    name = last.snapshots[-1].manifest_list.rpartition("/")[2]
    listed = read_manifest_list((job.folder / "metadata" / name).read_bytes(), source=name).manifests
    assert [_shape(one.file) for one in ours.table.manifests] == [_shape(one) for one in listed]
    assert len(list(job.folder.glob("data/**/*.parquet"))) == len(_data_left(ours.recording.events))
    rows = session.spark.table(target.table).select("event_id").collect()
    assert sorted(row[0] for row in rows) == sorted(number for number, _ in rows_expected(case))


def _counted(summary: Mapping[str, str]) -> dict[str, str]:
    return {key: text for key, text in summary.items() if not any(part in key for part in OF_WRITERS)}


def _shape(manifest: ManifestFile) -> tuple[int | None, ...]:
    counts = (manifest.added_files_count, manifest.existing_files_count, manifest.deleted_files_count)
    rows = (manifest.added_rows_count, manifest.existing_rows_count, manifest.deleted_rows_count)
    return (manifest.content, manifest.sequence_number, manifest.min_sequence_number, *counts, *rows)


def _data_left(events: FileEvents) -> set[str]:
    left: set[str] = set()
    for action, file in zip(events.action, events.file, strict=True):
        if file.startswith("data/"):
            (left.add if action == Action.WRITE else left.discard)(file)
    return left


BITMAPS = {
    "one": [5],
    "three in a row": [0, 1, 2],
    "four in a row": [0, 1, 2, 3],
    "two rows of three": [0, 1, 2, 10, 11, 12],
    "two rows of four": [0, 1, 2, 3, 10, 11, 12, 13],
    "every other, as an array": list(range(0, 8192, 2)),
    "every other, as a bitmap": list(range(0, 8194, 2)),
    "pairs, as a bitmap": [place for place in range(8_000) if place % 3],
    "one long row": list(range(9_000)),
    "five containers": [container << 16 | place for container in range(5) for place in range(4)],
}


@pytest.mark.parametrize("positions", BITMAPS.values(), ids=BITMAPS)
def test_bitmaps_are_as_long_as_the_library_writes_them(session: Session, positions: list[int]) -> None:
    bitmap = session.jvm.org.apache.iceberg.shaded.org.roaringbitmap.RoaringBitmap()
    array = session.spark.sparkContext._gateway.new_array(session.jvm.int, len(positions))
    for place, position in enumerate(positions):
        array[place] = position
    bitmap.add(array)
    bitmap.runOptimize()
    assert bitmap_bytes(np.array(positions)) == bitmap.serializedSizeInBytes()
