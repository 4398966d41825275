"""Sizes of one table's metadata files: read off a handful of files that the exact twin encodes for its shape."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby, islice, zip_longest
from math import ceil, expm1, inf
from statistics import fmean

import numpy as np

from wasim.iceberg import DataFileEntry, ManifestFile
from wasim.iceberg.containers import BLOCK_RAW_BYTES
from wasim.iceberg.manifest_lists import PartitionFieldSummary
from wasim.iceberg.parquet_manifests import PARQUET_SINCE
from wasim.iceberg.properties import TableProperties
from wasim.iceberg.record_fields import FileContent
from wasim.rules.merging import ROLLING_FILES
from wasim.scenario import Case
from wasim.scenario.changes import Maintenance
from wasim.twin import CaseWriter, Site, WriterProfile
from wasim.twin.bounds import MOST_ROWS_COMPUTED, computed_bounds
from wasim.twin.commits import Moment, new_entries
from wasim.twin.data_files import FileNumbers, Part, data_files_of
from wasim.twin.delete_files import equality_delete_bytes
from wasim.twin.delete_sizes import deletes_of_one
from wasim.twin.event_log import EventLog
from wasim.twin.file_sizes import MOST_COMPRESSED
from wasim.twin.flink import staged_manifest
from wasim.twin.identifiers import draw_identity, draw_uuid
from wasim.twin.lineage import lineage_sizes, with_lineage
from wasim.twin.live_manifests import LiveEntry, LiveManifest
from wasim.twin.partitions import Partition, Share, split_by_partition
from wasim.twin.recipe_steps import RecipeSteps
from wasim.twin.row_sets import RowSet, new_rows
from wasim.twin.rows import rows_of, split_rows
from wasim.twin.snapshot_updates import append_manifests
from wasim.twin.statements import upserted_numbers
from wasim.twin.summary import content_bytes
from wasim.units import Floats, Ints
from wasim.workload import Append, ChangeRows, CreateTable, plan_steps
from wasim.years.arrivals import Arrivals, growing_fields, of_rows, whole, with_rows
from wasim.years.json_sizes import MetadataJson, metadata_json_sizes, with_recipe
from wasim.years.list_sizes import LATER, ListBytes, lists_of, mixed
from wasim.years.localities import between_statements, merges_on_read, places_of, takes_shares, touches_oldest
from wasim.years.manifest_sizes import (
    MOST_TOGETHER,
    NEW_SAMPLED,
    NO_MANIFESTS,
    DescribedEntries,
    ManifestBytes,
    data_manifests,
    manifests_of_row_deltas,
    new_manifests,
)
from wasim.years.snapshot_sizes import SnapshotBytes
from wasim.years.spreading import Spread

SAMPLED_COMMITS = 3
MOST_OF_ONE = 512  # files of one commit, where it brings so many that its manifest is compressed in several blocks
FEWEST_ENTRIES, MOST_ENTRIES, MOST_IN_PARQUET = 24, 192, 512
ENTRY_BYTES, BOUNDED_BYTES = 300, 34  # of an entry, and at least for each of its columns with bounds
COMPACTED = 32  # entries of compacted files
FILES_COMPACTED = 8  # that become one
MOST_COMMITS, MOST_SORTED, MOST_ALIKE = 96, 64, 8
DEALT, ENTRIES_DEALT = 27, 24  # commits between two entries that were dealt out to three manifests thrice; and entries
ZIPPED_AMONG_STATEMENTS = 72  # until what these leave is settled
ZIPPED_COMMITS = 48  # whose snapshots are repeated in gzipped documents, with ids and numbers of their own
STEPS_OF_ONE = 4  # of them, at most: appends and statements
ROWS_OF_UPSERTS, CHECKPOINTS_OF_UPSERTS = 400, 16
FILES_OF_UPSERTS, ROWS_OF_FILES, MOST_ROWS_OF_UPSERTS = 1024, 32, 1 << 14
ROWS_OF_ZIPPED, MOST_ROWS_OF_ZIPPED = 2048, 1 << 15  # of a file, and of a commit
FEW_ROWS, MANY_CHECKPOINTS = 100, 64
STATEMENTS, TOUCHED_COMMITS, MOST_TOUCHED = 24, 8, 512  # whose rows each touches, of other partitions where they close
SOLVING = 200  # steps until rows by chance are known; a mean near one takes longest
LISTED_COMMITS, MOST_LISTED = 64, 512  # whose partitions lists show: the latter are more than deflate sees
MOST_ROWS_LISTED = 1 << 12  # of each that are looked at
MORE_LISTED = 9  # further commits whose own manifests show how much lengths differ
MOST_KEYS = 1 << 16  # computed for the size of an equality-delete file
ON_THE_WAY = (0.125, 0.375, 0.625, 0.875)  # of all checkpoints: their mean is that of all


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
    apart_bytes: float  # that a row's key and time take more as they are in no sequence


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """How many bytes the files of one table take on average."""

    json: MetadataJson
    lists: ListBytes
    data_manifests: ManifestBytes
    delete_manifests: ManifestBytes
    snapshots: SnapshotBytes
    row_deltas: RowDeltas | None = None  # of a writer that deletes by key


def read_sizes(case: Case, arrivals: Arrivals, profile: WriterProfile, site: Site) -> Sizes:
    """Sizes for a table that its writer appends to. Cost does not grow with its rows, its commits or its partitions."""
    return TableSample(case=case, profile=profile, site=site).sizes(arrivals)


class TableSample:
    """Some commits of one table's writer that appends, with few rows: sizes of its files are read off them, whatever
    rows they have. Partitions and what does not depend on rows are looked at once.

    If it `draws_bounds`, bounds of all columns whose values do not grow are drawn as distributed for any number of
    rows; else they are computed from the case's own rows where these are few.
    """

    def __init__(self, *, case: Case, profile: WriterProfile, site: Site, draws_bounds: bool = False) -> None:
        self._profile, self._site, self._draws_bounds = profile, site, draws_bounds
        self._given, self._case = case, self._sampled(case)
        self._rows = 0 if draws_bounds else case.rows_per_commit
        self._writer, self._created = _created(self._case, self._rows, profile, site)
        self._arriving: dict[int, list[Part]] = {}
        self._commits: list[list[DataFileEntry]] = []
        self._own: list[LiveManifest] = []
        self._found: Sizes | None = None

    def sizes(self, arrivals: Arrivals) -> Sizes:
        """Sizes of the table's files where its commits bring these."""
        self._describe(arrivals)
        manifests = self._data_manifests(arrivals)
        if self._found is None:
            self._found = self._with_all(manifests, arrivals)
        return replace(self._found, data_manifests=manifests)

    def _with_all(self, manifests: ManifestBytes, arrivals: Arrivals) -> Sizes:
        writer, table = self._writer, self._writer.table
        json = self._json_by(writer, self._given, self._created)
        return Sizes(
            json=json,
            lists=lists_of(self._case, table, self._of_lists(arrivals), arrivals),
            data_manifests=manifests,
            delete_manifests=NO_MANIFESTS,
            snapshots=SnapshotBytes(table=table, moment=_moment(writer, 1)),
        )

    def manifests(self, arrivals: Arrivals) -> ManifestBytes:
        """Sizes of the table's manifests alone."""
        self._describe(arrivals)
        return self._data_manifests(arrivals)

    def json_of(self, case: Case, arrivals: Arrivals) -> MetadataJson:
        """Sizes of metadata.json of the same table, compressed as this case has it."""
        writer, created = _created(self._sampled(case), self._rows, self._profile, self._site)
        self._describe(arrivals)
        return self._json_by(writer, case, created)

    def _json_by(self, writer: CaseWriter, case: Case, created: float) -> MetadataJson:
        if writer.table.json.is_gzip and case.changes_rows:
            return _json_of_statements(case, self._profile, self._site)
        return _json_after(writer, self._commits, self._own[0], created)

    def _describe(self, arrivals: Arrivals) -> None:
        if self._commits:  # whatever was described before
            files = self._writer.files
            self._writer, _ = _created(self._case, self._rows, self._profile, self._site)
            self._writer.files = files
        self._writer.rng = self._writer.table.rng = np.random.default_rng(self._case.seed)
        if arrivals.pieces != max(1, self._writer.files.pieces):
            self._writer.files = replace(self._writer.files, pieces=arrivals.pieces)
            self._arriving.clear()
        self._commits = self._described(arrivals)
        self._own = new_manifests(self._writer.table, self._commits, _sampled_whole(arrivals) or NEW_SAMPLED)

    def _data_manifests(self, arrivals: Arrivals) -> ManifestBytes:
        table = self._writer.table
        found = data_manifests(table, self._entries(arrivals), self._own, arrivals.files)
        if self._profile.upserts != "equality-deletes":
            return found
        rng, path = np.random.default_rng(self._case.seed), self._own[0].file.manifest_path
        sampled = [files for files in self._commits[-len(self._own) :] if files]
        staged = fmean(staged_manifest(table, path, files, rng)[1].file.manifest_length for files in sampled)
        more = arrivals.files - fmean(len(files) for files in sampled)
        return replace(found, staged=staged + found.per_new * more)

    def _sampled(self, case: Case) -> Case:
        return _sampled_case(of_rows(case, 64 * case.workload.files_per_commit) if self._draws_bounds else case)

    def _parts(self, commit: int) -> list[Part]:
        if commit not in self._arriving:
            self._arriving[commit] = self._writer.files.parts_arriving(commit, MOST_OF_ONE)
        return self._arriving[commit]

    @cached_property
    def _by_partition(self) -> list[tuple[Partition, int, list[Part]]]:
        """Parts of some commits, partition by partition as they stand once sorted, of each the newest commits first:
        parts of one commit are further apart than deflate sees. Without partitions, as they stand once dealt out to
        several manifests.
        """
        files, found = self._writer.files, []
        if not files.spec.fields:
            dealt = [DEALT * number for number in range(ENTRIES_DEALT, 0, -1)]
            arriving = [self._parts(commit) for commit in dealt]
            sizes = {len(part.share.rows) for part in arriving[0]}  # files of one commit may differ
            parts = [some[number % len(some) if len(sizes) > 1 else 0] for number, some in enumerate(arriving)]
            files.know(parts)
            return [((), commit, [part]) for commit, part in zip(dealt, parts, strict=True)]
        most = len(files.shuffled([new_rows(task) for task in split_rows(self._case, 1)])[:MOST_ALIKE])
        for commit in range(min(MOST_SORTED, ceil(self._wanted / most)), 0, -1):
            tasks = files.shuffled([new_rows(task) for task in split_rows(self._case, commit)])
            held: dict[Partition, list[Part]] = {}
            for part in files.parts_of(tasks[:MOST_ALIKE]):
                held.setdefault(part.share.partition, []).append(part)
            found += [(partition, commit, parts) for partition, parts in held.items()]
        return sorted(found, key=lambda one: one[0])

    @cached_property
    def _wanted(self) -> int:
        """Entries to look at in one manifest: as many as a block holds, which is compressed by itself, or many of which
        Parquet compresses each column together.
        """
        if self._case.table.format_version >= PARQUET_SINCE:
            return MOST_IN_PARQUET
        bounds = ENTRY_BYTES + BOUNDED_BYTES * len(self._writer.files.bounded)
        return min(MOST_ENTRIES, max(FEWEST_ENTRIES, ceil(BLOCK_RAW_BYTES / bounds)))

    @cached_property
    def _statements(self) -> list[list[Part]]:
        """What the rows that each of some statements writes become; none where no statement writes any."""
        case, files, rng = self._case, self._writer.files, np.random.default_rng(self._case.seed)
        if not places_of(case):
            return []
        upserts = [step for step in plan_steps(case) if isinstance(step, Append)] if case.writer.upsert else []
        found = []
        for number in range(STATEMENTS):
            if upserts:
                chosen = upserted_numbers(case, upserts[0], LATER + number)
                rows = new_rows(chosen if merges_on_read(case) else _with_neighbours(chosen, case.rows_per_commit))
            else:
                chosen = (rows := self._touched(number, rng)).numbers
            parts = files.parts_of([replace(rows, row_ids=rows.numbers)])
            found.append([part for part in parts if np.isin(part.share.rows.numbers, chosen).any()])
        return found

    def _touched(self, number: int, rng: np.random.Generator) -> RowSet:
        """Rows that a periodic statement writes, of commits each of other partitions where those close."""
        case, lifetime_s = self._case, min(growing_fields(self._case).values(), default=inf)
        is_scattered, on_read = "scattered" in places_of(case), merges_on_read(case)
        apart = ceil(lifetime_s / case.commit_interval_s) if is_scattered and lifetime_s < inf else 1
        commits = [1 + apart * (number + STATEMENTS * place) for place in range(TOUCHED_COMMITS)]
        if not is_scattered:  # the oldest rows are the same ones each time
            first = 1 if touches_oldest(case) else 1 + TOUCHED_COMMITS * number
            commits = list(range(first, first + TOUCHED_COMMITS))
        there = np.concatenate([task for commit in commits for task in split_rows(case, commit)])
        most = [MOST_TOUCHED, len(there) // 2]
        if on_read:
            most += [change.rows for _, change in case.changes if change is not None and change.rows is not None]
        count = min(most)
        if takes_shares(case):
            count = max(1, count - STATEMENTS + number)
        chosen = np.sort(rng.choice(there, count, replace=False) if is_scattered else np.sort(there)[:count])
        return new_rows(chosen) if on_read else _as_read(chosen, case.rows_per_commit)

    def _rewritten(self, parts: Sequence[Part], number: int, arrivals: Arrivals) -> list[DataFileEntry]:
        """The files that a statement writes, as many as are looked at, of as many rows as in the real case."""
        case, writer, found = self._case, self._writer, []
        numbers = replace(_numbers(writer, number, is_other_job=True), is_delta=merges_on_read(case))
        for part in parts[:MOST_TOGETHER]:
            rows = part.share.rows
            count = max(1, whole(len(rows) * arrivals.rows_per_commit / case.rows_per_commit))
            found.append(self._written_again(part, numbers, count))
        return found

    def _written_again(self, part: Part, numbers: FileNumbers, rows: int) -> DataFileEntry:
        """A file of so many rows in the place of a part, which a job wrote that keeps their lineage."""
        files, held = self._writer.files, part.share.rows
        file = files.described(part, 1, numbers, rows, self._writer.rng)
        has_lineage = self._case.table.format_version > 2
        return with_lineage(file, held, lineage_sizes(held), files.lineage_mode) if has_lineage else file

    def _described(self, arrivals: Arrivals) -> list[list[DataFileEntry]]:
        """Data files of the real case's size, some of each commit's, by commit."""
        most = MOST_OF_ONE if arrivals.files > ROLLING_FILES else self._wanted
        each = max(1, min(whole(arrivals.files), most))
        whole_ones = _sampled_whole(arrivals)
        commits = max(whole_ones or SAMPLED_COMMITS, min(self._wanted // each, MOST_COMMITS))
        last = None if whole_ones and each == whole(arrivals.files) else each
        parts = {commit: self._parts(commit)[:last] for commit in range(1, commits + 1)}
        self._writer.files.know([part for some in parts.values() for part in some])
        return [self._files(some, commit, arrivals) for commit, some in parts.items()]

    def _files(self, parts: Sequence[Part], commit: int, arrivals: Arrivals) -> list[DataFileEntry]:
        """Files of the case's size in the place of sampled ones. Where chance decides how many rows fall into a
        partition, sizes differ from file to file, and their entries compress less well than entries of equal files.
        """
        files, rng, numbers = self._writer.files, self._writer.rng, _numbers(self._writer, commit)
        if arrivals.rows_per_commit == self._case.rows_per_commit == self._rows:
            return files.files_of(parts, commit, numbers, rng)
        rows = [max(1, whole(arrivals.rows_per_file))] * len(parts)
        if arrivals.open_partitions > 1:
            shares = np.array([files.share_of(part.share.partition) for part in parts])
            rows = _rows_by_chance(arrivals.rows_per_file * shares, rng, is_all=len(parts) >= whole(arrivals.files))
            parts = self._among_all(parts, commit, rows, arrivals)
        return [files.described(part, commit, numbers, count, rng) for part, count in zip(parts, rows, strict=True)]

    def _among_all(self, parts: Sequence[Part], commit: int, rows: Sequence[int], arrivals: Arrivals) -> Sequence[Part]:
        """The parts with bounds of so many rows' numbers and times each, by chance among all that its task writes of a
        commit of the real case, where a sampled one has few: the first rows in order, none of them of two parts.
        """
        case, per_commit, rng = self._case, arrivals.rows_per_commit, self._writer.rng
        if per_commit <= case.rows_per_commit:
            return parts
        tasks, real = case.workload.files_per_commit, rows_of(of_rows(case, per_commit))
        if case.workload.distribution_mode != "none":
            tasks = 1
        each, deals_out, found = per_commit // tasks, case.writer.kind == "streaming", list[Part]()
        growing = [leaf for leaf in self._writer.files.bounded if leaf.role is not None]
        for task, held in groupby(zip(parts, rows, strict=True), key=lambda one: one[0].task):
            some, counts = zip(*held, strict=True)
            places = (1 - rng.random((2, len(some))) ** (1 / np.array(counts))) * each
            order = np.arange(len(some))
            begins, ends = np.maximum.accumulate(np.sort(places.astype(np.int64)) - order, axis=1) + order
            start, step = (task, tasks) if deals_out else (task * each, 1)
            start += (LATER + commit - 1) * per_commit
            for part, count, begin, end in zip(some, counts, begins, each - 1 - rng.permutation(ends), strict=True):
                numbers = start + step * np.array([begin, begin if count == 1 else max(begin, end)])
                bounds = {one.field_id: computed_bounds(real, one, new_rows(numbers), [0])[0] for one in growing}
                found.append(replace(part, bounds=part.bounds | bounds))
        return found

    def _of_lists(self, arrivals: Arrivals) -> list[ManifestFile]:
        """The manifests of the commits, whose partitions and rows differ; as long as some of them are. Where chance
        decides which partitions a commit's rows fall into, lists repeat none of it within what deflate sees.
        """
        table, found = self._writer.table, []
        own = self._own
        if len(own) == NEW_SAMPLED:
            own = [*own, *new_manifests(table, self._commits[:-NEW_SAMPLED], MORE_LISTED)]
        for number, files in enumerate(self._commits):
            identity, like = draw_identity(number + 1, table.rng), own[number % len(own)].file
            writer = table.writer_of(files[0])
            entries = new_entries(files, identity)
            found.append(writer.listed(like.manifest_path, like.manifest_length, entries, identity))
        if len(growing_fields(self._case)) == len(self._case.table.partition_by):
            return found
        few, data = of_rows(self._case, min(arrivals.rows_per_commit, MOST_ROWS_LISTED)), self._writer.files

        def summaries(commit: int) -> tuple[PartitionFieldSummary, ...]:
            rows = new_rows(commit * few.rows_per_commit + np.arange(few.rows_per_commit))
            shares = split_by_partition(rows_of(few), data.spec, data.leaves, rows)
            return writer.summaries([share.partition for share in shares])

        listed = [summaries(commit) for commit in range(max(LISTED_COMMITS, len(found)))]
        if len({*listed}) > len(listed) // 2:  # they repeat nothing, nor may these within what deflate sees
            listed += [summaries(commit) for commit in range(len(listed), MOST_LISTED)]
        elif not growing_fields(self._case):
            listed += mixed(listed, MOST_LISTED - len(listed), self._writer.rng)
        found = [replace(found[number % len(found)], partitions=one) for number, one in enumerate(listed)]
        if not arrivals.spread:
            return found
        files = self._writer.rng.choice(len(arrivals.spread), len(found), p=arrivals.spread).tolist()
        return [replace(one, added_files_count=count or 1) for one, count in zip(found, files, strict=True)]

    def _compacted(self, arrivals: Arrivals, *, together: bool) -> list[LiveEntry]:
        """Entries of compacted files: one in each open partition, or `together` many in one."""
        writer, mean = self._writer, FILES_COMPACTED * arrivals.rows_per_file
        rows = [max(1, whole(mean))] * COMPACTED
        if arrivals.open_partitions > 1:
            rows = _rows_by_chance(np.full(COMPACTED, mean), writer.rng, is_all=False)
        shares, each = self._shares(together=together), COMPACTED if together else whole(arrivals.open_partitions)
        parts = [Part(share=shares[n % len(shares)], task=n if together else 0) for n in range(COMPACTED)]
        writer.files.know(parts)
        found, job = list[LiveEntry](), _numbers(writer, 1, is_other_job=True)
        for first in range(0, COMPACTED, each):
            jobs = [job if together else _numbers(writer, 1, is_other_job=True) for _ in parts[first : first + each]]
            files = map(self._written_again, parts[first : first + each], jobs, rows[first : first + each])
            found += _later_entries(list(files), writer, first)
        return found

    def _shares(self, *, together: bool) -> list[Share]:
        """Rows of compacted files: of one partition after the other, or in sequence where there is but one."""
        held, each = dict[Partition, list[Share]](), self._case.rows_per_commit
        for partition, _, parts in self._by_partition:
            held.setdefault(partition, []).extend(part.share for part in parts)
        found = [one for some in zip_longest(*held.values()) for one in some if one is not None]
        if together or len(held) == 1:
            of_one = max(held.values(), key=len)
            numbers = np.sort(np.concatenate([one.rows.numbers for one in of_one]))
            count = min(len(numbers), max(2, len(numbers) // COMPACTED - 1 | 1))  # odd: bounds are no round numbers
            starts = range(0, len(numbers) - count + 1, count)
            found = [replace(of_one[0], rows=new_rows(numbers[first : first + count])) for first in starts]
        return [replace(one, rows=_as_read(one.rows.numbers, each)) for one in found]

    def _entries(self, arrivals: Arrivals) -> DescribedEntries:
        """What manifests hold of the commits' files, and of compacted and sorted ones like them."""
        writer = self._writer
        most, by_partition = min(self._wanted, sum(map(len, self._commits))), list[LiveEntry]()
        for _, commit, parts in self._by_partition:
            if len(by_partition) < most:
                by_partition += _later_entries(self._files(parts, commit, arrivals), writer, commit)
        return DescribedEntries(
            commits=[_later_entries(files, writer, number) for number, files in enumerate(self._commits, 1)],
            compacted=self._compacted(arrivals, together=False),
            together=self._compacted(arrivals, together=True),
            by_partition=by_partition[:most],
            statements=[
                _later_entries(self._rewritten(parts, number, arrivals), writer, number)
                for number, parts in enumerate(self._statements)
            ],
            between=between_statements(self._case) * arrivals.files,
        )


def _sampled_whole(arrivals: Arrivals) -> int:
    """Commits that are sampled whole, as most bring another number of files than the one before; 0 if they do not."""
    return NEW_SAMPLED + MORE_LISTED if 0 < max(arrivals.spread, default=0.0) < 0.5 else 0


def _as_read(numbers: Ints, each: int) -> RowSet:
    """Rows with these numbers, of which so many came at a time, as a reader of row lineage sees them."""
    return replace(new_rows(numbers, row_ids=numbers), changed_at=numbers // each + 1)


def _with_neighbours(numbers: Ints, each: int) -> Ints:
    """Rows with these numbers, and those that came with any of them, `each` so many at a time: copy-on-write writes all
    rows of the files that it hits.
    """
    return np.unique(numbers // each * each + np.arange(each)[:, None])


def _rows_by_chance(means: Floats, rng: np.random.Generator, *, is_all: bool) -> list[int]:
    """Rows of files where chance deals rows out to partitions, of so many each on average, and a partition without any
    has no file. All files of a commit have as many together each time.
    """
    count = len(means)
    if is_all and count > 1:
        others = max(0, round(float(means.mean()) * count) - count)
        dealt: list[int] = (1 + rng.multinomial(others, means / means.sum())).tolist()
        return dealt
    expected = means  # in a partition, with or without a file
    for _ in range(SOLVING):
        expected = means * -np.expm1(-expected)
    first = -np.log1p(rng.random(count) * np.expm1(-expected))  # when the first row comes, of a stream until `expected`
    return [1 + int(more) for more in rng.poisson(np.maximum(0.0, expected - first))]


def _json_after(
    writer: CaseWriter, commits: Sequence[Sequence[DataFileEntry]], like: LiveManifest, created: float
) -> MetadataJson:
    """Sizes of metadata.json, read off a few commits of such files, whose manifests no metadata.json shows."""
    table = writer.table
    table.rules = replace(table.rules, appends_merge=False)
    for number in range(1, (ZIPPED_COMMITS if table.json.is_gzip else SAMPLED_COMMITS) + 1):
        files = commits[number] if number < len(commits) else commits[int(writer.rng.integers(len(commits)))]
        if number >= len(commits):  # in sizes that come again, compression would find what no table has
            drawn = [writer.files.file_sizes.draw_full(one.record_count, writer.rng).total for one in files]
            files = [replace(one, file_size_bytes=size) for one, size in zip(files, drawn, strict=True)]
        append_manifests(table, [like], files, table.begin(), _moment(writer, number))
    return with_recipe(metadata_json_sizes(table, created), writer)


def _json_of_statements(case: Case, profile: WriterProfile, site: Site) -> MetadataJson:
    """Sizes of gzipped metadata.json, read off commits and statements: summaries that say more compress better, and
    the worse the longer their numbers are, so that these have as many rows as the case has, up to some thousand a file;
    scattered statements change too many files for that. No metadata.json shows bounds of files.
    """
    most = min(ROWS_OF_ZIPPED * case.workload.files_per_commit, MOST_ROWS_OF_ZIPPED)
    sampled = _sampled_case(case, None if "scattered" in places_of(case) else most)
    writer, created = _created(sampled, sampled.rows_per_commit, profile, site, has_bounds=False)
    writer.table.rules = replace(writer.table.rules, appends_merge=False)
    _carry_out(writer, ZIPPED_AMONG_STATEMENTS)
    return with_recipe(metadata_json_sizes(writer.table, created), writer)


def _carry_out(writer: CaseWriter, commits: int) -> None:
    """Carries out this many of the writer's commits, with the statements between them; of very many statements, the
    first.
    """
    steps = plan_steps(replace(writer.case, horizon_s=commits * writer.case.commit_interval_s))
    for step in islice(steps, STEPS_OF_ONE * commits):
        if isinstance(step, Append):
            writer.append(step)
        elif isinstance(step, ChangeRows):
            writer.operate(step)


def _created(
    sampled: Case, rows: int, profile: WriterProfile, site: Site, *, has_bounds: bool = True
) -> tuple[CaseWriter, float]:
    """A writer whose table is created, and the bytes of its first metadata.json; real commits have `rows` rows."""
    log = EventLog(folder=None)
    computed = MOST_ROWS_COMPUTED if sampled.rows_per_commit == rows else 0
    files = data_files_of(sampled, profile, most_rows_computed=computed, has_bounds=has_bounds)
    rng = np.random.default_rng(sampled.seed)
    writer = CaseWriter(case=sampled, profile=profile, files=files, site=site, rng=rng, log=log)
    # entries of statistics are counted apart, and nothing expires so early
    writer.steps = RecipeSteps(recipe=replace(profile.recipe, statistics=None), expiry=None)
    writer.table.within = writer.steps.within
    writer.create(CreateTable())
    writer.table.json.is_measured = False
    return writer, float(log.events[0 if sampled.environment.catalog == "hadoop" else -1][6])


class KeyedSample:
    """Some checkpoints of one table's writer that deletes by key, with few rows: sizes of its files are read off them,
    whatever rows they have beyond those that each file needs.
    """

    def __init__(self, *, case: Case, arrivals: Arrivals, profile: WriterProfile, site: Site) -> None:
        self._profile, self._site, self._json = profile, site, dict[str, MetadataJson]()
        self._lists: ListBytes | None = None
        self.rows = keyed_rows(case, arrivals)
        commits = ceil(FILES_OF_UPSERTS / max(1.0, min(arrivals.files, self.rows)))
        commits = max(SAMPLED_COMMITS, min(CHECKPOINTS_OF_UPSERTS, commits))
        if case.rows_per_commit <= FEW_ROWS:
            commits = MANY_CHECKPOINTS
        self._writer, self._created = self._after(case, self.rows, commits)
        manifests = self._writer.table.manifests
        self._listed = {
            has_deletes: [one for one in reversed(manifests) if one.has_deletes == has_deletes]
            for has_deletes in (False, True)
        }
        self._manifests = {
            has_deletes: manifests_of_row_deltas(self._writer.table, listed, self._writer.log)
            for has_deletes, listed in self._listed.items()
        }

    def _after(self, case: Case, rows: int, commits: int) -> tuple[CaseWriter, float]:
        """The writer after so many checkpoints of so many rows, and the bytes of the first metadata.json."""
        sampled = _sampled_case(case, rows, commits)
        writer, created = _created(sampled, case.rows_per_commit, self._profile, self._site)
        unmerged = replace(writer.table.rules.properties, manifest_merge_enabled=False)
        writer.table.rules = replace(writer.table.rules, properties=unmerged)
        for step in plan_steps(sampled):
            if isinstance(step, Append):
                writer.append(step)
        return writer, created

    def json_of(self, case: Case) -> MetadataJson:
        """Sizes of metadata.json of the same table, compressed as this case has it."""
        writer, created = self._writer, self._created
        codec = TableProperties.read(case.table.properties).metadata_compression
        if codec not in self._json:
            if codec == "gzip":
                writer, created = self._after(case, FEW_ROWS, MANY_CHECKPOINTS)
            self._json[codec] = with_recipe(metadata_json_sizes(writer.table, created), writer)
        return self._json[codec]

    def deltas(self, case: Case, arrivals: Arrivals, numbers: Sequence[Ints]) -> RowDeltas:
        """What a checkpoint of a case brings; `numbers` are the keys of checkpoints on the way."""
        found = replace(self._deltas_of(case), apart_bytes=_apart_bytes(self._writer, case, arrivals))
        if case.rows_per_commit <= self.rows:
            return found
        return _in_files(found, case, arrivals, self._bytes_of_keys(case, numbers), self._position_path)

    def sizes(self, case: Case, arrivals: Arrivals, deltas: RowDeltas) -> Sizes:
        """Sizes of the table's files where a case's commits bring these."""
        writer, listed = self._writer, [one.file for one in self._listed[False]]
        return Sizes(
            json=self.json_of(case),
            lists=lists_of(case, writer.table, listed, arrivals),
            data_manifests=self._manifests[False],
            delete_manifests=self._manifests[True],
            snapshots=SnapshotBytes(table=writer.table, moment=_moment(writer, 1)),
            row_deltas=deltas,
        )

    def spread(self, case: Case, spread: Spread, like: Sizes, numbers: Sequence[Ints]) -> Sizes:
        """Sizes where a case's commits are spread over partitions by time, of about as many as the sample has, by those
        `like` them over one partition; `numbers` are the keys of checkpoints on the way.
        """
        if self._lists is None:
            listed = [one.file for one in self._listed[False]]
            self._lists = lists_of(case, self._writer.table, listed, spread.arrivals)
        found = replace(self._deltas_of(case), apart_bytes=like.row_deltas.apart_bytes if like.row_deltas else 0.0)
        of_keys = self._bytes_of_keys(case, numbers)
        deltas = _in_files(found, case, spread.arrivals, of_keys, self._position_path, spread)
        return replace(
            like,
            lists=self._lists,
            data_manifests=self._manifests[False].of_files(spread.arrivals.files),
            delete_manifests=self._manifests[True].of_files(deltas.files),
            row_deltas=deltas,
        )

    def _deltas_of(self, case: Case) -> RowDeltas:
        return _row_deltas(self._listed, case.rows_per_commit / self.rows)

    def _bytes_of_keys(self, case: Case, numbers: Sequence[Ints]) -> Callable[[float], float]:
        unique = [np.unique(one) for one in numbers]
        return lambda rows: fmean(_keys_bytes(self._writer, case, one, rows) for one in unique)

    @cached_property
    def _position_path(self) -> str:
        """The path of a file of position deletes; empty without one."""
        files = (entry.file for manifest in self._listed[True][1:] for entry in manifest.entries)
        return next((one.file_path for one in files if one.content == FileContent.POSITION_DELETES), "")


def keyed_rows(case: Case, arrivals: Arrivals) -> int:
    """Rows of a sampled checkpoint: so many that each file has several, as one row has one value for both bounds."""
    wanted = max(ROWS_OF_UPSERTS, ROWS_OF_FILES * whole(arrivals.files))
    return min(case.rows_per_commit, wanted, MOST_ROWS_OF_UPSERTS)


def _row_deltas(listed: dict[bool, list[LiveManifest]], scale: float) -> RowDeltas:
    """What a checkpoint brings, on average over those sampled after the first; keys and positions grow with its rows,
    which are `scale` times as many as those sampled.
    """
    first, *later = listed[True]
    files = [entry.file for manifest in later for entry in manifest.entries]
    checkpoints = len(later)
    keys, positions = (
        sum(file.record_count for file in files if file.content == content) * max(1.0, scale) / checkpoints
        for content in (FileContent.EQUALITY_DELETES, FileContent.POSITION_DELETES)
    )
    return RowDeltas(
        data_files=sum(len(one.entries) for one in listed[False][1:]) / checkpoints,
        files=len(files) / checkpoints,
        bytes=sum(content_bytes(file) for file in files) / checkpoints,
        keys=keys,
        positions=positions,
        first_files=float(len(first.entries)),
        first_bytes=float(sum(content_bytes(entry.file) for entry in first.entries)),
        apart_bytes=0.0,
    )


def _in_files(
    found: RowDeltas,
    case: Case,
    arrivals: Arrivals,
    of_keys: Callable[[float], float],
    path: str,
    spread: Spread | None = None,
) -> RowDeltas:
    """The same in as many files as these arrivals have, of each of which some rows are repeated by chance, or of those
    that are `spread` so; a file of so many keys takes `of_keys` bytes, and `path` is that of a data file.
    """
    by_key, of_positions = arrivals.files, 0.0
    some = by_key if spread is None else spread.repeating
    repeating = some * -expm1(-found.positions / some)  # files of which a row is repeated
    by_age = ((by_key, arrivals.rows_per_file),) if spread is None else spread.files
    keys = found.keys / (by_key * arrivals.rows_per_file)
    if repeating:
        each, is_vector = found.positions / repeating, case.table.format_version > 2
        of_positions = repeating * deletes_of_one(each, arrivals.rows_per_file, True, is_vector, len(path.encode()))
    return replace(
        found,
        data_files=by_key,
        files=by_key + repeating,
        bytes=sum(files * of_keys(rows * keys) for files, rows in by_age) + of_positions,
        first_files=by_key,
        first_bytes=by_key * of_keys(case.rows_per_commit / by_key),
    )


def _apart_bytes(writer: CaseWriter, case: Case, arrivals: Arrivals) -> float:
    """By how much a row with one of the keys of the checkpoint half-way is larger than one that follows another."""
    sizes, rng, found = writer.files.file_sizes, np.random.default_rng(case.seed), 0.0
    (numbers,) = keys_on_the_way(case, (0.5,))
    count = max(1, min(whole(arrivals.rows_per_file), len(numbers), MOST_COMPRESSED))
    rows = new_rows(numbers[np.sort(rng.choice(len(numbers), count, replace=False))])
    for leaf in sizes.leaves:
        if leaf.role is not None:
            found += sizes.number_bytes(leaf, sizes.rows.values(leaf, rows)) - sizes.mean_bytes(leaf, count)
    return found / count


def keys_on_the_way(case: Case, shares: Sequence[float] = ON_THE_WAY) -> list[Ints]:
    """The keys of checkpoints after these shares of all, in the order in which they come: keys become ever larger."""
    few = with_rows(case, min(case.rows_per_commit, MOST_KEYS))
    step = next(one for one in plan_steps(few) if isinstance(one, Append))
    return [upserted_numbers(few, step, max(2, int(case.commits * share))) for share in shares]


def _keys_bytes(writer: CaseWriter, case: Case, numbers: Ints, rows: float) -> float:
    """Bytes of an equality-delete file that holds `rows` of these keys of a checkpoint."""
    rng = np.random.default_rng(case.seed)
    some = np.sort(rng.choice(numbers, min(whole(rows), len(numbers)), replace=False))
    found = equality_delete_bytes(writer.subtasks.keys, new_rows(some), writer.files)
    return found.around + sum(found.columns.values()) * rows / len(some)


def _sampled_case(case: Case, rows_of_appends: int | None = None, commits: int = SAMPLED_COMMITS) -> Case:
    """The case's first commits, with few rows, by one writer."""
    files = case.workload.files_per_commit
    several = min(case.rows_per_commit, 2 * files)  # a file's first and last row differ, as its bounds do
    rows = rows_of_appends or max(several, 512 if case.writer.upsert else min(512, 64 * files))
    return replace(
        with_rows(case, rows),
        maintenance=Maintenance(),
        horizon_s=commits * case.commit_interval_s,
        writer=case.writer.model_copy(update={"writers": 1}),
    )


def _moment(writer: CaseWriter, commit: int) -> Moment:
    event_time_s = commit * writer.case.commit_interval_s
    writer.pass_time(event_time_s)
    return writer.moment(event_time_s, commit)


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


def _later_entries(files: Sequence[DataFileEntry], writer: CaseWriter, number: int) -> list[LiveEntry]:
    """Entries of files of one commit, as they stand in manifests later on."""
    table, row_id = writer.table, (LATER + number) * writer.case.rows_per_commit
    entries = new_entries(files, draw_identity(LATER + number, table.rng))
    for entry in entries if table.rules.format_version > 2 else []:
        entry.file = replace(entry.file, first_row_id=row_id)
        row_id += entry.file.record_count
    return entries
