"""The state of a table on average, and what one commit of each kind does to it."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import floor

from wasim.twin.summary import CommitCounts, FileCounts, TableTotals
from wasim.units import Floats
from wasim.years.arrivals import Arrivals, FileBytes, whole
from wasim.years.compaction import (
    LEAST_LIVE,
    NEGLIGIBLE,
    SETTLED_ROWS,
    ByClass,
    Compacted,
    DataFilesByPartition,
    is_much_deleted,
)
from wasim.years.flows import DATA, DELETES, LIVE_ROWS, Flow, RowChanges, no_flows
from wasim.years.machine.sizes import digits, digits_through
from wasim.years.manifests import ManifestRuns, Sums
from wasim.years.packing import Run
from wasim.years.sizes import Sizes


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """How the writer commits, and how many rows: by MergeAppend, which leaves out manifests without live files and
    merges the others unless the table forbids that, or by FastAppend.
    """

    appends_filter: bool
    appends_merge: bool
    rows_per_commit: float
    uses_vectors: bool = False  # of statements that delete by position


@dataclass(kw_only=True)
class TableState:
    """The table: its manifests, its data files, and what has been written and removed so far."""

    rules: Rules
    arrivals: Arrivals
    file_bytes: FileBytes
    sizes: Sizes
    data: ManifestRuns
    deletes: ManifestRuns
    files: DataFilesByPartition
    commits: float = 0.0  # of the writer
    flows: list[float] = field(default_factory=no_flows)
    left: RowChanges = field(default_factory=RowChanges)  # by statements
    newest_deletes: tuple[float, float, float] = (0.0, 0.0, 0.0)  # of the last statement: commit, files and their bytes

    @property
    def manifests(self) -> float:
        """Manifests that the current snapshot lists."""
        return self.data.count + self.deletes.count

    @property
    def list_bytes(self) -> float:
        """Bytes of the current snapshot's manifest list."""
        return self.list_bytes_of(self.data.sums(), self.deletes.sums())

    def list_bytes_of(self, data: Sums, deletes: Sums) -> float:
        """Bytes of a list of these manifests of data and of deletes."""
        return self.sizes.lists.at(data.manifests + deletes.manifests) - self._saved(data, deletes)

    def _saved(self, data: Sums, deletes: Sums) -> float:
        """Bytes that a list is smaller than one of as many manifests of the writer's own, each of another commit."""
        saved = self.sizes.sibling_saving * (data.siblings + deletes.siblings)
        return saved if self._settles else saved - self.sizes.rewritten_more * data.rewritten

    @property
    def live_data_files(self) -> float:
        """Data files of the current snapshot."""
        return self.flows[Flow.WRITTEN_FILES + DATA] - self.flows[Flow.REMOVED_FILES + DATA]

    @property
    def live_delete_files(self) -> float:
        """Delete files of the current snapshot."""
        return self.flows[Flow.WRITTEN_FILES + DELETES] - self.flows[Flow.REMOVED_FILES + DELETES]

    @property
    def live_bytes(self) -> float:
        """Bytes of data and delete files of the current snapshot."""
        written, removed = Flow.WRITTEN_FILES + DATA + 1, Flow.REMOVED_FILES + DATA + 1
        flows = self.flows
        return flows[written] + flows[written + 2] - flows[removed] - flows[removed + 2]

    @property
    def waiting(self) -> tuple[int, int]:
        """Manifests of data, and of deletes, that wait to be merged."""
        return self.data.waiting, self.deletes.waiting

    def merge(self, manifests: ManifestRuns) -> float:
        """What a merging commit does to manifests of data, or of deletes; how many were merged into others.

        Older manifests of deletes have no sibling any more once that of data was merged.
        """
        merged = manifests.merge(self.flows)
        if merged and manifests is self.data:
            for run in self.deletes.runs:
                run.siblings *= run.is_new
        return merged

    def note_longer_numbers(self, snapshots: float, before: Sequence[float]) -> None:
        """Counts the digits by which numbers in the last `snapshots` are longer than those were `before` them."""
        for first, last in zip(before, self.snapshot_numbers(), strict=True):
            longer = digits_through(first, max(0.0, last - first) / snapshots, snapshots) - snapshots * digits(first)
            self.flows[Flow.SNAPSHOT_JSON_BYTES] += longer

    def balance_files(self) -> None:
        """Makes what was removed the rest of what was written: of two large sums, a leap errs in each by itself.

        How many bytes statements removed is known by their sum alone.
        """
        files, flows = self.files, self.flows
        uncounted = self.commits - files.counted_commits
        new = uncounted * self.arrivals.files if files.brings_files else 0.0
        live = [sum(count for count, _ in files.by_class) + new]
        if files.rule is not None:
            live.append(files.live_bytes + new * self._file_bytes)
        for place, left in enumerate(live, Flow.REMOVED_FILES + DATA):
            flows[place] = flows[place - Flow.REMOVED_FILES + Flow.WRITTEN_FILES] - left

    def balance_deletes(self, before: Sequence[float], named: float) -> None:
        """The same of delete files where most are replaced: for each data file named, as many as `before` a leap."""
        flows = self.flows
        now = sum(self.left.held) / named if named else 1.0
        for place in range(Flow.WRITTEN_FILES + DELETES, Flow.WRITTEN_FILES + DELETES + 2):
            removed = place - Flow.WRITTEN_FILES + Flow.REMOVED_FILES
            if before[removed] > before[place] / 2:
                flows[removed] = flows[place] - (before[place] - before[removed]) * now

    def snapshot_numbers(self) -> list[float]:
        """The numbers in a snapshot's JSON that grow from commit to commit, as the last one had them."""
        flows, sizes = self.flows, self.sizes.snapshots
        rows = flows[Flow.ROWS]
        numbers = [rows, self.live_data_files, self.live_bytes]
        if sizes.epochs:
            numbers += [self.commits] * sizes.epochs
        if sizes.sequences:
            numbers.append(flows[Flow.SNAPSHOTS])
        if self.sizes.row_deltas is not None:
            numbers += [self.live_delete_files, flows[Flow.EQUALITY_DELETES], flows[Flow.POSITION_DELETES]]
        if sizes.has_row_ids:
            numbers.append(max(0.0, rows - self.rules.rows_per_commit))
        if sizes.counts_manifests:
            numbers.append(max(0.0, self.manifests - 1))
        return numbers

    @cached_property
    def shortest_snapshot_bytes(self) -> float:
        """Bytes of a snapshot of the writer's whose growing numbers have one digit each."""
        arrivals, deltas = self.arrivals, self.sizes.row_deltas
        by_key, by_position, added = 0.0, 0.0, arrivals.files * self._file_bytes
        if deltas is not None:
            by_position = deltas.files / 2 if deltas.positions else 0.0
            by_key, added = deltas.files - by_position, added + deltas.bytes
        counts = CommitCounts(
            manifests_created=1 if deltas is None else 2,
            added=FileCounts(
                files=whole(arrivals.files),
                records=whole(self.rules.rows_per_commit),
                bytes=whole(added),
                equality_files=whole(by_key),
                position_files=whole(by_position),
                position_deletes=whole(deltas.positions) if deltas else 0,
                equality_deletes=whole(deltas.keys) if deltas else 0,
            ),
            changed_partitions=whole(arrivals.partitions),
        )
        return self.sizes.snapshots.of_append(counts, operation="append" if deltas is None else "overwrite")

    @cached_property
    def _settles(self) -> bool:
        """Whether the writer's data files are too large for any compaction."""
        return self.files.rule is not None and not self.files.is_small(self.arrivals.rows_per_file)

    @cached_property
    def _file_bytes(self) -> float:
        """Bytes of one of the writer's data files."""
        return self.file_bytes.of(self.arrivals.rows_per_file)

    # -- maintenance ---------------------------------------------------------------------------------------------

    def rewrite_manifests(self) -> bool:
        """Spark's rewrite_manifests; whether it committed anything."""
        flows, before = self.flows, self.manifests
        done = [manifests.rewrite(flows) for manifests in (self.data, self.deletes) if manifests.runs]
        if not any(done):
            return False
        created = self.manifests
        self.note_operation(
            CommitCounts(manifests_created=whole(created), manifests_replaced=whole(before), entries_processed=0)
        )
        return True

    def compact(self, share: float = 1.0) -> bool:
        """Spark's rewrite_data_files in one commit; whether it committed anything."""
        self.files.arrive(self.commits)
        self._reopen_much_deleted()
        held = self.data.entries_of("fresh"), self.data.entries_of("partial")
        by_class = self.files.by_class
        self._leave_out_deleted_rows(by_class)
        done, flows = self.files.compact(by_class, share), self.flows
        if done.groups > 0:
            taken_small = done.taken_files if not held[1] else held[0] * done.small_share
            created = self.data.filter(
                min(1.0, taken_small / held[0]) if held[0] else 0.0, done.partial_share if held[1] else 0.0, 0.0, flows
            )
            self._add_compacted(done.partial_made, done.settled_made)
            replaced = self.merge(self.data) + created
            named = sum(self.left.held)
            self._compacted_away(done)
            if self.rules.uses_vectors:
                self._drop_vectors(named - sum(self.left.held))
            shares = done.small_share, done.partial_share, 0.0
            if all(share >= 1 or files <= NEGLIGIBLE for share, (files, _) in zip(shares, by_class, strict=True)):
                self._drop_deletes()
            made = done.partial_made + done.settled_made
            flows[Flow.REMOVED_FILES + DATA] += done.taken_files
            flows[Flow.REMOVED_FILES + DATA + 1] += done.taken_bytes
            flows[Flow.WRITTEN_FILES + DATA] += made
            flows[Flow.WRITTEN_FILES + DATA + 1] += done.made_bytes
            if self.files.changes_rows:  # files that statements wrote are unlike those that they were compacted into
                self.balance_files()
            rows = whole(self._rows_of(done.taken_bytes))
            self.note_operation(
                CommitCounts(
                    manifests_created=whole(1 + created),
                    manifests_kept=whole(max(0.0, self.manifests - 1 - created)),
                    manifests_replaced=whole(replaced),
                    added=FileCounts(files=max(1, whole(made)), records=rows, bytes=whole(done.made_bytes)),
                    removed=FileCounts(files=whole(done.taken_files), records=rows, bytes=whole(done.taken_bytes)),
                    changed_partitions=max(1, whole(done.groups)),
                )
            )
        self.data.settle_entries("fresh", done.left_small)
        self.data.settle_entries("partial", done.left_partial)
        return done.groups > 0

    def _reopen_much_deleted(self) -> None:
        """Compaction takes files of any size once a good part of their rows is deleted by position."""
        left, rows = self.left, self.files.settled_rows
        if not rows or not is_much_deleted(1 - left.dead[2] / rows):
            return
        self.files.reopen()
        self.data.reopen()
        for of_class in (left.dead, left.held):
            of_class[1] += of_class[2]
            of_class[2] = 0.0

    def room(self, values: Floats, change: Floats) -> float:
        """Cycles that each change these numbers of files by as much, until compaction takes other files: compacted ones
        are too large for it, or of those that it left alone too much is deleted.
        """
        room = self.files.room(values, change)
        rows, grows = values[SETTLED_ROWS], change[SETTLED_ROWS]
        if self.files.rule is None or not rows or not any(self.left.held):
            return room
        live, shrinks = values[LIVE_ROWS][-1], -change[LIVE_ROWS][-1]
        nearer = shrinks + LEAST_LIVE * grows
        return min(room, floor((live - LEAST_LIVE * rows) / nearer)) if nearer > 0 else room

    def _leave_out_deleted_rows(self, by_class: ByClass) -> None:
        """Tells compaction which share of the rows of each kind of file is left."""
        files, dead = self.files, self.left.dead
        (_, small), (_, partial), _ = by_class
        files.small_live = 1 - min(1.0, dead[0] / small) if small else 1.0
        files.partial_live = 1 - min(1.0, dead[1] / partial) if partial else 1.0

    def _compacted_away(self, done: Compacted) -> None:
        """What statements had deleted by position is gone from the files that were compacted."""
        for place, share in ((0, done.small_share), (1, done.partial_share)):
            self.flows[Flow.ROWS] -= self.left.dead[place] * share
            self.left.dead[place] *= 1 - share
            self.left.held[place] *= 1 - share
        self.left.small_seen *= 1 - done.small_share
        self.left.squares *= 1 - done.partial_share
        if self.files.changes_rows:  # else no statement asks for it
            self.left.squares += done.partial_squares

    def _rows_of(self, size: float) -> float:
        live = self.live_bytes
        return self.flows[Flow.ROWS] * min(1.0, size / live) if live else 0.0

    def _add_compacted(self, partial: float, settled: float) -> None:
        size = self.sizes.data_manifests.of(0.0, partial + settled, 0.0)
        self.data.runs.append(Run(count=1.0, bytes=size, partial=partial, settled=settled, is_new=True))
        self.data.note_written(1.0, size, self.flows)

    def _drop_vectors(self, files: float) -> None:
        """Deletion vectors of this many files go with them, the newest ones, as these are what compaction takes."""
        listed, flows = self.deletes.entries, self.flows
        if files <= NEGLIGIBLE or not listed:
            return
        size = flows[Flow.WRITTEN_FILES + DELETES + 1] - flows[Flow.REMOVED_FILES + DELETES + 1]
        share = min(1.0, files / listed)
        live = self.live_delete_files
        self.deletes.take({"fresh": (files, True)}, flows)
        self.deletes.merge(flows)
        self.deletes.settle()
        flows[Flow.REMOVED_FILES + DELETES] += live * share
        flows[Flow.REMOVED_FILES + DELETES + 1] += size * share

    def _drop_deletes(self) -> None:
        """Delete files older than all data that is left apply to nothing, and go with the next commit that filters:
        all but those of a statement since which no row came, as compacted files are as old as that.
        """
        flows, (commit, newest, newest_bytes) = self.flows, self.newest_deletes
        if not self.deletes.runs:
            return
        kept, kept_bytes = (newest, newest_bytes) if commit == self.commits else (0.0, 0.0)
        files = max(0.0, self.deletes.entries - kept)
        size = flows[Flow.WRITTEN_FILES + DELETES + 1] - flows[Flow.REMOVED_FILES + DELETES + 1]
        if kept:
            self.deletes.take({"fresh": (files, False)}, flows)
        else:
            self.deletes.filter(1.0, 1.0, 1.0, flows)
        self.deletes.merge(flows)
        self.deletes.settle()
        flows[Flow.REMOVED_FILES + DELETES] += files
        flows[Flow.REMOVED_FILES + DELETES + 1] += max(0.0, size - kept_bytes)

    def note_operation(
        self,
        counts: CommitCounts,
        *,
        operation: str = "replace",
        own: Collection[str] = (),
        more: Mapping[str, str] | None = None,
        times: float = 1.0,
    ) -> None:
        """A commit of maintenance or of a statement, or so many of nothing: its snapshot, and its list."""
        flows = self.flows
        totals = TableTotals(
            files=whole(self.live_data_files),
            records=whole(flows[Flow.ROWS]),
            bytes=whole(self.live_bytes),
            delete_files=whole(sum(self.left.held) or self.live_delete_files),
            position_deletes=whole(flows[Flow.POSITION_DELETES]),
        )
        sizes = self.sizes.snapshots
        size = (
            sizes.of_nothing(counts._replace(totals=totals), digits(flows[Flow.SNAPSHOTS]))
            if operation == "append"
            else sizes.of_operation(operation, counts, totals, own, more)
        )
        size += (digits(flows[Flow.SNAPSHOTS]) - 1) * sizes.sequences
        flows[Flow.SNAPSHOTS] += times
        flows[Flow.SNAPSHOT_JSON_BYTES] += times * size
        flows[Flow.LIST_BYTES] += times * self.list_bytes
        self.data.settle()
        self.deletes.settle()

    # -- the state as numbers ------------------------------------------------------------------------------------

    @property
    def structure(self) -> tuple[int, ...]:
        """What must be alike in two states for one to be carried on by what changed since the other."""
        return len(self.data.runs), len(self.deletes.runs), len(self.files.cohorts)

    def values(self) -> list[float]:
        """The numbers that make up the state."""
        data, deletes, files = self.data.values(), self.deletes.values(), self.files
        return [self.commits, *data, *deletes, *files.values(), *self.left.values(files.by_class)]

    def reshape(self, structure: tuple[int, ...]) -> None:
        """Makes room for the numbers of a state of that structure."""
        data, deletes, cohorts = structure
        self.data.runs = [Run(count=1.0, bytes=1.0) for _ in range(data)]
        self.deletes.runs = [Run(count=1.0, bytes=1.0) for _ in range(deletes)]
        self.files.reshape(cohorts)

    def restore(self, values: list[float], flows: list[float]) -> None:
        """Takes over the numbers of a state of the same structure."""
        numbers = iter(values)
        self.commits = next(numbers)
        self.data.runs = self.data.restored(numbers)
        self.deletes.runs = self.deletes.restored(numbers)
        self.files.restore(numbers)
        self.left.restore(numbers, self.files.by_class)
        self.flows = list(flows)
