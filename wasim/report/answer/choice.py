"""What each interval of a sweep means, and which one a run recommends: the shortest within limits, or the knee."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from wasim.fit.report import FitReport, KeepsUp
from wasim.report.modelled import find_keeps_up, keeps_up_by_simulation, stops_keeping_up
from wasim.report.series import Series, group_cases
from wasim.report.words import ABSENT
from wasim.runs import CaseRun, Run, bill_case, measure
from wasim.runs.documents import GIB
from wasim.scenario.metrics import format_value
from wasim.scenario.prices import Prices
from wasim.units import DAY_S, MONTH_S, YEAR_S, Floats

if TYPE_CHECKING:
    from wasim.forecast import Forecast, RunForecasts


LimitOutcome = Mapping[str, Any]
"""A limit, judged: `limit` as written, its `metric`, the `worst` value, its `case`, whether it `holds`, its `cases`."""
FEWEST_FOR_A_KNEE = 3
Because = Literal["limits", "knee", "lasting", "below_data", "saving", "none", "open"]


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
    seconds: what was measured over exactly that, else the case's forecast; horizons that the writer does not reach are
    absent. `forecast_band` is the relative half-width of the widest
    forecast among them. `month_price` is a month's requests and the keeping of its metadata for a month.
    """

    run: CaseRun
    metadata_bytes: float
    data_bytes: float
    planning_ms: float | None
    keeps_up: KeepsUp | None
    by_horizon: dict[float, float]
    forecast_band: float
    month_price: float | None
    verdicts: tuple[Verdict, ...]

    @property
    def interval_s(self) -> float:
        """Seconds of event time per commit."""
        return self.run.case.commit_interval_s

    @property
    def judged_s(self) -> float:
        """The event time that it is judged over: a month, or the run's horizon where that is longer."""
        return max(MONTH_S, self.run.case.horizon_s)

    @property
    def judged_bytes(self) -> float | None:
        """Metadata written over that; None where the writer does not reach it."""
        if self.judged_s > MONTH_S and self.keeps_up_for(self.judged_s):
            return self.metadata_bytes
        return self.by_horizon.get(self.judged_s)

    def keeps_up_for(self, horizon_s: float) -> bool:
        """Whether the writer keeps up for the horizon, as far as is known."""
        return self.keeps_up is None or self.keeps_up.until_s >= horizon_s


def _read_option(
    runs: list[CaseRun],
    fit: FitReport,
    outcomes: Sequence[LimitOutcome],
    prices: Prices | None,
    forecasts: "RunForecasts | None",
) -> Option:
    first = runs[0]
    ahead = {} if forecasts is None else forecasts.of(first)
    planning = [ms for run in runs if (ms := measure(run, "planning_p50_ms")) is not None]
    keeps_up = find_keeps_up(first, fit) or keeps_up_by_simulation(_simulated(first, ahead))
    # as it was written over the run's own horizon, as it is forecast over others
    by_horizon = {horizon_s: float(one.written_bytes) for horizon_s, one in ahead.items() if one.keeps_up}
    if first.case.horizon_s in (DAY_S, MONTH_S, YEAR_S):
        by_horizon[first.case.horizon_s] = float(first.of_all_tables.metadata_bytes)
    until_s = keeps_up.until_s if keeps_up is not None else float("inf")
    by_horizon = {horizon: size for horizon, size in by_horizon.items() if horizon <= until_s}
    month = ahead.get(MONTH_S) if MONTH_S in by_horizon else None
    return Option(
        run=first,
        metadata_bytes=float(np.mean([run.of_all_tables.metadata_bytes for run in runs])),
        data_bytes=float(np.mean([run.of_all_tables.data_bytes for run in runs])),
        planning_ms=float(np.mean(planning)) if planning else None,
        keeps_up=keeps_up,
        by_horizon=by_horizon,
        forecast_band=max((one.band for one in ahead.values()), default=0.0),
        month_price=None if prices is None else month_price(first, month, prices),
        verdicts=tuple(_verdict(runs, outcome) for outcome in outcomes),
    )


def _verdict(runs: list[CaseRun], outcome: LimitOutcome) -> Verdict:
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


def _simulated(run: CaseRun, ahead: Mapping[float, "Forecast"]) -> list[CaseRun]:
    """The case's simulations in sums, shortest horizon first; none for cases that the fitted equations cover."""
    of_sums = [run] if run.is_sampled and not run.case.is_appends_of_one_writer else []
    return sorted([*of_sums, *(one.run for one in ahead.values())], key=lambda one: one.case.horizon_s)


def month_price(run: CaseRun, month: "Forecast | None", prices: Prices) -> float | None:
    """What a month costs: its requests, and keeping for a month the metadata that it leaves; None if that is unknown.

    Requests are those that the run counted, or one PUT for each file written where its store counts none. What a month
    leaves is the run's own where it is as long, else the forecast's.
    """
    if run.case.horizon_s >= MONTH_S and stops_keeping_up(run) is None:
        found = run
    elif month is not None and run.commits:
        found = month.run
    else:
        return None
    bill = bill_case(run, prices)
    puts = sum(found.of_all_tables.files_written.values()) / found.case.horizon_s * MONTH_S / 1000
    requests = puts * prices.per_1000_requests.put if bill is None else bill.requests_price_per_month
    kept_bytes = found.of_all_tables.metadata_on_disk_bytes
    return requests + kept_bytes / GIB * prices.storage_per_gib_month


def knee_of(intervals_s: Floats, written_bytes: Floats) -> int:
    """The place of the interval farthest below the line from the shortest interval to the longest.

    Both axes run from 0 to 1 over the sweep; to its left a second of freshness saves more than on average, to its right
    less. Intervals ascend, three or more of them.
    """
    freshness = (intervals_s - intervals_s[0]) / (intervals_s[-1] - intervals_s[0])
    spread = max(float(written_bytes.max() - written_bytes.min()), 1.0)
    return int(np.argmax(1 - freshness - (written_bytes - written_bytes.min()) / spread))


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The intervals of one table and writer, shortest first, and which of them to take.

    `because` says why: `limits`, the shortest that is within them all; `knee`, from where on further freshness given up
    saves little; `lasting`, the shortest of the one or two that keep up for a month, or the horizon if that is longer;
    of two that both do, the shorter where its metadata stays `below_data`, or else the longer for its `saving`; `none`,
    none keeps up, or none is within the limits; `open`, too little is known to tell.
    """

    group: Series
    options: tuple[Option, ...]
    chosen: Option | None
    because: Because

    def longer_s(self, option: Option) -> float:
        """The next longer interval than `option`'s; after the last one, twice as long."""
        longer = (one.interval_s for one in self.options if one.interval_s > option.interval_s)
        return next(longer, 2 * option.interval_s)

    @property
    def shorter(self) -> Option | None:
        """The next shorter interval than the chosen one."""
        if self.chosen is None:
            return None
        before = [option for option in self.options if option.interval_s < self.chosen.interval_s]
        return before[-1] if before else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a run answers: a choice for each table and writer; those that have intervals to choose from come first."""

    choices: tuple[Choice, ...]
    limited: bool
    currency: str | None

    @property
    def shown(self) -> tuple[Choice, ...]:
        """The choices to show interval by interval: of several intervals, or else with a forecast."""
        known = (one for one in self.choices if any(option.by_horizon or option.keeps_up for option in one.options))
        return self.swept or tuple(known)

    @property
    def suggested(self) -> tuple[Choice, Option] | None:
        """The interval to take, of the first table and writer that have one; else the longest of the first."""
        choice = next((one for one in self.choices if one.chosen), next(iter(self.choices), None))
        return None if choice is None else (choice, choice.chosen or choice.options[-1])

    @property
    def swept(self) -> tuple[Choice, ...]:
        """The choices between intervals."""
        return tuple(choice for choice in self.choices if len(choice.options) > 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Conclusion:
    """A run fitted, judged and answered, with the prices for it.

    `ahead` are sentences on its forecasts: what they ignore or replace by a mean. `remedies_line` is what maintenance
    would save.
    """

    run: Run
    fit: FitReport
    answer: Answer
    limits: Sequence[LimitOutcome] = ()
    prices: Prices | None = None
    ahead: tuple[str, ...] = ()
    remedies_line: str = ""


def answer_run(
    run: Run,
    fit: FitReport,
    outcomes: Sequence[LimitOutcome] = (),
    prices: Prices | None = None,
    forecasts: "RunForecasts | None" = None,
) -> Answer:
    """The run's answer. `outcomes` are its limits, judged case by case."""
    limited = any(outcome["holds"] is not None for outcome in outcomes)  # a simulation judges none on time
    choices = []
    for group in group_cases(run):
        by_interval = groupby(group.cases, key=lambda one: one.case.commit_interval_s)  # as they are sorted
        options = tuple(_read_option(list(cases), fit, outcomes, prices, forecasts) for _, cases in by_interval)
        chosen, because = _within_limits(options) if limited else _at_the_knee(options)
        choices.append(Choice(group=group, options=options, chosen=chosen, because=because))
    return Answer(
        choices=tuple(sorted(choices, key=lambda choice: len(choice.options) < 2)),
        limited=limited,
        currency=None if prices is None else prices.currency,
    )


def _within_limits(options: tuple[Option, ...]) -> tuple[Option | None, Because]:
    within = [one for one in options if all(verdict.holds is not False for verdict in one.verdicts)]
    return (within[0], "limits") if within else (None, "none")


def _at_the_knee(options: tuple[Option, ...]) -> tuple[Option | None, Because]:
    if len(options) < 2:
        return None, "open"
    lasting = [option for option in options if option.keeps_up_for(option.judged_s)]
    if len(lasting) < FEWEST_FOR_A_KNEE:
        if not lasting:
            return None, "none"
        return (lasting[0], "lasting") if len(lasting) < len(options) else _of_two(lasting[0], lasting[-1])
    sizes = [size for option in lasting if (size := option.judged_bytes) is not None]
    if len(sizes) < len(lasting):
        sizes = [option.metadata_bytes for option in lasting]
    at = knee_of(np.array([option.interval_s for option in lasting]), np.array(sizes))
    return lasting[at], "knee"


def _of_two(shorter: Option, longer: Option) -> tuple[Option | None, Because]:
    """The shorter where its metadata is no more than the data; else the longer."""
    metadata = shorter.judged_bytes
    if metadata is None or longer.judged_bytes is None:
        return None, "open"
    case = shorter.run.case
    data = case.writer.tables * shorter.run.ingested_bytes / case.horizon_s * shorter.judged_s
    return (shorter, "below_data") if metadata <= data else (longer, "saving")
