"""What the metadata files of one table weigh: read off a handful of files that the exact twin encodes for its shape."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from wasim.iceberg import DataFileEntry
from wasim.iceberg.containers import container_bytes
from wasim.iceberg.gzip_files import GZIP_HEADER, gzip_bytes
from wasim.iceberg.manifest_entries import FileContent, ManifestContent
from wasim.iceberg.manifest_lists import ManifestListHeader, manifest_file_encoder, manifest_list_header_values
from wasim.iceberg.metadata_json import metadata_log_entry_json, render_metadata_json
from wasim.iceberg.names import manifest_name
from wasim.iceberg.snapshots import MetadataLogEntry, Snapshot, SnapshotLogEntry, snapshot_json
from wasim.scenario import Case
from wasim.scenario.changes import Maintenance
from wasim.twin import CaseWriter, Site, WriterProfile
from wasim.twin.appending import append_files
from wasim.twin.commits import Moment, manifest_kind, new_entries
from wasim.twin.data_files import FileNumbers, data_files_of
from wasim.twin.event_log import EventLog
from wasim.twin.identifiers import draw_identity, draw_snapshot_id, draw_uuid
from wasim.twin.live_manifests import SYNC_BYTES, LiveEntry, LiveManifest
from wasim.twin.summary import COUNTERS, CommitCounts, content_bytes, operation_summary, summary_counters
from wasim.twin.table import SimulatedTable
from wasim.workload import Append, CreateTable, plan_steps
from wasim.years.arrivals import Arrivals, whole, with_rows
from wasim.years.growth import SizeByCount

SAMPLED_COMMITS = 3
FEW_COLUMNS, ENTRIES, ENTRIES_OF_WIDE, APART = 24, 96, 32, 64
ROWS_OF_UPSERTS, CHECKPOINTS_OF_UPSERTS = 400, 16
SHORTER_IDS = 0.05  # digits that the ids of snapshots, which are random, have less than 19 in the mean
LISTED = (1, 2, 4, 16, 64, 256, 512)
ZIPPED = (1, 8, 32, 128)
_UUID = re.compile("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_TOTALS = re.compile(r'("total-[a-z-]+" ?: ?"|"sequence-number" ?: ?)(\d+)')
_LIST_NAME = "snap-9000000000000000000-1-00000000-0000-4000-8000-000000000000.avro"


@dataclass(frozen=True, slots=True, kw_only=True)
class ManifestBytes:
    """Bytes of manifests: of one commit's new files, and of any number of older entries."""

    new: float
    staged: float
    header: float
    first_entry: float
    fresh_entry: float
    compacted_entry: float
    sorted_entry: float

    def of(self, fresh: float, compacted: float, by_partition: float) -> float:
        """Bytes of a manifest of so many entries of files as they arrived, so many of those sorted by partition, and of
        compacted ones.
        """
        if fresh + compacted < 1:
            return self.header + self.first_entry * (fresh + compacted)
        first = self.first_entry - (self.fresh_entry if fresh >= compacted else self.compacted_entry)
        more = (self.sorted_entry - self.fresh_entry) * by_partition
        return self.header + first + self.fresh_entry * fresh + self.compacted_entry * compacted + more


NO_MANIFESTS = ManifestBytes(
    new=0.0, staged=0.0, header=0.0, first_entry=0.0, fresh_entry=0.0, compacted_entry=0.0, sorted_entry=0.0
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RowDeltas:
    """The delete files that each checkpoint of a writer of equality deletes brings."""

    files: float
    bytes: float
    keys: float
    positions: float
    first_files: float  # of the table's first commit, which replaces nothing
    first_bytes: float


@dataclass(frozen=True, slots=True, kw_only=True)
class MetadataJson:
    """Bytes of metadata.json: what surrounds snapshots and logs, and each item of the three growing arrays.

    Of gzipped ones, `zipped_share` of the bytes of items are left, and `zipped_around` of all else.
    """

    created: float
    around: float
    log_entry: float
    snapshot_log_entry: float
    zipped_share: float = 1.0
    zipped_around: float | None = None

    def of(self, item_bytes: float) -> float:
        """Bytes of one metadata.json whose arrays hold so many bytes."""
        if self.zipped_around is None:
            return self.around + item_bytes
        return self.zipped_around + self.zipped_share * item_bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """What the files of one table weigh, in bytes, in the mean."""

    json: MetadataJson
    lists: SizeByCount
    sibling_saving: float  # by which a list is smaller for each manifest of the same commit as the one before
    data_manifests: ManifestBytes
    delete_manifests: ManifestBytes
    snapshots: "SnapshotBytes"
    row_deltas: "RowDeltas | None" = None  # of a writer that deletes by key


def read_sizes(case: Case, arrivals: Arrivals, profile: WriterProfile, site: Site) -> Sizes:
    """Sizes for a case's table. Cost does not grow with its rows, its commits or its partitions."""
    sampled = _sampled_case(case)
    rng = np.random.default_rng(case.seed)
    log = EventLog(folder=None)
    files = data_files_of(sampled, profile, most_rows_computed=0)
    writer = CaseWriter(case=sampled, profile=profile, files=files, site=site, rng=rng, log=log)
    writer.create(CreateTable())
    created = log.events[-1][6] if case.environment.catalog != "hadoop" else log.events[0][6]
    if case.key_columns:
        return _sizes_of_row_deltas(writer, case, arrivals, float(created))
    commits = _append_described(writer, sampled, arrivals)
    table = writer.table
    return Sizes(
        json=_metadata_json(table, float(created)),
        lists=(lists := _lists(table, (alike := _listed(table, commits)))),
        sibling_saving=lists.slope - _lists(table, alike, of_one_commit=True).slope,
        data_manifests=_data_manifests(writer, commits, arrivals),
        delete_manifests=NO_MANIFESTS,
        snapshots=SnapshotBytes(table=table, moment=_moment(writer, sampled, 1)),
    )


def _sizes_of_row_deltas(writer: CaseWriter, case: Case, arrivals: Arrivals, created: float) -> Sizes:
    """Sizes of a table whose writer deletes by key, from checkpoints of few rows."""
    sampled, table = writer.case, writer.table
    for step in plan_steps(sampled):
        if isinstance(step, Append):
            writer.append(step)
    manifests = {
        has_deletes: [one for one in reversed(table.manifests) if one.has_deletes == has_deletes]
        for has_deletes in (False, True)
    }
    return Sizes(
        json=_metadata_json(table, created),
        lists=(lists := _lists(table, manifests[False])),
        sibling_saving=lists.slope - _lists(table, manifests[False], of_one_commit=True).slope,
        data_manifests=_manifests_of_row_deltas(writer, manifests[False]),
        delete_manifests=_manifests_of_row_deltas(writer, manifests[True]),
        snapshots=SnapshotBytes(table=table, moment=_moment(writer, sampled, 1)),
        row_deltas=_row_deltas(manifests[True], case.rows_per_commit / sampled.rows_per_commit),
    )


def _manifests_of_row_deltas(writer: CaseWriter, listed: Sequence[LiveManifest]) -> ManifestBytes:
    table, entries = writer.table, [entry for manifest in reversed(listed) for entry in manifest.entries]
    last, first = listed[-1], listed[0]
    kind = manifest_kind(last)
    own = {table.relative(one.file.manifest_path) for one in listed}
    staged = [event[6] for event in writer.log.events if event[4] == "write" and event[5] == kind]
    names = [event[8] for event in writer.log.events if event[4] == "write" and event[5] == kind]
    staged = [size for size, name in zip(staged, names, strict=True) if name not in own]
    one, header = _written(table, entries[:1]), _written(table, [], like=first)
    per_entry = _slope(table, entries)
    return ManifestBytes(
        new=float(last.file.manifest_length),
        staged=float(staged[-1]) if staged else 0.0,
        header=header,
        first_entry=one - header,
        fresh_entry=per_entry,
        compacted_entry=per_entry,
        sorted_entry=per_entry,
    )


def _row_deltas(listed: Sequence[LiveManifest], scale: float) -> RowDeltas:
    """Delete files of a checkpoint; their rows grow with the checkpoint's."""
    first, last = listed[0], listed[-1]
    files = [entry.file for entry in last.entries]
    by_key = [file for file in files if file.content == FileContent.EQUALITY_DELETES]
    by_position = [file for file in files if file.content == FileContent.POSITION_DELETES]
    return RowDeltas(
        files=float(len(files)),
        bytes=sum(content_bytes(file) for file in files) * max(1.0, scale),
        keys=sum(file.record_count for file in by_key) * scale,
        positions=sum(file.record_count for file in by_position) * scale,
        first_files=float(len(first.entries)),
        first_bytes=sum(content_bytes(entry.file) for entry in first.entries) * max(1.0, scale),
    )


def _sampled_case(case: Case) -> Case:
    """The case's first commits, with few rows, by one writer."""
    few = with_rows(case, ROWS_OF_UPSERTS if case.key_columns else min(512, 64 * case.workload.files_per_commit))
    return replace(
        few,
        maintenance=Maintenance(),
        horizon_s=(CHECKPOINTS_OF_UPSERTS if case.key_columns else SAMPLED_COMMITS) * case.commit_interval_s,
        writer=case.writer.model_copy(update={"writers": 1}),
    )


def _append_described(writer: CaseWriter, case: Case, arrivals: Arrivals) -> list[list[DataFileEntry]]:
    """Commits data files of the real case's size, some of each commit's, and returns them by commit."""
    table, rows = writer.table, max(1, whole(arrivals.rows_per_file))
    wanted = ENTRIES if len(writer.files.leaves) <= FEW_COLUMNS else ENTRIES_OF_WIDE
    each = max(1, min(whole(arrivals.files), wanted // SAMPLED_COMMITS))
    commits = max(SAMPLED_COMMITS, min(wanted // each, 2 * FEW_COLUMNS))
    made = []
    for commit in range(1, commits + 1):
        parts = writer.files.parts.arriving(commit)[:each]
        numbers = _numbers(writer, commit)
        made.append([writer.files.described(part, commit, numbers, rows, writer.rng) for part in parts])
        if commit <= SAMPLED_COMMITS:
            append_files(table, made[-1], _moment(writer, case, commit))
    return made


def _moment(writer: CaseWriter, case: Case, commit: int) -> Moment:
    writer.wall_ms += max(1, round(writer.profile.pace_s * 1000 if case.clock == "virtual" else case.commit_interval_s))
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


def _data_manifests(
    writer: CaseWriter, commits: Sequence[Sequence[DataFileEntry]], arrivals: Arrivals
) -> ManifestBytes:
    table = writer.table
    older = [_entries(files, table, number) for number, files in enumerate(commits, 1)]
    fresh = [entry for entries in reversed(older) for entry in entries]
    rows = max(1, whole(8 * arrivals.rows_per_file))
    part = writer.files.parts.arriving(1)[0]
    jobs = [
        writer.files.described(part, 1, _numbers(writer, 1, is_other_job=True), rows, writer.rng)
        for _ in range(min(len(fresh), ENTRIES_OF_WIDE))
    ]
    compacted = [entry for number, file in enumerate(jobs) for entry in _entries([file], table, number)]
    one, header = _written(table, fresh[:1]), _written(table, [])
    new = [_written(table, older[-1][:count], is_new=True) for count in (1, len(older[-1]))]
    per_new = (new[1] - new[0]) / max(1, len(older[-1]) - 1)
    return ManifestBytes(
        new=new[0] + per_new * (arrivals.files - 1),
        staged=0.0,
        header=header,
        first_entry=one - header,
        fresh_entry=_slope(table, fresh),
        compacted_entry=_slope(table, compacted),
        sorted_entry=_slope(table, _apart(writer, max(1, whole(arrivals.rows_per_file)))),
    )


def _apart(writer: CaseWriter, rows: int) -> list[LiveEntry]:
    """Entries as they stand once sorted by partition: those of one commit are too far apart for deflate to see."""
    if not writer.files.spec.fields:
        return []
    found = []
    for commit in range(1, (APART if len(writer.files.leaves) <= FEW_COLUMNS else ENTRIES_OF_WIDE) + 1):
        part = writer.files.parts.arriving(commit)[0]
        file = writer.files.described(part, commit, _numbers(writer, commit), rows, writer.rng)
        found += _entries([file], writer.table, commit)
    return found


def _entries(files: Sequence[DataFileEntry], table: SimulatedTable, number: int) -> list[LiveEntry]:
    return new_entries(files, draw_identity(number, table.rng))


def _slope(table: SimulatedTable, entries: Sequence[LiveEntry]) -> float:
    if not entries:
        return 0.0
    half = max(1, len(entries) // 2)
    if half == len(entries):
        return _written(table, entries) - _written(table, [])
    return (_written(table, entries) - _written(table, entries[:half])) / (len(entries) - half)


def _written(
    table: SimulatedTable, entries: Sequence[LiveEntry], *, is_new: bool = False, like: LiveManifest | None = None
) -> float:
    """Bytes of a manifest of these entries, which its own commit adds, or which were there before."""
    identity = draw_identity(table.commits + 1, table.rng)
    if is_new:
        identity = replace(identity, snapshot_id=entries[0].snapshot_id)
    has_deletes = bool(entries[0].file.content) if entries else like is not None and like.has_deletes
    content = ManifestContent.DELETES if has_deletes else ManifestContent.DATA
    writer = table.writer_of(table.json.base.default_spec_id, content)
    if not entries:
        return float(writer.empty_bytes)
    path = table.rules.locations.metadata_file(manifest_name(identity.uuid, 0))
    data, _ = writer.write(path, entries, identity, table.rng)
    return float(len(data))


def _listed(table: SimulatedTable, commits: Sequence[Sequence[DataFileEntry]]) -> list[LiveManifest]:
    """The manifests of some commits, whose partitions differ as those of a table's commits do."""
    found = []
    for number, files in enumerate(commits, 1):
        identity = draw_identity(number, table.rng)
        writer = table.writer_of(table.json.base.default_spec_id, ManifestContent.DATA)
        path = table.rules.locations.metadata_file(manifest_name(identity.uuid, 0))
        found.append(writer.write(path, new_entries(files, identity), identity, table.rng)[1])
    return found


def _lists(table: SimulatedTable, alike: Sequence[LiveManifest], *, of_one_commit: bool = False) -> SizeByCount:
    """Lists of 1, 2 … manifests like these of the table's, of a commit each or all of one."""
    version, release, rng = table.rules.format_version, table.rules.release, table.rng
    encode, records = manifest_file_encoder(version, release), []
    identity, counts = draw_identity(1000, rng), LISTED[-2:] if of_one_commit else LISTED
    for number in range(1, LISTED[-1] + 1):
        like = alike[number % len(alike)]
        length = like.file.manifest_length + int(rng.integers(-4, 5))
        if not of_one_commit:
            identity = draw_identity(1000 + number, rng)
        path = table.rules.locations.metadata_file(manifest_name(identity.uuid, number if of_one_commit else 0))
        file = replace(
            like.file,
            manifest_path=path,
            manifest_length=length,
            added_snapshot_id=identity.snapshot_id,
            sequence_number=identity.sequence_number if version > 1 else 0,
            min_sequence_number=identity.sequence_number if version > 1 else 0,
            first_row_id=number * 100_000 if version > 2 else None,
        )
        records.append(encode(file))
    header = ManifestListHeader(
        snapshot_id=draw_snapshot_id(rng),
        parent_snapshot_id=draw_snapshot_id(rng),
        sequence_number=1000,
        first_row_id=1_000_000 if version > 2 else None,
        format_version=version,
        release=release,
    )
    values, sync = manifest_list_header_values(header), rng.bytes(SYNC_BYTES)
    return SizeByCount(counts, [len(container_bytes(values, records[-count:], sync_marker=sync)) for count in counts])


def _metadata_json(table: SimulatedTable, created: float) -> MetadataJson:
    uncompressed = replace(table.json.properties, metadata_compression="none")
    plain = replace(table.json, properties=uncompressed, needs_text=False)
    items = len(plain.snapshots) + len(plain.snapshot_log) + len(plain.metadata_log)
    whole_bytes = plain.content()
    around = float(whole_bytes if isinstance(whole_bytes, int) else len(whole_bytes)) - plain.item_bytes - items
    spaces = 0 if plain.is_compact else 1
    entry = metadata_log_entry_json(plain.metadata_log[-1])
    logged = plain.bytes_of('{"timestamp-ms":1767225600000,"snapshot-id":4000000000000000000}') - SHORTER_IDS
    made = MetadataJson(
        created=created,
        around=around,
        log_entry=plain.bytes_of(entry) + 1 + spaces,
        snapshot_log_entry=logged + 1 + spaces,
    )
    return _zipped(made, table) if table.json.is_gzip else made


def _zipped(plain: MetadataJson, table: SimulatedTable) -> MetadataJson:
    """The same compressed: measured on documents of a few and of many snapshots."""
    like = table.json.base
    text = list(table.json.snapshots.values())[-1]
    parent = table.snapshot_id or 0
    found, items = [], []
    for count in ZIPPED:
        ids = [draw_snapshot_id(table.rng) for _ in range(count + 1)]
        texts = []
        for number in range(count):
            made = text.replace(str(parent), str(ids[number + 1])).replace(_parent_of(text), str(ids[number]))
            made = _renamed(made, draw_uuid(table.rng)).replace(
                str(like.last_updated_ms)[:-3], str(like.last_updated_ms + 2_017 * number)[:-3]
            )
            texts.append(_grown(made, number + 1))
        logged = tuple(
            SnapshotLogEntry(timestamp_ms=like.last_updated_ms + 997 * number, snapshot_id=ids[number + 1])
            for number in range(count)
        )
        versions = tuple(
            MetadataLogEntry(
                timestamp_ms=like.last_updated_ms + 997 * number,
                metadata_file=_renamed(table.json_file, draw_uuid(table.rng)),
            )
            for number in range(min(count, table.json.properties.metadata_previous_versions_max))
        )
        whole_table = replace(like, snapshot_log=logged, metadata_log=versions)
        data = render_metadata_json(whole_table, snapshot_texts=tuple(texts), release=table.json.release).encode()
        found.append(len(gzip_bytes(data, GZIP_HEADER)))
        items.append(len(data) - plain.around)
    share = (found[-1] - found[-2]) / (items[-1] - items[-2])
    return replace(plain, zipped_share=share, zipped_around=found[-2] - share * items[-2])


def _grown(text: str, times: int) -> str:
    """The snapshot with totals so many times as large."""
    return _TOTALS.sub(lambda found: f"{found[1]}{int(found[2]) * times}", text)


def _parent_of(text: str) -> str:
    match = re.search(r'"parent-snapshot-id" ?: ?(\d+)', text)
    return match[1] if match else "none"


def _renamed(text: str, uuid: str) -> str:
    return _UUID.sub(uuid, text)


class SnapshotBytes:
    """Bytes that snapshots take in metadata.json, by what made them."""

    def __init__(self, *, table: SimulatedTable, moment: Moment) -> None:
        self._table, self._moment = table, moment
        self._numbers_jobs = [
            key for key, text in table.rules.summary.items() if "{epoch}" in text or "{checkpoint}" in text
        ]
        self._appends: dict[CommitCounts, int] = {}
        self.between = 1 if table.json.is_compact else 2

    def of_append(self, counts: CommitCounts, *, operation: str = "append") -> float:
        """Bytes of a snapshot that the writer made, its growing numbers of one digit each."""
        if counts not in self._appends:
            rules = self._table.rules
            values = self._moment.texts | summary_counters(counts)
            summary = {key: template.format_map(values) for key, template in rules.summary.items()}
            if operation != "append":
                own = [key for key in rules.summary if key not in COUNTERS]
                summary = operation_summary(rules.summary, counts, self._moment.texts, own=own)
            longer = sum(len(summary[key]) - 1 for key in self._numbers_jobs)
            self._appends[counts] = self._rendered(operation, summary, counts.added.records) - longer
        return self._appends[counts]

    def of_operation(self, operation: str, counts: CommitCounts, own: Sequence[str] = ()) -> float:
        """Bytes of a snapshot that a statement or maintenance made; numbers in `counts` are as large as they are."""
        summary = operation_summary(self._table.rules.summary, counts, self._moment.texts, own=own)
        return self._rendered(operation, summary, 0)

    def _rendered(self, operation: str, summary: dict[str, str], added_rows: int) -> int:
        version, json = self._table.rules.format_version, self._table.json
        snapshot = Snapshot(
            snapshot_id=10**18 * 9,
            timestamp_ms=self._moment.timestamp_ms,
            manifest_list=self._table.rules.locations.metadata_file(_LIST_NAME),
            parent_snapshot_id=10**18 * 9,
            sequence_number=1 if version > 1 else 0,
            operation=operation,
            summary=summary,
            schema_id=json.base.current_schema_id,
            first_row_id=0 if version > 2 else None,
            added_rows=added_rows if version > 2 else None,
        )
        return json.bytes_of(snapshot_json(snapshot)) + self.between

    @property
    def epochs(self) -> int:
        """How many numbers of a writer's snapshot count its commits."""
        return len(self._numbers_jobs)

    @property
    def sequences(self) -> int:
        """One where snapshots have a sequence number: not in format version 1."""
        return int(self._table.rules.format_version > 1)

    @property
    def counts_manifests(self) -> bool:
        """Whether summaries say how many manifests there are."""
        return "manifests-kept" in self._table.rules.summary

    @property
    def has_row_ids(self) -> bool:
        """Whether snapshots say where the ids of their rows begin (v3)."""
        return self._table.rules.format_version > 2
