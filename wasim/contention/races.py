"""A race of concurrent writers: when each attempt reads and swaps, and which attempts lose to another commit.

Each writer makes its commits in turn. A commit is work (its data files are written), then attempts: each reads the
table, prepares its files, and swaps the table's pointer if nobody has moved it since. A lost one waits and retries,
as Iceberg's `Tasks` does. When the catalog detects that it is stale follows from its `ConflictRule`. A race knows
nothing of files, so it costs the same for any table.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wasim.compiled import compiled
from wasim.contention import conflicts
from wasim.contention import race_steps as steps
from wasim.contention.conflicts import ConflictRule, conflict_rule
from wasim.contention.providers import load_providers
from wasim.contention.writer_times import PARTS, WriterTimes, arrivals_of, due_s, times_among
from wasim.iceberg.properties import TableProperties
from wasim.scenario import Case
from wasim.units import MIB, Floats, Ints
from wasim.workload import Append

_ATTEMPTS_AT_ONCE, _DRAWN_AT_ONCE = 2048, 8192
# Commits raced by a process as the steps stand, before it pays to load what was compiled, or to compile
BEFORE_LOADING, BEFORE_COMPILING = 50_000, 1_000_000
SNAPSHOT_BYTES = 1000.0  # in metadata.json, its entry in the log included: some 900 to 1,050 of any writer


class Attempt(NamedTuple):
    """One attempt of the commit with this number, which read the table after `base` commits. Seconds from the start;
    `began_s` is when the commit's work began. One that was `refused` was lost before its metadata.json was written;
    one that was `invalid` failed its validation against a landed commit, and is not retried.
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
class Attempts:
    """The attempts of a race in the order of their swaps, as columns: a race makes a hundred thousand of them."""

    commit: Ints
    began_s: Floats
    number: Ints
    base: Ints
    read_s: Floats
    swap_s: Floats
    won: NDArray[np.bool_]
    failed: NDArray[np.bool_]
    refused: NDArray[np.bool_]
    invalid: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.commit)

    def __iter__(self) -> Iterator[Attempt]:
        columns = (getattr(self, name).tolist() for name in Attempt._fields)
        return map(Attempt._make, zip(*columns, strict=True))

    def of(self, chosen: NDArray[np.bool_]) -> "Attempts":
        """The chosen ones."""
        return Attempts(**{name: getattr(self, name)[chosen] for name in Attempt._fields})


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
    """The groups that race, their table's properties of retries, and how their catalog handles a stale commit.

    `slows_s` is how much longer an attempt takes for each commit that has landed, as metadata.json grows by it.
    """

    groups: tuple[WriterGroup, ...]
    properties: TableProperties
    rule: ConflictRule
    slows_s: float = 0.0

    def after(self, landed: float) -> "RaceRules":
        """The rules once this many commits have landed."""
        grown_s = self.slows_s * landed
        return replace(self, groups=tuple(replace(one, times=one.times.slower_by(grown_s)) for one in self.groups))


def race(
    commits: Sequence[int] | Ints,
    due_s: Sequence[float] | Floats,
    rules: RaceRules,
    rng: np.random.Generator,
    *,
    group_of: Sequence[int] | Ints | None = None,
) -> Attempts:
    """All attempts of these commits, in the order of their swaps.

    Commit n is made by writer n mod writers of its group (the first one unless `group_of` says otherwise), and begins
    no earlier than it is due, in seconds from the start.
    """
    groups, numbers = rules.groups, np.asarray(commits, dtype=int)
    of = np.zeros(len(numbers), dtype=int) if group_of is None else np.asarray(group_of, dtype=int)
    turns = numbers if group_of is None else _turns(of)
    counts = np.array([one.writers for one in groups])
    writer_of = (np.cumsum(counts) - counts)[of] + turns % counts[of]
    in_order = np.argsort(writer_of, kind="stable")
    queue = np.column_stack([numbers, np.asarray(due_s, dtype=float)])[in_order]
    ends = np.cumsum(np.bincount(writer_of, minlength=counts.sum()))
    return _run(rules, _writers(np.repeat(np.arange(len(groups)), counts), ends, queue), queue, rng)


def _turns(group_of: Ints) -> Ints:
    found = np.zeros_like(group_of)
    for group in np.unique(group_of):
        found[group_of == group] = np.arange(np.count_nonzero(group_of == group))
    return found


def _writers(groups: Ints, ends: Ints, queue: Floats) -> Floats:
    """The writers' rows, each before its first commit; its commits end at this place of the queue."""
    found, firsts = np.zeros((len(ends), steps.WRITER)), np.concatenate([[0], ends[:-1]])
    busy = firsts < ends
    found[:, steps.GROUP], found[:, steps.NEXT], found[:, steps.END] = groups, firsts + busy, ends
    found[busy, steps.COMMIT], due_s = queue[firsts[busy]].T
    found[busy, steps.AT_S], found[:, steps.ORDER] = np.maximum(due_s, 0.0), np.arange(len(ends))
    found[busy, steps.EVENT] = steps.WORK
    return found


def _run(rules: RaceRules, writers: Floats, queue: Floats, rng: np.random.Generator) -> Attempts:
    groups, own, rule = rules.groups, rules.properties, rules.rule
    waits_ms = (own.commit_min_retry_wait_ms, own.commit_max_retry_wait_ms, own.commit_total_retry_time_ms)
    times = [one.times.logarithms(part) for one in groups for part in PARTS]
    field = steps.Field(
        writers=writers,
        validated=np.zeros((len(writers), len(groups)), dtype=int),
        groups=np.array([(one.validates, one.validation_s, one.redoes) for one in groups], dtype=float),
        clashes=np.array([one.clashes or (0.0,) * len(groups) for one in groups]),
        times=np.array(list(zip_longest(*times, fillvalue=0.0))).T.copy(),
        commits=queue,
        rules=np.array(
            [own.commit_num_retries, *waits_ms, rule.checks_first, rule.swaps_by_writing, rules.slows_s], dtype=float
        ),
        counts=np.zeros(steps.LANDED_BY + len(groups), dtype=int),
        uniforms=np.zeros(_DRAWN_AT_ONCE),
        found=np.zeros((_ATTEMPTS_AT_ONCE, steps.FOUND)),
        queue=np.zeros(len(writers), dtype=int),
    )
    run, drawn, blocks = _compiled_run(len(queue)), len(field.uniforms), list[Floats]()
    if run is None:
        field = steps.Field(*(one.tolist() for one in field))
    while not blocks or field.counts[steps.WAITING]:
        field.uniforms[:] = rng.random(drawn) if run else rng.random(drawn).tolist()
        (run or steps.run)(*field)
        blocks.append(np.array(field.found[: field.counts[steps.ENTERED]]).reshape(-1, steps.FOUND))
        field.counts[steps.ENTERED] = field.counts[steps.DRAWN] = 0
    commit, began_s, number, base, read_s, swap_s, how = np.concatenate(blocks).T
    ended = how.astype(int)
    return Attempts(
        commit=commit.astype(int),
        began_s=began_s,
        number=number.astype(int),
        base=base.astype(int),
        read_s=read_s,
        swap_s=swap_s,
        won=(ended & steps.WON) > 0,
        failed=(ended & steps.FAILED) > 0,
        refused=(ended & steps.REFUSED) > 0,
        invalid=(ended & steps.INVALID) > 0,
    )


_DONE = Counter[str]()  # commits that this process has raced


def _compiled_run(commits: int) -> Callable[..., None] | None:
    """The steps compiled, where the commits that this process races are worth it; else None."""
    _DONE["commits"] += commits
    if _DONE["commits"] <= BEFORE_LOADING:
        return None
    return compiled((conflicts, steps), "run", compiles=_DONE["commits"] > BEFORE_COMPILING)


def race_of(
    case: Case, together: Sequence[WriterTimes], step: Append, *, passed_s: float, rng: np.random.Generator
) -> Attempts:
    """The attempts of a step of appends by several writers, which begins `passed_s` seconds after the case."""
    commits = range(step.first_commit, step.first_commit + step.commits)
    every_s, arrivals = case.commit_interval_s, arrivals_of(case, None)
    due = due_s(arrivals, every_s, step.commits, case.writer.writers, rng)
    if arrivals in {"evenly", "at_once"}:  # random ones have no memory
        due = due + (step.first_commit - 1) * every_s - passed_s
    return race(commits, due, rules_of(case, together), rng)


def rules_of(case: Case, together: Sequence[WriterTimes]) -> RaceRules:
    """The rules of a case's race, with the times measured in its catalog, interpolated to its number of writers."""
    catalog, writers = case.catalog, case.writer.writers
    times = times_among(together, catalog, writers)
    slows = load_providers().engine.ms_per_mib if times.ms_per_mib is None else times.ms_per_mib
    return RaceRules(
        groups=(WriterGroup(writers=writers, times=times),),
        properties=TableProperties.read(case.table.properties),
        rule=conflict_rule(catalog),
        slows_s=slows / 1000 * SNAPSHOT_BYTES / MIB,
    )
