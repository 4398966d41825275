"""The history of a case's table: the machine's samples of it, by name."""

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from wasim.machine import columns as at
from wasim.machine.columns import SAMPLE_STATE
from wasim.machine.history import History
from wasim.rules.compaction import small_file_bytes
from wasim.scenario import Case
from wasim.units import Floats
from wasim.years.laws import jobs_of, laws_of
from wasim.years.shape import Shape
from wasim.years.trend import Trend, carried_on, trend_of

CHECKPOINTS = 200
FIRST_EVENTS = 20_000  # until a trend is looked for, and again after twice as many
FILLED = 4
_OTHERS = ("flows", "trend")


@dataclass(frozen=True, slots=True, kw_only=True)
class Samples:
    """The table after some of the writer's commits, ascending, as columns of equal length.

    `flows` has a row for each sample, and a column for each flow of `wasim.machine.columns`; all else but the peaks is
    of the current snapshot, `scanned_…` of its manifests with live entries. Since the sample before there were at most
    `most_…`, and at each of those commits, added up, `manifest_commits` manifests.
    """

    commits: Floats
    data_manifests: Floats
    delete_manifests: Floats
    entries: Floats
    data_manifest_bytes: Floats
    delete_manifest_bytes: Floats
    list_bytes: Floats
    scanned_manifests: Floats
    scanned_bytes: Floats
    most_manifests: Floats
    most_delete_files: Floats
    manifest_commits: Floats
    flows: Floats
    trend: Trend | None = None  # that the last samples follow

    def until(self, commits: float) -> "Samples":
        """The history up to this many commits, and the maintenance after them; between samples it is linear."""
        kept = self.commits <= commits
        is_between = self.commits[kept][-1] < commits

        def cut(column: Floats) -> Floats:
            more = [np.interp(commits, self.commits, column)] if is_between else []
            return np.append(column[kept], more)

        columns = {one.name: cut(getattr(self, one.name)) for one in fields(self) if one.name not in _OTHERS}
        return Samples(**columns, flows=np.column_stack([cut(column) for column in self.flows.T]), trend=self.trend)


def history_of(
    case: Case, shape: Shape, *, also_at: Sequence[float] = (), seed: int = 0, is_compiled: bool | None = None
) -> Samples:
    """The history of a case of one writer, sampled at these commits too. Where chance decides, the seed does.

    It is compiled once that is worth it; with `is_compiled` from the start, or never.
    """
    places = {*np.rint(np.geomspace(1, case.commits, CHECKPOINTS)).tolist(), *also_at}
    history = History(
        laws=laws_of(case, shape),
        jobs=jobs_of(case, shape.arrivals),
        places=sorted(places),
        seed=seed,
        is_compiled=is_compiled,
    )
    table, trend, events = history.until(float(case.commits), FIRST_EVENTS), None, FIRST_EVENTS
    while history.commits < case.commits:
        trend = trend_of(table) if has_filled(history, float(case.commits)) else None
        if trend is not None and trend.is_close:
            table = carried_on(table, float(case.commits), np.array(also_at, dtype=np.float64))
            break
        events *= 2
        table, trend = history.until(float(case.commits), events), None
    names = [one.name for one in fields(Samples) if one.name not in _OTHERS]
    columns = {name: table[:, place] for place, name in enumerate(names)}
    return Samples(**columns, flows=table[:, SAMPLE_STATE:], trend=trend)


def has_filled(history: History, commits: float) -> bool:
    """Whether what fills up, manifests that merge and files that compaction makes, has done so FILLED times, or will
    not by that commit: until then nothing that a trend could follow has shown itself.
    """
    settings, state, samples = history.laws.settings, history.table.state, history.table.samples
    ahead, last = commits / history.commits, samples[int(state[at.SAMPLED]) - 1]
    rewrites = at.REWRITE_MANIFESTS in list(history.table.jobs[at.KIND])
    for size in (last[4], last[5]) if settings[at.MERGE_ENABLED] and not rewrites else ():
        if size < FILLED * settings[at.MANIFEST_TARGET] < FILLED * size * ahead:
            return False
    if not settings[at.HAS_RULE] or settings[at.LIFETIME_COMMITS] * FILLED < history.commits:
        return True
    partitions, flows = settings[at.OPEN_PARTITIONS], history.table.flows
    live_bytes = flows[at.WRITTEN_FILES + 1] - flows[at.REMOVED_FILES + 1]
    is_small = live_bytes * ahead / partitions < small_file_bytes(settings[at.TARGET])
    return is_small or state[at.SETTLED_FILES] >= FILLED * partitions
