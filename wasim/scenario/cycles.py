"""The whole cycles of a case over which what its table writes is averaged, so that no figure depends on where it ends.

A full cycle is the time in which every job of maintenance, statement and merge comes once, a day at least. Manifests
may have longer ones. Appends that merge write one of them anew, ever larger, until it is full, which takes weeks of
most tables. Manifests that compaction leaves gather until they are as many as merge, and as a large one is nearly full,
every append merges for days. A slow table's compaction writes its last file anew for weeks.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from wasim.iceberg.properties import TableProperties
from wasim.scenario.case import Case, whole_commits
from wasim.scenario.metrics import PERIODS_S
from wasim.units import DAY_S, Floats

WrittenBy: TypeAlias = Callable[[Floats], Floats]
"""Bytes written by some event times."""

MOMENTS = 100  # at which a table is looked at in the time that merging appends gather as many manifests as they merge
MOMENTS_OF_FILLING = 96  # and at least in the time that they take to fill one
MOST_MOMENTS = 400
PARTS_OF_A_DAY = 4  # at which the worst 24 hours may begin
MERGES_SEEN = 4  # compaction leaves manifests that put the next merge off
MERGES = 8  # at least that a table is looked at whose first manifest is not full yet
SELDOM_S = 16 * DAY_S  # in which manifests that compaction leaves have been merged once at least
EVEN = 0.1  # of the most that a day writes: where days differ by less, they have no cycles
BURST = 3.0  # times the median: of a table that grows day by day the last one writes twice as much
HIGH, LOW = 0.6, 0.4  # of that difference: a cycle ends with a fall from above the one to below the other


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """The event time of a cycle, in seconds since the table was created."""

    start_s: float
    end_s: float

    @property
    def length_s(self) -> float:
        """How long it is."""
        return self.end_s - self.start_s


def window_of(case: Case, horizon_s: float | None = None) -> Window:
    """The last full cycle of a case over a horizon, its own by default; a horizon shorter than that is all of one.

    It ends at the multiple of its length that is nearest to the horizon, so that no job's phase depends on that.
    """
    horizon_s = case.horizon_s if horizon_s is None else horizon_s
    length_s = case.full_cycle_s(horizon_s)
    if horizon_s < length_s:
        return Window(start_s=0.0, end_s=horizon_s)
    cycles = max(1, int(horizon_s / length_s + 0.5))
    return Window(start_s=(cycles - 1) * length_s, end_s=cycles * length_s)


def filling_since_s(case: Case, grown_bytes: float, window: Window) -> float | None:
    """The start of the time in which appends that merge fill a manifest, which each makes larger by `grown_bytes`, or
    several in some days: days differ by which of them are filled. Of half the history where that is all too short; of
    the window where manifests are rewritten sooner. None where none do, or compaction takes away what they merge.
    """
    jobs, properties = case.maintenance, TableProperties.read(case.table.properties)
    if not (merging_s := case.merging_s) or case.changes_rows or jobs.rewrite_data_files:
        return None
    if jobs.rewrite_manifests:
        return window.start_s
    filling_s = max(merging_s, case.commit_interval_s * properties.manifest_target_size_bytes / grown_bytes)
    filled = min(SELDOM_S, window.end_s - filling_s) // filling_s  # but for the first one
    seen_s = max(1.0, filled) * filling_s if filling_s <= window.end_s else max(window.end_s / 2, MERGES * merging_s)
    return max(0.0, min(window.start_s, window.end_s - seen_s))


def repeating_since_s(written_by: WrittenBy, window: Window) -> float | None:
    """The start of the last whole cycles in which what is written rises and falls, where they take longer than the
    window; None where they do not.
    """
    written = written_in_each(window.length_s, written_by, Window(start_s=0.0, end_s=window.end_s))
    turns = _cycles_of(written, at_least=int(SELDOM_S / window.length_s))
    return window.end_s - turns * window.length_s if turns > 1 else None


def merging_since_s(case: Case, grown_bytes: float, merged_by: WrittenBy, window: Window) -> float:
    """The start of the cycles over which lists and manifests are averaged, of which so much is written; that of the
    window where they have no longer ones.
    """
    filling_s = filling_since_s(case, grown_bytes, window)
    if filling_s is None:
        filling_s = repeating_since_s(merged_by, window)
    return window.start_s if filling_s is None else filling_s


def metadata_by_period(
    case: Case, grown_bytes: float, merged_by: WrittenBy, others_since: Callable[[float], float]
) -> dict[str, float]:
    """Metadata written in each period that the case lasts, by metric: lists and manifests are written as `merged_by`
    says, and `others_since` an event time.
    """
    starts = {metric: case.cycle_since_s(one) for metric, one in PERIODS_S.items() if case.ends_s >= one}
    a_second = {}
    for start_s in {*starts.values()}:
        window = Window(start_s=start_s, end_s=case.ends_s)
        since_s = merging_since_s(case, grown_bytes, merged_by, window)
        merged = float(np.diff(merged_by(np.array([since_s, window.end_s])))[0]) / (window.end_s - since_s)
        a_second[start_s] = merged + others_since(start_s) / window.length_s
    return {metric: PERIODS_S[metric] * a_second[one] for metric, one in starts.items()}


def written_in_each(each_s: float, written_by: WrittenBy, window: Window) -> Floats:
    """Bytes written in each of so many seconds of a window, whole ones counted back from its end."""
    ends_s: Floats = window.end_s - each_s * np.arange(int(window.length_s / each_s + 1e-9), -1, -1, dtype=np.float64)
    return np.asarray(np.diff(written_by(ends_s)))


def _cycles_of(written: Floats, at_least: int) -> int:
    """Of what is written in each of some equal times: how many of them the last whole cycles take, at least so many if
    there are as many; 0 if there are no cycles.

    Cycles end with a fall. They are sought in the later half first, as what the table grew by is less there; the first
    one of all may have begun with the table, and in a burst it has yet to end.
    """
    for since in (len(written) // 2, 0):
        seen = written[since:]
        least, most = (seen.min(), seen.max()) if len(seen) else (0.0, 0.0)
        if most - least <= EVEN * most:
            continue
        share = (seen - least) / (most - least)
        clear = np.flatnonzero((share > HIGH) | (share < LOW))
        ends = clear[1:][(share[clear[:-1]] > HIGH) & (share[clear[1:]] < LOW)]
        ends = ends if since else np.concatenate([[0], ends])
        if len(ends) > 1:
            first = max(0, int(np.searchsorted(ends, ends[-1] - at_least, side="right")) - 1)
            return int(ends[-1] - ends[min(first, len(ends) - 2)])
        if not since and most > BURST * np.median(seen):
            return len(seen)
    return 0


def moments_of(case: Case, grown_bytes: float, window: Window) -> list[float]:
    """Commits of a cycle, ascending, at which to look at the table, besides jobs."""
    filling_s = filling_since_s(case, grown_bytes, window)
    since_s = window.start_s if filling_s is None else filling_s
    held, start, last = (
        float(whole_commits(horizon_s=one_s, commit_interval_s=case.commit_interval_s))
        for one_s in (since_s, window.start_s, window.end_s)
    )
    moments = {held, start, last}
    if merging_s := case.merging_s:
        if last - held <= MOST_MOMENTS:
            return [float(commit) for commit in range(int(held), int(last) + 1)]
        merges = 1 if case.maintenance.rewrite_data_files is None else MERGES_SEEN
        merging = merges * merging_s / case.commit_interval_s
        for end in (last, (held + last) / 2):
            moments |= {*_evenly(max(held, end - merging), end, merges * MOMENTS)}
        if filling_s is not None:
            parts = int((window.end_s - since_s) / DAY_S * PARTS_OF_A_DAY)
            moments |= {*_evenly(held, last, min(MOST_MOMENTS, max(MOMENTS_OF_FILLING, parts)))}
    return sorted(moment for moment in moments if held <= moment <= last)


def _evenly(first: float, last: float, moments: int) -> list[float]:
    found: list[float] = np.rint(np.linspace(first, last, moments + 1)).tolist()
    return found
