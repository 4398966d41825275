"""The state of a table in the mean, and what one commit of each kind does to it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from math import inf

from wasim.twin.summary import CommitCounts, FileCounts, TableTotals
from wasim.years.arrivals import Arrivals, FileBytes, whole
from wasim.years.compaction import DataFilesByPartition
from wasim.years.flows import DATA, DELETES, Flow, no_flows
from wasim.years.growth import digits, digits_through
from wasim.years.manifests import VALUES, ManifestRuns, Run
from wasim.years.sizes import Sizes

SEEN = 0.92  # of what a list saves by a checkpoint's second manifest, deflate finds: the first stands farther away


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """How the writer commits: by MergeAppend or FastAppend, and how many rows."""

    appends_merge: bool
    rows_per_commit: float


@dataclass(slots=True, kw_only=True)
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

    @property
    def manifests(self) -> float:
        """Manifests that the current snapshot lists."""
        return self.data.count + self.deletes.count

    @property
    def _saved_in_list(self) -> float:
        """Bytes that the list is smaller for manifests whose names and ids follow each other."""
        return self.sizes.sibling_saving * (self.data.siblings + self.deletes.siblings)

    @property
    def list_bytes(self) -> float:
        """Bytes of the current snapshot's manifest list."""
        return self.sizes.lists.at(self.manifests) - self._saved_in_list

    @property
    def live_data_files(self) -> float:
        """Data files of the current snapshot."""
        return self.flows[Flow.WRITTEN_FILES + DATA] - self.flows[Flow.REMOVED_FILES + DATA]

    @property
    def live_bytes(self) -> float:
        """Bytes of data and delete files of the current snapshot."""
        written, removed = Flow.WRITTEN_FILES + DATA + 1, Flow.REMOVED_FILES + DATA + 1
        flows = self.flows
        return flows[written] + flows[written + 2] - flows[removed] - flows[removed + 2]

    @property
    def full_manifests(self) -> float:
        """Manifests of data that merges have filled."""
        least = self.data.policy.target_bytes / 2
        return sum(run.count for run in self.data.runs[:-1] if run.bytes > least)

    # -- appends -------------------------------------------------------------------------------------------------

    def append(self, commits: float) -> tuple[float, bool]:
        """Commits of the writer, at most so many, up to the first that merges: how many, and whether it did."""
        if self.sizes.row_deltas is not None and self.commits < 1:
            self._append_one()
            return 1.0, False
        until = self._commits_until_merge()
        if until > commits:
            self._append_run(commits)
            return commits, False
        self._append_run(until - 1)
        self._append_one()
        return until, True

    def _commits_until_merge(self) -> float:
        if not self.rules.appends_merge:
            return inf
        until = self.data.commits_until_merge(self.sizes.data_manifests.new)
        if self.sizes.row_deltas is not None:
            until = min(until, self.deletes.commits_until_merge(self.sizes.delete_manifests.new))
        return until

    def _append_run(self, commits: float) -> None:
        """Commits that merge nothing, in closed form."""
        if commits <= 0:
            return
        flows, lists, before = self.flows, self.sizes.lists, self.manifests
        self._note_snapshots(commits)
        saved = commits * self._saved_in_list
        each = self._add_new(commits)
        # the lists of these commits hold before + each, before + 2 · each … manifests
        if each > 1:  # a checkpoint's manifest of deletes has the id and the name of that of its data
            saved += self.sizes.sibling_saving * commits * (commits + 1) / 2
        flows[Flow.LIST_BYTES] += _stepped(lists.through, before, each, commits) - saved
        self.commits += commits

    def _append_one(self) -> None:
        """One commit by itself: it merges where that is due."""
        self._note_snapshots(1.0)
        self._add_new(1.0)
        self.data.runs[-1].is_new = True
        self.data.merge(self.flows)
        self.data.settle()
        if self.sizes.row_deltas is not None:
            self.deletes.runs[-1].is_new = True
            self.deletes.merge(self.flows)
            self.deletes.settle()
        self.flows[Flow.LIST_BYTES] += self.list_bytes
        self.commits += 1

    def _add_new(self, commits: float) -> int:
        """Writes and lists each commit's own manifests; how many each brings."""
        arrivals, sizes, flows = self.arrivals, self.sizes, self.flows
        settles = self.files.rule is not None and not self.files.is_small(arrivals.rows_per_file)
        fresh, settled = (0.0, arrivals.files) if settles else (arrivals.files, 0.0)
        new = sizes.data_manifests
        own = self.rules.appends_merge and commits == 1
        if own:
            self.data.runs.append(Run(count=1.0, bytes=new.new, fresh=fresh, settled=settled))
        else:
            self.data.add(Run(count=commits, bytes=new.new, fresh=fresh, settled=settled))
        self.data.note_written(commits, new.new, flows)
        self._note_staged(commits, new.staged, DATA)
        size = self.file_bytes.of(arrivals.rows_per_file)
        flows[Flow.WRITTEN_FILES + DATA] += commits * arrivals.files
        flows[Flow.WRITTEN_FILES + DATA + 1] += commits * arrivals.files * size
        flows[Flow.ROWS] += commits * self.rules.rows_per_commit
        return 1 if sizes.row_deltas is None else 1 + self._add_deletes(commits)

    def _add_deletes(self, commits: float) -> int:
        deltas, new, flows = self.sizes.row_deltas, self.sizes.delete_manifests, self.flows
        assert deltas is not None  # noqa: S101 - only of a writer that deletes by key
        is_first = self.commits < 1
        files, size = (deltas.first_files, deltas.first_bytes) if is_first else (deltas.files, deltas.bytes)
        if commits == 1:
            self.deletes.runs.append(Run(count=1.0, bytes=new.new, fresh=files, siblings=SEEN))
        else:
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

    def _note_snapshots(self, commits: float) -> None:
        """Snapshots of so many commits about to be made, as metadata.json will hold them."""
        sizes, flows, arrivals = self.sizes.snapshots, self.flows, self.arrivals
        deltas = self.sizes.row_deltas
        size, rows = self.file_bytes.of(arrivals.rows_per_file), self.rules.rows_per_commit
        added_bytes = arrivals.files * size + (deltas.bytes if deltas else 0.0)
        counts = CommitCounts(
            manifests_created=1 if deltas is None else 2,
            added=FileCounts(
                files=whole(arrivals.files),
                records=whole(rows),
                bytes=whole(added_bytes),
                equality_files=whole(deltas.files if deltas and not deltas.positions else deltas.files / 2)
                if deltas
                else 0,
                position_files=whole(deltas.files / 2) if deltas and deltas.positions else 0,
                position_deletes=whole(deltas.positions) if deltas else 0,
                equality_deletes=whole(deltas.keys) if deltas else 0,
            ),
            changed_partitions=whole(arrivals.partitions),
        )
        total = commits * sizes.of_append(counts, operation="append" if deltas is None else "overwrite")
        growing = [
            (flows[Flow.ROWS], rows),
            (self.live_data_files, arrivals.files),
            (self.live_bytes, added_bytes),
        ]
        growing += [(self.commits, 1.0)] * sizes.epochs + [(flows[Flow.SNAPSHOTS], 1.0)] * sizes.sequences
        if deltas is not None:
            live = flows[Flow.WRITTEN_FILES + DELETES] - flows[Flow.REMOVED_FILES + DELETES]
            growing += [
                (live, deltas.files),
                (flows[Flow.EQUALITY_DELETES], deltas.keys),
                (flows[Flow.POSITION_DELETES], deltas.positions),
            ]
        if sizes.has_row_ids:
            growing.append((max(0.0, flows[Flow.ROWS] - rows), rows))
        if sizes.counts_manifests:
            growing.append((max(0.0, self.manifests - 1), 0.0 if self.rules.appends_merge else 1.0))
        total += sum(digits_through(start, step, commits) - commits for start, step in growing)
        flows[Flow.SNAPSHOTS] += commits
        flows[Flow.SNAPSHOT_JSON_BYTES] += total

    # -- maintenance ---------------------------------------------------------------------------------------------

    def rewrite_manifests(self) -> bool:
        """Spark's rewrite_manifests; whether it committed anything."""
        flows, before = self.flows, self.manifests
        done = [manifests.rewrite(flows) for manifests in (self.data, self.deletes) if manifests.runs]
        if not any(done):
            return False
        created = self.manifests
        self._note_operation(
            CommitCounts(manifests_created=whole(created), manifests_replaced=whole(before), entries_processed=0)
        )
        return True

    def compact(self, share: float = 1.0) -> bool:
        """Spark's rewrite_data_files in one commit; whether it committed anything."""
        self.files.arrive(self.commits)
        held = self.data.entries_of("fresh"), self.data.entries_of("partial")
        done, flows = self.files.compact(share), self.flows
        if done.groups > 0:
            taken_small = done.taken_files if not held[1] else held[0] * done.small_share
            created = self.data.filter(
                min(1.0, taken_small / held[0]) if held[0] else 0.0, done.partial_share if held[1] else 0.0, 0.0, flows
            )
            self._add_compacted(done.partial_made, done.settled_made)
            replaced = self.data.merge(flows) + created
            if self.sizes.row_deltas is not None:
                self._drop_deletes(done.small_share * done.partial_share if held[1] else done.small_share)
            self.data.settle()
            made = done.partial_made + done.settled_made
            flows[Flow.REMOVED_FILES + DATA] += done.taken_files
            flows[Flow.REMOVED_FILES + DATA + 1] += done.taken_bytes
            flows[Flow.WRITTEN_FILES + DATA] += made
            flows[Flow.WRITTEN_FILES + DATA + 1] += done.made_bytes
            rows = whole(self._rows_of(done.taken_bytes))
            self._note_operation(
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

    def _rows_of(self, size: float) -> float:
        live = self.live_bytes
        return self.flows[Flow.ROWS] * min(1.0, size / live) if live else 0.0

    def _add_compacted(self, partial: float, settled: float) -> None:
        size = self.sizes.data_manifests.of(0.0, partial + settled, 0.0)
        self.data.runs.append(Run(count=1.0, bytes=size, partial=partial, settled=settled, is_new=True))
        self.data.note_written(1.0, size, self.flows)

    def _drop_deletes(self, share: float) -> None:
        """Delete files older than all data that is left apply to nothing, and go with the next commit that filters."""
        flows = self.flows
        if share < 1 or not self.deletes.runs:
            return
        files = self.deletes.entries
        self.deletes.filter(1.0, 1.0, 1.0, flows)
        self.deletes.merge(flows)
        self.deletes.settle()
        size = flows[Flow.WRITTEN_FILES + DELETES + 1] - flows[Flow.REMOVED_FILES + DELETES + 1]
        flows[Flow.REMOVED_FILES + DELETES] += files
        flows[Flow.REMOVED_FILES + DELETES + 1] += size

    def _note_operation(self, counts: CommitCounts) -> None:
        """A maintenance commit: its snapshot, and its list."""
        flows = self.flows
        totals = TableTotals(
            files=whole(self.live_data_files),
            records=whole(flows[Flow.ROWS]),
            bytes=whole(self.live_bytes),
            delete_files=whole(flows[Flow.WRITTEN_FILES + DELETES] - flows[Flow.REMOVED_FILES + DELETES]),
        )
        sizes = self.sizes.snapshots
        size = (
            sizes.of_operation("replace", replace(counts, totals=totals))
            + (digits(flows[Flow.SNAPSHOTS]) - 1) * sizes.sequences
        )
        flows[Flow.SNAPSHOTS] += 1
        flows[Flow.SNAPSHOT_JSON_BYTES] += size
        flows[Flow.LIST_BYTES] += self.list_bytes
        self.data.settle()
        self.deletes.settle()

    # -- the state as numbers ------------------------------------------------------------------------------------

    @property
    def structure(self) -> tuple[int, ...]:
        """What must be alike in two states for one to be carried on by what changed since the other."""
        return len(self.data.runs), len(self.deletes.runs), len(self.files.cohorts)

    def values(self) -> Iterator[float]:
        """The numbers that make up the state."""
        yield self.commits
        yield from self.data.values()
        yield from self.deletes.values()
        yield from self.files.values()

    def bounds(self) -> list[tuple[int, float]]:
        """Places among `values` of numbers that change what happens once they pass a bound, with the bounds."""
        found, place = [], 1
        for manifests, size in ((self.data, self.sizes.data_manifests), (self.deletes, self.sizes.delete_manifests)):
            target = manifests.policy.target_bytes
            # a bin overflows before the manifest in it is full: by what waits to be merged with that
            bound = target - min(manifests.policy.min_count * size.new, target / 2)
            for run in manifests.runs:
                if run.count < 2:
                    found.append((place + 1, bound))
                place += len(VALUES)
        for _ in self.files.cohorts if self.files.rule else ():
            found.append((place + 4, self.files.small_rows_at_most))
            place += 5
        return found

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
