"""Races between writers whose times are made up."""

from dataclasses import replace

import numpy as np

from wasim.contention import CONFLICT_RULES, QUANTILES, RaceRules, WriterGroup, WriterTimes, race
from wasim.iceberg.properties import TableProperties

DEFAULT_POLICY = TableProperties()


def times(writers: int, *, work_s: float = 0.1, attempt_s: float = 0.1, catalog: str = "jdbc") -> WriterTimes:
    """Times that are spread about these, evenly."""
    around = tuple(np.linspace(0.5, 1.5, QUANTILES))
    return WriterTimes(
        catalog=catalog,
        writers=writers,
        work_s=tuple(work_s * one for one in around),
        first_attempt_s=tuple(attempt_s * one for one in around),
        later_attempt_s=tuple(attempt_s / 2 * one for one in around),
        write_s=tuple(0.01 * one for one in around),
        finish_s=tuple(0.01 * one for one in around),
    )


def raced(
    writers: int, commits: int = 40, *, retries: int = 1, seed: int = 0, catalog: str = "jdbc", **durations: float
):
    rules = RaceRules(
        groups=(WriterGroup(writers=writers, times=times(writers, **durations)),),
        properties=replace(
            DEFAULT_POLICY, commit_num_retries=retries, commit_min_retry_wait_ms=5, commit_max_retry_wait_ms=20
        ),
        rule=CONFLICT_RULES[catalog],
    )
    return race(range(1, commits + 1), [0.0] * commits, rules, np.random.default_rng(seed))


def share_lost(attempts) -> float:
    return sum(not one.won for one in attempts) / len(attempts)


def constant(
    *, work_s: float = 1.0, first_s: float = 0.5, later_s: float = 0.3, write_s: float = 0.05, finish_s: float = 0.1
) -> WriterTimes:
    """Times that are the same each time."""
    return WriterTimes(
        catalog="jdbc",
        writers=1,
        work_s=(work_s,),
        first_attempt_s=(first_s,),
        later_attempt_s=(later_s,),
        write_s=(write_s,),
        finish_s=(finish_s,),
    )
