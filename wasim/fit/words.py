"""Whether and until when a writer keeps up, in words, with as many digits as its evidence allows."""

import math

from wasim.contention import commit_slowing
from wasim.fit.report import KeepsUp, SustainableInterval
from wasim.units import DURATION_UNITS_S, YEAR_S, format_duration


def describe_interval(row: SustainableInterval) -> str:
    """`3.0s (2.5s to 3.5s)`; with `about` where no slowing was seen."""
    best = row.interval_s.best
    if not math.isfinite(best):
        return "none: rows alone outrun the writer"
    about, figures = ("", 3) if row.slope == "measured" else ("about ", 2)
    low, high = (max(row.interval_s.low, 0.0), row.interval_s.high)
    upper = round_duration(high, figures=figures) if math.isfinite(high) else "no upper bound"
    return f"{about}{round_duration(best, figures=figures)} ({round_duration(low, figures=figures)} to {upper})"


def describe_slope(row: SustainableInterval | KeepsUp) -> str:
    """What a sustainable interval rests on, in words."""
    return {
        "measured": "commits slowed down measurably",
        "library": f"no slowing within {row.commits_seen:,} commits; {_slowing()}",
        "untimed": f"commits were not timed; {_slowing()}",
        "simulated": f"simulated for {row.commits_seen:,} commits, under the case's own maintenance",
    }[row.slope]


def describe_keeping_up(one: KeepsUp) -> str:
    """`stops after 17h`, with `about` where no slowing was seen; `keeps up for a year or more`."""
    if one.until_s < one.commit_interval_s:
        return "does not keep up from the start"
    if one.slope == "simulated":
        return f"keeps up for {round_duration(one.until_s, figures=2)} or more"
    if one.until_s >= YEAR_S:
        return "keeps up for a year or more"
    return f"stops after {'' if one.slope == 'measured' else 'about '}{round_duration(one.until_s, figures=2)}"


def _slowing() -> str:
    slowing = commit_slowing()
    return f"Iceberg's library takes {slowing.ms_per_mib:.2g} ms longer with each MiB of metadata.json"


def round_duration(seconds: float, *, figures: int = 3) -> str:
    """A duration to a few significant figures, in its largest unit alone: `5.92s`, `17h`, `21d`."""
    if seconds < 1:
        return format_duration(float(f"{max(seconds, 0.0):.{figures}g}"))
    unit = next(unit for unit in ("d", "h", "m", "s") if seconds >= DURATION_UNITS_S[unit])
    count = seconds / DURATION_UNITS_S[unit]
    digits = max(figures - 1 - math.floor(math.log10(count)), 0)
    return f"{round(count, digits):g}{unit}"
