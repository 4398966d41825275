"""What expiry and deletion make of a history: snapshots retained at any time, metadata.json written, files deleted.

A snapshot that has gone takes along its list, and what left the table before the oldest snapshot that is left. So what
an expiry deletes is what had been replaced by then, read off the history's curves at an earlier snapshot.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil

import numpy as np

from wasim.rules.maintenance import turn_after
from wasim.scenario import Case
from wasim.scenario.case import microseconds
from wasim.scenario.changes import ExpireSnapshots
from wasim.units import Floats
from wasim.workload import schedule
from wasim.years.flows import Flow
from wasim.years.json_sizes import MetadataJson
from wasim.years.samples import BEFORE_MAINTENANCE, Samples

ALL_TURNS = 512  # expiries looked at one by one, at either end of a history; between them, some of many
SOME_TURNS = 2_048
SLACK = 1e-9
ALMOST = 1e-3  # of a snapshot


@dataclass(frozen=True, slots=True, kw_only=True)
class Expiries:
    """Some expiries in order: each one's place among all, snapshots made by then, and gone since CREATE TABLE after it.

    The first row stands for the time before any. Rows that are `1` apart in `turn` follow each other.
    """

    turn: Floats
    made: Floats
    gone: Floats
    commits: Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """Versions of metadata.json by when they were written: between one row of `Expiries` and the next.

    `commits` are how many there are of each row and how many bytes of snapshots and their log they have on average,
    which grow by `growth` from one expiry to the next: those that made snapshots, and further ones where there are any.
    These put statistics, which take `statistics` bytes. Of the `expiries` that took something away, each leaves
    `items_left`.
    """

    commits: tuple[tuple[Floats, Floats], ...]
    growth: Floats
    statistics: Floats
    expiries: Floats
    items_left: Floats
    versions: Floats  # all of each row


class _Sums:
    """A curve summed over 1, 2 … of a count: at the known ones it comes to `first`, and goes on from `last`, linear."""

    def __init__(self, known: Floats, first: Floats, last: Floats) -> None:
        between, rises = np.diff(known), first[1:] - last[:-1]
        self._known, self._last, self._within = known, last, known[1 : len(between)]
        self._sums = np.concatenate([[0.0], np.cumsum(between * last[:-1] + rises * (between + 1) / 2)])
        self._rises = rises / np.where(between > 0, between, 1.0)

    def through(self, counts: Floats) -> Floats:
        """The sums through each of these counts."""
        place = np.asarray(self._within.searchsorted(counts, side="right"))
        since = counts - self._known[place]
        return np.asarray(self._sums[place] + since * self._last[place] + self._rises[place] * since * (since + 1) / 2)


@dataclass(frozen=True, kw_only=True)
class Grown:
    """A history and what its metadata.json hold as long as nothing expires: the same for any expiry."""

    samples: Samples
    json: MetadataJson

    @cached_property
    def items(self) -> Floats:
        """Bytes of all snapshots made and their log entries, by sample."""
        samples, found = self.samples, self.json.found
        snapshots = samples.flows[:, Flow.SNAPSHOT_JSON_BYTES]
        if self.json.zipped is not None:
            snapshots = snapshots + samples.flows[:, Flow.MORE_COMPRESSED]
        own = snapshots + self.json.statistics.at(samples.commits)
        if found is None:
            return own + self.json.snapshot_log_entry * samples.snapshots
        # numbers in them grow on as simulated, from what they came to when the table was looked at
        made = min(max(found.made, 1.0), float(samples.snapshots[-1]))
        simulated = float(np.interp(made, samples.snapshots, snapshots)) / made
        return own + (found.bytes - simulated) * samples.snapshots

    @cached_property
    def of_versions(self) -> _Sums:
        """The same summed over the metadata.json of each of the first snapshots."""
        return _Sums(self.samples.snapshots, self.items, self.items)

    @cached_property
    def of_commits(self) -> _Sums:
        """The same over the writer's first commits, as they are before maintenance."""
        commits = self.samples.commits
        firsts = np.flatnonzero(np.diff(commits, prepend=-1.0))
        lasts = np.append(firsts[1:], len(commits)) - 1
        return _Sums(commits[firsts], self.items[firsts], self.items[lasts])


@dataclass(frozen=True)
class Retention:
    """The snapshots of a history, made and expired, and the metadata.json that hold them.

    Tags and branches hold `held_share` of all snapshots, whatever expires; `expires_within` says that expiry shares the
    metadata.json of commits.
    """

    case: Case
    grown: Grown
    log_limit: int
    held_share: float = 0.0
    expires_within: bool = False

    def with_json(self, grown: Grown) -> "Retention":
        """The same snapshots and as many metadata.json, of other sizes."""
        found, own = replace(self, grown=grown), ("expiries", "versions")
        vars(found).update({name: getattr(self, name) for name in own})
        return found

    @cached_property
    def samples(self) -> Samples:
        """The history."""
        return self.grown.samples

    @cached_property
    def json(self) -> MetadataJson:
        """Sizes of metadata.json."""
        return self.grown.json

    @cached_property
    def snapshots(self) -> Floats:
        """Snapshots made, by sample."""
        return self.samples.snapshots

    def _items_gone(self, gone: Floats) -> Floats:
        """Bytes of so many snapshots that expired, and of their log entries; as long as none did, what the first one
        lacks, which has no parent.
        """
        lacking = 0.0 if self.json.found else self.json.no_parent
        return self.at(gone, self.grown.items) + lacking * (gone < 1)

    def at(self, snapshots: Floats, column: Floats) -> Floats:
        """A curve of the history at these numbers of snapshots made."""
        return np.interp(snapshots, self.snapshots, column)

    def made_by(self, commits: Floats) -> Floats:
        """Snapshots made through these commits of the writer and all that follows them."""
        made = self.samples.after_commits(commits, self.snapshots)
        whole = np.rint(made)
        return np.where(np.abs(made - whole) < ALMOST, whole, made)

    def _made_at(self, times_s: Floats, *, before: bool = False) -> Floats:
        """Snapshots made by these event times, or before them: without the statements that follow a commit later."""
        case = self.case

        def multiples(of_s: float) -> Floats:
            counts = np.ceil(times_s / of_s - 1e-6) - 1 if before else np.floor(times_s / of_s + SLACK)
            return np.asarray(np.maximum(counts, 0.0))

        intervals = multiples(case.commit_interval_s)
        made = self.made_by(self._in(intervals))
        if case.rests is not None:
            return made
        for _, change in case.changes:
            if change is not None:
                every_us, count = microseconds(change.every), schedule(case, change).count
                through = turn_after(intervals.astype(np.int64), every_us, microseconds(case.commit_interval_s)) - 1
                made = made - np.minimum(through, count) + np.minimum(multiples(change.every), count)
        return np.asarray(made)

    @cached_property
    def expiries(self) -> Expiries:
        """The expiries of the case."""
        upkeep = self.case.maintenance.expire_snapshots
        turns, times_s = np.zeros(0), np.zeros(0)
        if self.case.expires_itself:
            turns = _some_of(self.case.commits)
            times_s = self.times_of(turns)
        elif upkeep is not None and upkeep.every is not None:
            turns = _some_of(int(self.case.ends_s / upkeep.every + SLACK))
            times_s = turns * upkeep.every
        elif upkeep is not None:
            turns, times_s = self._turns_by_count(upkeep)
        commits, made = self._in(np.floor(times_s / self.case.commit_interval_s + SLACK)), self._made_at(times_s)
        gone = self._gone(upkeep, times_s, made) if upkeep is not None else made
        zero = np.zeros(1)
        return Expiries(
            turn=np.concatenate([zero, turns]),
            made=np.concatenate([zero, made]),
            gone=np.maximum.accumulate(np.concatenate([zero, gone])),
            commits=np.concatenate([zero, commits]),
        )

    def _gone(self, upkeep: ExpireSnapshots, times_s: Floats, made: Floats) -> Floats:
        """Snapshots gone once all that are older than the age were expired, but for as many as are to be retained."""
        oldest_s = times_s - upkeep.older_than
        before = np.where(oldest_s > 0, self._made_at(oldest_s, before=True), 0.0)
        too_old = np.maximum(0.0, np.minimum(before, made - max(1, upkeep.retain_last)))
        return np.asarray(too_old * (1 - self.held_share))

    def _turns_by_count(self, upkeep: ExpireSnapshots) -> tuple[Floats, Floats]:
        """Expiries that come as soon as there are enough snapshots: at first one by one, then at their mean pace."""
        least, interval_s = float(upkeep.when_snapshots or 0), self.case.commit_interval_s
        found: list[float] = []
        gone = last = 0.0
        total = self.case.ends_s / interval_s + SLACK
        while len(found) < ALL_TURNS:
            interval = self._interval_of(gone + least, last + 1)
            if interval > total or gone + least > self.snapshots[-1] + SLACK:
                break
            found.append(interval)
            time_s = np.array([interval * interval_s])
            gone = float(self._gone(upkeep, time_s, self._made_at(time_s))[0])
            last = interval
        turns = np.arange(1, len(found) + 1, dtype=np.float64)
        if len(found) == ALL_TURNS:
            pace = (found[-1] - found[ALL_TURNS // 2]) / (ALL_TURNS - 1 - ALL_TURNS // 2)
            more = _some_of(int((total - found[-1]) / pace))
            turns = np.concatenate([turns, ALL_TURNS + more])
            return turns, np.concatenate([found, found[-1] + np.floor(more * pace)]) * interval_s
        return turns, np.array(found) * interval_s

    def _interval_of(self, snapshots: float, first: float) -> float:
        """The interval, this one or later, by whose end there have been so many snapshots."""
        rests = self.case.rests
        if rests is None:
            interval = ceil(float(np.interp(snapshots, self.snapshots, self.samples.commits)) - 1e-6)
            made = float(self._made_at(np.array([interval * self.case.commit_interval_s]))[0])
            return float(max(interval + (made < snapshots - ALMOST), first))
        low, high = first, float(rests.intervals) + 1
        while low < high:
            middle = (low + high) // 2
            enough = float(self.made_by(self._in(np.array([middle])))[0]) >= snapshots - ALMOST
            low, high = (low, middle) if enough else (middle + 1, high)
        return low

    def commits_by(self, event_time_s: float) -> float:
        """Commits of the writer by this event time; those with rows, where it rests."""
        return float(self._in(np.floor([event_time_s / self.case.commit_interval_s + SLACK]))[0])

    def times_of(self, commits: Floats) -> Floats:
        """Event times of the writer's commits, in seconds."""
        rests = self.case.rests
        return np.asarray(commits if rests is None else rests.intervals_of(commits)) * self.case.commit_interval_s

    def _in(self, intervals: Floats) -> Floats:
        """The writer's commits in the first so many intervals. Between commits of nothing, which follow one with rows,
        it is a little before that one's.
        """
        rests = self.case.rests
        if rests is None:
            return intervals
        return rests.commits_in(intervals) - BEFORE_MAINTENANCE * (1 - rests.share_of_nothing(intervals))

    # -- metadata.json -------------------------------------------------------------------------------------------

    @cached_property
    def _written(self) -> Written:
        """The metadata.json written between each two rows of `expiries`, and after the last."""
        found, grown = self.expiries, self.grown
        made, turns, gone = np.append(found.made, self.snapshots[-1]), np.diff(found.turn), found.gone
        items_gone, by_then = self._items_gone(gone), self.at(made, grown.items)
        between, left = np.append(np.maximum(turns, 1.0), 1.0), by_then[:-1] - items_gone
        growth = np.diff(by_then) / between
        # of several expiries in a group each leaves about as much: the difference of two sums would be too inexact
        averaged = (left + np.append(left[1:], left[-1])) / 2 + growth / 2
        expired = np.append(np.diff(items_gone), 0.0) / between * self.expires_within

        def on_average(sums: _Sums, through: Floats) -> tuple[Floats, Floats]:
            counts = np.diff(through)
            kept = np.diff(sums.through(through)) - items_gone * counts
            each = np.divide(kept, counts, out=np.zeros(len(kept)), where=counts > 0)
            return counts, np.where(between > 1, averaged, each) - expired

        commits, statistics = [on_average(grown.of_versions, made)], np.zeros(len(gone))
        if further := self.json.versions_per_commit - 1:
            through = self.at(made, self.samples.commits)
            counts, items = on_average(grown.of_commits, through)
            commits.append((further * counts, items))
            statistics = further * np.diff(self.json.statistics.at(through))
        expiries = np.append(np.minimum(turns, np.diff(gone)), 0.0) * (not self.expires_within)
        return Written(
            commits=tuple(commits),
            growth=growth,
            statistics=statistics,
            expiries=expiries,
            items_left=np.append(left[1:], 0.0),
            versions=sum((counts for counts, _ in commits), expiries),
        )

    @cached_property
    def versions(self) -> float:
        """metadata.json written after the one of CREATE TABLE."""
        return float(self._written.versions.sum())

    @cached_property
    def json_bytes(self) -> float:
        """Bytes of all of them, without CREATE TABLE's."""
        return float(self._row_bytes.sum()) - self._missing(self.versions)

    @cached_property
    def _row_bytes(self) -> Floats:
        """Bytes of the metadata.json of each row of `_written`, with a full metadata log."""
        return self._bytes_of(slice(None), np.ones(1))

    def _bytes_of(self, rows: slice, shares: Floats) -> Floats:
        written, json, full = self._written, self.json, float(self.log_limit)
        growth = written.growth[rows]
        sizes = -written.statistics[rows]  # the first of two versions is without the snapshot's
        for counts, items in written.commits:
            least = items[rows] - growth / 2
            sizes = sizes + counts[rows] * json.mean(least, least + growth * shares, full)
        return (sizes + written.expiries[rows] * json.of(written.items_left[rows], full)) * shares

    def _missing(self, versions: float) -> float:
        """By how much so many first versions are smaller than with a full metadata log: that of each names CREATE's and
        all since.
        """
        full = float(self.log_limit)
        entries = np.arange(1.0, min(full, versions) + 1)
        return float((self.json.of(0.0, full) - self.json.of(0.0, entries)).sum())

    @cached_property
    def _by_row(self) -> tuple[Floats, Floats, Floats, Floats]:
        """By row of `_written`: when its commits end, how many those are, versions and bytes until it begins."""
        starts = self.expiries.commits
        lengths = np.maximum(np.diff(starts, append=self.samples.commits[-1]), 1.0)
        versions, sizes = (np.append(0.0, np.cumsum(one)) for one in (self._written.versions, self._row_bytes))
        return starts + lengths, lengths, versions, sizes

    def json_of(self, snapshots: Floats, versions: Floats | float) -> Floats:
        """Bytes of the metadata.json of the snapshots with these numbers, by how many versions there were before."""
        gone = self._gone_by(snapshots, within=self.expires_within)
        items = self.at(snapshots, self.grown.items) - self._items_gone(gone)
        return self.json.of(items, np.minimum(versions, float(self.log_limit)))

    def retained(self, snapshots: Floats) -> Floats:
        """Snapshots retained by how many were made, before what expires then."""
        return np.asarray(snapshots - self._gone_by(snapshots))

    def _gone_by(self, snapshots: Floats, *, within: bool = False) -> Floats:
        """Snapshots gone when so many had been made, before what expires then, or `within` the same commit too. Of
        several expiries between two rows each lets as many go, after as many more.
        """
        made, gone, turn = self.expiries.made, self.expiries.gone, self.expiries.turn
        place = np.maximum(np.searchsorted(made, snapshots, side="right" if within else "left") - 1, 0)
        until = np.minimum(place + 1, len(made) - 1)
        apart, more = turn[until] - turn[place], made[until] - made[place]
        passed = apart * np.divide(snapshots - made[place], more, out=np.zeros(len(place)), where=more > 0)
        passed = np.floor(passed + ALMOST) if within else np.maximum(np.ceil(passed - ALMOST) - 1, 0.0)
        share = np.divide(passed, apart, out=np.zeros(len(place)), where=apart > 0)
        return np.asarray(gone[place] + share * (gone[until] - gone[place]))

    @cached_property
    def last_json_bytes(self) -> float:
        """Bytes of the current metadata.json."""
        found, last = self.expiries, self.snapshots[-1:]
        items = self.at(last, self.grown.items) - self._items_gone(found.gone[-1:])
        return float(self.json.of(items, min(self.versions, float(self.log_limit)))[0])

    def json_bytes_through(self, commits: float) -> tuple[float, float]:
        """Versions and bytes of the metadata.json written by this commit of the writer, CREATE TABLE's left out."""
        starts, (ends, lengths, versions, sizes) = self.expiries.commits, self._by_row
        done, begun = int(ends.searchsorted(commits, side="right")), int(starts.searchsorted(commits))
        through, size = float(versions[done]), float(sizes[done])
        if begun > done:
            rows = slice(done, begun)
            shares = (commits - starts[rows]) / lengths[rows]
            through += float((self._written.versions[rows] * shares).sum())
            size += float(self._bytes_of(rows, shares).sum())
        return through, size - self._missing(through)

    def json_since(self, event_time_s: float) -> float:
        """Bytes of metadata.json written after an event time."""
        return self.json_bytes - self.json_bytes_through(self.commits_by(event_time_s))[1]

    def merged_by(self, times_s: Floats) -> Floats:
        """Bytes of lists and manifests written by these event times."""
        commits = self._in(np.floor(times_s / self.case.commit_interval_s + SLACK))
        return self.samples.after_commits(commits, self.samples.metadata_bytes)

    # -- what is deleted ------------------------------------------------------------------------------------------

    @property
    def gone(self) -> float:
        """Snapshots expired over the whole history."""
        return float(self.expiries.gone[-1])

    def deleted(self, flow: int) -> float:
        """Of a flow of what left the table, or of lists: how much belongs to expired snapshots alone."""
        if self.gone < 1:
            return 0.0
        if flow == Flow.LIST_BYTES or self._flows_of_expired is None:
            return float(np.interp(self.gone, self.snapshots, self.samples.flows[:, flow]))
        return float(self._flows_of_expired[flow])

    @cached_property
    def _flows_of_expired(self) -> Floats | None:
        """All flows up to the writer's last commit whose snapshot is too old; None if some as old are retained."""
        upkeep = self.case.maintenance.expire_snapshots
        kept = np.ceil((self._last_s - (upkeep.older_than if upkeep else 0.0)) / self.case.commit_interval_s - 1e-6)
        flows = self.samples.flows_after(float(self._in(np.array([max(kept - 1, 0.0)]))[0]))
        return None if flows[Flow.SNAPSHOTS] > self.gone + 0.5 else flows

    @property
    def _last_s(self) -> float:
        """Event time of the last expiry."""
        upkeep = self.case.maintenance.expire_snapshots
        if upkeep is not None and upkeep.every is not None and not self.case.expires_itself:
            return int(self.case.ends_s / upkeep.every + SLACK) * upkeep.every
        return float(self.times_of(self.expiries.commits[-1:])[0])

    def before_expiry(self, turns: slice) -> Floats:
        """The writer's last commit before each of these expiries: where it expires itself, its commit before that."""
        return np.asarray(self.expiries.commits[turns] - self.case.expires_itself)

    def held(self, turns: slice) -> Floats:
        """Bytes of lists and manifests on disk just before these expiries by time, rows of `expiries` but the first."""
        samples, found, upkeep = self.samples, self.expiries, self.case.maintenance.expire_snapshots
        older = (upkeep.older_than if upkeep else 0.0) / self.case.commit_interval_s
        apart = np.diff(found.turn)[turns.start - 1 : turns.stop - 1]
        commits, expired = (
            one[turns] - np.diff(one)[turns.start - 1 : turns.stop - 1] / apart for one in (found.commits, found.gone)
        )  # after the expiry before each
        gone = np.maximum(np.ceil(commits - older - 1e-6) - 1, 0.0)
        made = samples.after_commits(self.before_expiry(turns), samples.kept_bytes)
        lists = self.at(expired, samples.flows[:, Flow.LIST_BYTES])
        return np.asarray(made - samples.after_commits(gone, samples.replaced_bytes) - lists)

    def last_versions(self, count: int) -> float:
        """Bytes of the last `count` metadata.json, the current one among them."""
        return self.versions_until(float(self.snapshots[-1]), self.versions, count)

    def versions_until(self, snapshots: float, versions: float, count: int) -> float:
        """Bytes of the last `count` metadata.json when so many snapshots and versions had been made."""
        back = np.arange(int(min(count, versions)), dtype=np.float64)
        numbers = np.maximum(snapshots - back // self.json.versions_per_commit, 1.0)
        return float(self.json_of(numbers, versions - back).sum())


def _some_of(count: int) -> Floats:
    """Numbers from 1 to `count`: all of them, or of very many all at both ends and some between."""
    if count <= 2 * ALL_TURNS + SOME_TURNS:
        return np.arange(1, count + 1, dtype=np.float64)
    between = np.unique(np.rint(np.linspace(ALL_TURNS + 1, count - ALL_TURNS, SOME_TURNS)))
    first, last = np.arange(1.0, ALL_TURNS + 1), np.arange(count - ALL_TURNS + 1.0, count + 1)
    return np.concatenate([first, between, last])
