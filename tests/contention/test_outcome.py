"""What comes of a race, of attempts and times that can be added up by hand."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from wasim.contention.outcome import outcome_of
from wasim.contention.races import Attempt, Attempts


def attempt(commit: int, read_s: float, swap_s: float, *, won: bool = False, **how: bool) -> Attempt:
    return Attempt(commit=commit, began_s=0.0, number=1, base=0, read_s=read_s, swap_s=swap_s, won=won, **how)


def attempts(made: Sequence[Attempt]) -> Attempts:
    return Attempts(**{name: np.array([getattr(one, name) for one in made], dtype) for name, dtype in DTYPES.items()})


DTYPES = dict.fromkeys(Attempt._fields, int) | dict.fromkeys(("began_s", "read_s", "swap_s"), float)
DTYPES |= dict.fromkeys(("won", "failed", "refused", "invalid"), bool)
MADE = [
    attempt(1, 0.0, 1.0, won=True),
    attempt(2, 0.5, 1.5),
    attempt(2, 2.0, 3.0, won=True),
    attempt(3, 2.5, 3.5, refused=True),
    attempt(3, 4.0, 5.0, failed=True),
    attempt(4, 5.0, 6.0, refused=True, invalid=True),
    attempt(4, 8.0, 9.0, won=True),
]
RACE = attempts(MADE)


def test_commits_and_attempts_after_the_warm_up_are_counted():
    found = outcome_of(RACE, skip=1)
    counts = (found.commits, found.attempts, found.lost, found.refused, found.failed, found.redone)
    assert counts == (3, 6, 4, 2, 1, 1)
    assert found.commit_ms.tolist() == [2500.0, 4000.0]
    assert (found.lost_share, found.failed_share, found.landed_per_s) == (4 / 6, 1 / 3, 2 / 6)
    assert (found.percentile_ms(50), found.seconds) == (3250.0, 6.0)
    assert [found.sustains(every_s) for every_s in (2.84, 2.86)] == [False, True]
    assert replace(found, commits=19, failed=0, seconds=20.0).sustains(1.0)  # 95 % are enough
    of_one = outcome_of(RACE, of=np.array([2]))
    assert (of_one.commits, of_one.attempts, of_one.landed_per_s) == (1, 2, 0.0)
    assert np.isnan(outcome_of(attempts([])).percentile_ms(50))


def test_a_share_lost_in_bursts_has_a_wide_band():
    bursts = [attempt(number, number, number + 1, won=number < 10) for number in range(20)]
    assert outcome_of(attempts(bursts), skip=-1).lost_share_band == pytest.approx(2.26 * np.sqrt(2.5 / 9) / np.sqrt(10))
    assert outcome_of(attempts(bursts[:19]), skip=-1).lost_share_band == 1.0
