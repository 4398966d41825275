"""Which commit interval a run recommends: the shortest within all limits; without limits the knee of the sweep."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from wasim.fit.report import FitReport
from wasim.report.answer.options import LimitOutcome, Option, OptionInputs, read_options
from wasim.report.series import Series, group_cases
from wasim.runs import Run
from wasim.scenario.prices import Prices
from wasim.units import Floats

if TYPE_CHECKING:
    from wasim.forecast import RunForecasts


FEWEST_FOR_A_KNEE = 3


def knee_of(intervals_s: Floats, written_bytes: Floats) -> int:
    """The place of the interval farthest below the line from the shortest interval to the longest.

    Both axes run from 0 to 1 over the sweep; to its left a second of freshness saves more than on average, to its right
    less. Intervals ascend, three or more of them.
    """
    freshness = (intervals_s - intervals_s[0]) / (intervals_s[-1] - intervals_s[0])
    spread = max(float(written_bytes.max() - written_bytes.min()), 1.0)
    return int(np.argmax(1 - freshness - (written_bytes - written_bytes.min()) / spread))


Because = Literal["limits", "knee", "lasting", "below_data", "saving", "none", "open"]


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


def answer_run(
    run: Run,
    fit: FitReport,
    outcomes: Sequence[LimitOutcome] = (),
    prices: Prices | None = None,
    forecasts: "RunForecasts | None" = None,
) -> Answer:
    """The run's answer. `outcomes` are its limits, judged case by case."""
    inputs = OptionInputs(fit=fit, forecasts=forecasts, outcomes=outcomes, prices=prices)
    limited = any(outcome["holds"] is not None for outcome in outcomes)  # a simulation judges none on time
    choices = [_choose(group, read_options(group, inputs), limited) for group in group_cases(run)]
    return Answer(
        choices=tuple(sorted(choices, key=lambda choice: len(choice.options) < 2)),
        limited=limited,
        currency=None if prices is None else prices.currency,
    )


def _choose(group: Series, options: tuple[Option, ...], limited: bool) -> Choice:
    chosen, because = _within_limits(options) if limited else _at_the_knee(options)
    return Choice(group=group, options=options, chosen=chosen, because=because)


def _within_limits(options: tuple[Option, ...]) -> tuple[Option | None, Because]:
    within = [option for option in options if option.is_within_limits]
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
