"""What each commit interval of a sweep means: bytes, money, planning, until when it keeps up, and the limits."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from wasim.fit.future import DAY_S, HOUR_S, MONTH_S, YEAR_S
from wasim.fit.report import FitReport, KeepsUp
from wasim.fit.sustain import MOST_METADATA_BYTES_PER_S
from wasim.ledger.vocabulary import METADATA_KINDS
from wasim.report.modelled import standing_for
from wasim.report.series import Group, planning_at_end_ms
from wasim.report.words import ABSENT
from wasim.runs import CaseRun, bill_case
from wasim.runs.bill import GIB
from wasim.scenario.limits import format_value
from wasim.scenario.prices import Prices

LimitOutcome = Mapping[str, Any]
"""A limit, judged: `limit` as written, its `metric`, the `worst` value, its `case`, whether it `holds`, its `cases`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """One limit in one case: whether it `holds`, and None where a simulation cannot tell.

    `value` is None where nothing was measured.
    """

    limit: str
    metric: str
    value: float | None
    holds: bool | None

    @property
    def text(self) -> str:
        """`✓ 0.16`, `✗ 701 ms`, or `not judged`."""
        if self.holds is None:
            return "not judged"
        value = ABSENT if self.value is None else format_value(self.metric, self.value)
        return f"{'✓' if self.holds else '✗'} {value}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One commit interval for one table and writer. Figures are means over repetitions, `run` is the first of them.

    `metadata_bytes` and `data_bytes` were written over the case's horizon. `by_horizon` holds metadata by event time in
    seconds: what was measured over exactly that, else what the model expects without maintenance; horizons that the
    writer does not reach are absent. `month_price` is a month's requests and the keeping of its metadata for a month.
    """

    run: CaseRun
    metadata_bytes: float
    data_bytes: float
    planning_ms: float | None
    keeps_up: KeepsUp | None
    by_horizon: dict[float, float]
    month_price: float | None
    verdicts: tuple[Verdict, ...]

    @property
    def interval_s(self) -> float:
        """Seconds of event time per commit."""
        return self.run.case.commit_interval_s

    @property
    def is_within_limits(self) -> bool:
        """Whether no limit is broken; true without limits."""
        return all(verdict.holds is not False for verdict in self.verdicts)

    def keeps_up_for(self, horizon_s: float) -> bool:
        """Whether the writer keeps up that long, as far as it is known."""
        return self.keeps_up is None or self.keeps_up.until_s >= horizon_s


def read_options(
    group: Group, fit: FitReport, outcomes: Sequence[LimitOutcome], prices: Prices | None
) -> tuple[Option, ...]:
    """One option per interval of the group, shortest first."""
    by_interval = [
        [run for run in group.cases if run.case.commit_interval_s == interval] for interval in group.intervals_s
    ]
    return tuple(_read_option(runs, fit, outcomes, prices) for runs in by_interval)


def _read_option(
    runs: list[CaseRun], fit: FitReport, outcomes: Sequence[LimitOutcome], prices: Prices | None
) -> Option:
    first = runs[0]
    planning = [ms for run in runs if (ms := planning_at_end_ms(run)) is not None]
    keeps_up = find_keeps_up(first, fit)
    by_horizon = _foreseen(first, fit, keeps_up)
    return Option(
        run=first,
        metadata_bytes=float(np.mean([run.totals.metadata_bytes for run in runs])),
        data_bytes=float(np.mean([run.totals.data_bytes for run in runs])),
        planning_ms=float(np.mean(planning)) if planning else None,
        keeps_up=keeps_up,
        by_horizon=by_horizon,
        month_price=None if prices is None else month_price(first, by_horizon.get(MONTH_S), prices),
        verdicts=tuple(_verdict(runs, outcome) for outcome in outcomes),
    )


def _verdict(runs: list[CaseRun], outcome: LimitOutcome) -> Verdict:
    """The limit in the worst of the repetitions."""
    labels = {run.case.label for run in runs}
    mine = [one for one in outcome.get("cases", ()) if one["case"] in labels]
    missing = not mine or any(one["value"] is None for one in mine)
    return Verdict(
        limit=str(outcome["limit"]),
        metric=str(outcome.get("metric", "")),
        value=None if missing else max(float(one["value"]) for one in mine),
        holds=_hold_together([one["holds"] for one in mine]),
    )


def _hold_together(holds: list[bool | None]) -> bool | None:
    if any(one is False for one in holds) or not holds:
        return False
    return None if any(one is None for one in holds) else True


def find_keeps_up(run: CaseRun, fit: FitReport) -> KeepsUp | None:
    """Until when the case's writer keeps up: by the fit, or by its commits' bytes where only those are known."""
    interval_s = run.case.commit_interval_s
    fitted = (one for one in standing_for(fit.keeps_up, run) if one.commit_interval_s == interval_s)
    return next(fitted, None) or stops_writing(run)


def stops_writing(run: CaseRun) -> KeepsUp | None:
    """When a case simulated in sums writes more metadata a second than any writer is taken to sustain; None: never."""
    if not run.is_sampled:
        return None
    interval_s = run.case.commit_interval_s
    too_much = run.ledger.metadata_bytes / interval_s > MOST_METADATA_BYTES_PER_S
    if not np.any(too_much):
        return None
    return KeepsUp(
        writer=run.case.writer_name,
        case=run.case.label,
        commit_interval_s=interval_s,
        until_s=float(run.ledger.commit[int(np.argmax(too_much))]) * interval_s,
        slope="writing",
        commits_seen=run.commits,
        metadata_bytes=None,
    )


def _foreseen(run: CaseRun, fit: FitReport, keeps_up: KeepsUp | None) -> dict[float, float]:
    """Metadata bytes by horizon, as far as the writer keeps up."""
    interval_s = run.case.commit_interval_s
    expected = {
        one.horizon_s: one.metadata_bytes.best
        for one in standing_for(fit.extrapolations, run)
        if one.commit_interval_s == interval_s
    }
    if run.is_sampled and run.case.is_appends_of_one_writer:
        expected = {horizon_s: _added_up(run, horizon_s) for horizon_s in (HOUR_S, DAY_S, MONTH_S, YEAR_S)}
        expected = {horizon_s: size for horizon_s, size in expected.items() if horizon_s <= run.case.horizon_s}
    if run.case.horizon_s in (DAY_S, MONTH_S, YEAR_S):
        expected[run.case.horizon_s] = float(run.totals.metadata_bytes)
    until_s = keeps_up.until_s if keeps_up is not None else float("inf")
    return {horizon: size for horizon, size in expected.items() if horizon <= until_s}


def _added_up(run: CaseRun, horizon_s: float) -> float:
    """Metadata bytes through a part of a simulated horizon: commits between those of the ledger lie on a line."""
    commits = max(1, int(horizon_s / run.case.commit_interval_s + 1e-4))
    known, written = run.ledger.commit.astype(np.float64), run.ledger.metadata_bytes.astype(np.float64)
    upto = np.append(known[known < commits], float(commits))
    sizes = np.interp(upto, known, written)
    return float(sizes[0] * upto[0] + np.sum(np.diff(upto) * (sizes[1:] + sizes[:-1]) / 2))


def month_price(run: CaseRun, month_bytes: float | None, prices: Prices) -> float | None:
    """What a month costs: its requests, and keeping the metadata that it leaves; None if the bytes are unknown.

    Requests are those that were counted, or one PUT for every file written where the store counts none. What a month
    leaves is what it wrote, but for the share that the case deleted again; of a horizon of months under maintenance it
    is what is on disk at the end.
    """
    kept_bytes = _kept_bytes(run, month_bytes)
    if kept_bytes is None or not run.commits:
        return None
    bill = bill_case(run, prices)
    files = sum(run.totals.files_written.values())
    puts = files / run.case.horizon_s * MONTH_S / 1000 * prices.per_1000_requests.put
    requests = puts if bill is None else bill.requests_price_per_month
    return requests + kept_bytes / GIB * prices.storage_per_gib_month


def _kept_bytes(run: CaseRun, month_bytes: float | None) -> float | None:
    written, on_disk = run.totals.metadata_bytes, run.totals.on_disk_bytes
    left = float(sum(on_disk[kind] for kind in METADATA_KINDS))
    if month_bytes is not None:
        return month_bytes * left / written if written else 0.0
    return left if run.case.horizon_s >= MONTH_S and stops_writing(run) is None else None
