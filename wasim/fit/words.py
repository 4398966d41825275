"""Whether and until when a writer keeps up, in words: nothing is said more precisely than it was seen."""

import math

from wasim.fit.future import YEAR_S
from wasim.fit.report import KeepsUp, SustainableInterval
from wasim.units import DURATION_UNITS_S, format_duration


def describe_interval(row: SustainableInterval) -> str:
    """`3.0s (2.5s to 3.5s)`; where no slowing was seen, `about 3s or more`, for a bound is no interval."""
    best = row.interval_s.best
    if not math.isfinite(best):
        return "none: rows alone outrun the writer"
    if row.slope != "measured":
        return f"about {round_duration(best, figures=2)} or more"
    high = round_duration(row.interval_s.high) if math.isfinite(row.interval_s.high) else "no upper bound"
    return f"{round_duration(best)} ({round_duration(max(row.interval_s.low, 0.0))} to {high})"


def describe_slope(row: SustainableInterval | KeepsUp) -> str:
    """What a sustainable interval rests on, in words."""
    return {
        "measured": "commits slowed down measurably",
        "reading": f"no slowing within {row.commits_seen:,} commits; a lower bound from reading metadata.json",
        "writing": "no slowing was seen or timed; it is assumed that no writer sustains 1 GiB of metadata a second",
        "unseen": f"no slowing within {row.commits_seen:,} commits, and reading metadata.json was not timed",
    }[row.slope]


def describe_keeping_up(one: KeepsUp) -> str:
    """`stops after 17h`, with `at the latest` where no slowing was seen; `a year or more`; `not from the start`."""
    if one.until_s < one.commit_interval_s:
        return "not from the start"
    if one.until_s >= YEAR_S:
        return "a year or more" if one.slope == "measured" else "no end seen within a year"
    return f"stops after {round_duration(one.until_s, figures=2)}{'' if one.slope == 'measured' else ' at the latest'}"


def round_duration(seconds: float, *, figures: int = 3) -> str:
    """A duration to a few significant figures, in its largest unit alone: `5.92s`, `17h`, `21d`."""
    if seconds < 1:
        return format_duration(float(f"{max(seconds, 0.0):.{figures}g}"))
    unit = next(unit for unit in ("d", "h", "m", "s") if seconds >= DURATION_UNITS_S[unit])
    count = seconds / DURATION_UNITS_S[unit]
    digits = max(figures - 1 - math.floor(math.log10(count)), 0)
    return f"{round(count, digits):g}{unit}"
