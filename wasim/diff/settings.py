"""What a file sets for a table: a commit interval and table properties."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from wasim.iceberg.properties import property_of
from wasim.units import DAY_S, HOUR_S

_UNITS_S = {"ms": 0.001, "milli": 0.001, "s": 1.0, "sec": 1.0, "m": 60.0, "min": 60.0, "h": HOUR_S, "hour": HOUR_S}
_UNITS_S |= {"d": DAY_S, "day": DAY_S}
_PERIOD = re.compile(r"(\d+(?:\.\d+)?)\s*(ms|milli|sec|s|min|m|hour|h|day|d)?(?:second|isecond|ute|s|onds)*")
_CALL = re.compile(r"(?:\w+\.)?(?:Processing|Trigger)\w*\(\s*(.+?)\s*\)", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Settings of one table. `table` is empty where the file does not name it, `interval_s` None where none is set."""

    table: str = ""
    interval_s: float | None = None
    properties: Mapping[str, str] = field(default_factory=dict)

    @property
    def says_anything(self) -> bool:
        """Whether anything is set that commits or files depend on."""
        return self.interval_s is not None or any(property_of(key) for key in self.properties)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What a file sets, and sentences on what in it was not read."""

    settings: tuple[Settings, ...] = ()
    unread: tuple[str, ...] = ()


def period_s(text: str) -> float | None:
    """Seconds of a period as engines write it: `10 seconds`, `1 min`, `PT1M`, `ProcessingTime(10 seconds)`, bare
    milliseconds; None for anything else.
    """
    said = text.strip().strip("'\"")
    call = _CALL.fullmatch(said)
    said = (call[1].strip("'\"") if call else said).lower().removeprefix("interval ").strip("'\" ")
    match = _PERIOD.fullmatch(said.removeprefix("pt"))
    if not match or not float(match[1]):
        return None
    return float(match[1]) * _UNITS_S[match[2] or "ms"]
