"""What the metadata files of one table weigh: read off a handful of files that the exact twin encodes for its shape."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from wasim.iceberg import DataFileEntry
from wasim.iceberg.containers import container_bytes
from wasim.iceberg.manifest_entries import FileContent, ManifestContent
from wasim.iceberg.manifest_lists import ManifestListHeader, manifest_file_encoder, manifest_list_header_values
from wasim.iceberg.names import manifest_name
from wasim.iceberg.properties import TableProperties
from wasim.scenario import Case
from wasim.scenario.changes import Maintenance
from wasim.twin import CaseWriter, Site, WriterProfile
from wasim.twin.appending import append_files
from wasim.twin.bounds import MOST_ROWS_COMPUTED
from wasim.twin.commits import Moment, new_entries
from wasim.twin.data_files import FileNumbers, Part, data_files_of
from wasim.twin.event_log import EventLog
from wasim.twin.identifiers import draw_identity, draw_snapshot_id, draw_uuid
from wasim.twin.live_manifests import SYNC_BYTES, LiveEntry, LiveManifest
from wasim.twin.summary import content_bytes
from wasim.twin.table import SimulatedTable
from wasim.workload import Append, CreateTable, plan_steps
from wasim.years.arrivals import Arrivals, whole, with_rows
from wasim.years.growth import SizeByCount
from wasim.years.json_sizes import MOST_ZIPPED, MetadataJson, metadata_json_sizes
from wasim.years.manifest_sizes import (
    NO_MANIFESTS,
    DescribedEntries,
    ManifestBytes,
    data_manifests,
    manifests_of_row_deltas,
)
from wasim.years.snapshot_sizes import SnapshotBytes

SAMPLED_COMMITS = 3
FEW_COLUMNS, ENTRIES, ENTRIES_OF_WIDE = 24, 192, 32
MOST_COMMITS, SORTED_COMMITS, MOST_ALIKE = 96, 64, 4
ROWS_OF_UPSERTS, CHECKPOINTS_OF_UPSERTS = 400, 16
FEW_ROWS, MANY_CHECKPOINTS = 100, 64
LISTED = (1, 2, 4, 16, 64, 256, 512)
LATER = 1_000  # commits after which sampled entries stand in manifests


@dataclass(frozen=True, slots=True, kw_only=True)
class RowDeltas:
    """The data files and delete files that each checkpoint of a writer of equality deletes brings."""

    data_files: float
    files: float
    bytes: float
    keys: float
    positions: float
    first_files: float  # of the table's first commit, which replaces nothing
    first_bytes: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """What the files of one table weigh, in bytes, in the mean."""

    json: MetadataJson
    lists: SizeByCount
    sibling_saving: float  # by which a list is smaller for each manifest of the same commit as the one before
    data_manifests: ManifestBytes
    delete_manifests: ManifestBytes
    snapshots: SnapshotBytes
    row_deltas: RowDeltas | None = None  # of a writer that deletes by key


def read_sizes(case: Case, arrivals: Arrivals, profile: WriterProfile, site: Site) -> Sizes:
    """Sizes for a case's table. Cost does not grow with its rows, its commits or its partitions."""
    sampled = _sampled_case(case)
    writer, created = _created(sampled, case.rows_per_commit, profile, site)
    if case.key_columns:
        return _sizes_of_row_deltas(writer, case, arrivals, created)
    commits = _append_described(writer, sampled, arrivals)
    table = writer.table
    return Sizes(
        json=metadata_json_sizes(table, created, lambda: _more_snapshots(writer, sampled, commits)),
        lists=(lists := _lists(table, (alike := _listed(table, commits)), arrivals)),
        sibling_saving=lists.slope - _lists(table, alike, arrivals, of_one_commit=True).slope,
        data_manifests=data_manifests(table, _entries_of(writer, commits, arrivals), arrivals.files),
        delete_manifests=NO_MANIFESTS,
        snapshots=SnapshotBytes(table=table, moment=_moment(writer, sampled, 1)),
    )


def read_json_sizes(case: Case, arrivals: Arrivals, profile: WriterProfile, site: Site) -> MetadataJson:
    """The sizes of metadata.json alone, of a writer that appends."""
    sampled = _sampled_case(case)
    writer, created = _created(sampled, case.rows_per_commit, profile, site)
    commits = _append_described(writer, sampled, arrivals)
    return metadata_json_sizes(writer.table, created, lambda: _more_snapshots(writer, sampled, commits))


def _created(sampled: Case, rows: int, profile: WriterProfile, site: Site) -> tuple[CaseWriter, float]:
    """A writer whose table is created, and the bytes of its first metadata.json; real commits have `rows` rows."""
    log = EventLog(folder=None)
    computed = MOST_ROWS_COMPUTED if sampled.rows_per_commit == rows else 0
    files = data_files_of(sampled, profile, most_rows_computed=computed)
    rng = np.random.default_rng(sampled.seed)
    writer = CaseWriter(case=sampled, profile=profile, files=files, site=site, rng=rng, log=log)
    writer.create(CreateTable())
    return writer, float(log.events[0 if sampled.environment.catalog == "hadoop" else -1][6])


def _sizes_of_row_deltas(writer: CaseWriter, case: Case, arrivals: Arrivals, created: float) -> Sizes:
    """Sizes of a table whose writer deletes by key, from checkpoints of few rows."""
    sampled, table = writer.case, writer.table
    unmerged = replace(table.rules.properties, manifest_merge_enabled=False)
    table.rules = replace(table.rules, properties=unmerged)
    for step in plan_steps(sampled):
        if isinstance(step, Append):
            writer.append(step)
    manifests = {
        has_deletes: [one for one in reversed(table.manifests) if one.has_deletes == has_deletes]
        for has_deletes in (False, True)
    }
    return Sizes(
        json=metadata_json_sizes(table, created, lambda: table),
        lists=(lists := _lists(table, manifests[False], arrivals)),
        sibling_saving=lists.slope - _lists(table, manifests[False], arrivals, of_one_commit=True).slope,
        data_manifests=manifests_of_row_deltas(table, manifests[False], writer.log),
        delete_manifests=manifests_of_row_deltas(table, manifests[True], writer.log),
        snapshots=SnapshotBytes(table=table, moment=_moment(writer, sampled, 1)),
        row_deltas=_row_deltas(manifests, case.rows_per_commit / sampled.rows_per_commit),
    )


def _row_deltas(listed: dict[bool, list[LiveManifest]], scale: float) -> RowDeltas:
    """What a checkpoint brings, in the mean over those sampled after the first; rows of deletes grow with its rows."""
    first, *later = listed[True]
    files = [entry.file for manifest in later for entry in manifest.entries]
    by_key = [file for file in files if file.content == FileContent.EQUALITY_DELETES]
    by_position = [file for file in files if file.content == FileContent.POSITION_DELETES]
    checkpoints = len(later)
    return RowDeltas(
        data_files=sum(len(one.entries) for one in listed[False][1:]) / checkpoints,
        files=len(files) / checkpoints,
        bytes=sum(content_bytes(file) for file in files) * max(1.0, scale) / checkpoints,
        keys=sum(file.record_count for file in by_key) * scale / checkpoints,
        positions=sum(file.record_count for file in by_position) * scale / checkpoints,
        first_files=float(len(first.entries)),
        first_bytes=sum(content_bytes(entry.file) for entry in first.entries) * max(1.0, scale),
    )


def _sampled_case(case: Case) -> Case:
    """The case's first commits, with few rows, by one writer."""
    is_gzip = TableProperties.read(case.table.properties).metadata_compression == "gzip"
    checkpoints = MANY_CHECKPOINTS if is_gzip or case.rows_per_commit <= FEW_ROWS else CHECKPOINTS_OF_UPSERTS
    commits = checkpoints if case.key_columns else SAMPLED_COMMITS
    few = with_rows(case, ROWS_OF_UPSERTS if case.key_columns else min(512, 64 * case.workload.files_per_commit))
    return replace(
        few,
        maintenance=Maintenance(),
        horizon_s=commits * case.commit_interval_s,
        writer=case.writer.model_copy(update={"writers": 1}),
    )


def _append_described(writer: CaseWriter, case: Case, arrivals: Arrivals) -> list[list[DataFileEntry]]:
    """Commits data files of the real case's size, some of each commit's, and returns them by commit."""
    table = writer.table
    wanted = ENTRIES if len(writer.files.leaves) <= FEW_COLUMNS else ENTRIES_OF_WIDE
    each = max(1, min(whole(arrivals.files), wanted // SAMPLED_COMMITS))
    commits = max(SAMPLED_COMMITS, min(wanted // each, MOST_COMMITS))
    made = []
    for commit in range(1, commits + 1):
        parts = writer.files.parts_arriving(commit)[:each]
        numbers = _numbers(writer, commit)
        made.append([_described(writer, part, commit, numbers, arrivals) for part in parts])
        if commit <= SAMPLED_COMMITS:
            append_files(table, made[-1], _moment(writer, case, commit))
    return made


def _described(writer: CaseWriter, part: Part, commit: int, numbers: FileNumbers, arrivals: Arrivals) -> DataFileEntry:
    """A file of the case's size in the place of a sampled one. Where chance decides how many rows fall into a
    partition, sizes differ from file to file, and their entries compress less well than those of files alike.
    """
    files, rng = writer.files, writer.rng
    if arrivals.rows_per_commit == writer.case.rows_per_commit:
        return files.file_of(part, commit, numbers, rng)
    rows = float(rng.poisson(arrivals.rows_per_file)) if arrivals.open_partitions > 1 else arrivals.rows_per_file
    return files.described(part, commit, numbers, max(1, whole(rows)), rng)


def _more_snapshots(writer: CaseWriter, case: Case, commits: Sequence[Sequence[DataFileEntry]]) -> SimulatedTable:
    """The table after many more commits of such files."""
    table = writer.table
    for number in range(SAMPLED_COMMITS, SAMPLED_COMMITS + MOST_ZIPPED):
        append_files(table, commits[number % len(commits)], _moment(writer, case, number))
    return table


def _moment(writer: CaseWriter, case: Case, commit: int) -> Moment:
    pace_s = writer.profile.pace_s if case.clock == "virtual" else case.commit_interval_s
    writer.wall_ms += max(1, round(1000 * pace_s))
    return writer.moment(commit * case.commit_interval_s, commit)


def _numbers(writer: CaseWriter, commit: int, *, is_other_job: bool = False) -> FileNumbers:
    if is_other_job or not writer.profile.keeps_names:
        writer.query_id = draw_uuid(writer.rng)
    return FileNumbers(
        locations=writer.table.rules.locations,
        query_id=writer.query_id,
        epoch=commit - 1 if writer.profile.keeps_names and not is_other_job else 0,
        first_task_id=commit * writer.case.workload.files_per_commit,
        wall_ms=writer.wall_ms,
    )


def _entries_of(writer: CaseWriter, commits: Sequence[Sequence[DataFileEntry]], arrivals: Arrivals) -> DescribedEntries:
    """What manifests hold of these commits' files, and of compacted and sorted ones like them."""
    compacted, part = [], writer.files.parts_arriving(1)[0]
    rows = max(1, whole(8 * arrivals.rows_per_file))
    for number in range(ENTRIES_OF_WIDE):
        file = writer.files.described(part, 1, _numbers(writer, 1, is_other_job=True), rows, writer.rng)
        compacted += _entries([file], writer, number)
    return DescribedEntries(
        commits=[_entries(files, writer, number) for number, files in enumerate(commits, 1)],
        compacted=compacted,
        by_partition=_sorted_entries(writer, arrivals),
    )


def _sorted_entries(writer: CaseWriter, arrivals: Arrivals) -> list[LiveEntry]:
    """Entries as they stand once sorted by partition: those of one commit are further apart than deflate sees."""
    if not writer.files.spec.fields:
        return []
    found = []
    commits = SORTED_COMMITS if len(writer.files.leaves) <= FEW_COLUMNS else ENTRIES_OF_WIDE
    for commit in range(commits, 0, -1):
        parts, numbers = writer.files.parts_arriving(commit), _numbers(writer, commit)
        alike = [one for one in parts if one.share.partition == parts[0].share.partition][:MOST_ALIKE]
        files = [_described(writer, part, commit, numbers, arrivals) for part in alike]
        found.append((parts[0].share.partition, _entries(files, writer, commit)))
    found.sort(key=lambda one: one[0])
    return [entry for _, entries in found for entry in entries]


def _entries(files: Sequence[DataFileEntry], writer: CaseWriter, number: int) -> list[LiveEntry]:
    """Entries of files of one commit, as they stand in manifests later on."""
    table, row_id = writer.table, (LATER + number) * writer.case.rows_per_commit
    entries = new_entries(files, draw_identity(LATER + number, table.rng))
    for entry in entries if table.rules.format_version > 2 else []:
        entry.file = replace(entry.file, first_row_id=row_id)
        row_id += entry.file.record_count
    return entries


def _listed(table: SimulatedTable, commits: Sequence[Sequence[DataFileEntry]]) -> list[LiveManifest]:
    """The manifests of some commits, whose partitions differ as those of a table's commits do."""
    found = []
    for number, files in enumerate(commits, 1):
        identity = draw_identity(number, table.rng)
        writer = table.writer_of(table.json.base.default_spec_id, ManifestContent.DATA)
        path = table.manifest_path(manifest_name(identity.uuid, 0))
        found.append(writer.write(path, new_entries(files, identity), identity, table.rng)[1])
    return found


def _lists(
    table: SimulatedTable, alike: Sequence[LiveManifest], arrivals: Arrivals, *, of_one_commit: bool = False
) -> SizeByCount:
    """Lists of 1, 2 … manifests like these of the table's, of a commit each or all of one."""
    version, release, rng = table.rules.format_version, table.rules.release, table.rng
    encode, records = manifest_file_encoder(version, release), []
    identity, counts = draw_identity(1000, rng), LISTED[-2:] if of_one_commit else LISTED
    for number in range(1, LISTED[-1] + 1):
        like = alike[number % len(alike)]
        length = like.file.manifest_length + int(rng.integers(-4, 5))
        if not of_one_commit:
            identity = draw_identity(1000 + number, rng)
        path = table.manifest_path(manifest_name(identity.uuid, number if of_one_commit else 0))
        file = replace(
            like.file,
            manifest_path=path,
            manifest_length=length,
            added_snapshot_id=identity.snapshot_id,
            sequence_number=identity.sequence_number if version > 1 else 0,
            min_sequence_number=identity.sequence_number if version > 1 else 0,
            first_row_id=(LATER + number) * arrivals.rows_per_commit if version > 2 else None,
        )
        records.append(encode(file))
    header = ManifestListHeader(
        snapshot_id=draw_snapshot_id(rng),
        parent_snapshot_id=draw_snapshot_id(rng),
        sequence_number=1000,
        first_row_id=2 * LATER * arrivals.rows_per_commit if version > 2 else None,
        format_version=version,
        release=release,
    )
    values, sync = manifest_list_header_values(header), rng.bytes(SYNC_BYTES)
    return SizeByCount(counts, [len(container_bytes(values, records[-count:], sync_marker=sync)) for count in counts])
