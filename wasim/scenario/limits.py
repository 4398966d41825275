"""Limits: what no case of a scenario may exceed, such as `wa_metadata: "< 0.5"` or `metadata_bytes: "<= 10 GiB"`."""

import re
from dataclasses import dataclass
from math import isnan
from typing import Literal

from wasim.scenario.metrics import dimension_of
from wasim.units import BYTE_UNITS, DURATION_UNITS_S, format_bytes, format_figure, parse_bytes, parse_duration_s

LEAST_ROUNDS_FOR_PERCENTILE = 20
MOST_BOUND = 2.0**63

PERCENTILES_OF_PLANNING = ("planning_p95_ms", "load_p95_ms")

_LIMIT = re.compile(r"(<=|<)\s*([0-9]+(?:\.[0-9]+)?)\s*([A-Za-z]*)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """A bound on one metric, in the metric's own unit; `text` is the bound as written."""

    metric: str
    comparison: Literal["<", "<="]
    bound: float
    text: str

    def holds(self, value: float) -> bool:
        """Whether the value keeps the limit. A value that is not a number keeps none."""
        if isnan(value):
            return False
        return value < self.bound if self.comparison == "<" else value <= self.bound


def parse_limit(metric: str, text: str) -> Limit:
    """The limit that a scenario wrote. ValueError, completing `Give …`, if it is none."""
    match = _LIMIT.fullmatch(text.strip())
    if not match:
        raise ValueError(limit_wanted(metric))
    number, unit = match[2], match[3]
    try:
        bound = float(number) if not unit else _with_unit(metric, number + unit)
    except ValueError:
        raise ValueError(limit_wanted(metric)) from None
    if bound > MOST_BOUND:
        raise ValueError(f"{limit_wanted(metric)}; nothing reaches this one")
    if bound == 0:
        raise ValueError(f"{limit_wanted(metric)}; nothing keeps this one")
    comparison: Literal["<", "<="] = "<" if match[1] == "<" else "<="
    return Limit(metric=metric, comparison=comparison, bound=bound, text=text)


def limit_wanted(metric: str) -> str:
    """What a limit on this metric looks like."""
    examples = {"bytes": '"< 10 GiB" or "<= 5000000"', "ms": '"< 800" (milliseconds) or "<= 2s"'}
    example = examples.get(dimension_of(metric), '"< 0.5" or "<= 100"')
    return f"an upper bound, such as {example}"


def limit_pattern(metric: str) -> str:
    """The regular expression that editors hold a limit against."""
    units = {"bytes": f"({BYTE_UNITS})?", "ms": f"({'|'.join(DURATION_UNITS_S)})?"}
    return rf"^\s*(<=|<)\s*[0-9]+(\.[0-9]+)?\s*{units.get(dimension_of(metric), '')}\s*$"


def format_value(metric: str, value: float) -> str:
    """A value of the metric for people, with its unit and three figures: `10.1 ms`, `1.50 GiB`, `2,016`."""
    dimension = dimension_of(metric)
    if dimension == "bytes":
        return format_bytes(value)
    number = f"{value:,.0f}" if value.is_integer() else format_figure(value)
    return f"{number} ms" if dimension == "ms" else number


def _with_unit(metric: str, amount: str) -> float:
    if dimension_of(metric) == "bytes":
        return float(parse_bytes(amount))
    if dimension_of(metric) == "ms":
        return parse_duration_s(amount) * 1000
    raise ValueError(amount)
