"""Limits judged: each metric per case, the worst case counts."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from wasim.ledger import FULL_SCAN, PlanningProbe, of_first_reader
from wasim.runs.values import CaseRun, Run
from wasim.scenario.limits import Limit
from wasim.units import HOUR_S

LimitDocument = dict[str, Any]


def judge(
    limits: Iterable[Limit], run: Run, hourly_bytes: Mapping[str, float] | None = None
) -> Iterator[LimitDocument]:
    """Per limit: the worst value, its case, and whether the limit holds; it does not where nothing was measured.

    `cases` holds the same case by case, in the run's order. `hourly_bytes` are the metadata bytes that the fitted model
    gives for an hour, by case label: what was written in less than an hour says nothing of an hour, for it grows with
    its square. A limit on time neither holds nor breaks, `holds` being None, where all cases are simulated.
    """
    hourly = {case.case.label: _measured_hour(case) for case in run.cases}
    hourly = {label: value or (hourly_bytes or {}).get(label) for label, value in hourly.items()}
    for limit in limits:
        values = [
            (
                hourly[case.case.label]
                if limit.metric == "metadata_bytes_per_event_hour"
                else _METRICS[limit.metric](case),
                case.case.label,
            )
            for case in run.cases
        ]
        missing = [label for value, label in values if value is None]
        measured = [(value, label) for value, label in values if value is not None]
        upper = limit.comparison.startswith("<")
        worst = (max if upper else min)(measured, default=None)
        untimed = limit.metric.endswith("_ms") and all(case.simulation is not None for case in run.cases)
        yield {
            "limit": f"{limit.metric} {limit.text}",
            "worst": worst[0] if worst else None,
            "case": missing[0] if missing else worst[1] if worst else None,
            "holds": None if untimed else worst is not None and not missing and limit.holds(worst[0]),
            "metric": limit.metric,
            "cases": [
                {"case": label, "value": value, "holds": _holds(limit, value, untimed=untimed)}
                for value, label in values
            ],
        }


def _measured_hour(case: CaseRun) -> float | None:
    """Metadata bytes an hour over a horizon of an hour or more; None over a shorter one."""
    hours = case.case.horizon_s / HOUR_S
    return case.totals.metadata_bytes / hours if hours >= 1 else None


def _holds(limit: Limit, value: float | None, *, untimed: bool) -> bool | None:
    return None if untimed else value is not None and limit.holds(value)


def _final_warm_scan(case: CaseRun) -> PlanningProbe | None:
    first = of_first_reader(case.probes)
    probes = [probe for probe in first if probe.temperature == "warm" and probe.query == FULL_SCAN]
    return probes[-1] if probes else None


def _commit_percentile(percent: float) -> Callable[[CaseRun], float | None]:
    def of_case(case: CaseRun) -> float | None:
        spent = case.ledger.commit_ms
        return float(np.percentile(spent, percent)) if len(spent) and not np.isnan(spent).any() else None

    return of_case


def _planning_percentile(percent: float, *, load_only: bool = False) -> Callable[[CaseRun], float | None]:
    def of_case(case: CaseRun) -> float | None:
        probe = _final_warm_scan(case)
        spent = None if probe is None else probe.load_ms if load_only else probe.together_ms
        return None if spent is None or not len(spent) else float(np.percentile(spent, percent))

    return of_case


_METRICS: dict[str, Callable[[CaseRun], float | None]] = {
    "wa_data": lambda case: case.amplification.data,
    "wa_metadata": lambda case: case.amplification.metadata,
    "wa_total": lambda case: case.amplification.total,
    "metadata_bytes": lambda case: float(case.totals.metadata_bytes),
    "planning_p50_ms": _planning_percentile(50),
    "planning_p95_ms": _planning_percentile(95),
    "load_p95_ms": _planning_percentile(95, load_only=True),
    "manifests": lambda case: float(case.ledger.live_manifests[-1]),
    "snapshots": lambda case: float(case.ledger.snapshots_retained[-1]),
    "commit_p95_ms": _commit_percentile(95),
}
