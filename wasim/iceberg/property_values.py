"""Types of table properties: how Iceberg's Java library turns a property's text into a value.

A text that it cannot parse is a ValueError that says what to give instead.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

INT_RANGE = range(-(2**31), 2**31)
LONG_RANGE = range(-(2**63), 2**63)
DEFAULT_INFERRED_COLUMNS = 100
_NUMBER = re.compile(r"[+-]?\d+")
_TRUNCATE = re.compile(r"truncate\((\d+)\)")


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueType:
    """A type of values by its name, and what parses a text of it."""

    name: str
    parse: Callable[[str], Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricsMode:
    """Which statistics of a column a manifest entry carries: counts, and bounds.

    Bounds of text end after `bound_length` characters; at 0 they are whole, at None there are none.
    """

    has_counts: bool
    bound_length: int | None


NO_METRICS = MetricsMode(has_counts=False, bound_length=None)
DEFAULT_METRICS = MetricsMode(has_counts=True, bound_length=16)
_MODES = {
    "none": NO_METRICS,
    "counts": MetricsMode(has_counts=True, bound_length=None),
    "full": MetricsMode(has_counts=True, bound_length=0),
}


def one_of(*names: str) -> ValueType:
    """The type of these names, in whatever case; a value is in lower case."""

    def parse(text: str) -> str:
        if text.lower() not in names:
            raise ValueError(f"Give {', '.join(names[:-1])} or {names[-1]}.")
        return text.lower()

    return ValueType(name=" | ".join(names), parse=parse)


def _whole_number(text: str, allowed: range) -> int:
    """Integer.parseInt or Long.parseLong: a sign and digits, nothing else, within range."""
    if not _NUMBER.fullmatch(text):
        raise ValueError("Give a whole number.")
    number = int(text)
    if number not in allowed:
        raise ValueError(f"Give a whole number from {allowed[0]} to {allowed[-1]}.")
    return number


def _parse_int(text: str) -> int:
    return _whole_number(text, INT_RANGE)


def _parse_inferred_columns(text: str) -> int:
    """Iceberg warns of a negative number, and takes its default."""
    number = _parse_int(text)
    return number if number >= 0 else DEFAULT_INFERRED_COLUMNS


def _parse_metrics_mode(text: str) -> MetricsMode:
    """MetricsModes.fromString. Iceberg logs a warning of any other text, and goes on as if it were not there."""
    name = text.lower()
    if name in _MODES:
        return _MODES[name]
    found = _TRUNCATE.fullmatch(name)
    if found and 0 < int(found[1]) in INT_RANGE:
        return MetricsMode(has_counts=True, bound_length=int(found[1]))
    raise ValueError("Give none, counts, full or truncate(16), with any length above zero.")


# As Boolean.parseBoolean: everything else is false, `yes` and `1` too.
BOOLEAN = ValueType(name="boolean", parse=lambda text: text.lower() == "true")
INT = ValueType(name="int", parse=_parse_int)
COUNT = ValueType(name="int, not negative", parse=lambda text: _whole_number(text, range(INT_RANGE.stop)))
AT_LEAST_ONE = ValueType(name="int, at least 1", parse=lambda text: max(1, _parse_int(text)))
INFERRED_COLUMNS = ValueType(name="int, the default if negative", parse=_parse_inferred_columns)
LONG = ValueType(name="long", parse=lambda text: _whole_number(text, LONG_RANGE))
TEXT = ValueType(name="string", parse=str)
METRICS_MODE = ValueType(name="metrics mode", parse=_parse_metrics_mode)
FILE_FORMAT = one_of("avro", "orc", "parquet")
DISTRIBUTION_MODE = one_of("none", "hash", "range")
ROW_LEVEL_MODE = one_of("copy-on-write", "merge-on-read")
DELETE_GRANULARITY_TYPE = one_of("file", "partition")
MANIFEST_CODEC = one_of("gzip", "snappy", "uncompressed", "zstd")
METADATA_CODEC = one_of("gzip", "none")
