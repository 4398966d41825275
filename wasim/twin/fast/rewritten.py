"""The history of fast appends whose manifests are rewritten, by period or by count.

A rewrite finds what the one before left, and what arrived since. As long as it leaves as many manifests as that one,
those after it differ in bytes alone, which grow evenly: they are one stretch, however many. So a history costs what
its manifests are, not its commits.
"""

from bisect import bisect_right
from collections.abc import Sequence
from fractions import Fraction
from math import ceil, floor
from typing import NamedTuple

from wasim.twin.fast.appended import FIRST_TURN
from wasim.twin.fast.history import (
    REWRITE_MANIFESTS,
    TURN_WIDTH,
    TableHistory,
    replacements_of,
    turns_of,
)
from wasim.twin.fast.maintained_model import MaintainedModel
from wasim.twin.fast.recurring import Rows
from wasim.twin.fast.summaries import mean_digits_of_manifests
from wasim.twin.manifest_rewriting import refuse_several_partitioned


class _Round(NamedTuple):
    """The commits at which rewrites fall due, one after the other, and how often they may come again.

    The first falls due at `event_time_s`, each other `every_s` later, and all of them again after so many `commits`.
    """

    due: Sequence[int]
    event_time_s: float
    every_s: float
    commits: int
    most: int


class _Rewrite(NamedTuple):
    """What one due finds: manifests, their bytes, and what it makes of them, if it is due at all."""

    commit: int
    event_time_s: float
    found: int
    found_bytes: float
    made: int
    is_due: bool


def rewritten_history(model: MaintainedModel) -> TableHistory:
    """The history of fast appends whose manifests are rewritten when due."""
    walk = _Walk(model)
    while (ahead := walk.ahead()) is not None:
        walk.go(ahead)
    commits, appends, turns = model.upkeep.commits, model.appends, turns_of(walk.turns)
    replacements = replacements_of(walk.replacements)
    return TableHistory(
        commits=commits,
        files_per_commit=appends.files_per_commit,
        data_bytes_per_commit=appends.data_bytes_per_commit,
        turns=turns,
        replacements=replacements,
        unused=walk.staged,
        unused_bytes=walk.staged_bytes,
        data_files_rewritten=0,
        data_bytes_rewritten=0.0,
        mean_digits=mean_digits_of_manifests(turns, commits + len(replacements)) if len(replacements) else 0.0,
    )


class _Walk:
    """A table after some commits and rewrites: `live` manifests, `past` dues."""

    def __init__(self, model: MaintainedModel) -> None:
        self.model, self.laws, self.target = model, model.manifests, model.appends.target_manifest_bytes
        self.entry_bytes = model.appends.files_per_commit * self.laws.rewritten.each  # of one commit's files
        self.commits = self.live = self.past = self.made = 0
        staged = self.laws.staged
        self.staged_entry_bytes = model.appends.files_per_commit * staged.each if staged is not None else 0.0
        self.spared = 0.0  # by lists since the last turn
        self.staged, self.staged_bytes = 0, 0.0  # what rewrites copied manifests from, and deleted
        self.turns, self.replacements = Rows(TURN_WIDTH), Rows(5)
        self.turns.append(FIRST_TURN)
        self.wider = _commits_of_more_digits(model)
        upkeep, rewriting = model.upkeep, model.upkeep.maintenance.rewrite_manifests
        self.by_count = rewriting.when_manifests if rewriting is not None else None
        self.every_s = rewriting.every if rewriting is not None else None
        self.dues = upkeep.dues_count(self.every_s)
        # after so many dues, they come at as many commits from each other again
        apart = Fraction(repr(self.every_s or 0.0)) / Fraction(repr(upkeep.commit_interval_s))
        self.of_round, self.of_round_commits = apart.denominator, apart.numerator

    def ahead(self) -> _Round | None:
        """The next dues; None where there are no more."""
        upkeep = self.model.upkeep
        if self.by_count is not None:
            # once what a rewrite makes is too many by itself, every commit calls for one
            step = max(1, self.by_count - self.live)
            due, time_s = self.commits + step, (self.commits + step) * upkeep.commit_interval_s
            most = (upkeep.commits - self.commits) // step
            if not most:
                return None
            return _Round(due=[due], event_time_s=time_s, every_s=0.0, commits=step, most=most)
        if self.past == self.dues or self.every_s is None:
            return None
        due_s = (self.past + 1) * self.every_s
        last = min(self.past + self.of_round, self.dues)
        commits = [upkeep.commits_by(number * self.every_s) for number in range(self.past + 1, last + 1)]
        most = max(1, (self.dues - self.past) // self.of_round)
        return _Round(due=commits, event_time_s=due_s, every_s=self.every_s, commits=self.of_round_commits, most=most)

    def go(self, ahead: _Round) -> None:
        """Carries out the rewrites of a round, and of as many more as are like it."""
        done, before, live = [], self.commits, self.live
        for number, commit in enumerate(ahead.due):
            done.append(self._rewrite(commit, before, live, ahead.event_time_s + number * ahead.every_s))
            before, live = commit, done[-1].made
        rounds, spared = 1, next((self._spared(one.made) for one in reversed(done) if one.is_due), self.spared)
        if ahead.most > 1 and live == self.live and spared == self.spared:
            rounds = min(ahead.most, *(self._rounds_alike(one, ahead.commits) for one in done))
        self._note([one for one in done if one.is_due], ahead, rounds)
        self.commits, self.live, self.spared = before + (rounds - 1) * ahead.commits, live, spared
        self.past += rounds * len(ahead.due)

    def _rewrite(self, commit: int, before: int, live: int, event_time_s: float) -> _Rewrite:
        arrived, entries = commit - before, commit * self.model.appends.files_per_commit
        found = live + arrived
        size = live * self.laws.rewritten.fixed + before * self.entry_bytes + arrived * self.laws.new_bytes
        is_due = found > 1 or size > self.target
        made = min(max(ceil(size / self.target), 1), max(entries, 1)) if is_due else found
        if is_due and made > 1 and self.model.is_partitioned:
            refuse_several_partitioned(size, self.target)
        return _Rewrite(commit, event_time_s, found, size, made, is_due)

    def _rounds_alike(self, one: _Rewrite, commits: int) -> int:
        """Rounds of so many commits in which this rewrite makes as many manifests, and takes as many digits."""
        entries, more = one.commit * self.model.appends.files_per_commit, commits * self.entry_bytes
        wanted = max(ceil(one.found_bytes / self.target), 1)
        if one.is_due and wanted > entries:
            return 1
        rounds = 1 + max(0, floor((wanted * self.target - one.found_bytes) / more))
        place = bisect_right(self.wider, one.commit)
        if place < len(self.wider):
            rounds = min(rounds, -(-(self.wider[place] - one.commit) // commits))
        return rounds

    def _note(self, done: Sequence[_Rewrite], ahead: _Round, rounds: int) -> None:
        snapshots, bytes_more = ahead.commits + len(done), ahead.commits * self.entry_bytes
        self._note_staged(done, ahead.commits, rounds)
        turns = [self._turn(one, number) for number, one in enumerate(done, self.made + 1)]
        each = [self._replacement(one, number) for number, one in enumerate(done, self.made + 1)]
        if rounds == 1:
            for turn, replacement in zip(turns, each, strict=True):
                self.turns.append(turn)
                self.replacements.append(replacement)
        elif done:
            round_s = ahead.commits * self.model.upkeep.commit_interval_s
            written_more = bytes_more + ahead.commits * self.staged_entry_bytes
            self.turns.again(turns, (snapshots, 0.0, 0.0, written_more, 0.0, bytes_more, 0.0), rounds)
            self.replacements.again(each, (snapshots, ahead.commits, round_s, 0.0, 0.0), rounds)
        self.made += rounds * len(done)

    def _turn(self, one: _Rewrite, number: int) -> tuple[float, ...]:
        made, entries = one.made, one.commit * self.entry_bytes
        staged, staged_bytes = self._staged(one)
        made_bytes = made * self.laws.rewritten.fixed + entries + staged_bytes
        return one.commit + number, made, made + staged, made_bytes, one.found, one.found_bytes, self._spared(made)

    def _spared(self, made: int) -> float:
        """Bytes that lists save of so many manifests that one rewrite made."""
        return made * self.laws.rewritten_spares if made > 1 else self.laws.rewritten_alone_spares

    def _staged(self, one: _Rewrite) -> tuple[int, float]:
        """Manifests that a rewrite copies its own from, where it does, and their bytes."""
        staged = self.laws.staged
        if staged is None:
            return 0, 0.0
        return one.made, one.made * staged.fixed + one.commit * self.staged_entry_bytes

    def _note_staged(self, done: Sequence[_Rewrite], commits: int, rounds: int) -> None:
        for one in done:
            staged, staged_bytes = self._staged(one)
            self.staged += rounds * staged
            grown = commits * self.staged_entry_bytes * rounds * (rounds - 1) / 2
            self.staged_bytes += rounds * staged_bytes + grown

    def _replacement(self, one: _Rewrite, number: int) -> tuple[float, ...]:
        digits = 3 + bisect_right(self.wider, one.commit) + len(str(one.found))
        return one.commit + number, one.commit, one.event_time_s, REWRITE_MANIFESTS, digits


def _growing(model: MaintainedModel, commit: int) -> tuple[int, int, int]:
    """The numbers in a rewrite's summary that grow with every commit."""
    appends = model.appends
    size = round(commit * appends.data_bytes_per_commit)
    return commit * appends.rows_per_commit, commit * appends.files_per_commit, size


def _commits_of_more_digits(model: MaintainedModel) -> list[int]:
    """The commits by which one of those numbers, each of one digit at first, takes another; ascending."""
    found, last = [], model.upkeep.commits
    for place, number in enumerate(_growing(model, last)):
        low = 1
        for digits in range(1, len(str(number))):
            high = last
            while low < high:
                middle = (low + high) // 2
                if _growing(model, middle)[place] >= 10**digits:
                    high = middle
                else:
                    low = middle + 1
            found.append(low)
    return sorted(found)
