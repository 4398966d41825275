"""Runs as series: cases grouped as lines or panels, and the figures that charts and tables share."""

from collections.abc import Sequence
from dataclasses import dataclass

from wasim.fit.groups import name_without_interval
from wasim.ledger import Kind
from wasim.ledger.vocabulary import METADATA_KINDS
from wasim.runs import CaseRun, Run
from wasim.units import format_duration


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """Cases that differ in one number alone (and in repetition), by ascending interval, or number of writers."""

    name: str
    cases: tuple[CaseRun, ...]

    @property
    def writers(self) -> list[int]:
        """How many writers each case has."""
        return [run.case.writer.writers for run in self.cases]

    @property
    def shortest(self) -> CaseRun:
        """The first case of the smallest interval."""
        return self.cases[0]


def group_cases(run: Run) -> tuple[Series, ...]:
    """The run's cases by writer and whatever else was swept, in the sweep's order."""
    groups: dict[str, list[CaseRun]] = {}
    for case in run.cases:
        groups.setdefault(name_without_interval(case.case), []).append(case)
    return tuple(
        Series(name=name, cases=tuple(sorted(cases, key=lambda c: (c.case.commit_interval_s, c.case.repetition))))
        for name, cases in groups.items()
    )


def short_names(names: Sequence[str]) -> dict[str, str]:
    """Each name by itself without the words that all share; unchanged where one would have none left."""
    shared = set.intersection(*(set(name.split()) for name in names)) if len(names) > 1 else set[str]()
    short = {name: " ".join(word for word in name.split() if word not in shared) for name in names}
    return short if all(short.values()) else {name: name for name in names}


def operation_words(operation: str) -> str:
    """A step's operation as people read it: `rewrite_manifests` → `rewrite manifests`."""
    return operation.replace("_", " ").replace("-", " ")


def kinds_written(runs: tuple[CaseRun, ...]) -> tuple[Kind, ...]:
    """Metadata kinds of which any of the cases wrote something."""
    return tuple(kind for kind in METADATA_KINDS if any(run.totals.written_bytes[kind] for run in runs))


def horizons_s(run: Run) -> list[float]:
    """Different horizons over which the cases' amplification is stated."""
    return sorted({case.amplification.horizon_s for case in run.cases})


def horizon_words(run: Run) -> str:
    """The horizon in words, for titles: `4m`, or `its own horizon` where cases differ."""
    horizons = horizons_s(run)
    return format_duration(horizons[0]) if len(horizons) == 1 else "each case's own horizon"
