"""Two runs compared: cases matched by their inputs, and each figure of the second as a ratio to the first's."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from wasim.errors import SavedFileError
from wasim.ledger import METADATA_KINDS
from wasim.report.series import planning_at_end_ms
from wasim.runs import CaseRun, Run
from wasim.scenario import Case
from wasim.units import format_bytes, format_duration, format_figure

RUN_FACTS = {
    "engine.java": "Java",
    "engine.master": "Spark master",
    "wasim": "wasim",
    "git_commit": "commit of wasim",
    "cpu": "CPU",
    "file_system": "file system",
}
"""Parts of the provenance in which two runs may differ and still be compared, with their names in a sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One figure of a matched case. None where a run does not have it."""

    name: str
    unit: str
    before: float | None
    after: float | None

    @property
    def ratio(self) -> float | None:
        """after ÷ before; None where either is missing or there is nothing to divide by."""
        if self.before is None or self.after is None or self.before == 0:
            return None
        return self.after / self.before

    @property
    def text(self) -> str:
        """`38.2 MiB ×1.02`, without a ratio where the first run lacks the figure; a dash where the second does."""
        if self.after is None:
            return "–"
        shown = format_bytes(self.after) if self.unit == "B" else format_figure(self.after)
        return shown if self.ratio is None else f"{shown} ×{self.ratio:.3g}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """A case that both runs have."""

    label: str
    figures: tuple[Figure, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two runs compared. `differences` are sentences on how the runs differ, `unmatched` on cases of one run alone."""

    first: str
    second: str
    matches: tuple[Match, ...]
    differences: tuple[str, ...]
    unmatched: tuple[str, ...]

    def above(self, ratio: float) -> list[str]:
        """One sentence for every figure that grew by more than this ratio."""
        return [
            f"{match.label}: {figure.name} {figure.text}"
            for match in self.matches
            for figure in match.figures
            if figure.ratio is not None and figure.ratio > ratio
        ]


def compare_runs(first: Run, second: Run) -> Comparison:
    """Cases of the same writer, interval, table, workload, changes, maintenance and horizon, in the first run's order.

    Repetitions are matched in turn. SavedFileError, saying what differs, if the runs share no case.
    """
    others = list(second.cases)
    matches: list[Match] = []
    alone: list[CaseRun] = []
    for case in first.cases:
        same = next((other for other in others if not _differences(case.case, other.case)), None)
        if same is None:
            alone.append(case)
            continue
        others.remove(same)
        matches.append(Match(label=case.case.label, figures=tuple(_figures(case, same))))
    unmatched = tuple(_unmatched(alone, others, first.name, second.name))
    if not matches:
        raise SavedFileError(
            f"{first.name} and {second.name} share no case: {'; '.join(unmatched[:3])}. "
            "Compare runs of the same table, workload and horizon."
        )
    return Comparison(
        first=first.name,
        second=second.name,
        matches=tuple(matches),
        differences=tuple(_differing_facts(first, second)),
        unmatched=unmatched,
    )


def _unmatched(alone: list[CaseRun], others: list[CaseRun], first: str, second: str) -> Iterator[str]:
    """A sentence for each case of one run alone; it names what differs where the other has a case of that label."""
    rest = {other.case.label: other for other in others}
    for case in alone:
        label = case.case.label
        other = rest.pop(label, None)
        if other is None:
            yield f"{label} is in {first} alone"
        else:
            yield f"{label} differs in {', '.join(_differences(case.case, other.case))}"
    yield from (f"{label} is in {second} alone" for label in rest)


def _differences(one: Case, other: Case) -> list[str]:
    """The inputs in which two cases differ, in words; empty for equal ones."""
    return [
        name if text is None else f"{name} ({text(one)}, {text(other)})"
        for name, part, text in _PARTS
        if part(one) != part(other)
    ]


def _columns(case: Case) -> str:
    return f"{sum(column.count for column in case.table.columns) + 2} columns"


_PARTS: tuple[tuple[str, Callable[[Case], object], Callable[[Case], str] | None], ...] = (
    ("writer", lambda case: case.writer, lambda case: case.writer_name),
    (
        "commit interval",
        lambda case: case.commit_interval_s,
        lambda case: format_duration(case.commit_interval_s),
    ),
    ("table", lambda case: case.table, _columns),
    (
        "rows a second",
        lambda case: case.workload.rows_per_second,
        lambda case: f"{case.workload.rows_per_second:g}",
    ),
    ("workload", lambda case: case.workload.model_copy(update={"rows_per_second": 1.0}), None),
    ("horizon", lambda case: case.horizon_s, lambda case: format_duration(case.horizon_s)),
    ("changes", lambda case: case.changes, None),
    ("maintenance", lambda case: case.maintenance, None),
    ("evolution", lambda case: case.evolution, None),
    ("catalog", lambda case: case.environment.catalog, lambda case: case.environment.catalog),
    ("repetition", lambda case: case.repetition, lambda case: f"#{case.repetition + 1}"),
)


def _differing_facts(first: Run, second: Run) -> Iterator[str]:
    one, other = first.cases[0].engine, second.cases[0].engine
    if one != other:
        yield f"engine: {one} → {other}"
    for fact, name in RUN_FACTS.items():
        before, after = (_fact(run.provenance, fact) for run in (first, second))
        if before is not None and after is not None and before != after:
            yield f"{name}: {before} → {after}"
    before, after = _location(first), _location(second)
    if before != after:
        yield f"the table's path, which metadata repeats for every file: {before} → {after}"


def _location(run: Run) -> str:
    first = run.cases[0]
    return "in the run's folder" if first.simulation is None or first.location is None else first.location


def _fact(provenance: dict[str, Any], name: str) -> str | None:
    value: Any = provenance
    for part in name.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    return None if value is None else str(value)


def _figures(before: CaseRun, after: CaseRun) -> Iterator[Figure]:
    for name, unit, figure in _FIGURES:
        yield Figure(name=name, unit=unit, before=figure(before), after=figure(after))


def _commit_ms(run: CaseRun) -> float | None:
    spent = run.ledger.commit_ms
    return float(np.median(spent)) if len(spent) and not np.isnan(spent).any() else None


_FIGURES: tuple[tuple[str, str, Callable[[CaseRun], float | None]], ...] = (
    ("metadata written", "B", lambda run: float(run.totals.metadata_bytes)),
    ("data written", "B", lambda run: float(run.totals.data_bytes)),
    ("metadata on disk", "B", lambda run: float(sum(run.totals.on_disk_bytes[kind] for kind in METADATA_KINDS))),
    ("load + planning ms", "ms", planning_at_end_ms),
    ("commit ms", "ms", _commit_ms),
)


def comparison_document(comparison: Comparison) -> dict[str, Any]:
    """The comparison as plain JSON values."""
    return {
        "schema_version": 1,
        "first": comparison.first,
        "second": comparison.second,
        "differences": list(comparison.differences),
        "unmatched": list(comparison.unmatched),
        "cases": [
            {
                "label": match.label,
                "figures": [
                    {"name": one.name, "unit": one.unit, "before": one.before, "after": one.after, "ratio": one.ratio}
                    for one in match.figures
                ],
            }
            for match in comparison.matches
        ],
    }


def comparison_records(comparison: Comparison) -> list[dict[str, Any]]:
    """One flat record per figure of every matched case."""
    return [
        {"case": match.label, "figure": one.name, "before": one.before, "after": one.after, "ratio": one.ratio}
        for match in comparison.matches
        for one in match.figures
    ]
