"""Gates for CI: by how much each metric may grow from one side of a comparison to the other, and what grew by more."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from wasim.errors import WasimError, quoted
from wasim.report.words import ABSENT
from wasim.scenario.metrics import METRICS, dimension_of, format_value
from wasim.units import format_times

BYTES = "bytes"  # every metric that is measured in bytes; what a gate without a name is for
_PART = re.compile(r"(?:([a-z0-9_]+)=)?([0-9.]+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A metric on both sides. None where a side does not have it."""

    metric: str
    before: float | None
    after: float | None

    @property
    def name(self) -> str:
        """What tables call it."""
        return METRICS[self.metric].words

    @property
    def ratio(self) -> float | None:
        """after ÷ before; None where either is missing or there is nothing to divide by."""
        if self.before is None or self.after is None or self.before == 0:
            return None
        return self.after / self.before

    @property
    def text(self) -> str:
        """`38.2 MiB ×1.02`, without a ratio where the first side lacks the figure; a dash where the second does."""
        if self.after is None:
            return ABSENT
        shown = format_value(self.metric, self.after)
        return shown if self.ratio is None else f"{shown} {format_times(self.ratio)}"

    def document(self) -> dict[str, Any]:
        """It as plain JSON values."""
        return {"metric": self.metric, "name": self.name, "before": self.before, "after": self.after} | {
            "ratio": self.ratio
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """The most that figures may be of what they were: ratios by metric, by what metrics begin with, or for `bytes`."""

    ratios: Mapping[str, float]

    def ratio_for(self, metric: str) -> float | None:
        """The ratio of the most specific name that covers the metric; None where none does."""
        covering = [name for name in self.ratios if _covers(name, metric)]
        return self.ratios[max(covering, key=lambda name: 0 if name == BYTES else len(name))] if covering else None

    @property
    def words(self) -> str:
        """`bytes ×1.1, planning ×2`."""
        return ", ".join(f"{name} ×{ratio:g}" for name, ratio in self.ratios.items())


def parse_gate(text: str) -> Gate:
    """The gate of `--fail-above`: `1.1` for bytes, or such as `metadata=1.01,planning=2`. WasimError if it is none."""
    ratios = {}
    for part in text.split(","):
        match = _PART.fullmatch(part.strip())
        name, ratio = (match[1] or BYTES, _number(match[2])) if match else (BYTES, 0.0)
        if not ratio > 0:
            raise WasimError(
                f"--fail-above is {quoted(text)}. Give a ratio above zero for bytes, such as 1.1, or ratios by metric,"
                " such as metadata=1.01,planning=2."
            )
        if name != BYTES and not any(_covers(name, metric) for metric in METRICS):
            known = ", ".join((BYTES, *METRICS))
            raise WasimError(
                f"--fail-above has {quoted(name)}, which is no metric, and none begins so. Known here: {known}."
            )
        ratios[name] = ratio
    return Gate(ratios=ratios)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0


def _covers(name: str, metric: str) -> bool:
    by_unit = name == BYTES and dimension_of(metric) == BYTES
    return by_unit or metric == name or metric.startswith(f"{name}_")


@dataclass(frozen=True, slots=True, kw_only=True)
class Growth:
    """A figure that grew by more than its gate allows, and where."""

    where: str
    figure: Figure
    allowed: float

    @property
    def text(self) -> str:
        """`streaming every 5s: metadata written 3.95 MiB ×2, above ×1.1`."""
        place = f"{self.where}: " if self.where else ""
        return f"{place}{self.figure.name} {self.figure.text}, above ×{self.allowed:g}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What a gate found: what grew by more, how many figures it was for, and `missing`, a sentence each.

    `fails_on_missing` says whether a sentence of what is missing fails.
    """

    gate: Gate | None
    growths: tuple[Growth, ...]
    checked: int
    missing: tuple[str, ...]
    fails_on_missing: bool

    @property
    def passed(self) -> bool:
        """Whether nothing fails."""
        return not self.growths and not (self.fails_on_missing and self.missing)

    @property
    def asked(self) -> bool:
        """Whether there was anything to fail."""
        return self.gate is not None or self.fails_on_missing

    @property
    def lines(self) -> tuple[str, ...]:
        """What failed, a line each."""
        return (*(one.text for one in self.growths), *(self.missing if self.fails_on_missing else ()))

    @property
    def sentence(self) -> str:
        """`8 figures are within bytes ×1.1`, or how many are above it and how many are missing."""
        within = "" if self.gate is None else self.gate.words
        said = f"{self.checked} figures are within {within}" if self.gate is not None else "nothing is missing"
        if self.growths:
            said = f"{len(self.growths)} of {self.checked} figures are above {within}"
        if self.fails_on_missing and self.missing:
            said += f"{', and ' if self.gate is not None else ''}{len(self.missing)} missing"
        return said

    def document(self) -> dict[str, Any] | None:
        """It as plain JSON values; None where nothing was asked."""
        if not self.asked:
            return None
        return {
            "passed": self.passed,
            "fail_above": {} if self.gate is None else dict(self.gate.ratios),
            "fail_on_missing": self.fails_on_missing,
            "checked": self.checked,
            "above": [{"where": one.where, "allowed": one.allowed, **one.figure.document()} for one in self.growths],
            "missing": list(self.missing),
        }


def judge_growth(
    figures: Iterable[tuple[str, Figure]], gate: Gate | None, *, missing: Iterable[str] = (), fails_on_missing: bool
) -> Verdict:
    """The verdict on figures, each with where it is of. A gated one that only the first side has is missing."""
    growths, absent, checked = [], list(missing), 0
    for where, figure in figures:
        allowed = None if gate is None else gate.ratio_for(figure.metric)
        if allowed is None:
            continue
        if figure.before is None:
            continue
        if figure.after is None:
            absent.append(f"{where}{': ' if where else ''}{figure.name} is missing")
            continue
        checked += 1
        if figure.after > figure.before * allowed:  # anything is more than nothing
            growths.append(Growth(where=where, figure=figure, allowed=allowed))
    return Verdict(
        gate=gate, growths=tuple(growths), checked=checked, missing=tuple(absent), fails_on_missing=fails_on_missing
    )
