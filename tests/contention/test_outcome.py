"""What comes of a race, of attempts and times that can be added up by hand."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from wasim.contention.attempt_times import AttemptRequests, Footprint, attempt_times, reading_s, validation_s, width_of
from wasim.contention.conflicts import gives_up
from wasim.contention.outcome import outcome_of
from wasim.contention.providers import Latency, Slowing, Store
from wasim.contention.races import Attempt, Attempts
from wasim.units import MIB


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


def test_a_commit_gives_up_after_its_retries_or_its_time():
    asked = [(1, 5000), (2, 1000), (2, 1001), (3, 0)]
    assert [gives_up(*one, retries=2, most_total_ms=1000) for one in asked] == [False, False, True, True]


def latency(p50_ms: float, ms_per_mib: float = 0.0, known: str = "measured") -> Latency:
    """One that always takes as long."""
    figures = {"p50_ms": p50_ms, "p99_ms": p50_ms, "ms_per_mib": ms_per_mib}
    return Latency.model_validate(figures | {"known": known, "source": "here", "as_of": "2026-01-01"})


STORE = Store(title="even", get=latency(10, 1), put=latency(20, 2), swap=latency(7))
REQUESTS = AttemptRequests(store=STORE, swap=latency(5), engine=latency(100, 3, "estimated"))
SIZES = Footprint(
    metadata_json_bytes=2 * MIB,
    manifest_list_bytes=MIB,
    manifest_bytes=MIB / 2,
    manifests_written=2,
    manifests_merged=4,
    json_text_bytes=4 * MIB,
)


def test_an_attempt_takes_its_requests_one_after_another():
    found = attempt_times(SIZES, REQUESTS, (1.0, 2.0))
    # engine; metadata.json; list, read and written; four manifests read and written as one; metadata.json
    later = 112 + 12 + (11 + 22) + (4 * 10.5 + 24) + 24
    for part, wanted in (
        (found.first_attempt_s, later + 2 * 21),
        (found.later_attempt_s, later),
        (found.write_s, 24),
        (found.finish_s, 5),
    ):
        assert part == pytest.approx([wanted / 1000] * len(part))
    assert (found.work_s, found.ms_per_mib) == ((1.0, 2.0), 6)
    plain = attempt_times(replace(SIZES, manifests_merged=0, json_text_bytes=0), REQUESTS, (1.0,))
    assert plain.later_attempt_s[0] == pytest.approx((106 + 12 + 33 + 24) / 1000)


def test_manifests_are_read_and_validated_one_after_another():
    assert reading_s(SIZES, STORE, 4) == pytest.approx((4 * 10.5 + 24) / 1000)
    assert reading_s(SIZES, STORE, 0) == 0
    assert validation_s(SIZES, STORE) == pytest.approx((11 + 10.5) / 1000)


def test_a_band_is_that_of_what_takes_the_time():
    engine, others = 112, 23 + 87 + 5  # two GETs, four PUTs, and the swap
    assert width_of(SIZES, REQUESTS) == pytest.approx((0.5 * engine + 0.15 * others) / (engine + others))


def test_commits_slow_by_each_mebibyte_of_metadata_json():
    slowing = Slowing(base_ms=100, ms_per_mib=50, width=0.2)
    assert slowing.commit_s(np.array([0, 2 * MIB])).tolist() == [0.1, 0.2]
    sizes = np.array([0.0, 2.0, 4.0, 6.0]) * MIB
    assert [slowing.first_late(sizes, every_s) for every_s in (0.2, 0.09, 1.0)] == [2, 0, None]
