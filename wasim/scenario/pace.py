"""What arrives and when: at least one commit in the horizon, and rows enough for it, but no more than one can carry.

A horizon is cut to whole commits and rows are rounded per commit (`case`); `notes` says where that changed anything.
"""

from collections.abc import Iterator
from math import ceil

from wasim.scenario.case import rows_within, whole_commits
from wasim.scenario.faults import Draft, Fault
from wasim.scenario.scenario import triggers_s
from wasim.units import format_duration

MOST_ROWS_PER_COMMIT = 10**9
_ONLY = "with idle time only appends by one writer are simulated"
LEAST_ROWS_PER_COMMIT = 0.5
"""Before rounding: below it, the one row of each commit would be more than arrives."""


def check_commits(draft: Draft) -> Iterator[Fault]:
    """A case makes at least one commit."""
    scenario = draft.scenario
    if whole_commits(horizon_s=scenario.horizon, commit_interval_s=scenario.interval_s) < 1:
        interval, horizon = draft.quoted("commit_interval"), draft.quoted("horizon")
        yield Fault(
            place=("commit_interval",),
            problem=f"is {interval}, longer than the horizon of {horizon}, so that the case makes no commit",
            remedy=f"Give at most {format_duration(scenario.horizon)}, or a longer horizon.",
        )


def check_rows(draft: Draft) -> Iterator[Fault]:
    """A commit has a row, and no more rows than one can carry."""
    place, interval_s = ("workload", "rows_per_second"), draft.scenario.interval_s
    rows = draft.scenario.workload.rows_per_second * interval_s
    interval = format_duration(interval_s) if draft.scenario.writer.trigger else draft.quoted("commit_interval")
    made = f"is {draft.quoted(*place)}, which makes {rows:.4g} rows in a commit every {interval}"
    if rows > MOST_ROWS_PER_COMMIT:
        most = f"{MOST_ROWS_PER_COMMIT / interval_s:.10g}"
        remedy = f"Give at most {most}, or a shorter commit interval."
        yield Fault(place=place, problem=f"{made}, more than {MOST_ROWS_PER_COMMIT}", remedy=remedy)
    elif rows < LEAST_ROWS_PER_COMMIT:
        remedy = f"Give at least {1 / interval_s:.10g}, or a longer commit interval."
        yield Fault(place=place, problem=f"{made}, less than one", remedy=remedy)


def check_shares(draft: Draft) -> Iterator[Fault]:
    """A commit has rows enough for its files and partitions."""
    interval_s = draft.scenario.interval_s
    rows = rows_within(commit_interval_s=interval_s, rows_per_second=draft.scenario.workload.rows_per_second)
    for name in ("files_per_commit", "partitions_per_commit"):
        wanted = getattr(draft.scenario.workload, name)
        if wanted is not None and wanted > rows:
            every = format_duration(interval_s)
            yield Fault(
                place=("workload", name),
                problem=f"is {draft.quoted('workload', name)}, but a commit every {every} has {rows} rows",
                remedy=f"Give at most {rows}, or more workload.rows_per_second.",
            )


def check_trigger(draft: Draft) -> Iterator[Fault]:
    """Each part of a trigger fires before the interval is over."""
    scenario = draft.scenario
    if scenario.writer.trigger is None:
        return
    rates = scenario.workload.rows_per_second
    for name, seconds in triggers_s(scenario.writer.trigger, scenario.table, rates):
        if seconds > scenario.commit_interval:
            place, interval = ("writer", "trigger", name), draft.quoted("commit_interval")
            yield Fault(
                place=place,
                problem=f"is {draft.quoted(*place)}, which takes {format_duration(ceil(seconds))}, so that"
                f" commit_interval, {interval}, always comes first and it never fires",
                remedy="Give less, a longer commit_interval, or take it out.",
            )


def check_active(draft: Draft) -> Iterator[Fault]:
    """Rows come for a part of each period, at least an interval long, and appends by one writer are all else."""
    scenario, place = draft.scenario, ("workload", "active")
    active, idle = scenario.workload.active, scenario.writer.idle_commit_every
    if active is None:
        if idle:
            problem = f"is {idle}, but rows come in every interval, so that it never fires"
            remedy = "Give workload.active too, or take it out."
            yield Fault(place=("writer", "idle_commit_every"), problem=problem, remedy=remedy)
        return
    if not scenario.interval_s <= active.lasts < active.every:
        least = format_duration(scenario.interval_s)
        problem = f"lasts {format_duration(active.lasts)} of every {format_duration(active.every)}"
        yield Fault(place=place, problem=problem, remedy=f"Give less than the period, and {least} at least.")
    writer = scenario.writer
    others = {
        "writer.upsert": writer.upsert is not None,
        "writer.writers": writer.writers > 1,
        "changes": bool(scenario.changes.model_dump(exclude_none=True)),
        "evolution": bool(scenario.evolution),
    }
    for name in (name for name, given in others.items() if given):
        yield Fault(place=place, problem=f"is given with {name}", remedy=f"Take one of them out: {_ONLY}.")
