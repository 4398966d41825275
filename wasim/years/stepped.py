"""A table whose rows nobody changes, on its way through the machine."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Any

import numpy as np

from wasim.twin.lineage import mean_changed_at_bytes, mean_row_id_bytes
from wasim.twin.summary import CommitCounts, FileCounts, TableTotals
from wasim.units import Floats
from wasim.years import machine
from wasim.years.arrivals import Arrivals
from wasim.years.compiled import as_record, compiled_run
from wasim.years.history import CHECKPOINTS, Samples
from wasim.years.jobs import Job
from wasim.years.machine import COLUMNS, COMMITS, FEW_COMMITS, NUMBERS, OF_TABLE, ROOM, SAMPLE, SAMPLED, TABULATED, WIDTH, Laws, Table
from wasim.years.state import TableState

# Events of a process that are stepped through as they stand, before it pays to load what was compiled, or to compile
BEFORE_LOADING, BEFORE_COMPILING = 6_000, 600_000
SAMPLES_AT_ONCE = 512
DENSE = 40_000  # samples on the way to a commit, until those around jobs become half as many, again and again
MOST_NEW, MOST_KNOWN = 16, 128  # manifests of a commit, sizes


@dataclass(slots=True)
class _Worth:
    """How many events this process has stepped through as they stand."""

    events: float = 0.0


_WORTH = _Worth()


@dataclass(slots=True, kw_only=True)
class Stepped:
    """Steps a table through its commits. `state` is how it begins; only what it weighs is looked at."""

    state: TableState
    jobs: Sequence[Job]
    commits: float
    laws: Laws = field(init=False)
    table: Table = field(init=False)
    taken: list[Floats] = field(default_factory=list)
    _run: Any = field(init=False)
    _runs: list[Any] = field(init=False)
    _samples: Any = field(init=False)

    def __post_init__(self) -> None:
        runs = {job.operation: job.runs for job in self.jobs if job.operation != "empty"}
        commits = [_commits_of(runs.get(name)) for name in ("rewrite_data_files", "rewrite_manifests")]
        self.laws = laws_of(self.state, self.jobs)
        events = sum(map(len, commits)) + self.commits / (self.laws.least if self.laws.merges else inf)
        _WORTH.events += events
        compiled = None
        if _WORTH.events > BEFORE_LOADING:
            compiled = compiled_run(compiles=_WORTH.events > BEFORE_COMPILING)
        self._run = compiled or machine.run
        compaction = next((job for job in self.jobs if job.by_chance), None)
        chances = _chances(self.state.arrivals) if compaction else [[0.0]]
        rows = [[[0.0] * COLUMNS for _ in range(ROOM)] for _ in range(4)]
        table = Table(
            rows=rows[:2],
            used=[0, 0],
            spare=rows[2],
            places=[0] * ROOM,
            counts=[0.0] * ROOM,
            cohorts=rows[3],
            numbers=[0.0] * NUMBERS,
            flows=[0.0] * WIDTH,
            before=[0.0] * 2 * COLUMNS,
            after=[0.0] * 2 * COLUMNS,
            sums=[0.0] * 14,
        )
        self.table, self.laws = (as_record(table), as_record(self.laws)) if compiled else (table, self.laws)
        self._runs = [np.array(one) if compiled else one for one in (*commits, _idles(self.jobs), chances)]
        samples = [0.0] * (SAMPLES_AT_ONCE * SAMPLE)
        machine.sample(self.table, self.laws, samples)
        self.taken.append(np.array([samples[:SAMPLE]]))
        self._samples = np.array(samples) if compiled else samples

    @property
    def done(self) -> float:
        """The writer's commits so far."""
        return float(self.table.numbers[COMMITS])

    def run(self) -> Samples:
        """All commits; what was sampled on the way."""
        self.go_on_to(self.commits)
        return self.samples()

    def go_on_to(self, commits: float) -> None:
        """Makes further commits, until the table has this many."""
        self.commits = commits
        numbers = self.table.numbers
        stops = np.unique(np.rint(np.geomspace(1, commits, CHECKPOINTS)))
        stops = np.append(stops[stops > self.done], inf)
        if self._run is machine.run:
            stops = stops.tolist()
        numbers[machine.NEXT_STOP], numbers[machine.EVERY], left = 0, 1, DENSE
        while self.done < commits:
            numbers[SAMPLED] = 0
            self._run(self.table, self.laws, commits, stops, *self._runs, self._samples)
            taken = int(numbers[SAMPLED])
            self.taken.append(np.array(self._samples[: taken * SAMPLE]).reshape(-1, SAMPLE))
            left -= taken
            if left <= 0:
                numbers[machine.EVERY], left = 2 * numbers[machine.EVERY], DENSE // 2

    def samples(self) -> Samples:
        """What has been sampled so far."""
        taken = np.concatenate(self.taken)
        self.taken = [taken]
        return Samples.of(taken[:, :OF_TABLE], taken[:, OF_TABLE:])


def _commits_of(runs: Any) -> list[float]:
    """The commits of the writer that a job by time follows, ascending, and an infinite one."""
    if runs is None:
        return [inf]
    schedule = runs.schedule
    found = {schedule.commit_at(turn) for turn in range(1, schedule.count + 1)}
    return [*map(float, sorted(found - {0})), inf]


def _idles(jobs: Sequence[Job]) -> list[list[float]]:
    """The writer's commits that commits of nothing follow, ascending; how many before other jobs, and after them."""
    before, *after = [job for job in jobs if job.operation == "empty"] or [None]
    commits = _commits_of(None if before is None else before.runs)
    times = [[0.0 if job is None else job.of_nothing(one) for one in commits[:-1]] for job in (before, *after)]
    return [commits, *([*one, 0.0] for one in times), *([0.0] * len(commits) for _ in range(2 - len(times)))]


def laws_of(state: TableState, jobs: Sequence[Job]) -> Laws:
    """What the files of a table weigh, and how its writer and these jobs work."""
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
        list_sums=[lists.through(count) for count in range(TABULATED + 1)],
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


_OF_COMPACTION = tuple(
    CommitCounts(**{way: FileCounts(**{name: 1})}) for name in ("files", "records", "bytes") for way in ("added", "removed")
)


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
