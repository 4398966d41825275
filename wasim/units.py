"""Array aliases, and text forms of seconds, bytes and other figures.

Units live in names everywhere else; here they are parsed from and rendered to what people write.
"""

import re
from math import inf, isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wasim.errors import WasimError, quoted

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Counts = NDArray[np.int64] | NDArray[np.float64]  # whole numbers; as floats where some are unknown, and so NaN
Texts = NDArray[Any]  # numpy object array of str: numpy has no better name for it

DURATION_UNITS_S = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0, "w": 604800.0, "y": 31536000.0}
DURATION_WANTED = "a duration greater than zero in ms, s, m, h, d, w or y, such as 5s, 2m or 365d"
HOUR_S, DAY_S = 3_600.0, 86_400.0
MONTH_S, YEAR_S = 30 * DAY_S, 365 * DAY_S
MEGABYTE = 1e6
MIB = 2.0**20
_LEAST_FLAG_S, _MOST_FLAG_S = 0.001, 1e6 * DAY_S
MOST_AHEAD_S = 10 * YEAR_S
"""What a plan or a table's forecast looks ahead: longer than price lists last."""
MOST_BYTES = 2.0**63
"""What a column of bytes can count to."""

_DURATION = re.compile(rf"([0-9]+(?:\.[0-9]+)?)({'|'.join(DURATION_UNITS_S)})")
_BYTE_UNITS = {"B": 1} | {
    f"{letter}{ending}": base**power
    for power, letter in enumerate("KMGTP", start=1)
    for ending, base in (("iB", 1024), ("B", 1000))
}
BYTE_UNITS = "|".join(_BYTE_UNITS)
"""A regular expression of the units that bytes may be given in: KiB is 1024, KB is 1000."""

_BYTES = re.compile(rf"([0-9]+(?:\.[0-9]+)?)\s*({BYTE_UNITS})")
IEC_UNITS = ("B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB")


def parse_duration_s(text: str) -> float:
    """Seconds in a duration such as `500ms`, `5s`, `1h30m`, `2w` or `1y`. ValueError for anything else or zero."""
    position, seconds = 0, 0.0
    for match in _DURATION.finditer(text):
        if match.start() != position:
            break
        seconds += float(match[1]) * DURATION_UNITS_S[match[2]]
        position = match.end()
    if position != len(text) or not 0 < seconds < inf:
        raise ValueError(DURATION_WANTED)
    return seconds


def duration_of_flag_s(flag: str, text: str, most_s: float = _MOST_FLAG_S) -> float:
    """Seconds of a duration that a flag gives, from 1 ms to `most_s`, a million days. WasimError names the flag."""
    try:
        seconds = parse_duration_s(text)
    except ValueError as wanted:
        raise WasimError(f"{flag} is {quoted(text)}. Give {wanted}.") from None
    if not _LEAST_FLAG_S <= seconds <= most_s:
        least, most = format_duration(_LEAST_FLAG_S), format_duration(most_s)
        raise WasimError(f"{flag} is {quoted(text)}. Give {least} at least and {most} at most.")
    return seconds


def format_duration(seconds: float) -> str:
    """A duration as `parse_duration_s` reads it, in its largest units: 90 → `1m30s`."""
    if seconds < 1:
        return f"{seconds * 1000:g}ms"
    rest, parts = seconds, []
    for unit in ("d", "h", "m"):
        count, rest = divmod(rest, DURATION_UNITS_S[unit])
        if count:
            parts.append(f"{count:.0f}{unit}")
    if rest:
        parts.append(f"{rest:g}s")
    return "".join(parts)


def parse_bytes(text: str) -> int:
    """Bytes in an amount such as `8 MiB`, `128MB` or `512B`. ValueError for anything else, and from 8 EiB on."""
    match = _BYTES.fullmatch(text.strip())
    if not match:
        raise ValueError("an amount of bytes, such as 512 B or 8 MiB")
    count = float(match[1]) * _BYTE_UNITS[match[2]]
    if count >= MOST_BYTES:
        raise ValueError("an amount of bytes below 8 EiB")
    return int(count)


def format_bytes(count: float) -> str:
    """Bytes with an IEC unit and three significant figures: 8388608 → `8.00 MiB`."""
    sign, size = ("-" if count < 0 else ""), abs(float(count))
    for unit in IEC_UNITS:
        if size < 1000 or unit == IEC_UNITS[-1]:
            break
        size /= 1024
    digits = 0 if unit == "B" else _decimals(max(size, 1))
    return f"{sign}{size:.{digits}f} {unit}"


def format_count(count: int, one: str, many: str | None = None) -> str:
    """A number of things: `1 table`, `2,016 tables`."""
    return f"{count:,} {one if count == 1 else many or f'{one}s'}"


def format_times(ratio: float) -> str:
    """×2, ×1.25, ×1,235: a ratio in three significant figures."""
    return f"×{ratio:.3g}" if ratio < 999.5 else f"×{ratio:,.0f}"


def format_figure(value: float) -> str:
    """Three significant figures without an exponent, as far as a reader can take them in: 0.0123, 1.23, 1,235."""
    if not isfinite(value):
        return "∞" if value > 0 else "–"
    if value == 0:
        return "0"
    return f"{value:,.{_decimals(value)}f}" if abs(value) >= 1e-6 else f"{value:.2e}"


def _decimals(value: float) -> int:
    """Decimals with which a value has three figures: 9.996 is 10.0."""
    return max(0, 2 - int(f"{value:.2e}".partition("e")[2]))
