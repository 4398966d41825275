"""Metrics of finished cases, and limits judged: each in every case, the worst case counts."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from math import isfinite, nan
from typing import Any

import numpy as np

from wasim.ledger import warm_full_scans
from wasim.ledger.vocabulary import MANIFEST_KINDS
from wasim.runs.values import CaseRun, Run
from wasim.scenario.metrics import PERIODS_S, Limit, tables_counted

LimitDocument = dict[str, Any]
HELD = ("metadata_json_bytes", "metadata_on_disk_bytes", "manifests", "snapshots", "files", "delete_files")
"""Metrics of what a table holds: the most in the later half of the horizon."""

Ahead = Mapping[float, Mapping[str, float]]
"""Metadata bytes of a period, by its seconds and a case's label, as far as a model gives them."""


def judge(limits: Iterable[Limit], run: Run, ahead: Ahead | None = None) -> Iterator[LimitDocument]:
    """Per limit: the worst value, its case, and whether the limit holds; it does not where nothing was measured.

    `cases` holds the same case by case, in the run's order. What was written in less than a period says nothing of it,
    for it grows with its square: there the figure is taken from `ahead`. Where a limit is neither kept nor broken,
    `holds` is None, and `not_judged_because` says why.
    """
    for limit in limits:
        values = [(_value(case, limit.metric, ahead or {}), case.case.label) for case in run.cases]
        missing = [label for value, label in values if value is None]
        worst = max(((value, label) for value, label in values if value is not None), default=None)
        why_not = _why_not_judged(limit, run)
        yield {
            "limit": f"{limit.metric} {limit.text}",
            "worst": worst[0] if worst else None,
            "case": missing[0] if missing else worst[1] if worst else None,
            "holds": None if why_not else worst is not None and not missing and limit.holds(worst[0]),
            "not_judged_because": why_not,
            "metric": limit.metric,
            "cases": [
                {"case": label, "value": value, "holds": None if why_not else value is not None and limit.holds(value)}
                for value, label in values
            ],
        }


def measure(case: CaseRun, metric: str) -> float | None:
    """A metric of a case, of all its tables where it adds up; None where it was not measured, or the case too short."""
    found = _METRICS.get(metric)
    return None if found is None else found(case)


def measures(case: CaseRun) -> dict[str, float | None]:
    """Every metric of a case that a run may have, by name."""
    return {name: measure(case, name) for name in _METRICS}


def _value(case: CaseRun, metric: str, ahead: Ahead) -> float | None:
    value = measure(case, metric)
    if value is None and metric in PERIODS_S:
        return ahead.get(PERIODS_S[metric], {}).get(case.case.label)
    return value


def _why_not_judged(limit: Limit, run: Run) -> str:
    if limit.metric == "monthly_cost":
        return "a run does not price computing; wasim plan does"
    untimed = limit.metric.endswith("_ms") and all(case.simulation is not None for case in run.cases)
    return "a simulation measures no time" if untimed else ""


def _commit_percentile(percent: float) -> Callable[[CaseRun], float | None]:
    def of_case(case: CaseRun) -> float | None:
        spent = case.ledger.commit_ms
        return float(np.percentile(spent, percent)) if len(spent) and not np.isnan(spent).any() else None

    return of_case


def _planning_percentile(percent: float, *, load_only: bool = False) -> Callable[[CaseRun], float | None]:
    def of_case(case: CaseRun) -> float | None:
        spent = [one.load_ms if load_only else one.together_ms for one in warm_full_scans(case.probes)[-1:]]
        return float(np.percentile(spent[0], percent)) if spent and len(spent[0]) else None

    return of_case


def _settled(metric: str) -> Callable[[CaseRun], float | None]:
    """A metric of a table that has settled; None where the engine does not know, or the horizon is too short."""

    def of_case(case: CaseRun) -> float | None:
        value = case.settled.get(metric, nan) * tables_counted(metric, case.case.writer.tables)
        return value if isfinite(value) else None

    return of_case


_METRICS: dict[str, Callable[[CaseRun], float | None]] = {
    "wa_data": lambda case: case.amplification.data,
    "wa_metadata": lambda case: case.amplification.metadata,
    "wa_total": lambda case: case.amplification.total,
    "metadata_bytes": lambda case: float(case.of_all_tables.metadata_bytes),
    **{name: _settled(name) for name in (*PERIODS_S, *HELD)},
    "manifest_bytes": lambda case: float(sum(case.live_bytes[kind] for kind in MANIFEST_KINDS)),
    "data_bytes": lambda case: float(case.of_all_tables.data_bytes),
    "planning_p50_ms": _planning_percentile(50),
    "planning_p95_ms": _planning_percentile(95),
    "load_p50_ms": _planning_percentile(50, load_only=True),
    "load_p95_ms": _planning_percentile(95, load_only=True),
    "commit_p50_ms": _commit_percentile(50),
    "commit_p95_ms": _commit_percentile(95),
}
