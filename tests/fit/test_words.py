"""Words on whether a writer keeps up: no more figures than were seen."""

import math

import pytest

from wasim.fit.report import Estimate, KeepsUp, SustainableInterval
from wasim.fit.words import describe_interval, describe_keeping_up, describe_slope

DAY_S = 86_400.0


def keeps_up(until_s: float, slope: str = "library") -> KeepsUp:
    return KeepsUp(
        writer="w",
        case="w",
        commit_interval_s=5.0,
        until_s=until_s,
        slope=slope,
        commits_seen=12_345,
    )


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
