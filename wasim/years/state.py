"""The state of a table on average, and what one commit of each kind does to it."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import ceil, floor, inf

import numpy as np

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
from wasim.years.growth import digits, digits_through
from wasim.years.manifest_sizes import NewManifest
from wasim.years.manifests import ManifestRuns, Sums
from wasim.years.margins import Margins
from wasim.years.packing import VALUES, Run
from wasim.years.sizes import Sizes

# Share of what a list saves by a checkpoint's second manifest that deflate finds: with all of it, lists of the scenario
# flink_upsert are 1 % off or more
SEEN = 0.92


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """How the writer commits, and how many rows: by MergeAppend, which leaves out manifests without live files and
    merges the others unless the table forbids that, or by FastAppend.
    """

    appends_filter: bool
    appends_merge: bool
    rows_per_commit: float
    uses_vectors: bool = False  # of statements that delete by position


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How many full manifests each commit comes to, and what each adds, by place in the `values` of a state."""

    manifests: Floats
    each: Floats
    list_slope: float

    def after(self, values: Floats, commits: float) -> Floats:
        """The values after this many more commits: manifests are full or they are not."""
        grown: Floats = values + np.rint(self.manifests * commits) * self.each
        return grown

    @property
    def list_bytes(self) -> float:
        """By how much the list grows with each commit."""
        return float(self.manifests[1 :: len(VALUES)].sum()) * self.list_slope


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
    margins: Margins = field(default_factory=Margins)

    def __post_init__(self) -> None:
        self.data.margins = self.deletes.margins = self.files.margins = self.margins

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
    def full_manifests(self) -> float:
        """Manifests of data that merges have filled, with files that are live."""
        least = self.data.policy.target_bytes / 2
        return sum(run.count for run in self.data.runs[:-1] if run.bytes > least and run.live > NEGLIGIBLE)

    def filling_pace(self) -> Pace | None:
        """The pace at which merges fill one manifest after the other; None before the first."""
        deltas, manifests, each = self.sizes.row_deltas, [1.0], [1.0]
        for listed, files in ((self.data, self.arrivals.files), (self.deletes, deltas.files if deltas else 0.0)):
            full = listed.full_run
            if listed.runs and full is None:
                return None
            for run in listed.runs:
                manifests += [files / run.live if run is full else 0.0] * len(VALUES)
                each += [value / run.count for value in run.values()]
        others = [0.0 for part in (self.files.values(), self.left.values(self.files.by_class)) for _ in part]
        return Pace(
            manifests=np.array(manifests + others), each=np.array(each + others), list_slope=self.sizes.lists.slope
        )

    @property
    def waiting(self) -> tuple[int, int]:
        """Manifests of data, and of deletes, that wait to be merged."""
        return self.data.waiting, self.deletes.waiting

    # -- appends -------------------------------------------------------------------------------------------------

    def append(self, commits: float) -> tuple[float, bool]:
        """Makes at most this many commits of the writer: how many it made, and whether the last one merged.

        Near the target of a manifest, merges of few follow each other closely: a merge ends the commits if as many
        manifests as merge at least came before it, or were of deletes, or if it filled a manifest.
        """
        if self.rules.appends_filter:
            self.data.drop_dead(self.flows)
            self.deletes.drop_dead(self.flows)
        before, done, merged = self.snapshot_numbers(), 0.0, False
        full = self.full_manifests if self.rules.appends_merge else 0.0
        while done < commits and not merged:
            is_first = self.deletes_by_key and self.commits < 1  # replaces nothing, and has sizes of its own
            of_data, of_deletes = (1.0, inf) if is_first else self._commits_until_merges()
            until = min(of_data, of_deletes)
            if until > commits - done:
                self._append_run(commits - done)
                done = commits
                break
            self._append_run(until - 1)
            of_deletes = self._append_one(merges_data=of_data == until, merges_deletes=of_deletes == until)
            done += until
            least = self.data.policy.min_count
            merged = not is_first and (until >= least - 1 or of_deletes >= least or self.full_manifests != full)
        self._note_snapshots(done, before)
        return done, merged

    @property
    def deletes_by_key(self) -> bool:
        """Whether the writer's commits bring equality deletes."""
        return self.sizes.row_deltas is not None

    def _commits_until_merges(self) -> tuple[float, float]:
        """Commits up to the next one that merges manifests of data, and of deletes; infinite if none will."""
        if not self.rules.appends_merge:
            return inf, inf
        of_data = self._commits_until_data_merges()
        if not self.deletes_by_key:
            return of_data, inf
        return of_data, self.deletes.commits_until_merge(self.sizes.delete_manifests.new)

    def _commits_until_data_merges(self) -> float:
        new = self._new_manifests
        if len(new) > 1:  # between full ones, what is left of each commit stays alone
            return inf
        manifests = self.data.commits_until_merge(new[0].bytes)
        # of one manifest each, after statements, they need be no whole number
        return manifests if new[0].count == 1 or manifests == inf else float(ceil(manifests / new[0].count))

    def _append_run(self, commits: float) -> None:
        """Commits that merge nothing, in closed form."""
        if commits <= 0:
            return
        flows, lists = self.flows, self.sizes.lists
        data, deletes = self.data.sums(), self.deletes.sums()
        before, saved = data.manifests + deletes.manifests, commits * self._saved(data, deletes)
        each = self._add_new(commits)
        # the lists of these commits hold before + each, before + 2 · each … manifests
        if each > 1:  # manifests of the same commit have its id and its name
            saved += (each - 1) * self.sizes.sibling_saving * commits * (commits + 1) / 2
        flows[Flow.LIST_BYTES] += _stepped(lists.through, before, each, commits) - saved
        self.commits += commits

    def _append_one(self, *, merges_data: bool, merges_deletes: bool) -> float:
        """One commit by itself, which merges; how many manifests of deletes it merged."""
        of_deletes = 0.0
        self._add_new(1.0, is_new=merges_data)
        for manifests, merges in ((self.data, merges_data), (self.deletes, merges_deletes)):
            if merges:
                if manifests is self.deletes:
                    manifests.mark_newest()
                merged = self.merge(manifests)
                of_deletes = merged if manifests is self.deletes else 0.0
                manifests.settle()
        self.flows[Flow.LIST_BYTES] += self.list_bytes
        self.commits += 1
        return of_deletes

    def merge(self, manifests: ManifestRuns) -> float:
        """What a merging commit does to manifests of data, or of deletes; how many were merged into others.

        Older manifests of deletes have no sibling any more once that of data was merged.
        """
        merged = manifests.merge(self.flows)
        if merged and manifests is self.data:
            for run in self.deletes.runs:
                run.siblings *= run.is_new
        return merged

    def _add_new(self, commits: float, *, is_new: bool = False) -> int:
        """Writes and lists each commit's own manifests; how many each brings."""
        arrivals, sizes, flows = self.arrivals, self.sizes, self.flows
        each = sum(one.count for one in self._new_manifests)
        for one in reversed(self._new_manifests):
            fresh, settled = (0.0, one.files) if self._settles else (one.files, 0.0)
            count, siblings = commits * one.count, 1 - 1 / each
            self.data.add(
                Run(count=count, bytes=one.bytes, fresh=fresh, settled=settled, siblings=siblings, is_new=is_new)
            )
            self.data.note_written(count, one.bytes, flows)
        self._note_staged(commits, sizes.data_manifests.staged, DATA)
        flows[Flow.WRITTEN_FILES + DATA] += commits * arrivals.files
        flows[Flow.WRITTEN_FILES + DATA + 1] += commits * arrivals.files * self._file_bytes
        flows[Flow.ROWS] += commits * self.rules.rows_per_commit
        return each if sizes.row_deltas is None else each + self._add_deletes(commits)

    def _add_deletes(self, commits: float) -> int:
        deltas, new, flows = self.sizes.row_deltas, self.sizes.delete_manifests, self.flows
        assert deltas is not None  # noqa: S101 - only of a writer that deletes by key
        is_first = self.commits < 1
        files, size = (deltas.first_files, deltas.first_bytes) if is_first else (deltas.files, deltas.bytes)
        self.deletes.add(Run(count=commits, bytes=new.new, fresh=files, siblings=SEEN))
        self.deletes.note_written(commits, new.new, flows)
        self._note_staged(commits, new.staged, DELETES)
        flows[Flow.WRITTEN_FILES + DELETES] += commits * files
        flows[Flow.WRITTEN_FILES + DELETES + 1] += commits * size
        flows[Flow.EQUALITY_DELETES] += commits * deltas.keys
        flows[Flow.POSITION_DELETES] += commits * (0.0 if is_first else deltas.positions)
        return 1

    def _note_staged(self, commits: float, size: float, group: int) -> None:
        """Manifests that Flink stages, and deletes once the commit is made."""
        if not size:
            return
        for place in (Flow.WRITTEN_MANIFESTS, Flow.WASTED_MANIFESTS):
            self.flows[place + group] += commits
            self.flows[place + group + 1] += commits * size

    def _note_snapshots(self, commits: float, before: Sequence[float]) -> None:
        """Snapshots of this many commits, as metadata.json holds them; `before` are `snapshot_numbers` then."""
        flows = self.flows
        flows[Flow.SNAPSHOTS] += commits
        flows[Flow.SNAPSHOT_JSON_BYTES] += commits * (self.shortest_snapshot_bytes - len(before))
        for first, last in zip(before, self.snapshot_numbers(), strict=True):
            flows[Flow.SNAPSHOT_JSON_BYTES] += digits_through(first, max(0.0, last - first) / commits, commits)

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
    def _new_manifests(self) -> tuple[NewManifest, ...]:
        """The manifests of data that each of the writer's commits writes, newest first."""
        return self.sizes.data_manifests.of_commit(self.arrivals.files)

    @cached_property
    def _settles(self) -> bool:
        """Whether the writer's data files are too large for any compaction."""
        return self.files.rule is not None and not self.files.is_small(self.arrivals.rows_per_file)

    @cached_property
    def _file_bytes(self) -> float:
        """Bytes of one of the writer's data files."""
        return self.file_bytes.of(self.arrivals.rows_per_file)

    # -- maintenance ---------------------------------------------------------------------------------------------

    def commit_nothing(self, times: float) -> None:
        """So many commits of the writer without rows: snapshots with the manifests of the one before."""
        flows, before = self.flows, self.flows[Flow.SNAPSHOT_JSON_BYTES]
        self.note_operation(CommitCounts(manifests_kept=whole(self.manifests)), operation="append", times=times)
        if self.sizes.json.zipped is not None:  # what a snapshot with rows has more takes next to nothing
            numbers = self.snapshot_numbers()
            own = self.shortest_snapshot_bytes - len(numbers) + sum(map(digits, numbers))
            flows[Flow.SNAPSHOT_JSON_BYTES] = before + times * own

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


def _stepped(through: Callable[[float], float], before: float, each: int, commits: float) -> float:
    """Σ of sizes at before + each, before + 2 · each …, from their sums over all counts."""
    if each == 1:
        return float(through(before + commits) - through(before))
    every = through(before + each * commits) - through(before)
    last, first = through(before + each * commits), through(before + each * commits - 1)
    start = through(before + 1) - through(before)
    # every other one: half of all, and half of what the last is larger than the first
    return float(every / each + (each - 1) / each * ((last - first) - start) / 2)
