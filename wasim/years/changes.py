"""When statements that change rows run: by period, or as the writer's own commits."""

from dataclasses import dataclass
from math import expm1, floor
from typing import Literal

from wasim.scenario import Case
from wasim.scenario.changes import Change, Merge, Overwrite
from wasim.workload import schedule
from wasim.years.jobs import Runs
from wasim.years.state import TableState
from wasim.years.statements import Named, Statements

FEW_ROWS = 8.0  # of so few that are scattered, chance may leave none


@dataclass(slots=True, kw_only=True)
class ChangeJob:
    """A periodic statement."""

    operation: Literal["update", "delete", "merge", "overwrite"]
    runs: Runs
    change: Change
    statements: Statements
    ends_cycle: bool = True
    hit: float = 0.5  # how many have touched a row so far, on average

    @property
    def period(self) -> float:
        """Commits of the writer between two of them."""
        return max(1.0, self.runs.schedule.every_s / self.runs.schedule.commit_interval_s)

    @property
    def per_commit(self) -> float:
        """How many of them follow each commit of the writer, on average."""
        return self.runs.schedule.commit_interval_s / self.runs.schedule.every_s

    def next_commit(self, state: TableState) -> float:
        """The writer's commit after which it runs next; infinite if never."""
        return self.runs.next_after(state.commits)

    def is_due(self, state: TableState) -> bool:
        """Always, at its time."""
        return True

    def carry_out(self, state: TableState) -> None:
        """Runs the statement as often as it follows the writer's latest commit."""
        for _ in range(self.runs.after(state.commits)):
            self._run(state)

    def carry_out_before(self, state: TableState) -> None:
        """Runs the statement as often as it comes before the writer's first commit."""
        schedule = self.runs.schedule
        for _ in range(min(schedule.turn_after(0) - 1, schedule.count)):
            self._run(state)

    def _run(self, state: TableState) -> None:
        statements, change, left = self.statements, self.change, state.left
        state.files.arrive(state.commits)
        there = statements.workload.rows_through(state.commits) - left.gone
        wanted = min(there, change.rows if change.rows is not None else round((change.share or 0.0) * there))
        if isinstance(change, Overwrite):
            statements.overwrite(state, wanted, is_dynamic=change.kind == "dynamic")
            return
        if wanted <= 0:  # a commit all the same
            statements.change_nothing(state, Named(is_merge=self.operation == "merge"))
            return
        locality = getattr(change, "locality", "scattered")
        if locality == "scattered" and wanted < FEW_ROWS and not getattr(change, "new_rows", 0):
            chance = -expm1(-wanted)  # that a hash chooses any
            hit, self.hit = floor(self.hit), self.hit + chance
            if floor(self.hit) == hit:
                statements.change_nothing(state, Named(is_merge=self.operation == "merge"))
                return
            wanted = wanted / chance
        if locality == "oldest_commits":
            wanted = statements.workload.whole_commits(left.gone + wanted, state.commits) - left.gone
        if locality == "scattered":
            hits = statements.scattered(state, wanted / there)
        else:
            hits = statements.at_end(state, wanted, "newest" if locality == "newest" else "oldest")
        new_rows = float(change.new_rows) if isinstance(change, Merge) else 0.0
        is_delete = self.operation == "delete"
        named = Named(
            operation="delete" if is_delete and change.mode == "merge-on-read" else "overwrite",  # type: ignore[attr-defined]
            is_merge=self.operation == "merge",
            updated=hits.touched,
            inserted=new_rows,
        )
        if is_delete and locality.startswith("oldest") and statements.ends_with_files(state, left.gone + wanted):
            statements.rewrite(state, hits, 0.0, named)
        elif change.mode == "merge-on-read":  # type: ignore[attr-defined]
            statements.delete_by_position(state, hits, new_rows if is_delete else hits.touched + new_rows, named)
        else:
            kept = statements.live_in(state, hits) - (hits.touched if is_delete else 0.0)
            statements.rewrite(state, hits, max(0.0, kept) + new_rows, named)
        left.net += new_rows
        if is_delete and locality.startswith("oldest"):
            left.gone += wanted
        elif is_delete:
            left.net -= hits.touched


@dataclass(frozen=True, slots=True, kw_only=True)
class Upserts:
    """A writer whose commits, but the first, are each one MERGE INTO: some of its rows replace earlier ones."""

    statements: Statements
    newest: bool
    merge_on_read: bool

    def carry_out(self, state: TableState) -> None:
        """The writer's next commit."""
        statements, workload = self.statements, self.statements.workload
        before = workload.rows_through(state.commits)
        replaced = workload.replaced_per_commit
        state.files.arrive(state.commits)
        state.files.brings_files = False  # but for the first commit's, statements write them
        state.commits += 1
        state.files.arrive(state.commits)
        hits = (
            statements.at_end(state, replaced, "newest")
            if self.newest
            else statements.scattered(state, replaced / before, evenly=True)
        )
        named = Named(is_merge=True, updated=replaced, inserted=workload.rows_per_commit - replaced)
        if self.merge_on_read:
            statements.delete_by_position(state, hits, workload.rows_per_commit, named)
        else:
            kept = statements.live_in(state, hits) - hits.touched
            statements.rewrite(state, hits, kept + workload.rows_per_commit, named)


def upserts_of(case: Case, statements: Statements) -> Upserts | None:
    """The writer's upserts by MERGE INTO; None of one that appends, or deletes by key."""
    upsert = case.writer.upsert
    if upsert is None or case.key_columns:
        return None
    return Upserts(
        statements=statements, newest=upsert.locality == "newest", merge_on_read=upsert.mode == "merge-on-read"
    )


def changes_of(case: Case, statements: Statements) -> list[ChangeJob]:
    """The periodic statements of a case, in the order in which they run."""
    return [
        ChangeJob(operation=name, runs=Runs(schedule(case, change)), change=change, statements=statements)  # type: ignore[arg-type]
        for name, change in case.changes
        if change is not None
    ]
