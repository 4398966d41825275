"""What expiry and deletion make of a history: snapshots retained at any time, metadata.json written, files deleted.

A snapshot that has gone takes along its list, and what left the table before the oldest snapshot that is left. So what
an expiry deletes is what had been replaced by then, read off the history's curves at an earlier snapshot.
"""

from dataclasses import dataclass
from functools import cached_property
from math import ceil

import numpy as np
from numpy.typing import NDArray

from wasim.scenario import Case
from wasim.scenario.changes import ExpireSnapshots
from wasim.units import Floats
from wasim.years.flows import Flow
from wasim.years.history import Samples
from wasim.years.sizes import MetadataJson

ALL_TURNS = 2_048  # expiries looked at one by one, at either end of a history; between them, some of many
SOME_TURNS = 4_096
SLACK = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Expiries:
    """Some expiries in order: each one's place among all, snapshots made by then, and gone since CREATE TABLE after it.

    The first row stands for the time before any. Rows that are `1` apart in `turn` follow each other.
    """

    turn: Floats
    made: Floats
    gone: Floats
    commits: Floats


@dataclass(frozen=True)
class Retention:
    """The snapshots of a history, made and expired, and the metadata.json that hold them."""

    case: Case
    samples: Samples
    json: MetadataJson
    log_limit: int

    @cached_property
    def snapshots(self) -> Floats:
        """Snapshots made, by sample."""
        return self.samples.flows[:, Flow.SNAPSHOTS]

    @cached_property
    def _items(self) -> Floats:
        """Bytes of all snapshots made and their log entries, by sample."""
        return self.samples.flows[:, Flow.SNAPSHOT_JSON_BYTES] + self.json.snapshot_log_entry * self.snapshots

    @cached_property
    def _items_of_versions(self) -> Floats:
        """The same summed over the metadata.json of every snapshot, by sample, as if nothing expired."""
        made, items = np.diff(self.snapshots), np.diff(self._items)
        return np.concatenate([[0.0], np.cumsum(made * self._items[:-1] + items * (made + 1) / 2)])

    def at(self, snapshots: Floats, column: Floats) -> Floats:
        """A curve of the history once so many snapshots were made."""
        return np.interp(snapshots, self.snapshots, column)

    def made_by(self, commits: Floats) -> Floats:
        """Snapshots made once so many commits of the writer and all that follows them were."""
        return self._after_commits(commits, self.snapshots)

    def _after_commits(self, commits: Floats, column: Floats) -> Floats:
        """A curve of the history once so many commits of the writer and all that follows them were made.

        Maintenance comes at certain commits of a cycle; in the cycles that were leapt over, at the same ones.
        """
        last = self._is_last
        curve = (self.samples.commits[last], column[last])
        found = np.interp(commits, *curve)
        for span in self.samples.spans:
            inside = (commits > span.first) & (commits < span.last)
            if not np.any(inside):
                continue
            cycles = round((span.last - span.first) / span.period)
            since = commits[inside] - span.first
            cycle = np.floor(since / span.period + SLACK)
            within = since - cycle * span.period
            like = np.interp(span.first - span.period + within, *curve)
            before = np.interp(span.first - span.period, *curve)
            ends = np.interp(span.first + cycle / cycles * (span.last - span.first), *curve)
            found[inside] = ends + np.where(within > SLACK, like - before, 0)
        return np.asarray(found)

    @cached_property
    def _is_last(self) -> NDArray[np.bool_]:
        """Which samples are the last of their commit."""
        commits = self.samples.commits
        return np.append(commits[1:] > commits[:-1], True)

    @cached_property
    def expiries(self) -> Expiries:
        """The expiries of the case."""
        upkeep = self.case.maintenance.expire_snapshots
        turns, times_s = np.zeros(0), np.zeros(0)
        if upkeep is not None and upkeep.every is not None:
            turns = _some_of(int(self.case.horizon_s / upkeep.every + SLACK))
            times_s = turns * upkeep.every
        elif upkeep is not None:
            turns, times_s = self._turns_by_count(upkeep)
        interval_s = self.case.commit_interval_s
        commits = np.floor(times_s / interval_s + SLACK)
        made = self.made_by(commits)
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
        interval_s = self.case.commit_interval_s
        oldest_kept = np.ceil((times_s - upkeep.older_than) / interval_s - 1e-6)
        before = np.where(oldest_kept > 0, self.made_by(np.maximum(oldest_kept - 1, 0)), 0.0)
        return np.maximum(0.0, np.minimum(before, made - max(1, upkeep.retain_last)))

    def _turns_by_count(self, upkeep: ExpireSnapshots) -> tuple[Floats, Floats]:
        """Expiries that come as soon as there are so many snapshots: at first one by one, then at their mean pace."""
        least, interval_s = float(upkeep.when_snapshots or 0), self.case.commit_interval_s
        found: list[float] = []
        gone = last = 0.0
        total = self.samples.commits[-1]
        while len(found) < ALL_TURNS:
            reached = float(np.interp(gone + least, self.snapshots, self.samples.commits))
            commit = max(ceil(reached - 1e-6), last + 1)
            if commit > total or gone + least > self.snapshots[-1] + SLACK:
                break
            found.append(commit)
            made = float(self.made_by(np.array([commit]))[0])
            gone = float(self._gone(upkeep, np.array([commit * interval_s]), np.array([made]))[0])
            last = commit
        turns = np.arange(1, len(found) + 1, dtype=np.float64)
        if len(found) == ALL_TURNS:
            pace = (found[-1] - found[ALL_TURNS // 2]) / (ALL_TURNS - 1 - ALL_TURNS // 2)
            more = _some_of(int((total - found[-1]) / pace))
            turns = np.concatenate([turns, ALL_TURNS + more])
            return turns, np.concatenate([found, found[-1] + np.floor(more * pace)]) * interval_s
        return turns, np.array(found) * interval_s

    # -- metadata.json -------------------------------------------------------------------------------------------

    @cached_property
    def _steps(self) -> tuple[Floats, Floats, Floats]:
        """By row of `expiries` and one for the end: versions, bytes of their items, expiries that changed something."""
        found = self.expiries
        made = np.append(found.made, self.snapshots[-1])
        gone, between = found.gone, np.append(np.diff(found.turn), 1.0)
        items_gone = self.at(gone, self._items)
        # of several expiries in a group each takes away more than the one before, evenly
        last_gone = np.append(gone[1:], gone[-1])
        share = np.where(between > 1, (between - 1) / (2 * np.maximum(between, 1)), 0.0)
        items_missing = items_gone + share * (self.at(last_gone, self._items) - items_gone)
        kept = np.diff(self.at(made, self._items_of_versions)) - items_missing * np.diff(made)
        effective = np.minimum(np.diff(found.turn), np.diff(gone))
        own = effective * (self.at(found.made[1:], self._items) - self.at(gone[1:], self._items))
        versions = np.diff(made) + np.append(effective, 0.0)
        return versions, kept + np.append(own, 0.0), effective

    @property
    def versions(self) -> float:
        """metadata.json written after the one of CREATE TABLE."""
        return float(self._steps[0].sum())

    @property
    def json_bytes(self) -> float:
        """Bytes of all of them, without CREATE TABLE's."""
        versions, items, _ = self._steps
        return self._weigh(float(versions.sum()), float(items.sum()) + self._logged(float(versions.sum())))

    def _weigh(self, versions: float, items: float) -> float:
        return versions * self.json.of(0.0) + (self.json.of(1.0) - self.json.of(0.0)) * items

    def _logged(self, versions: float) -> float:
        """Bytes of the metadata log's entries in so many versions: the first names CREATE's alone."""
        full = max(0.0, versions - self.log_limit)
        growing = versions - full
        return self.json.log_entry * (growing * (growing + 1) / 2 + full * self.log_limit)

    def json_of(self, snapshots: Floats, versions: Floats | float) -> Floats:
        """Bytes of the metadata.json of the snapshots with these numbers, with so many versions before."""
        found = self.expiries
        place = np.maximum(np.searchsorted(found.made, snapshots, side="left") - 1, 0)
        items = self.at(snapshots, self._items) - self.at(found.gone[place], self._items)
        logged = self.json.log_entry * np.minimum(versions, self.log_limit)
        return np.asarray(self.json.of(0.0) + (self.json.of(1.0) - self.json.of(0.0)) * (items + logged))

    def retained(self, snapshots: Floats) -> Floats:
        """Snapshots retained once so many were made, before what expires then."""
        found = self.expiries
        place = np.maximum(np.searchsorted(found.made, snapshots, side="left") - 1, 0)
        return np.asarray(snapshots - found.gone[place])

    @cached_property
    def last_json_bytes(self) -> float:
        """Bytes of the current metadata.json."""
        found, last = self.expiries, self.snapshots[-1:]
        items = self.at(last, self._items) - self.at(found.gone[-1:], self._items)
        logged = self.json.log_entry * min(self.versions, self.log_limit)
        return float(self.json.of(0.0) + (self.json.of(1.0) - self.json.of(0.0)) * (items[0] + logged))

    def json_bytes_through(self, commits: float) -> tuple[float, float]:
        """Versions and bytes of the metadata.json written by this commit of the writer, CREATE TABLE's left out."""
        versions, items, _ = self._steps
        ends = np.append(self.expiries.commits[1:], self.samples.commits[-1])
        starts = self.expiries.commits
        share = np.clip((commits - starts) / np.maximum(ends - starts, 1.0), 0.0, 1.0)
        written = float((versions * share).sum())
        return written, self._weigh(written, float((items * share).sum()) + self._logged(written))

    # -- what is deleted ------------------------------------------------------------------------------------------

    @property
    def gone(self) -> float:
        """Snapshots expired over the whole history."""
        return float(self.expiries.gone[-1])

    def deleted(self, flow: int) -> float:
        """Of a flow of what left the table, or of lists: how much belongs to expired snapshots alone."""
        if self.gone < 1:
            return 0.0
        column = self.samples.flows[:, flow]
        if flow == Flow.LIST_BYTES:
            return float(self.at(np.array([self.gone]), column)[0])
        upkeep = self.case.maintenance.expire_snapshots
        kept = np.ceil((self._last_s - (upkeep.older_than if upkeep else 0.0)) / self.case.commit_interval_s - 1e-6)
        before = self._after_commits(np.array([max(kept - 1, 0.0)]), column)[0]
        if self.made_by(np.array([max(kept - 1, 0.0)]))[0] > self.gone + 0.5:  # more are retained for their number
            return float(self.at(np.array([self.gone]), column)[0])
        return float(before)

    @property
    def _last_s(self) -> float:
        """Event time of the last expiry."""
        upkeep = self.case.maintenance.expire_snapshots
        if upkeep is not None and upkeep.every is not None:
            return int(self.case.horizon_s / upkeep.every + SLACK) * upkeep.every
        return float(self.expiries.commits[-1]) * self.case.commit_interval_s

    def last_versions(self, count: int) -> float:
        """Bytes of the last so many metadata.json, the current one among them."""
        count = int(min(count, self.versions))
        numbers = np.maximum(self.snapshots[-1] - np.arange(count), 1.0)
        return float(self.json_of(numbers, self.versions).sum())


def _some_of(count: int) -> Floats:
    """Numbers from 1 to `count`: all of them, or of very many all at both ends and some between."""
    if count <= 2 * ALL_TURNS + SOME_TURNS:
        return np.arange(1, count + 1, dtype=np.float64)
    between = np.unique(np.rint(np.linspace(ALL_TURNS + 1, count - ALL_TURNS, SOME_TURNS)))
    first, last = np.arange(1.0, ALL_TURNS + 1), np.arange(count - ALL_TURNS + 1.0, count + 1)
    return np.concatenate([first, between, last])
