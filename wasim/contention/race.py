"""A race of concurrent writers: when each attempt reads and swaps, and which attempts lose to another commit.

Each writer makes its commits in turn. A commit is work (its data files are written), then attempts: each reads the
table, prepares its files, and swaps the table's pointer if nobody has moved it since. A lost one waits and retries,
as Iceberg's `Tasks` does. When the catalog detects that it is stale follows from its `ConflictRule`. A race knows
nothing of files, so it costs the same for any table.
"""

import heapq
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import NamedTuple

import numpy as np

from wasim.contention.conflicts import CONFLICT_RULES, JITTER, ConflictRule, RetryPolicy, retry_policy
from wasim.contention.providers import load_providers
from wasim.contention.writer_times import Part, WriterTimes, arrivals_of, due_s, times_among
from wasim.iceberg.properties import TableProperties
from wasim.scenario import Case
from wasim.units import MIB
from wasim.workload import Append

_DRAWN_AT_ONCE = 256
SNAPSHOT_BYTES = 1000.0  # in metadata.json, its entry in the log included: some 900 to 1,050 of any writer


class Attempt(NamedTuple):
    """One attempt of the commit with this number, which read the table after `base` commits. Seconds from the start;
    `began_s` is when the commit's work began. One that was `refused` was lost before its metadata.json was written;
    one that was `invalid` failed its validation against a landed commit, and is not retried.

    A tuple, not a dataclass: races make a hundred thousand of them.
    """

    commit: int
    began_s: float
    number: int  # from 1
    base: int
    read_s: float
    swap_s: float
    won: bool
    failed: bool = False  # lost, and not repeated
    refused: bool = False
    invalid: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class WriterGroup:
    """Writers of one kind that make commits in turn: their number, and the times of their commits.

    Where it `validates`, each attempt reads what has landed since its work began, `validation_s` for each such commit.
    `clashes[g]` is the probability that a commit of group g conflicts with the statement: it then restarts, work
    included, if it `redoes`, and fails otherwise.
    """

    writers: int
    times: WriterTimes
    validates: bool = False
    validation_s: float = 0.0
    clashes: tuple[float, ...] = ()
    redoes: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RaceRules:
    """The groups that race, their retries, and how their catalog handles a stale commit.

    `slows_s` is how much longer an attempt takes for each commit that has landed, as metadata.json grows by it.
    """

    groups: tuple[WriterGroup, ...]
    policy: RetryPolicy
    rule: ConflictRule
    slows_s: float = 0.0

    def after(self, landed: float) -> "RaceRules":
        """The rules once this many commits have landed."""
        grown_s = self.slows_s * landed
        return replace(self, groups=tuple(replace(one, times=one.times.slower_by(grown_s)) for one in self.groups))


def race(
    commits: Sequence[int],
    due_s: Sequence[float],
    rules: RaceRules,
    rng: np.random.Generator,
    *,
    group_of: Sequence[int] | None = None,
) -> list[Attempt]:
    """All attempts of these commits, in the order of their swaps.

    Commit n is made by writer n mod writers of its group (the first one unless `group_of` says otherwise), and begins
    no earlier than it is due, in seconds from the start.
    """
    return _Race(rules, _writers(commits, due_s, rules, group_of, rng), rng).run()


def race_of(
    case: Case, together: Sequence[WriterTimes], step: Append, *, passed_s: float, rng: np.random.Generator
) -> list[Attempt]:
    """The attempts of a step of appends by several writers, which begins `passed_s` seconds after the case."""
    commits = range(step.first_commit, step.first_commit + step.commits)
    every_s, arrivals = case.commit_interval_s, arrivals_of(case, None)
    due = due_s(arrivals, every_s, step.commits, case.writer.writers, rng)
    if arrivals in {"evenly", "at_once"}:  # random ones have no memory
        due = due + (step.first_commit - 1) * every_s - passed_s
    return race(commits, due.tolist(), rules_of(case, together), rng)


def rules_of(case: Case, together: Sequence[WriterTimes]) -> RaceRules:
    """The rules of a case's race, with the times measured in its catalog, interpolated to its number of writers."""
    catalog, writers = case.environment.catalog, case.writer.writers
    times = times_among(together, catalog, writers)
    slows = load_providers().engine.ms_per_mib if times.ms_per_mib is None else times.ms_per_mib
    return RaceRules(
        groups=(WriterGroup(writers=writers, times=times),),
        policy=retry_policy(TableProperties.read(case.table.properties)),
        rule=CONFLICT_RULES[catalog],
        slows_s=slows / 1000 * SNAPSHOT_BYTES / MIB,
    )


@dataclass(slots=True, kw_only=True)
class _Times:
    """Times of a group's writers, drawn many at once: one by one that would take most of a race's time."""

    times: WriterTimes
    rng: np.random.Generator
    drawn: dict[Part, list[float]] = field(default_factory=dict)

    def draw(self, part: Part) -> float:
        """A time in seconds."""
        left = self.drawn.get(part)
        if not left:
            left = self.drawn[part] = self.times.draw(part, self.rng, _DRAWN_AT_ONCE).tolist()
        return left.pop()


@dataclass(slots=True, kw_only=True)
class _Writer:
    """A writer, its remaining commits, and the one in flight."""

    place: int  # of its group
    group: WriterGroup
    draw: Callable[[Part], float]  # seconds
    queue: list[tuple[int, float]] = field(default_factory=list)  # commit, due; the next one last
    commit: int = 0
    number: int = 1
    began_s: float = 0.0
    asked_s: float = 0.0  # when the commit first read the table
    base: int = 0
    read_s: float = 0.0
    written_s: float = 0.0  # when its attempt has written its metadata.json
    seen: tuple[int, ...] = ()  # commits landed, by group, when its work began
    validated: tuple[int, ...] = ()  # and when it last validated


def _writers(
    commits: Sequence[int],
    due_s: Sequence[float],
    rules: RaceRules,
    group_of: Sequence[int] | None,
    rng: np.random.Generator,
) -> list[_Writer]:
    by_group = []
    for place, group in enumerate(rules.groups):
        draw = _Times(times=group.times, rng=rng).draw
        by_group.append([_Writer(place=place, group=group, draw=draw) for _ in range(group.writers)])
    numbers = [count() for _ in rules.groups]
    for place, (commit, due) in enumerate(zip(commits, due_s, strict=True)):
        of = 0 if group_of is None else group_of[place]
        turn = commit if group_of is None else next(numbers[of])
        by_group[of][turn % len(by_group[of])].queue.append((commit, due))
    for writers in by_group:
        for writer in writers:
            writer.queue.reverse()
    return [writer for writers in by_group for writer in writers]


_Then = Callable[[_Writer, float], None]


class _Race:
    def __init__(self, rules: RaceRules, writers: list[_Writer], rng: np.random.Generator) -> None:
        self._policy, self._rule, self._rng, self._writers = rules.policy, rules.rule, rng, writers
        self._slows_s = rules.slows_s
        self._events: list[tuple[float, int, _Then, _Writer]] = []
        self._order = count()
        self._landed = 0
        self._landed_by = [0] * len(rules.groups)
        self._attempts: list[Attempt] = []

    def run(self) -> list[Attempt]:
        for writer in self._writers:
            self._next_commit(writer, 0.0)
        while self._events:
            at_s, _, then, writer = heapq.heappop(self._events)
            then(writer, at_s)
        return self._attempts

    def _at(self, at_s: float, then: _Then, writer: _Writer) -> None:
        heapq.heappush(self._events, (at_s, next(self._order), then, writer))

    def _next_commit(self, writer: _Writer, at_s: float) -> None:
        if not writer.queue:
            return
        writer.commit, due_s = writer.queue.pop()
        if writer.group.validates:  # what has landed counts from the very moment that the work begins
            self._at(max(at_s, due_s), self._work, writer)
        else:
            self._work(writer, max(at_s, due_s))

    def _work(self, writer: _Writer, at_s: float) -> None:
        writer.began_s, writer.number = at_s, 1
        writer.asked_s = at_s + writer.draw("work_s")
        writer.seen = writer.validated = tuple(self._landed_by)
        self._at(writer.asked_s, self._read, writer)

    def _read(self, writer: _Writer, at_s: float) -> None:
        rule = self._rule
        writer.base, writer.read_s = self._landed, at_s
        if writer.group.validates:
            at_s += writer.group.validation_s * (self._landed - sum(writer.seen))
            if self._is_invalid(writer):
                self._at(at_s, self._discard, writer)
                return
        part: Part = "first_attempt_s" if writer.number == 1 else "later_attempt_s"
        writer.written_s = at_s + writer.draw(part) + self._slows_s * self._landed
        if rule.checks_first:
            self._at(max(at_s, writer.written_s - writer.draw("write_s")), self._check, writer)
        else:
            self._at(writer.written_s + (0.0 if rule.swaps_by_writing else writer.draw("finish_s")), self._end, writer)

    def _is_invalid(self, writer: _Writer) -> bool:
        """Whether a commit that has landed since the last look makes the statement invalid."""
        landed, stands = tuple(self._landed_by), 1.0
        for clash, now, before in zip(writer.group.clashes, landed, writer.validated, strict=True):
            stands *= (1 - clash) ** (now - before)
        writer.validated = landed
        return stands < 1 and self._rng.random() >= stands

    def _discard(self, writer: _Writer, at_s: float) -> None:
        """Restarts an invalid statement, or fails it: `Tasks` does not retry a failed validation."""
        redoes = writer.group.redoes
        self._enter(writer, at_s, won=False, failed=not redoes, refused=True, invalid=True)
        if redoes:
            self._work(writer, at_s)
        else:
            self._next_commit(writer, at_s)

    def _check(self, writer: _Writer, at_s: float) -> None:
        """The server checks the base before it writes the metadata.json."""
        if writer.base != self._landed:
            self._end(writer, at_s, refused=True)
        else:
            self._at(writer.written_s + writer.draw("finish_s"), self._end, writer)

    def _end(self, writer: _Writer, at_s: float, *, refused: bool = False) -> None:
        won = writer.base == self._landed
        failed = not won and self._policy.gives_up(writer.number, (at_s - writer.asked_s) * 1000)
        self._enter(writer, at_s, won=won, failed=failed, refused=refused)
        if won or failed:
            self._landed += won
            self._landed_by[writer.place] += won
            finish_s = writer.draw("finish_s") if won and self._rule.swaps_by_writing else 0.0
            self._next_commit(writer, at_s + finish_s)
            return
        wait_ms = self._policy.wait_ms(writer.number)
        jitter_ms = int(self._rng.random() * max(1, int(wait_ms * JITTER)))
        writer.number += 1
        # what a later attempt takes was measured from when the lost one had written its metadata.json
        self._at(max(at_s, writer.written_s + (wait_ms + jitter_ms) / 1000), self._read, writer)

    def _enter(
        self, writer: _Writer, at_s: float, *, won: bool, failed: bool, refused: bool, invalid: bool = False
    ) -> None:
        self._attempts.append(
            Attempt(
                writer.commit,
                writer.began_s,
                writer.number,
                writer.base,
                writer.read_s,
                at_s,
                won,
                failed,
                refused,
                invalid,
            )
        )
