"""Closed forms of the smallest interval that keeps up, where snapshots and manifests both slow commits down."""

import math
from math import sqrt

import numpy as np
import pytest
from support.synthetic import Sweep, synthetic_run

from wasim.fit.cost import fit_group
from wasim.fit.groups import group_cases
from wasim.fit.report import Estimate, KeepsUp, SustainableInterval
from wasim.fit.robust import RobustFit
from wasim.fit.sustain import HORIZONS_S, describe_interval, describe_keeping_up, describe_slope, find_sustainable

BASE_MS, SNAPSHOT_MS, MANIFEST_MS, ROW_MS = 180.0, 0.5, 2.0, 0.01
ROWS_SHARE = ROW_MS / 1e3 * 100  # of an interval, at 100 rows a second
LAW = np.array([BASE_MS, SNAPSHOT_MS, MANIFEST_MS, ROW_MS])
WRITERS = {
    group.name: fit_group(group) for group in group_cases(synthetic_run(sweep=Sweep(intervals_s=(4.0, 30.0))).cases)
}


def step_law(r_squared: float = 0.9) -> RobustFit:
    """A law of steps whose draws lie one hundredth around it."""
    draws = LAW * np.linspace(0.99, 1.01, 41)[:, None]
    return RobustFit(coefficients=LAW, identified=np.full(4, True), draws=draws, r_squared=r_squared, rows=100)


def closed_form(writer: str, horizon_s: float) -> tuple[float, float]:
    """Seconds of a commit that do not grow, and those that each earlier commit adds."""
    if writer == "streaming":  # each commit leaves a manifest
        return BASE_MS / 1e3, (SNAPSHOT_MS + MANIFEST_MS) / 1e3
    return (BASE_MS + 99 * MANIFEST_MS) / 1e3, SNAPSHOT_MS / 1e3  # 99 wait to be merged, and few are full


@pytest.mark.parametrize("writer", WRITERS)
def test_the_smallest_interval_is_that_of_the_law(writer):
    rows, _ = find_sustainable(WRITERS[writer], step_law())
    assert [row.horizon_s for row in rows] == list(HORIZONS_S) == [86_400.0 * days for days in (1, 7, 30, 365)]
    for row in rows:
        base_s, each_s = closed_form(writer, row.horizon_s)
        exact = (base_s + sqrt(base_s**2 + 4 * (1 - ROWS_SHARE) * each_s * row.horizon_s)) / 2 / (1 - ROWS_SHARE)
        assert row.interval_s.best == pytest.approx(exact, rel=0.01)
        assert row.interval_s.low == pytest.approx(row.interval_s.best, rel=0.02)
        assert row.interval_s.low < row.interval_s.best < row.interval_s.high
        assert (row.slope, row.r_squared, row.commits_seen) == ("measured", 0.9, 60)


@pytest.mark.parametrize("writer", WRITERS)
def test_an_interval_keeps_up_as_long_as_the_law_says(writer):
    _, rows = find_sustainable(WRITERS[writer], step_law())
    assert [row.commit_interval_s for row in rows] == [4.0, 30.0]
    for row in rows:
        base_s, each_s = closed_form(writer, row.until_s)
        interval_s = row.commit_interval_s
        until_s = interval_s * (interval_s * (1 - ROWS_SHARE) - base_s) / each_s
        assert row.until_s == pytest.approx(until_s, rel=0.01)


def test_a_law_that_explains_next_to_nothing_is_not_taken():
    for r_squared, slope in ((0.1, "measured"), (0.09, "library")):
        rows, _ = find_sustainable(WRITERS["streaming"], step_law(r_squared))
        assert {row.slope for row in rows} == {slope}


DAY_S = 86_400.0


def keeps_up(until_s: float, slope: str = "library") -> KeepsUp:
    return KeepsUp(writer="w", case="w", commit_interval_s=5.0, until_s=until_s, slope=slope, commits_seen=12_345)


@pytest.mark.parametrize(
    ("until_s", "slope", "said"),
    [
        (4.9, "library", "does not keep up from the start"),
        (5.0, "library", "stops after about 5s"),
        (17.33 * 3600, "measured", "stops after 17h"),
        (1.234 * DAY_S, "untimed", "stops after about 1.2d"),
        (364.0 * DAY_S, "measured", "stops after 364d"),
        (365.0 * DAY_S, "measured", "keeps up for a year or more"),
        (math.inf, "library", "keeps up for a year or more"),
        (12.345 * DAY_S, "simulated", "keeps up for 12d or more"),
        (730.0 * DAY_S, "simulated", "keeps up for 730d or more"),
    ],
)
def test_until_when_a_writer_keeps_up_has_two_figures(until_s, slope, said):
    assert describe_keeping_up(keeps_up(until_s, slope)) == said


@pytest.mark.parametrize(
    ("interval", "slope", "said"),
    [
        ((2.5123, 3.0123, 3.5123), "measured", "3.01s (2.51s to 3.51s)"),
        ((2.5123, 3.0123, 3.5123), "library", "about 3s (2.5s to 3.5s)"),
        ((-1.0, 61.44, math.inf), "library", "about 1m (0ms to no upper bound)"),
        ((1.0, math.inf, math.inf), "measured", "none: rows alone outrun the writer"),
    ],
)
def test_a_measured_interval_has_three_figures_others_two(interval, slope, said):
    low, best, high = interval
    row = SustainableInterval(
        writer="w",
        case="w",
        horizon_s=DAY_S,
        interval_s=Estimate(low=low, best=best, high=high),
        slope=slope,
        r_squared=0.5,
    )
    assert describe_interval(row) == said


def test_what_an_interval_rests_on_is_said():
    words = {slope: describe_slope(keeps_up(9.0, slope)) for slope in ("measured", "library", "untimed", "simulated")}
    assert words["measured"] == "commits slowed down measurably"
    assert words["library"].startswith("no slowing within 12,345 commits; Iceberg's library takes ")
    assert words["untimed"].startswith("commits were not timed; Iceberg's library takes ")
    assert words["simulated"] == "simulated for 12,345 commits, under the case's own maintenance"
