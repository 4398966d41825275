"""A table in its last full cycle: the time in which every job of its maintenance runs once, a day at least.

What a table holds is a saw-tooth: metadata.json falls with every expiry, manifests with every rewrite, compaction or
merge. Where a horizon ends in that is an accident, and a mean over a horizon contains the days in which the table had
yet to grow to its size. So figures cover the last whole cycle before the end of the horizon: what is written in
it, and of what the table holds the mean, the most and what is there at its end.

Manifests may have longer cycles. Appends that merge write one of them anew, ever larger, until it is full, which takes
weeks of most tables. Manifests that compaction leaves gather until they are as many as merge. What manifests are there,
and what such appends write of them, is found over these cycles, as many days before the end as they take.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil

import numpy as np

from wasim.iceberg.properties import TableProperties
from wasim.ledger import Kind, Summed, Totals
from wasim.ledger.vocabulary import DATA_KINDS
from wasim.processes import map_in_processes
from wasim.scenario import Case
from wasim.scenario.case import whole_commits
from wasim.units import DAY_S, Floats
from wasim.years import History, Shape, steps_compiled
from wasim.years.flows import DELETES, Flow
from wasim.years.retention import Retention
from wasim.years.samples import Samples
from wasim.years.summed import ingested_bytes_of, of_one_writer, retention_of, sum_retained, totals_of

MOMENTS = 24  # at which a table is looked at in the time that merging appends gather as many manifests as they merge
MOMENTS_OF_FILLING = 96  # and in the time that they take to fill one
NEAR = 8  # commits: what grew by one with each of so few between two moments is added to what was seen
COUNTS = ("scanned_manifests", "data_manifests+delete_manifests")  # that each append adds one to
MERGES = 8  # at least that a table is looked at whose first manifest is not full yet
SELDOM_S = 16 * DAY_S  # in which manifests that compaction leaves have been merged once at least
PACE_DAYS = (1, 7, 30, 90, 180, 365)  # at which the pace of a table's cost is found
SEEN_FROM_DAYS = 30  # looking at a cycle takes its time: at earlier ones of appends only where asked for
SIZES = 240  # commits of a cycle whose metadata.json is measured
MANY_STATEMENTS = 100_000  # take a second to step through, compiled
MERGED = frozenset([Kind.MANIFEST_LIST, Kind.DATA_MANIFEST, Kind.DELETE_MANIFEST])  # as merges go


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """What a table holds of something over a cycle: on average, at the most, and at its end."""

    mean: float
    most: float
    final: float

    def times(self, tables: int) -> "Spread":
        """The same of so many tables."""
        return Spread(mean=self.mean * tables, most=self.most * tables, final=self.final * tables)


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """The event time of a cycle, in seconds since the table was created; `before_s` is just before its last expiry."""

    start_s: float
    before_s: float
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
    jobs = [*(job for _, job in case.maintenance), *(change for _, change in case.changes)]
    periods_s = [job.every for job in jobs if job is not None and job.every]
    longest_s = [one for one in (*periods_s, _merging_s(case)) if one <= horizon_s]
    length_s = ceil(max([DAY_S, case.commit_interval_s, *longest_s]) / DAY_S) * DAY_S
    if horizon_s < length_s:
        start_s, end_s = 0.0, horizon_s
    else:
        cycles = max(1, int(horizon_s / length_s + 0.5))
        start_s, end_s = (cycles - 1) * length_s, cycles * length_s
    expiry = case.maintenance.expire_snapshots
    every_s = None if expiry is None else expiry.every
    expired_s = int(end_s / every_s + 1e-9) * every_s if every_s else end_s
    before_s = (expired_s if expired_s > start_s else end_s) - case.commit_interval_s
    return Window(start_s=start_s, before_s=max(start_s, before_s), end_s=end_s)


def _filling_since_s(case: Case, shape: Shape, window: Window) -> float | None:
    """The start of the time in which appends that merge fill a manifest, or of half the history where that is all too
    short; of the window where manifests are rewritten sooner. None where none do, or compaction takes away what they
    merge.
    """
    jobs, properties = case.maintenance, TableProperties.read(case.table.properties)
    if not (merging_s := _merging_s(case)) or case.changes_rows or jobs.rewrite_data_files:
        return None
    if jobs.rewrite_manifests:
        return window.start_s
    grown = shape.sizes.data_manifests.by_count.slope * shape.arrivals.files
    filling_s = max(merging_s, case.commit_interval_s * properties.manifest_target_size_bytes / grown)
    seen_s = filling_s if filling_s <= window.end_s else max(window.end_s / 2, MERGES * merging_s)
    return max(0.0, min(window.start_s, window.end_s - seen_s))


def _gathering_since_s(case: Case, whole: Samples, window: Window) -> float | None:
    """The start of as many cycles in which manifests that compaction leaves gather until they merge as there are in
    some days, or of the history before there was any; None where nothing is compacted.
    """
    compaction, merging_s = case.maintenance.rewrite_data_files, _merging_s(case)
    if compaction is None:
        return None
    if case.changes_rows:  # of which not every job is sampled
        is_seldom = 0 < (compaction.every or 0) <= merging_s
        return min(window.start_s, max(window.end_s / 2, window.end_s - SELDOM_S)) if is_seldom else None
    commits = whole.commits[whole.commits <= _commits_by(case, window.end_s)]
    after_jobs = 1 + np.flatnonzero((np.diff(commits) == 0) & (np.diff(commits[1:], append=np.inf) > 0))
    left, at_s = whole.scanned_manifests[after_jobs], commits[after_jobs] * case.commit_interval_s
    least = TableProperties.read(case.table.properties).manifest_min_merge_count
    merged_s = np.concatenate([[0.0], at_s[1:][np.diff(left) < -least / 2]])
    since_s = merged_s[max(0, int(np.searchsorted(merged_s, merged_s[-1] - SELDOM_S, side="right")) - 1)]
    seen_s = float(merged_s[-1] - since_s) or window.end_s
    return max(0.0, min(window.start_s, window.end_s - seen_s))


def _merging_s(case: Case) -> float:
    """How long appends that merge take to gather as many manifests as they merge; 0 where none do."""
    if not (case.merges or case.key_columns):
        return 0.0
    return TableProperties.read(case.table.properties).manifest_min_merge_count * case.commit_interval_s


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """The histories of a table up to the start of a cycle, to just before its last expiry, and to its end.

    From `held_s` on, which may be earlier, it is looked at what manifests there are: over whole cycles of theirs if it
    `sees_cycles`. Where appends that merge fill one in these, `fills` says so, and `filled` is the history until then.
    """

    window: Window
    start: Samples | None  # None: the cycle begins with the table
    before: Samples
    end: Samples
    held_s: float
    sees_cycles: bool
    fills: bool
    filled: Samples | None

    def until(self, time_s: float, case: Case) -> Samples:
        """The history up to a time within the cycle."""
        if time_s == self.window.before_s:
            return self.before
        return self.end.until(_commits_by(case, time_s))


def courses_of(case: Case, shape: Shape, window: Window) -> dict[Window, Course]:
    """The course of a case up to the end of a window, and those over shorter `PACE_DAYS` on the way: every
    history is looked at then, so that no figure depends on which others are asked for.
    """
    case = of_one_writer(case)
    history = History(case=replace(case, horizon_s=window.end_s), shape=shape)
    days = (day for day in PACE_DAYS if case.changes_rows or day >= SEEN_FROM_DAYS)
    shorter = (window_of(case, day * DAY_S) for day in days if day * DAY_S >= case.commit_interval_s)
    windows = [*(one for one in shorter if one.end_s < window.end_s), window]
    starts = (_commits_by(case, one.start_s) for one in windows)
    stops = sorted({*starts, *(moment for one in windows for moment in _moments(case, shape, one))} - {0.0})
    history.go_on_to(stops[-1], stops)
    whole = history.samples()
    return {one: _read_off(whole, one, case, shape) for one in windows}


def _commits_by(case: Case, time_s: float) -> float:
    return float(whole_commits(horizon_s=time_s, commit_interval_s=case.commit_interval_s))


def _read_off(whole: Samples, window: Window, case: Case, shape: Shape) -> Course:
    """The course in a window, as a finished history has it."""

    def until(time_s: float) -> Samples | None:
        commits = _commits_by(case, time_s)
        if commits >= whole.commits[-1]:
            return whole
        return whole.until(commits) if commits else None

    end, filling_s = until(window.end_s) or whole, _filling_since_s(case, shape, window)
    held_s = _gathering_since_s(case, whole, window) if filling_s is None else filling_s
    return Course(
        window=window,
        start=until(window.start_s),
        before=until(window.before_s) or end,
        end=end,
        held_s=window.start_s if held_s is None else held_s,
        sees_cycles=held_s is not None,
        fills=filling_s is not None,
        filled=None if filling_s is None else until(filling_s),
    )


def _moments(case: Case, shape: Shape, window: Window) -> list[float]:
    """Commits of a cycle, ascending, at which to look at the table, besides jobs."""
    filling_s = _filling_since_s(case, shape, window)
    since_s = window.start_s if filling_s is None else filling_s
    held, before, last = (
        whole_commits(horizon_s=time_s, commit_interval_s=case.commit_interval_s)
        for time_s in (since_s, window.before_s, window.end_s)
    )
    moments = {float(held), float(before), float(last)}
    if merging_s := _merging_s(case):
        merging = merging_s / case.commit_interval_s
        for end in (last, (held + last) / 2):
            moments |= {*_evenly(max(held, end - merging), end, MOMENTS)}
        if filling_s is not None:
            moments |= {*_evenly(held, last, MOMENTS_OF_FILLING)}
    return sorted(moment for moment in moments if held <= moment <= last)


def _evenly(first: float, last: float, moments: int) -> list[float]:
    found: list[float] = np.rint(np.linspace(first, last, moments + 1)).tolist()
    return found


def courses_ahead(parts: Iterable[tuple[Case, Shape, Window]]) -> list[dict[Window, Course]]:
    """The courses of these cases up to the ends of their windows, one case on each core where they take long: compiled
    steps through a year of hourly jobs take less than other processes do to begin.
    """
    parts = [*parts]
    statements = sum(_statements_of(case, window) for case, _, window in parts)
    is_short = len(parts) < 2 or (statements < MANY_STATEMENTS and steps_compiled())
    return [*map_in_processes(_courses_of, parts, processes=1 if is_short else None)]


def _statements_of(case: Case, window: Window) -> float:
    """How many statements there may be up to the end of a window."""
    every_s: list[float] = [change.every for _, change in case.changes if change is not None]
    if case.writer.upsert is not None:
        every_s.append(case.commit_interval_s)
    return sum(window.end_s / one for one in every_s)


def _courses_of(part: tuple[Case, Shape, Window]) -> dict[Window, Course]:
    return courses_of(*part)


@dataclass(frozen=True, kw_only=True)
class LastCycle:
    """A case in its last full cycle: `start`, `before` and `end` are its sums since the table was created, up to then.

    `before_s` is just before the expiry that finds most on disk, by `apart` bytes more than it and the last one find on
    average, negative if less. `retention` is at its end, and `plain_retention` with metadata.json uncompressed.
    `filled` are the sums up to when the manifest was begun that merges fill, where they do.
    """

    case: Case
    course: Course
    shape: Shape
    retention: Retention
    plain_retention: Retention
    start: Totals | None
    filled: Totals | None
    before: Totals
    before_s: float
    apart: float
    end: Summed

    @property
    def length_s(self) -> float:
        """Event time of the cycle."""
        return self.course.window.length_s

    @property
    def held_s(self) -> float:
        """Event time over which it is looked at what manifests there are."""
        return self.course.window.end_s - self.course.held_s

    def written(self, column: str, kinds: Iterable[Kind]) -> float:
        """What the cycle adds to a column of totals, such as `written_bytes`, of these kinds together."""
        merged = MERGED.intersection(kinds) if self.course.fills else frozenset[Kind]()
        share, others = self.length_s / self.held_s, frozenset(kinds) - merged
        return self._added(column, others, self.start) + self._added(column, merged, self.filled) * share

    def _added(self, column: str, kinds: Iterable[Kind], since: Totals | None) -> float:
        kinds = tuple(kinds)
        return self._total(self.end.totals, column, kinds) - self._total(since, column, kinds)

    @property
    def ingested_bytes(self) -> float:
        """Data bytes that rows arrive in."""
        start = self.case.over(self.course.window.start_s)
        return self.end.ingested_bytes - (0 if self.start is None else ingested_bytes_of(start, self.shape))

    @property
    def replaced_bytes(self) -> float:
        """Bytes of data, written since the table was created, that are no longer live."""
        written, live = self.end.totals.written_bytes, self.end.live_bytes
        return float(max(0, sum(written[kind] - live[kind] for kind in DATA_KINDS)))

    def held(self, kinds: Iterable[Kind]) -> Spread:
        """Bytes of these kinds on disk: they grow until expiry, and fall."""
        kinds = tuple(kinds)
        most, least = (sum(one.on_disk_bytes[kind] for kind in kinds) for one in (self.before, self.end.totals))
        return Spread(mean=max(0.0, (most + least) / 2 + self.apart), most=float(max(most, least)), final=float(least))

    def spread(self, column: str) -> Spread:
        """A column of what manifests there are, or several added up, over the cycle."""
        at, values = self._commits(), self._values(column)
        most = float(values.max())
        if merging_s := _merging_s(self.case):  # that time at the end is looked at closely, and stands for the others
            live = self._values(COUNTS[0])  # the next commit leaves out all others
            most = max(most, *_just_before(at, live, values).tolist()) if column in COUNTS else most
        if merging_s and not self.course.sees_cycles:
            close = at >= at[-1] - merging_s / self.case.commit_interval_s
            at, values = at[close], values[close]
        return replace(_over(at, values), most=most)

    @property
    def commits(self) -> float:
        """Commits of the writer in the cycle."""
        at = self._commits(self.course.window.start_s)
        return float(at[-1] - at[0])

    @cached_property
    def files(self) -> Spread:
        """Live files of data and of deletes."""
        start_s = self.course.window.start_s
        return _over(self._commits(start_s), self._values("entries", start_s))

    @cached_property
    def files_of_a_day(self) -> float:
        """Live files of the latest day, on average: those that a day leaves for good, and those that wait for
        compaction, as many as there are more than just after one.
        """
        start_s = self.course.window.start_s
        at, files = self._commits(start_s), self._values("entries", start_s)
        grown, days = float(files[-1] - files[0]), self.length_s / DAY_S
        settled = files[0] + grown * (at - at[0]) / max(at[-1] - at[0], 1.0)
        waiting = float(np.trapezoid(files - settled, at) / max(at[-1] - at[0], 1.0))
        most = self.written("files_written", DATA_KINDS) / max(1.0, days)
        return min(most, max(0.0, grown / max(1.0, days)) + max(0.0, waiting))

    @cached_property
    def delete_files(self) -> Spread:
        """Live files of deletes."""
        start_s = self.course.window.start_s
        flows = self.course.end.flows[self._rows(start_s)]
        live = flows[:, Flow.WRITTEN_FILES + DELETES] - flows[:, Flow.REMOVED_FILES + DELETES]
        return _over(self._commits(start_s), live)

    @cached_property
    def json(self) -> Spread:
        """Bytes of metadata.json as stored."""
        return self._json_spread(self.retention)

    @cached_property
    def plain_json(self) -> Spread:
        """Bytes of metadata.json before compression."""
        return self._json_spread(self.plain_retention)

    @cached_property
    def snapshots(self) -> Spread:
        """Snapshots retained."""
        retention = self.retention
        retained = retention.retained(retention.made_by(self._sampled_commits))
        final = float(retention.snapshots[-1] - retention.expiries.gone[-1])
        return Spread(mean=float(retained.mean()), most=float(retained.max()), final=final)

    def plain_json_at(self, commits: Floats) -> Floats:
        """Bytes of metadata.json before compression, at these commits of the writer."""
        return _json_at(self.plain_retention, commits)

    def _json_spread(self, retention: Retention) -> Spread:
        sizes, final = _json_at(retention, self._sampled_commits), retention.last_json_bytes
        return Spread(mean=float(sizes.mean()), most=max(final, float(sizes.max())), final=final)

    @cached_property
    def _sampled_commits(self) -> Floats:
        """Commits of the cycle that lie evenly, and those after which snapshots expire."""
        window, every_s = self.course.window, self.case.commit_interval_s
        first, last = window.start_s / every_s, self.course.end.commits[-1]
        expired = self.retention.expiries.commits
        even = np.rint(np.linspace(min(first + 1, last), last, SIZES))
        return np.unique(np.concatenate([even, expired[(expired > first) & (expired <= last)]]))

    def _rows(self, since_s: float) -> slice:
        """The samples from the last one at this time on, after the jobs of that moment."""
        commits = self.course.end.commits
        first = whole_commits(horizon_s=since_s, commit_interval_s=self.case.commit_interval_s)
        return slice(max(0, int(np.searchsorted(commits, first, side="right")) - 1), None)

    def _commits(self, since_s: float | None = None) -> Floats:
        return self.course.end.commits[self._rows(self.course.held_s if since_s is None else since_s)]

    def _values(self, column: str, since_s: float | None = None) -> Floats:
        rows = self._rows(self.course.held_s if since_s is None else since_s)
        found: Floats = sum(getattr(self.course.end, name)[rows] for name in column.split("+"))
        return found

    @staticmethod
    def _total(totals: Totals | None, column: str, kinds: Iterable[Kind]) -> float:
        return 0.0 if totals is None else float(sum(getattr(totals, column)[kind] for kind in kinds))


def last_cycle(case: Case, course: Course, shape: Shape, plain: Shape) -> LastCycle:
    """A case whose table and jobs had this course, by sizes of its files, with compression and without."""
    case = of_one_writer(case)
    over, retention = case.over(course.window.end_s), retention_of(case.over(course.window.end_s), shape, course.end)
    end = sum_retained(over, shape, retention)
    before_s, apart = _fullest(case, retention, course)
    return LastCycle(
        case=over,
        course=course,
        shape=shape,
        retention=retention,
        plain_retention=retention if plain is shape else retention_of(over, plain, course.end),
        start=None if course.start is None else _totals_at(course.window.start_s, case, shape, course.start),
        filled=None if course.filled is None else _totals_at(course.held_s, case, shape, course.filled),
        before=end.totals
        if course.before is course.end
        else _totals_at(before_s, case, shape, course.until(before_s, case), counts_deleted=True),
        before_s=before_s,
        apart=apart,
        end=end,
    )


def _fullest(case: Case, retention: Retention, course: Course) -> tuple[float, float]:
    """Just before which expiry of a cycle most is on disk, in seconds, and by how many bytes the mean of all differs
    from that of the fullest and the last: manifests that merges and compaction replace stay until they expire.
    """
    at_s = retention.expiries.commits * case.commit_interval_s
    window = course.window
    since_s = course.held_s if course.fills else window.start_s
    turns = np.flatnonzero((at_s > max(since_s, case.commit_interval_s)) & (at_s <= window.end_s))
    if len(turns) < 2:
        return window.before_s, 0.0
    held = retention.held(turns)
    fullest = int(np.argmax(held))
    before_s = window.before_s if fullest == len(turns) - 1 else float(at_s[turns[fullest]]) - case.commit_interval_s
    return before_s, float(held.mean() - (held[fullest] + held[-1]) / 2)


def _totals_at(time_s: float, case: Case, shape: Shape, samples: Samples, *, counts_deleted: bool = False) -> Totals:
    until = case.over(time_s)
    return totals_of(until, shape, retention_of(until, shape, samples), counts_deleted=counts_deleted)


def _json_at(retention: Retention, commits: Floats) -> Floats:
    made = retention.made_by(commits)
    return retention.json_of(made, made)


def _over(commits: Floats, values: Floats) -> Spread:
    """What there was over these commits, which need not lie evenly."""
    final, length = float(values[-1]), float(commits[-1] - commits[0])
    mean = float(np.trapezoid(values, commits)) / length if length > 0 else final
    return Spread(mean=mean, most=float(values.max()), final=final)


def _just_before(commits: Floats, live: Floats, then: Floats) -> Floats:
    """What there was before each moment but the first: before a fall between two that lie near each other, one more
    with each commit.
    """
    apart = np.diff(commits)
    falls = (then[1:] < live[:-1]) & (apart > 0) & (apart <= NEAR)
    return np.asarray(live[:-1] + np.where(falls, apart - 1, 0.0))
