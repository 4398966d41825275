"""Who wins when several writers commit at once: the times of their attempts, and which of them another one beat.

Each writer takes its commits in turn. A commit is work (its data files are written), then attempts: each reads the
table, prepares its files, and swaps the table's pointer if nobody has moved it since. A lost one waits and begins
again, as Iceberg's `Tasks` does. When a catalog notices follows from its `ConflictRule`. Nothing here knows what is in
a file.
"""

import heapq
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from wasim.iceberg.properties import TableProperties
from wasim.scenario import Case
from wasim.twin.conflicts import CONFLICT_RULES, ConflictRule
from wasim.twin.profile import WriterProfile
from wasim.twin.writer_times import Part, WriterTimes, times_among
from wasim.workload import Append

_JITTER = 0.1  # of a wait, at most
_BEGIN, _CHECK, _SWAP = range(3)


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """How often a lost commit is tried again, and after which waits."""

    retries: int
    least_wait_ms: int
    most_wait_ms: int
    most_total_ms: int

    def wait_ms(self, attempt: int) -> int:
        """The wait after this many attempts, without its jitter."""
        return int(min(self.least_wait_ms * 2 ** (attempt - 1), self.most_wait_ms))


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One attempt of the commit with this number, which read the table after `base` commits. Seconds from the start;
    `began_s` is when the commit's work began. One that was `refused` was lost before its metadata.json was written.
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


def retry_policy(properties: TableProperties) -> RetryPolicy:
    """The policy that a table's properties set."""
    return RetryPolicy(
        retries=properties.commit_num_retries,
        least_wait_ms=properties.commit_min_retry_wait_ms,
        most_wait_ms=properties.commit_max_retry_wait_ms,
        most_total_ms=properties.commit_total_retry_time_ms,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RaceRules:
    """How many writers race, what they take, how often they try again, and when their catalog notices."""

    writers: int
    times: WriterTimes
    policy: RetryPolicy
    rule: ConflictRule


def race(commits: Sequence[int], due_s: Sequence[float], rules: RaceRules, rng: np.random.Generator) -> list[Attempt]:
    """All attempts of these commits, in the order in which they came to swap.

    Commit n is made by writer n mod `writers`, and begins no earlier than it is due, in seconds from the start.
    """
    return _Race(commits, due_s, rules, rng).run()


def race_of(
    case: Case, profile: WriterProfile, step: Append, *, passed_s: float, rng: np.random.Generator
) -> list[Attempt]:
    """The attempts of a run of appends by several writers, which begins `passed_s` after the case."""
    commits = range(step.first_commit, step.first_commit + step.commits)
    waits = case.clock == "real"
    rules = RaceRules(
        writers=case.writer.writers,
        times=times_among(profile.together, case.environment.catalog, case.writer.writers),
        policy=retry_policy(TableProperties.read(case.table.properties)),
        rule=CONFLICT_RULES[case.environment.catalog],
    )
    due_s = [commit * case.commit_interval_s - passed_s if waits else 0.0 for commit in commits]
    return race(commits, due_s, rules, rng)


@dataclass(slots=True)
class _Turn:
    """A commit in flight."""

    commit: int
    number: int
    began_s: float
    asked_s: float  # when it first read the table
    base: int
    read_s: float
    written_s: float = 0.0  # when its attempt has written its metadata.json


@dataclass(slots=True)
class _Queue:
    """What a writer has still to do."""

    commits: list[tuple[int, float]] = field(default_factory=list)  # the next one last
    turn: _Turn | None = None


class _Race:
    def __init__(
        self, commits: Sequence[int], due_s: Sequence[float], rules: RaceRules, rng: np.random.Generator
    ) -> None:
        self._times, self._policy, self._rule, self._rng = rules.times, rules.policy, rules.rule, rng
        self._queues = [_Queue() for _ in range(rules.writers)]
        for commit, due in sorted(zip(commits, due_s, strict=True), reverse=True):
            self._queues[commit % rules.writers].commits.append((commit, due))
        self._events: list[tuple[float, int, int, int]] = []  # time, order, what, writer
        self._order = 0
        self._landed = 0
        self._attempts: list[Attempt] = []

    def run(self) -> list[Attempt]:
        for writer in range(len(self._queues)):
            self._next_commit(writer, 0.0)
        then = {_BEGIN: self._read, _CHECK: self._check, _SWAP: self._swap}
        while self._events:
            at_s, _, what, writer = heapq.heappop(self._events)
            then[what](writer, at_s)
        return self._attempts

    def _at(self, at_s: float, what: int, writer: int) -> None:
        self._order += 1
        heapq.heappush(self._events, (at_s, self._order, what, writer))

    def _next_commit(self, writer: int, at_s: float) -> None:
        queue = self._queues[writer]
        if not queue.commits:
            return
        commit, due_s = queue.commits.pop()
        began_s = max(at_s, due_s)
        asked_s = began_s + self._draw("work_s")
        queue.turn = _Turn(commit=commit, number=1, began_s=began_s, asked_s=asked_s, base=0, read_s=asked_s)
        self._at(asked_s, _BEGIN, writer)

    def _read(self, writer: int, at_s: float) -> None:
        turn, rule = self._turn(writer), self._rule
        turn.base, turn.read_s = self._landed, at_s
        part: Part = "first_attempt_s" if turn.number == 1 else "later_attempt_s"
        turn.written_s = at_s + self._draw(part)
        if rule.checks_first:
            self._at(max(at_s, turn.written_s - self._draw("write_s")), _CHECK, writer)
        else:
            self._at(turn.written_s + (0.0 if rule.swaps_by_writing else self._draw("finish_s")), _SWAP, writer)

    def _check(self, writer: int, at_s: float) -> None:
        """A server looks before it writes the metadata.json."""
        turn = self._turn(writer)
        if turn.base != self._landed:
            self._end(writer, at_s, refused=True)
        else:
            self._at(turn.written_s + self._draw("finish_s"), _SWAP, writer)

    def _swap(self, writer: int, at_s: float) -> None:
        self._end(writer, at_s)

    def _end(self, writer: int, at_s: float, *, refused: bool = False) -> None:
        turn = self._turn(writer)
        won = turn.base == self._landed
        total_ms = (at_s - turn.asked_s) * 1000
        out_of_time = total_ms > self._policy.most_total_ms and turn.number > 1
        failed = not won and (turn.number > self._policy.retries or out_of_time)
        self._attempts.append(
            Attempt(
                commit=turn.commit,
                began_s=turn.began_s,
                number=turn.number,
                base=turn.base,
                read_s=turn.read_s,
                swap_s=at_s,
                won=won,
                failed=failed,
                refused=refused,
            )
        )
        self._landed += won
        if won or failed:
            finish_s = self._draw("finish_s") if won and self._rule.swaps_by_writing else 0.0
            self._next_commit(writer, at_s + finish_s)
            return
        wait_ms = self._policy.wait_ms(turn.number)
        jitter_ms = int(self._rng.integers(max(1, int(wait_ms * _JITTER))))
        turn.number += 1
        # what a later attempt takes was measured from when the lost one had written its metadata.json
        self._at(max(at_s, turn.written_s + (wait_ms + jitter_ms) / 1000), _BEGIN, writer)

    def _draw(self, part: Part) -> float:
        return self._times.draw(part, self._rng)

    def _turn(self, writer: int) -> _Turn:
        turn = self._queues[writer].turn
        if turn is None:
            raise AssertionError("a writer swaps only what it has begun")
        return turn
