"""A table in its last full cycle: the time in which every job of its maintenance runs once, a day at least.

What a table holds is a saw-tooth: metadata.json falls with every expiry, manifests with every rewrite, compaction or
merge. Where a horizon ends in that is an accident, and a mean over a horizon contains the days in which the table had
yet to grow to its size. So figures cover the last whole cycle before the end of the horizon: what is written in
it, and of what the table holds the mean, the most and what is there at its end.

Manifests may have longer cycles (`wasim.scenario.cycles`): what manifests are there, and what is written of them and of
data, is found over these, as many days before the end as they take.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from wasim.iceberg.properties import TableProperties
from wasim.ledger import METADATA_KINDS, Kind, Summed, Totals
from wasim.ledger.vocabulary import DATA_KINDS, MERGED_KINDS
from wasim.processes import map_in_processes
from wasim.scenario import Case
from wasim.scenario.case import whole_commits
from wasim.scenario.changes import ExpireSnapshots
from wasim.scenario.cycles import (
    PARTS_OF_A_DAY,
    SELDOM_S,
    Window,
    WrittenBy,
    filling_since_s,
    moments_of,
    repeating_since_s,
    window_of,
    written_in_each,
)
from wasim.units import DAY_S, Floats
from wasim.years import History, Shape, steps_compiled, summed
from wasim.years.flows import DELETES, Flow
from wasim.years.json_sizes import OF_RETENTION
from wasim.years.retention import Grown, Retention
from wasim.years.samples import Samples

_A_DAY = np.full(PARTS_OF_A_DAY, 1 / PARTS_OF_A_DAY)
PACE_DAYS = (1, 7, 30, 90, 180, 365)  # at which the pace of a table's cost is found
SEEN_FROM_DAYS = 30  # looking at a cycle takes its time: at earlier ones of appends only where asked for
SIZES = 240  # commits of a cycle whose metadata.json is measured
MANY_STATEMENTS = 100_000  # take a second to step through, compiled
_BYTES_OF: Mapping[frozenset[Kind], tuple[int, ...]] = {
    MERGED_KINDS: (Flow.LIST_BYTES, Flow.WRITTEN_MANIFESTS + 1, Flow.WRITTEN_MANIFESTS + DELETES + 1),
    frozenset(DATA_KINDS): (Flow.WRITTEN_FILES + 1, Flow.WRITTEN_FILES + DELETES + 1),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """What a table holds of something over a cycle: on average, at the most, and at its end."""

    mean: float
    most: float
    final: float

    def times(self, factor: float) -> "Spread":
        """So many times as much, as of several tables."""
        return Spread(mean=self.mean * factor, most=self.most * factor, final=self.final * factor)

    def plus(self, more: float) -> "Spread":
        """That much more, at all times."""
        return Spread(mean=self.mean + more, most=self.most + more, final=self.final + more)


def _gathering_since_s(case: Case, whole: Samples, window: Window) -> float | None:
    """The start of as many cycles in which manifests that compaction leaves gather until they merge as there are in
    some days, or of the history before there was any; None where nothing is compacted.
    """
    compaction, merging_s = case.maintenance.rewrite_data_files, case.merging_s
    if compaction is None:
        return None
    if case.changes_rows:  # of which not every job is sampled
        is_seldom = 0 < (compaction.every or 0) <= merging_s
        return min(window.start_s, max(window.end_s / 2, window.end_s - SELDOM_S)) if is_seldom else None
    commits = whole.commits[whole.commits <= _commits_by(case, window.end_s)]
    after_jobs = 1 + np.flatnonzero((np.diff(commits) == 0) & (np.diff(commits[1:], append=np.inf) > 0))
    left, at_s = whole.scanned_manifests[after_jobs], commits[after_jobs] * case.commit_interval_s
    least = TableProperties.read(case.table.properties).merged_from
    merged_s = np.concatenate([[0.0], at_s[1:][np.diff(left) < -least / 2]])
    since_s = merged_s[max(0, int(np.searchsorted(merged_s, merged_s[-1] - SELDOM_S, side="right")) - 1)]
    seen_s = float(merged_s[-1] - since_s) or window.end_s
    return max(0.0, min(window.start_s, window.end_s - seen_s))


@dataclass(frozen=True, slots=True, kw_only=True)
class Since:
    """When the whole cycles begin over which what is written of some kinds is averaged, and the history until then;
    None: they begin with the table.
    """

    kinds: frozenset[Kind]
    time_s: float
    before: Samples | None


RetentionKey = tuple[ExpireSnapshots | None, tuple[str | None, ...]]
Texts = tuple[float, bool]  # `MetadataJson.texts`


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """The history of a table up to the end of a cycle.

    From `held_s` on, which may be earlier, it is looked at what manifests there are: over whole cycles of theirs if it
    `sees_cycles`. `written` has every kind once: of metadata that merges write, of content files, and of the rest.
    Settings that share it find what is the same for them once: `spreads` of manifests, by column; what metadata.json
    hold, compressed or not (`grown`), and what is `kept` of it by an expiry and a length of the metadata log; and the
    sums `before` each of `written`.
    """

    window: Window
    end: Samples
    held_s: float
    sees_cycles: bool
    written: tuple[Since, ...]
    spreads: dict[str, Spread] = field(default_factory=dict, compare=False)
    grown: dict[tuple[Texts, tuple[str | None, ...]], Grown] = field(default_factory=dict, compare=False)
    kept: dict[RetentionKey, dict[Texts, Retention]] = field(default_factory=dict, compare=False)
    before: dict[tuple[RetentionKey, Texts], tuple[Totals | None, ...]] = field(default_factory=dict, compare=False)

    @property
    def merged_s(self) -> float:
        """Since when what merges write is looked at."""
        return next(one.time_s for one in self.written if one.kinds == MERGED_KINDS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Courses:
    """The courses of a case in some windows: each is read off its history as soon as it is asked for."""

    whole: Samples
    windows: tuple[Window, ...]
    case: Case
    shape: Shape
    _found: dict[Window, Course] = field(default_factory=dict)

    def over(self, window: Window) -> Course:
        """The course in a window."""
        if window not in self._found:
            self._found[window] = _read_off(self.whole, window, self.case, self.shape)
        return self._found[window]


def courses_of(case: Case, shape: Shape, window: Window) -> Courses:
    """The course of a case up to the end of a window, and those over shorter `PACE_DAYS` on the way: every
    history is looked at then, so that no figure depends on which others are asked for.
    """
    case = summed.of_one_writer(case)
    history = History(case=replace(case, horizon_s=window.end_s), shape=shape)
    days = (day for day in PACE_DAYS if case.changes_rows or day >= SEEN_FROM_DAYS)
    shorter = (window_of(case, day * DAY_S) for day in days if day * DAY_S >= case.commit_interval_s)
    windows = (*(one for one in shorter if one.end_s < window.end_s), window)
    stops = sorted({moment for one in windows for moment in moments_of(case, shape.manifest_growth, one)})
    history.go_on_to(stops[-1], stops)
    return Courses(whole=history.samples(), windows=windows, case=case, shape=shape)


def _commits_by(case: Case, time_s: float) -> float:
    return float(whole_commits(horizon_s=time_s, commit_interval_s=case.commit_interval_s))


def _read_off(whole: Samples, window: Window, case: Case, shape: Shape) -> Course:
    def until(time_s: float) -> Samples | None:
        commits = _commits_by(case, time_s)
        if commits >= whole.commits[-1]:
            return whole
        return whole.until(commits) if commits else None

    end = until(window.end_s) or whole
    since_s = {kinds: repeating_since_s(_written_by(case, end, kinds), window) for kinds in _BYTES_OF}
    if (filling_s := filling_since_s(case, shape.manifest_growth, window)) is not None:
        since_s[MERGED_KINDS] = filling_s
    found = (_gathering_since_s(case, whole, window), since_s[MERGED_KINDS])
    held_s = min((one for one in found if one is not None), default=None)
    others = frozenset(Kind).difference(*_BYTES_OF)
    times_s = {kinds: window.start_s if one is None else one for kinds, one in since_s.items()}
    return Course(
        window=window,
        end=end,
        held_s=window.start_s if held_s is None else held_s,
        sees_cycles=held_s is not None,
        written=tuple(
            Since(kinds=kinds, time_s=time_s, before=until(time_s))
            for kinds, time_s in {**times_s, others: window.start_s}.items()
        ),
    )


def _written_by(case: Case, samples: Samples, kinds: frozenset[Kind]) -> WrittenBy:
    last = np.append(np.diff(samples.commits) > 0, True)
    commits, so_far = samples.commits[last], samples.flows[last][:, _BYTES_OF[kinds]].sum(axis=1)
    return lambda times_s: np.interp(np.floor(times_s / case.commit_interval_s + 1e-9), commits, so_far)


def courses_ahead(parts: Iterable[tuple[Case, Shape, Window]]) -> list[Courses]:
    """The courses of these cases up to the ends of their windows, one case on each core where they take long: compiled
    steps through a year of hourly jobs take less than other processes do to begin.
    """
    parts = [*parts]
    statements = sum(_statements_of(case, window) for case, _, window in parts)
    is_short = len(parts) < 2 or (statements < MANY_STATEMENTS and steps_compiled())
    return [*map_in_processes(_courses_of, parts, processes=1 if is_short else None)]


def _statements_of(case: Case, window: Window) -> float:
    every_s: list[float] = [change.every for _, change in case.changes if change is not None]
    if case.writer.upsert is not None:
        every_s.append(case.commit_interval_s)
    return sum(window.end_s / one for one in every_s)


def _courses_of(part: tuple[Case, Shape, Window]) -> Courses:
    return courses_of(*part)


@dataclass(frozen=True, kw_only=True)
class LastCycle:
    """A case in its last full cycle: `end` are its sums since the table was created, up to its end.

    `on_disk` is the metadata on disk: it grows until an expiry, and falls. `retention` is at its end, and
    `plain_retention` with metadata.json uncompressed. `since` are the sums before each of the course's `written`.
    """

    case: Case
    course: Course
    shape: Shape
    retention: Retention
    plain_retention: Retention
    since: tuple[Totals | None, ...]
    on_disk: Spread
    end: Summed

    @property
    def length_s(self) -> float:
        """Event time of the cycle."""
        return self.course.window.length_s

    def written(self, column: str, kinds: Iterable[Kind]) -> float:
        """What the cycle adds to a column of totals, such as `written_bytes`, of these kinds together."""
        return sum(self._written_parts(column, frozenset(kinds)))

    def _written_parts(self, column: str, kinds: frozenset[Kind]) -> list[float]:
        """The same by parts of `Course.written`."""
        return [
            (self._total(self.end.totals, column, kinds & one.kinds) - self._total(before, column, kinds & one.kinds))
            * self.length_s
            / (self.course.window.end_s - one.time_s)
            for one, before in zip(self.course.written, self.since, strict=True)
        ]

    @cached_property
    def metadata_of_a_day(self) -> Spread:
        """Bytes of metadata that a day writes: on average over whole cycles, in the worst 24 hours, and in the last."""
        parts = self._written_parts("written_bytes", frozenset(METADATA_KINDS))
        days, end_s = self.length_s / DAY_S, self.course.window.end_s
        mean = most = final = 0.0
        each_s = DAY_S / PARTS_OF_A_DAY
        for one, part in zip(self.course.written, parts, strict=True):
            if not part:
                continue
            if one.kinds in _BYTES_OF:
                written_by = _written_by(self.case, self.course.end, one.kinds)
                found = written_in_each(each_s, written_by, Window(start_s=one.time_s, end_s=end_s))
            else:
                found = self._json_by_part_of_a_day()
            is_known = len(found) >= PARTS_OF_A_DAY and found.any()
            relative = np.convolve(found, _A_DAY, "valid") / found.mean() if is_known else np.ones(1)
            mean += part / days
            most += part / days * float(relative.max())
            final += part / days * float(relative[-1])
        return Spread(mean=mean, most=most, final=final)

    def _json_by_part_of_a_day(self) -> Floats:
        """Bytes of metadata.json as stored, of one version a commit, in each part of a day of the cycle."""
        commits, sizes = self._sampled_commits, _json_at(self.retention, self._sampled_commits)
        so_far = np.concatenate([[0.0], np.cumsum(np.diff(commits) * (sizes[1:] + sizes[:-1]) / 2)])
        parts = int(self.length_s / DAY_S * PARTS_OF_A_DAY + 1e-9)
        return np.asarray(np.diff(np.interp(np.linspace(commits[0], commits[-1], parts + 1), commits, so_far)))

    @property
    def arrived_bytes(self) -> float:
        """Data bytes that rows arrive in, with the delete files of a writer that deletes by key."""
        before = self.case.over(start_s) if (start_s := self.course.window.start_s) else None
        start_bytes = summed.ingested_bytes_of(before, self.shape) if before else 0
        commits = before.commits if before else 0
        deletes = self.shape.key_delete_bytes(self.case.commits) - self.shape.key_delete_bytes(commits)
        return self.end.ingested_bytes - start_bytes + deletes

    @property
    def replaced_bytes(self) -> float:
        """Bytes of data, written since the table was created, that are no longer live."""
        written, live = self.end.totals.written_bytes, self.end.live_bytes
        return float(max(0, sum(written[kind] - live[kind] for kind in DATA_KINDS)))

    def spread(self, column: str) -> Spread:
        """A column of what manifests there are, or several added up, over the cycle."""
        if column not in self.course.spreads:
            self.course.spreads[column] = self._spread(column)
        return self.course.spreads[column]

    def _spread(self, column: str) -> Spread:
        at, values = self._looked_at(column, self.course.held_s)
        _, later = self._looked_at(column, self.course.window.end_s / 2)  # once what a history begins with is past
        if (merging_s := self.case.merging_s) and not self.course.sees_cycles:
            # the last such time was looked at closely, and stands for all
            close = at >= at[-1] - merging_s / self.case.commit_interval_s
            at, values = at[close], values[close]
        return replace(_over(at, values), most=float(later.max()))

    @property
    def commits(self) -> float:
        """Commits of the writer in the cycle."""
        at, _ = self._looked_at("entries", self.course.window.start_s)
        return float(at[-1] - at[0])

    @cached_property
    def files(self) -> Spread:
        """Live files of data and of deletes."""
        return _over(*self._looked_at("entries", self.course.window.start_s))

    @cached_property
    def runs(self) -> Mapping[str, float]:
        """How often each job of maintenance runs in the cycle; those that a count starts as often as since half the
        history. An expiry by the writer's own commits is no job.
        """
        half_s, samples, retention = self.course.window.end_s / 2, self.course.end, self.retention
        flows = samples.flows[-1] - samples.flows[int(np.searchsorted(samples.commits, _commits_by(self.case, half_s)))]
        expired = retention.expiries.turn[retention.expiries.commits > _commits_by(self.case, half_s)]
        by_count = {
            "rewrite_data_files": flows[Flow.COMPACTIONS],
            "rewrite_manifests": flows[Flow.REWRITES],
            "expire_snapshots": np.ptp(expired) if len(expired) else 0.0,
        }
        jobs = {name: job for name, job in self.case.maintenance if job is not None}
        found = {
            name: self.length_s / job.every if job.every else float(by_count[name]) * self.length_s / half_s
            for name, job in jobs.items()
        }
        return dict.fromkeys(by_count, 0.0) | found | ({"expire_snapshots": 0.0} if self.case.expires_itself else {})

    @cached_property
    def files_of_a_day(self) -> float:
        """Live files of the latest day, on average: those that a day leaves for good, and those that wait for
        compaction, as many as there are more than just after one; from one compaction by count to another.
        """
        compaction = self.case.maintenance.rewrite_data_files
        at, files = self._looked_at("entries", self.course.window.start_s)
        if compaction is not None and compaction.every is None and not self.case.changes_rows:
            at, files = self._between_compactions(at, files)
        grown, days = float(files[-1] - files[0]), float(at[-1] - at[0]) * self.case.commit_interval_s / DAY_S
        settled = files[0] + grown * (at - at[0]) / max(at[-1] - at[0], 1.0)
        waiting = float(np.trapezoid(files - settled, at) / max(at[-1] - at[0], 1.0))
        most = self.written("files_written", DATA_KINDS) / max(1.0, self.length_s / DAY_S)
        return min(most, max(0.0, grown / max(1.0, days)) + max(0.0, waiting))

    def _between_compactions(self, at: Floats, files: Floats) -> tuple[Floats, Floats]:
        """The same from one compaction to another, of as many as there are since half the history where the cycle has
        no two of them.
        """
        for since_s in (None, self.course.window.end_s / 2):
            if since_s is not None:
                at, files = self._looked_at("entries", since_s)
            is_after = (np.diff(at) == 0) & (np.diff(files) < 0) & (np.diff(at[1:], append=np.inf) > 0)
            ends = 1 + np.flatnonzero(is_after)
            if len(ends) > 1:
                return at[ends[0] : ends[-1] + 1], files[ends[0] : ends[-1] + 1]
        return at, files

    @cached_property
    def delete_files(self) -> Spread:
        """Live files of deletes."""
        return _over(*self._looked_at("delete_files", self.course.window.start_s))

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
        retained = retention.retained(self._sampled_made)
        final = float(retention.snapshots[-1] - retention.expiries.gone[-1])
        return Spread(mean=float(retained.mean()), most=float(retained.max()), final=final)

    def plain_json_at(self, commits: Floats) -> Floats:
        """Bytes of metadata.json before compression, at these commits of the writer."""
        return _json_at(self.plain_retention, commits)

    def _json_spread(self, retention: Retention) -> Spread:
        sizes, final = retention.json_of(self._sampled_made, self._sampled_made), retention.last_json_bytes
        return Spread(mean=float(sizes.mean()), most=max(final, float(sizes.max())), final=final)

    @cached_property
    def _sampled_commits(self) -> Floats:
        """Commits of the cycle that lie evenly, and those after which snapshots expire."""
        window, every_s = self.course.window, self.case.commit_interval_s
        first, last = window.start_s / every_s, self.course.end.commits[-1]
        expired = self.retention.expiries.commits
        even = np.rint(np.linspace(min(first + 1, last), last, SIZES))
        return np.unique(np.concatenate([even, expired[(expired > first) & (expired <= last)]]))

    @cached_property
    def _sampled_made(self) -> Floats:
        return self.retention.made_by(self._sampled_commits)

    def _looked_at(self, column: str, since_s: float) -> tuple[Floats, Floats]:
        """The commits of the samples from the last one at this time on, after the jobs of that moment, and a column of
        these, or several added up.
        """
        samples, first = self.course.end, _commits_by(self.case, since_s)
        rows = slice(max(0, int(np.searchsorted(samples.commits, first, side="right")) - 1), None)
        return samples.commits[rows], sum(getattr(samples, name)[rows] for name in column.split("+"))

    @staticmethod
    def _total(totals: Totals | None, column: str, kinds: Iterable[Kind]) -> float:
        return 0.0 if totals is None else float(sum(getattr(totals, column)[kind] for kind in kinds))


def last_cycle(case: Case, course: Course, shape: Shape, plain: Shape) -> LastCycle:
    """A case whose table and jobs had this course, by sizes of its files, with compression and without."""
    over = summed.of_one_writer(case).over(course.window.end_s)
    retention, plain_retention = (_retention(over, course, one) for one in (shape, plain))
    key = _retention_key(over), shape.sizes.json.texts
    if key not in course.before:
        course.before[key] = totals_before(
            course.written, lambda since, samples: _totals_at(since, samples, over, shape)
        )
    end = summed.sum_retained(over, shape, retention)
    return LastCycle(
        case=over,
        course=course,
        shape=shape,
        retention=retention,
        plain_retention=plain_retention,
        since=course.before[key],
        on_disk=_on_disk(over, course, retention, end.totals),
        end=end,
    )


def _retention(case: Case, course: Course, shape: Shape) -> Retention:
    """What is retained of a course; of other sizes there are as many."""
    _, given = key = _retention_key(case)
    kept, texts = course.kept.setdefault(key, {}), shape.sizes.json.texts
    if texts not in kept:
        known = next(iter(kept.values()), None)
        if (texts, given) not in course.grown:
            course.grown[texts, given] = summed.grown_of(case, shape, course.end)
        grown = course.grown[texts, given]
        kept[texts] = summed.retention_of(case, shape, grown) if known is None else known.with_json(grown)
    return kept[texts]


def _retention_key(case: Case) -> RetentionKey:
    return case.maintenance.expire_snapshots, tuple(case.table.properties.get(key) for key in OF_RETENTION)


def totals_before(written: Iterable[Since], totals_at: Callable[[Since, Samples], Totals]) -> tuple[Totals | None, ...]:
    """The sums before each of these, by what they are after a history: of those that begin at the same time once, with
    all that the last one counts, which has all kinds but those that cycle (`Course.written`).
    """
    at = {one.time_s: one for one in written}
    found = {time_s: None if one.before is None else totals_at(one, one.before) for time_s, one in at.items()}
    return tuple(found[one.time_s] for one in written)


def _on_disk(case: Case, course: Course, retention: Retention, totals: Totals) -> Spread:
    """Metadata on disk: manifests that merges and compaction replace stay until they expire. The mean is of the cycle
    of merges, the most of the later half of the history, as a simulation's.
    """
    final = float(totals.metadata_on_disk_bytes)
    before = summed.before_expiries(case, retention, totals, since_s=course.merged_s)
    if before is None:
        return Spread(mean=final, most=max(final, summed.before_removal(case, retention, totals)), final=final)
    return Spread(mean=max(0.0, (before.mean + final) / 2), most=max(before.most, final), final=final)


def _totals_at(since: Since, samples: Samples, case: Case, shape: Shape) -> Totals:
    until = case.over(since.time_s)
    retention = summed.retention_of(until, shape, summed.grown_of(until, shape, samples))
    return summed.totals_of(
        until, shape, retention, counts_deleted=False, counts_json=Kind.METADATA_JSON in since.kinds
    )


def _json_at(retention: Retention, commits: Floats) -> Floats:
    made = retention.made_by(commits)
    return retention.json_of(made, made)


def _over(commits: Floats, values: Floats) -> Spread:
    """What there was over these commits, which need not lie evenly."""
    final, length = float(values[-1]), float(commits[-1] - commits[0])
    mean = float(np.trapezoid(values, commits)) / length if length > 0 else final
    return Spread(mean=mean, most=float(values.max()), final=final)
