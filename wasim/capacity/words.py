"""A plan's metrics in their order, and their values as text."""

from math import ceil, floor, log10

from wasim.report.words import SMALLEST_SUM, listed
from wasim.scenario.metrics import COUNTS, METRICS, PERIODS_S, Limit, dimension_of, format_value
from wasim.units import DAY_S, HOUR_S, format_duration, format_figure

OFTEN = {DAY_S: "daily", HOUR_S: "hourly"}
SAID_TO = {"money": 2, "bytes": 0}  # decimals
SHOWN_METRICS = tuple(
    """
    monthly_cost metadata_bytes_per_day wa_metadata metadata_json_bytes manifests metadata_on_disk_bytes load_p50_ms
    planning_p50_ms
    """.split()
)
"""Metrics of every table of a plan, on the terminal and on the page, in this order."""


def period_words(every_s: float) -> str:
    """`daily`, `hourly` or `every 6h`."""
    return OFTEN.get(every_s) or f"every {format_duration(every_s)}"


def value_words(metric: str, value: float, currency: str) -> str:
    """`10.2 GiB`, `1.3s` or `14.2 USD`."""
    if metric == "monthly_cost":
        return f"{amount_words(value)} {currency}" if value < 1000 else f"{value:,.0f} {currency}"
    if metric.endswith("_ms"):
        return f"{format_figure(value)} ms" if value < 1000 else time_words(value / 1000)
    return format_value(metric, value)


def amount_words(value: float) -> str:
    """An amount of money with its cents; of less than one `<0.01`."""
    return f"<{SMALLEST_SUM}" if 0 < value < SMALLEST_SUM else f"{value:,.2f}"


def judged_words(limit: Limit, value: float, currency: str) -> str:
    """What a limit judges: `240 MiB on the worst day`, where a day on average writes less."""
    words = value_words(limit.metric, value, currency)
    return f"{words} on the worst day" if limit.metric in PERIODS_S else words


def now_and_then_words(metric: str, now: float | None, then: float, currency: str) -> tuple[str, str, str]:
    """A figure now and then, and the difference; now and the difference are empty where now is unknown."""
    words = value_words(metric, then, currency)
    if now is None:
        return "", words, ""
    dimension, less = dimension_of(metric), now - then
    if not dimension and not metric.startswith("wa_"):
        less = float(round(now) - round(then))
    elif dimension in SAID_TO:
        less = round(less, SAID_TO[dimension])  # less is said to be nothing, and has no sign of its own
    difference = f"{'−' if less > 0 else '+'}{value_words(metric, abs(less), currency)}"
    return value_words(metric, now, currency), words, difference


def pasted_words(metric: str, value: float) -> str:
    """The same as `value_words`, as a flag takes it: `10.2GiB`, `1.3s` or `14.2`."""
    return value_words(metric, value, "").replace(" ", "").replace(",", "")


def rounded_up(metric: str, value: float) -> float:
    """The least value from this on that `value_words` says as it is: a limit set to what it says is kept."""
    if metric in COUNTS:
        return float(ceil(value))
    if metric.endswith("_ms"):
        unit = 60_000.0 if value >= 600_000 else 1000.0 if value >= 1000 else 1.0
    elif "bytes" in metric:
        unit = 1024.0 ** max(0, 1 + floor(log10(max(value, 1.0) / 1000) / log10(1024)))
    else:
        unit = 1.0
    size = value / unit
    if metric == "monthly_cost":
        figures = 100.0 if value < 1000 else 1.0
    elif size.is_integer() or (metric.endswith("_ms") and value >= 60_000):
        figures = 1.0
    else:
        figures = 10.0 ** (2 - floor(log10(max(size, 1.0) if "bytes" in metric else size)))
    return ceil(size * figures) / figures * unit


def time_words(seconds: float) -> str:
    """A time to three figures at most: `4.39s`, `1m34s`, `12m`, `7h46m`."""
    if seconds < 60:
        return f"{format_figure(seconds)}s"
    if seconds < 600:
        return format_duration(round(seconds))
    return format_duration(round(seconds / 60) * 60)


def bound_words(limit: Limit, currency: str) -> str:
    """A limit's bound."""
    return value_words(limit.metric, limit.bound, currency)


def limit_words(limit: Limit, currency: str) -> str:
    """`at most 5.00 MiB`, or `below` it where it is not within the limit itself."""
    return f"{'below' if limit.comparison == '<' else 'at most'} {bound_words(limit, currency)}"


def limit_names(limits: tuple[Limit, ...]) -> str:
    """`metadata.json and manifests`."""
    return listed(METRICS[limit.metric].words for limit in limits)
