"""Times of writers: between those that were measured."""

from dataclasses import replace

import numpy as np
import pytest
from support.races import constant, times
from support.synthetic import synthetic_case

from wasim.contention import arrivals_of, due_s, times_among
from wasim.errors import WasimError


def test_times_between_two_that_were_measured_lie_between():
    two, eight = times(2, work_s=0.1), times(8, work_s=0.4)
    assert times_among([eight, two], "jdbc", 5).work_s == pytest.approx(times(5, work_s=0.25).work_s)
    assert times_among([two, eight], "jdbc", 16).work_s == eight.work_s
    with pytest.raises(WasimError, match="no times of several writers in the catalog in_memory"):
        times_among([two, eight], "in_memory", 2)


@pytest.mark.parametrize("arrivals", ["at_random", "evenly"])
def test_one_commit_is_due_every_interval(arrivals):
    due = due_s(arrivals, 2.0, 5000, 10, np.random.default_rng(0))
    assert due[-1] == pytest.approx(10_000, rel=0.05)
    assert (np.diff(due) > 0).all()
    assert np.std(np.diff(due)) == pytest.approx(2.0 if arrivals == "at_random" else 0.0, abs=0.1)


def test_all_writers_come_at_once_every_interval():
    due = due_s("at_once", 2.0, 30, 10, np.random.default_rng(0))
    assert due.tolist() == [0.0] * 10 + [20.0] * 10 + [40.0] * 10


def test_attempts_are_slower_by_as_many_seconds_each():
    alone = constant(first_s=0.5, later_s=0.3)
    assert [alone.slower_by(0.2).first_attempt_s, alone.slower_by(0.2).later_attempt_s] == [(0.7,), (0.5,)]
    apart = alone.slower_by(0.2, 0.0)
    assert (apart.first_attempt_s, apart.later_attempt_s, apart.work_s) == ((0.7,), (0.3,), alone.work_s)


def test_logarithms_follow_the_number_of_steps_between_quantiles():
    times_s = replace(constant(), work_s=(0.0, 1.0, np.e), finish_s=(np.e,))
    steps, *levels = times_s.logarithms("work_s")
    assert steps == 2
    assert levels == pytest.approx([np.log(1e-9), 0.0, 1.0])  # no time is nothing
    assert times_s.logarithms("finish_s") == pytest.approx([1, 1.0, 1.0])


def test_parts_between_measured_numbers_are_linear_in_them():
    two, six = replace(constant(first_s=0.2), writers=2, ms_per_mib=7.0), replace(constant(first_s=0.6), writers=6)
    found = times_among([six, two], "jdbc", 3)
    assert (found.writers, found.catalog, found.ms_per_mib) == (3, "jdbc", 7)
    assert found.first_attempt_s == pytest.approx((0.3,))
    assert times_among([six, two], "jdbc", 1).first_attempt_s == (0.2,)


@pytest.mark.parametrize(
    ("writers", "clock", "said", "provider", "expected"),
    [
        (1, "virtual", None, None, "at_random"),
        (1, "real", "at_once", "s3", "at_once"),
        (3, "real", None, "s3", "evenly"),
        (3, "virtual", None, None, "when_free"),
        (3, "virtual", None, "s3", "at_random"),
    ],
)
def test_commits_arrive_as_the_case_or_its_clock_says(writers, clock, said, provider, expected):
    case = synthetic_case(writer="batch")
    writer = case.writer.model_copy(update={"writers": writers, "arrivals": said})
    assert arrivals_of(replace(case, writer=writer, clock=clock), provider) == expected


def test_free_writers_are_due_at_once_even_ones_in_turn():
    rng = np.random.default_rng(0)
    assert due_s("when_free", 2.0, 3, 2, rng).tolist() == [0, 0, 0]
    assert due_s("evenly", 2.0, 3, 2, rng).tolist() == [2, 4, 6]
    assert due_s("at_once", 2.0, 5, 2, rng).tolist() == [0, 0, 4, 4, 8]
