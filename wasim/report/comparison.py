"""Two runs compared: cases matched by their inputs, and each figure of the second as a ratio to the first's."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from wasim.errors import SavedFileError
from wasim.report.gate import Figure, Gate, Verdict, judge_growth
from wasim.report.words import leaves
from wasim.runs import CaseRun, Run, measure
from wasim.scenario import Case
from wasim.twin import shipped_profile
from wasim.twin.profile import as_written
from wasim.units import format_duration

COMPARED = tuple(
    """
    metadata_bytes metadata_json_bytes metadata_on_disk_bytes data_bytes manifests planning_p50_ms commit_p50_ms
    """.split()
)
"""The metrics that are compared, in the order of the table."""

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
class Match:
    """A case that both runs have."""

    label: str
    figures: tuple[Figure, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two runs compared. `differences` are sentences on how the runs differ.

    `missing` are sentences on cases of the first run that the second lacks or has with other inputs, `added` on those
    that the second alone has.
    """

    first: str
    second: str
    matches: tuple[Match, ...]
    differences: tuple[str, ...]
    missing: tuple[str, ...]
    added: tuple[str, ...]

    @property
    def unmatched(self) -> tuple[str, ...]:
        """What was not compared, a sentence a case."""
        return *self.missing, *self.added

    def judge(self, gate: Gate | None, *, fails_on_missing: bool = False) -> Verdict:
        """Which figures grew by more than the gate allows, and what could not be compared."""
        figures = ((match.label, figure) for match in self.matches for figure in match.figures)
        return judge_growth(figures, gate, missing=self.missing, fails_on_missing=fails_on_missing)


def compare_runs(first: Run, second: Run) -> Comparison:
    """Cases of the same writer, interval, table, workload, changes, maintenance and horizon, in the first run's order,
    as their writers commit them.

    Repetitions are matched in turn. SavedFileError, saying what differs, if the runs share no case.
    """
    others = [(_written(one.case), one) for one in second.cases]
    matches: list[Match] = []
    alone: list[tuple[Case, CaseRun]] = []
    for case in first.cases:
        written = _written(case.case)
        same = next((other for other in others if not _differences(written, other[0])), None)
        if same is None:
            alone.append((written, case))
            continue
        others.remove(same)
        both = ((one, measure(case, one), measure(same[1], one)) for one in COMPARED)
        figures = tuple(Figure(metric=metric, before=before, after=after) for metric, before, after in both)
        matches.append(Match(label=case.case.label, figures=figures))
    missing = tuple(_missing(alone, others, first.name))
    labels = {written.label for written, _ in alone}
    added = tuple(f"{one.case.label} is in {second.name} alone" for case, one in others if case.label not in labels)
    if not matches:
        raise SavedFileError(
            f"{first.name} and {second.name} share no case: {'; '.join((*missing, *added)[:3])}. "
            "Compare runs of the same table, workload and horizon."
        )
    return Comparison(
        first=first.name,
        second=second.name,
        matches=tuple(matches),
        differences=tuple(_differing_facts(first, second)),
        missing=missing,
        added=added,
    )


def _written(case: Case) -> Case:
    """The case as its writer commits it, which a simulation keeps and a bench does not; as it was kept, where the file
    of its profile is gone.
    """
    try:
        return as_written(case, shipped_profile(case))
    except SavedFileError:
        return case


def _missing(alone: list[tuple[Case, CaseRun]], others: list[tuple[Case, CaseRun]], first: str) -> Iterator[str]:
    """A sentence for each of the first run's cases; it names what differs where the other has a case of that label."""
    rest = {other.label: other for other, _ in others}
    for case, run in alone:
        other = rest.get(case.label)
        if other is None:
            yield f"{run.case.label} is in {first} alone"
        else:
            yield f"{run.case.label} differs in {', '.join(_differences(case, other))}"


def _differences(one: Case, other: Case) -> list[str]:
    """The inputs in which two cases differ, in words; empty for equal ones."""
    return [
        name if text is None else f"{name} ({text(one)}, {text(other)})"
        for name, part, text in _PARTS
        if part(one) != part(other)
    ]


_PARTS: tuple[tuple[str, Callable[[Case], object], Callable[[Case], str] | None], ...] = (
    ("writer", lambda case: case.writer, lambda case: case.writer_name),
    ("commit interval", lambda case: case.commit_interval_s, lambda case: format_duration(case.commit_interval_s)),
    ("table", lambda case: case.table, lambda case: f"{len(case.table.all_columns)} columns"),
    (
        "rows a second",
        lambda case: case.workload.rows_per_second,
        lambda case: f"{case.workload.rows_per_second:,.10g}",
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
    before, after = (dict(leaves(run.provenance)) for run in (first, second))
    for fact, name in RUN_FACTS.items():
        was, is_now = before.get(fact), after.get(fact)
        if None not in (was, is_now) and was != is_now:
            yield f"{name}: {was} → {is_now}"
    place, other_place = _location(first), _location(second)
    if place != other_place:
        yield f"the table's path, which metadata repeats for every file: {place} → {other_place}"


def _location(run: Run) -> str:
    first = run.cases[0]
    return "in the run's folder" if first.simulation is None or first.location is None else first.location


def comparison_document(comparison: Comparison, verdict: Verdict) -> dict[str, Any]:
    """The comparison as plain JSON values; `verdict` is None where no gate was given."""
    return {
        "schema_version": 2,
        "first": comparison.first,
        "second": comparison.second,
        "verdict": verdict.document(),
        "differences": list(comparison.differences),
        "unmatched": list(comparison.unmatched),
        "cases": [
            {"label": match.label, "figures": [one.document() for one in match.figures]} for match in comparison.matches
        ],
    }


def comparison_records(comparison: Comparison) -> list[dict[str, Any]]:
    """One flat record per figure of every matched case."""
    return [{"case": match.label, **one.document()} for match in comparison.matches for one in match.figures]
