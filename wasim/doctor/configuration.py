"""`wasim.toml`: thresholds of one's own, and findings that are accepted for a reason and until a date."""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from wasim.doctor.findings import KNOWN, THRESHOLDS, Finding
from wasim.errors import WasimError, quoted
from wasim.storage.access import read_regular

FILE = "wasim.toml"
_WANTED = 'Give id, reason and until, such as {id = "WA001", reason = "moved next week", until = 2026-12-01}.'
_MOST_BYTES = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Suppression:
    """A finding that is accepted on tables whose location fits `table`, a pattern with `*`, through the day `until`."""

    identity: str
    reason: str
    until: date
    table: str = "*"

    def covers(self, finding: Finding, table: str, today: date) -> bool:
        """Whether it accepts the finding on that table today."""
        return finding.identity == self.identity and today <= self.until and fnmatchcase(table, self.table)


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration:
    """What a file says: (warning, critical) by a threshold's name, and suppressions."""

    thresholds: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    suppressions: tuple[Suppression, ...] = ()

    def accepts(self, finding: Finding, table: str, today: date) -> Suppression | None:
        """The suppression that accepts a finding, if one does."""
        return next((one for one in self.suppressions if one.covers(finding, table, today)), None)

    def counted(self, findings: Iterable[Finding], table: str, today: date) -> tuple[Finding, ...]:
        """The findings that no suppression accepts."""
        return tuple(one for one in findings if self.accepts(one, table, today) is None)


def load_configuration(path: Path | None) -> Configuration:
    """The configuration of a file; without one, of `wasim.toml` here, if it is there. WasimError names a fault."""
    found = path or Path(FILE)
    try:
        document = tomllib.loads(read_regular(found, most_bytes=_MOST_BYTES).decode())
    except FileNotFoundError:
        if path is None:
            return Configuration()
        raise WasimError(f"{path}: no such file. Give one, or take --config out.") from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise WasimError(f"{found}: is no TOML: {error}.") from None
    unknown = [key for key in document if key not in ("thresholds", "suppress")]
    if unknown:
        raise WasimError(f"{found}: {quoted(unknown[0])} is unknown. Known here: thresholds, suppress.")
    thresholds = document.get("thresholds", {})
    suppressed = document.get("suppress", [])
    if not isinstance(thresholds, dict) or not isinstance(suppressed, list):
        raise WasimError(f"{found}: thresholds is a table, [thresholds], and suppress a list, [[suppress]].")
    return Configuration(
        thresholds={name: _threshold(found, name, value) for name, value in thresholds.items()},
        suppressions=tuple(_suppression(found, number, one) for number, one in enumerate(suppressed)),
    )


def _threshold(path: Path, name: str, value: Any) -> tuple[float, float]:  # noqa: ANN401 - as TOML gives it
    if name not in THRESHOLDS:
        raise WasimError(f"{path}: thresholds.{name} is unknown. Known here: {', '.join(THRESHOLDS)}.")
    both = value if isinstance(value, list) else [value, float("inf")]
    if len(both) != 2 or not all(isinstance(one, int | float) and not isinstance(one, bool) for one in both):
        raise WasimError(f"{path}: thresholds.{name} is no bound. Give a warning, or [warning, critical].")
    return float(both[0]), float(both[1])


def _suppression(path: Path, number: int, given: Any) -> Suppression:  # noqa: ANN401 - as TOML gives it
    place = f"{path}: suppress[{number}]"
    if not isinstance(given, dict) or not given.keys() >= {"id", "reason", "until"}:
        raise WasimError(f"{place} lacks what it needs. {_WANTED}")
    known, identities = {"id", "reason", "until", "table"}, [one.identity for one in KNOWN.values()]
    if given["id"] not in identities or given.keys() - known or type(given["until"]) is not date:
        raise WasimError(f"{place} has an id, a date or a key that is none. {_WANTED}")
    if not str(given["reason"]).strip():
        raise WasimError(f"{place} gives no reason. {_WANTED}")
    return Suppression(
        identity=given["id"], reason=str(given["reason"]), until=given["until"], table=str(given.get("table", "*"))
    )
