"""A table whose rows nobody changes, on its way through the machine."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import inf

import numpy as np

from wasim.twin.lineage import mean_changed_at_bytes, mean_row_id_bytes
from wasim.twin.summary import CommitCounts, FileCounts, TableTotals
from wasim.units import Floats
from wasim.years.arrivals import Arrivals
from wasim.years.compiled import Record, as_record, compiled_run
from wasim.years.flows import WIDTH
from wasim.years.jobs import Job, Runs
from wasim.years.machine.run import run, sample
from wasim.years.machine.tables import (
    COLUMNS,
    COMMITS,
    EVERY,
    FEW_COMMITS,
    IDLE,
    NEXT_STOP,
    NUMBERS,
    OF_TABLE,
    ROOM,
    SAMPLE,
    SAMPLED,
    Laws,
    Table,
)
from wasim.years.packing import Run
from wasim.years.samples import Samples
from wasim.years.state import TableState

# Events of a process that are stepped through as they stand, before it pays to load what was compiled, or to compile
BEFORE_LOADING, BEFORE_COMPILING = 6_000, 250_000
FEW_MERGES = 4  # between two statements: stepping through them takes no longer than handing a table over
SAMPLES_AT_ONCE = 512
# Commits at which samples are taken whatever the horizon, so that no figure depends on which others are asked for
CHECKPOINTS_OF_ANY = np.unique(np.rint(1.07 ** np.arange(350.0)))
DENSE = 40_000  # samples on the way to a commit, until those around jobs become half as many, again and again
MOST_NEW, MOST_KNOWN = 16, 128  # manifests of a commit, sizes


@dataclass(slots=True)
class _Worth:
    """How many events this process has stepped through as they stand."""

    events: float = 0.0


_WORTH = _Worth()


def _worth_compiling(events: float) -> Callable[..., None] | None:
    """The machine's loop compiled, where so many events more are worth it."""
    _WORTH.events += events
    if not events or _WORTH.events <= BEFORE_LOADING:
        return None
    return compiled_run(compiles=_WORTH.events > BEFORE_COMPILING)


@dataclass(slots=True, kw_only=True)
class Stepped:
    """Steps a table through its commits. `state` is how it begins; only its sizes and rules are looked at."""

    state: TableState
    jobs: Sequence[Job]
    commits: float
    laws: Laws | Record = field(init=False)
    table: Table | Record = field(init=False)
    taken: list[Floats] = field(init=False)
    _run: Callable[..., None] = field(init=False)
    _plan: list[Record] = field(init=False)  # its schedule and chances
    _samples: Record = field(init=False)

    def __post_init__(self) -> None:
        schedule, laws, table = _schedule(self.jobs), laws_of(self.state, self.jobs), new_table()
        each = (laws.merges / laws.least, laws.files / laws.least_files, 1 / laws.least_manifests)  # of a commit
        runs = sum(commit < inf for row in schedule[: IDLE + 1] for commit in row)
        compiled = _worth_compiling(runs + self.commits * sum(each))
        by_chance = any(job.by_chance for job in self.jobs)
        self._run = compiled or run
        self._plan = [self._held(one) for one in (schedule, _chances(self.state.arrivals) if by_chance else [[0.0]])]
        self._samples = self._held([0.0] * (SAMPLES_AT_ONCE * SAMPLE))
        sample(table, laws, self._samples)
        self.taken = [np.array([self._samples[:SAMPLE]])]
        self.laws, self.table = (as_record(laws), as_record(table)) if compiled else (laws, table)

    def _held(self, values: list[Record]) -> Record:
        """Lists as the machine takes them: as arrays where it is compiled."""
        return values if self._run is run else np.array(values)

    @property
    def done(self) -> float:
        """The writer's commits so far."""
        return float(self.table.numbers[COMMITS])

    def run(self) -> Samples:
        """All commits; what was sampled on the way."""
        self.go_on_to(self.commits)
        return self.samples()

    def go_on_to(self, commits: float, stops: Sequence[float] = ()) -> None:
        """Makes further commits, until the table has this many; samples are taken at these `stops` too."""
        self.commits = commits
        places = np.unique(np.concatenate([CHECKPOINTS_OF_ANY, stops]))
        ahead = self._held([*places[places > self.done].tolist(), inf])
        numbers, left = self.table.numbers, DENSE
        numbers[NEXT_STOP], numbers[EVERY] = 0, 1
        while numbers[COMMITS] < commits:
            numbers[SAMPLED] = 0
            self._run(self.table, self.laws, float(commits), ahead, *self._plan, self._samples)
            taken = int(numbers[SAMPLED])
            self.taken.append(np.array(self._samples[: taken * SAMPLE]).reshape(-1, SAMPLE))
            left -= taken
            if left <= 0:
                numbers[EVERY], left = 2 * numbers[EVERY], DENSE // 2

    def step_to(self, commits: float) -> None:
        """Makes further commits, of which none is sampled."""
        numbers = self.table.numbers
        numbers[SAMPLED] = numbers[NEXT_STOP] = 0
        self._run(self.table, self.laws, float(commits), self._held([inf]), *self._plan, self._samples)

    def samples(self) -> Samples:
        """What has been sampled so far."""
        taken = np.concatenate(self.taken)
        self.taken = [taken]
        return Samples.of(taken[:, :OF_TABLE], taken[:, OF_TABLE:])


@dataclass(slots=True)
class Appends:
    """The appends between two statements on a table."""

    state: TableState
    commits: float  # of the whole history
    between: float  # two statements
    _stepped: Stepped = field(init=False)

    def __post_init__(self) -> None:
        compiles = self.between > FEW_MERGES * self.state.data.policy.min_count
        self._stepped = Stepped(state=self.state, jobs=(), commits=self.commits if compiles else 0.0)

    def go_on_to(self, commits: float) -> None:
        """Makes commits of the writer, until the table has this many."""
        state, table = self.state, self._stepped.table
        for group, listed in enumerate((state.data, state.deletes)):
            # statements may have made what entries of rewritten files take more
            self._stepped.laws.compacted_more[group] = listed.bytes_of(1.0, 1.0, 0.0) - listed.bytes_of(2.0, 0.0, 0.0)
            table.used[group] = len(listed.runs)
            for place, one in enumerate(listed.runs):
                table.rows[group][place] = _row_of(one)
        table.flows[:], table.numbers[COMMITS] = state.flows, state.commits
        self._stepped.step_to(commits)
        for group, listed in enumerate((state.data, state.deletes)):
            listed.runs = [_run_of(row) for row in table.rows[group][: int(table.used[group])]]
        state.flows, state.commits = [float(one) for one in table.flows], float(table.numbers[COMMITS])


def _run_of(row: Sequence[float]) -> Run:
    """A row of manifests between two commits."""
    count, size, fresh, partial, settled, in_order, siblings, gone, gone_compacted, _ = map(float, row)
    return Run(
        count=count,
        bytes=size,
        fresh=fresh,
        partial=partial,
        settled=settled,
        sorted=in_order,
        siblings=siblings,
        deleted_fresh=gone,
        deleted_compacted=gone_compacted,
    )


def _row_of(run: Run) -> list[float]:
    """The same the other way."""
    entries = run.fresh, run.partial, run.settled, run.sorted, run.siblings, run.deleted_fresh, run.deleted_compacted
    return [run.count, run.bytes, *entries, float(run.is_new)]


def new_table() -> Table:
    """A table without a file."""
    rows = [[[0.0] * COLUMNS for _ in range(ROOM)] for _ in range(4)]
    return Table(
        rows=rows[:2],
        used=[0, 0],
        spare=rows[2],
        places=[0] * ROOM,
        counts=[0.0] * ROOM,
        cohorts=rows[3],
        numbers=[1.0 if place == EVERY else 0.0 for place in range(NUMBERS)],
        flows=[0.0] * WIDTH,
        before=[0.0] * 2 * COLUMNS,
        after=[0.0] * 2 * COLUMNS,
        sums=[0.0] * 14,
        done=[0.0] * COLUMNS,
    )


def _schedule(jobs: Sequence[Job]) -> list[list[float]]:
    """The rows of a schedule, as `machine.run` has them, of equal length."""
    runs = {job.operation: job.runs for job in reversed(jobs)}
    idle = [job for job in jobs if job.operation == "empty"]
    rows = [_commits_of(runs.get(name)) for name in ("rewrite_data_files", "rewrite_manifests", "empty")]
    times = [[job.of_nothing(commit) for commit in rows[-1]] for job in idle]
    most = max(map(len, rows)) + 1
    times += [[] for _ in range(2 - len(times))]
    padded = ((rest, row) for rest, some in ((inf, rows), (0.0, times)) for row in some)
    return [row + [rest] * (most - len(row)) for rest, row in padded]


def _commits_of(runs: Runs | None) -> list[float]:
    """The commits of the writer that a job by time follows, ascending."""
    if runs is None:
        return []
    found = {runs.schedule.commit_at(turn) for turn in range(1, runs.schedule.count + 1)}
    return [float(commit) for commit in sorted(found) if commit]


def laws_of(state: TableState, jobs: Sequence[Job]) -> Laws:
    """How large the files of a table are, and how its writer and these jobs work."""
    sizes, arrivals, files, rules = state.sizes, state.arrivals, state.files, state.rules
    of_data, of_deletes, snapshots, lists = sizes.data_manifests, sizes.delete_manifests, sizes.snapshots, sizes.lists
    new, deltas, policy = of_data.of_commit(arrivals.files), sizes.row_deltas, state.data.policy
    by_name = {job.operation: job for job in jobs}
    compaction, rewriting = by_name.get("rewrite_data_files"), by_name.get("rewrite_manifests")
    by_count = compaction is not None and compaction.runs is None
    names = int(snapshots.names_manifests)
    nothing = snapshots.of_operation("replace", CommitCounts(), TableTotals())
    rewrite = snapshots.of_operation("replace", CommitCounts(entries_processed=0), TableTotals())
    numbers = 7 + 3 * names  # of one digit each
    return Laws(
        filters=int(rules.appends_filter),
        merges=int(rules.appends_merge),
        packs=int(policy.enabled),
        files=arrivals.files,
        rows_per_commit=rules.rows_per_commit,
        file_bytes=state.file_bytes.of(arrivals.rows_per_file),
        settles=int(files.rule is not None and not files.is_small(arrivals.rows_per_file)),
        new_kinds=len(new),
        new_counts=_padded([float(one.count) for one in new], MOST_NEW),
        new_files=_padded([one.files for one in new], MOST_NEW),
        new_bytes=_padded([one.bytes for one in new], MOST_NEW),
        staged=[of_data.staged, of_deletes.staged],
        deletes=int(deltas is not None),
        delta_files=deltas.files if deltas else 0.0,
        delta_bytes=deltas.bytes if deltas else 0.0,
        keys=deltas.keys if deltas else 0.0,
        positions=deltas.positions if deltas else 0.0,
        first_files=deltas.first_files if deltas else 0.0,
        first_bytes=deltas.first_bytes if deltas else 0.0,
        delete_manifest=of_deletes.new,
        target=float(policy.target_bytes),
        least=float(policy.min_count),
        entries_known=[len(one.by_count.counts) for one in (of_data, of_deletes)],
        entry_counts=[_padded(one.by_count.counts, MOST_KNOWN) for one in (of_data, of_deletes)],
        entry_bytes=[_padded(one.by_count.sizes, MOST_KNOWN) for one in (of_data, of_deletes)],
        compacted_more=[of_data.compacted_more, of_deletes.compacted_more],
        sorted_more=[of_data.sorted_more, of_deletes.sorted_more],
        lists_known=len(lists.counts),
        list_counts=_padded(lists.counts, MOST_KNOWN),
        list_bytes=_padded(lists.sizes, MOST_KNOWN),
        list_sums=lists.sums,
        sibling_saving=sizes.sibling_saving,
        rewritten_more=sizes.rewritten_more,
        rows_known=len(state.file_bytes.log_rows),
        log_rows=_padded(state.file_bytes.log_rows, MOST_KNOWN),
        log_bytes=_padded(state.file_bytes.log_bytes, MOST_KNOWN),
        **_lineage(state),
        partitions=arrivals.partitions,
        open_partitions=arrivals.open_partitions,
        lifetime=files.partition_commits,
        compaction_target=float(files.rule.target_bytes) if files.rule else inf,
        min_input_files=float(files.rule.min_input_files) if files.rule else inf,
        small_rows=files.small_rows_at_most,
        new_share=files.new_share,
        parts=1 if compaction is None else compaction.parts,
        by_chance=int(compaction is not None and compaction.by_chance),
        least_files=float(compaction.least) if compaction is not None and by_count else inf,
        least_manifests=float(rewriting.least) if rewriting is not None and rewriting.runs is None else inf,
        sorts=int(state.data.sorts),
        together=state.data.together,
        copies=int(state.data.copies),
        shortest=state.shortest_snapshot_bytes,
        epochs=snapshots.epochs,
        sequences=snapshots.sequences,
        has_row_ids=int(snapshots.has_row_ids),
        counts_manifests=int(snapshots.counts_manifests),
        compaction_json=[
            nothing - numbers,
            *(snapshots.of_operation("replace", one, TableTotals()) - nothing - 1 for one in _OF_COMPACTION),
        ],
        rewrite_json=rewrite - numbers - 1,
        names_manifests=names,
        nothing_json=snapshots.of_nothing(CommitCounts(), 0) - 6 - int(snapshots.counts_manifests),
        is_zipped=int(sizes.json.zipped is not None),
    )


_ONE_EACH = (FileCounts(files=1), FileCounts(records=1), FileCounts(bytes=1))
_OF_COMPACTION = [counts for one in _ONE_EACH for counts in (CommitCounts(added=one), CommitCounts(removed=one))]


def _chances(arrivals: Arrivals) -> list[list[float]]:
    """How likely it is that so many commits, 0 at first, bring 0, 1, 2 … files at least."""
    most = len(arrivals.spread) * FEW_COMMITS
    return [[arrivals.chance(commits, least) for least in range(most)] for commits in range(FEW_COMMITS + 1)]


def _lineage(state: TableState) -> dict[str, float]:
    """What a compacted file takes to say where its rows came from: `machine.compacted_bytes`."""
    arrivals, sizes = state.arrivals, state.file_bytes
    together = arrivals.files / arrivals.partitions
    ids, changes = mean_row_id_bytes(0, 0), mean_changed_at_bytes(0, 0, 0)
    return {
        "lineage_footer": sizes.lineage_footer,
        "steps_back": 1 / together if sizes.deals_out and together > 1 else 0.0,
        "commits_of_row": arrivals.partitions / (arrivals.files * arrivals.rows_per_file),
        "row_id_bytes": mean_row_id_bytes(1, 0) - ids,
        "step_bytes": mean_row_id_bytes(0, 1) - ids,
        "lineage_bytes": ids + changes,
        "changed_at_bytes": mean_changed_at_bytes(0, 1, 0) - changes,
    }


def _padded(values: Sequence[float], count: int) -> list[float]:
    """The values in a list of this many."""
    if len(values) > count:
        msg = f"{len(values)} sizes are known, {count} have room"
        raise ValueError(msg)
    return [*map(float, values), *[0.0] * (count - len(values))]
