"""Forecasts of a run: an hour, a day, a month and a year of its cases, each where and as the run wrote it."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from wasim.contention import LOCAL
from wasim.errors import WasimError
from wasim.forecast.ahead import Forecast, forecast
from wasim.runs import CaseRun, Run
from wasim.runs.values import say_once
from wasim.scenario import Case
from wasim.twin import Site
from wasim.units import DAY_S, HOUR_S, MONTH_S, YEAR_S

HORIZONS_S = (HOUR_S, DAY_S, MONTH_S, YEAR_S)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunForecasts:
    """A run's forecasts by its case's label, then by horizon in seconds.

    `notes` are sentences: what was ignored or replaced by its mean, and which cases have no forecast and why.
    """

    by_case: Mapping[str, Mapping[float, Forecast]]
    notes: tuple[str, ...]

    def of(self, run: CaseRun) -> Mapping[float, Forecast]:
        """The forecasts of one of the run's cases, or of the repetition that stands for it."""
        return self.by_case.get(run.case.label, {})


def forecast_run(run: Run) -> RunForecasts:
    """The forecasts of each case of the run but its repetitions; horizons within one commit interval are left out."""
    found: dict[str, Mapping[float, Forecast]] = {}
    refused: dict[str, str] = {}
    cases = [one for one in run.cases if one.case.repetition == 0]
    for one in cases:
        horizons_s = _horizons_s(one.case)
        try:
            ahead = forecast(one.case, site_of(one), horizons_s)
        except WasimError as error:
            refused[one.case.label] = str(error)
            continue
        found[one.case.label] = dict(zip(horizons_s, ahead, strict=True))
    return RunForecasts(by_case=found, notes=tuple(_notes(cases, found, refused)))


def site_of(run: CaseRun) -> Site:
    """Where the case's table lies; that of `Site` where a run was saved without it."""
    site = Site(provider=None if run.latency is None or run.latency.provider == LOCAL else run.latency.provider)
    return site if run.location is None else replace(site, location=run.location)


def _horizons_s(case: Case) -> tuple[float, ...]:
    """Statements on rows take seconds to simulate over a year."""
    longest_s = MONTH_S if case.changes_rows else YEAR_S
    return tuple(one for one in HORIZONS_S if case.commit_interval_s <= one <= longest_s)


def _notes(
    cases: Iterable[CaseRun], found: Mapping[str, Mapping[float, Forecast]], refused: Mapping[str, str]
) -> Iterator[str]:
    for label, why in refused.items():
        yield f"{label} has no forecast: {why}"
    if any(one.location is None for one in cases):
        yield f"The run does not say where its table was; forecasts are of one at {Site().location}."
    yield from say_once(
        (label, [text for one in ahead.values() for text in one.run.approximated]) for label, ahead in found.items()
    )
