"""Forecasts over horizons that nobody ran: of a case, of a run's cases, and of a real table by its own sizes."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from wasim.contention import LOCAL, commit_slowing
from wasim.errors import WasimError
from wasim.ledger import METADATA_KINDS, Kind
from wasim.runs import CaseRun, Run
from wasim.runs.limits import measure
from wasim.runs.values import say_once
from wasim.scenario import Case
from wasim.twin import Site, WriterProfile, shipped_profile
from wasim.twin.profile import as_written, tables_in_turn
from wasim.twin.supported import check_answerable
from wasim.units import DAY_S, HOUR_S, MONTH_S, YEAR_S
from wasim.years import Shape, YearsOf, read_shape
from wasim.years.observed import Fits, Observed, as_observed, fits_of
from wasim.years.summed import of_one_writer

INTERVALS_S = (0.1, 0.5, 1.0, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1800.0, 3600.0, 21600.0, 86400.0, 604800.0)
_BETWEEN_S = (2.0, 3.0, 7.0, 15.0, 20.0, 40.0, 90.0, 180.0, 240.0, 420.0, 900.0, 1200.0, 2700.0, 7200.0, 1.08e4, 4.32e4)
LEAST_STEP_S = 1.0  # shorter intervals are tried only where the freshness is shorter


def steps_between(shorter_s: float, longer_s: float) -> list[float]:
    """Candidates between two intervals, ascending, in steps finer than the ladder's."""
    return sorted(one for one in (*INTERVALS_S, *_BETWEEN_S) if shorter_s < one < longer_s)


def shorter_step(interval_s: float) -> float | None:
    """The next interval of the ladder below this one; None below a second."""
    return max((step for step in INTERVALS_S if LEAST_STEP_S <= step < interval_s), default=None)


def longer_steps(interval_s: float) -> list[float]:
    """The intervals of the ladder above this one, ascending; above its end, twice as long."""
    return [step for step in INTERVALS_S if step > interval_s] or [2 * interval_s]


@dataclass(frozen=True, slots=True, kw_only=True)
class Forecast:
    """A case's metadata over one horizon: bytes written by its end, and what there is before.

    `run.approximated` are sentences on what was ignored or replaced by its mean.
    """

    run: CaseRun

    @property
    def keeps_up(self) -> bool:
        """Whether every commit takes less than its interval, as far as its bytes say."""
        json_bytes, case = self.run.ledger.written_bytes[Kind.METADATA_JSON], self.run.case
        return commit_slowing().first_late(json_bytes, case.commit_interval_s / tables_in_turn(case)) is None

    @property
    def written_bytes(self) -> int:
        """Metadata written by the end of the horizon, to all tables of the job."""
        return self.run.of_all_tables.metadata_bytes

    def most(self, metric: str) -> int:
        """The most that a table, or all that a job commits to, holds of `metric` in the later half of it."""
        return round(measure(self.run, metric) or 0.0)

    @property
    def band(self) -> float:
        """Relative half-width of the bytes written: the mean of the kinds' by their bytes."""
        written = self.run.of_all_tables.written_bytes
        return sum(self.run.band.get(kind, 0.0) * written[kind] for kind in METADATA_KINDS) / max(self.written_bytes, 1)


@dataclass(slots=True, kw_only=True)
class Forecaster:
    """Forecasts of cases whose tables and commits are the same but for maintenance: what they share is found once.

    `site` is where the table lies. `shape` is its file sizes, read off the first case where it is None.
    """

    site: Site = field(default_factory=Site)
    shape: Shape | None = None
    _years: YearsOf | None = None

    def of(self, case: Case) -> Forecast:
        """The case's forecast over its own horizon, by its writer's profile. WasimError for what makes no sense."""
        if self._years is None:
            self._years = YearsOf(profile=profile_of(case), site=self.site, shape=self.shape)
        summed = self._years.simulate(as_written(case, self._years.profile))
        return Forecast(run=CaseRun.of_summed(case, summed, key="", engine="sim", wall_s=0.0))


def profile_of(case: Case) -> WriterProfile:
    """The profile of the case's writer. WasimError if there is none, or for what makes no sense with it."""
    profile = shipped_profile(case)
    check_answerable(case, profile)
    return profile


@dataclass(kw_only=True)
class TableForecasts:
    """Forecasts of a table at `site`, as `case` says that it is written, and otherwise."""

    case: Case
    observed: Observed
    site: Site
    _by_interval: dict[float, Forecaster] = field(default_factory=dict)

    def over(self, case: Case, horizon_s: float) -> Forecast:
        """The forecast of a case whose table is this one, whatever its interval and its maintenance."""
        return self._forecaster(case).of(case.over(horizon_s))

    def as_its_profile_has_it(self, horizon_s: float) -> Forecast:
        """The forecast of the table as it is written, with the sizes of its writer's profile."""
        return Forecaster(site=self.site).of(self.case.over(horizon_s))

    def _forecaster(self, case: Case) -> Forecaster:
        interval_s = case.commit_interval_s
        if interval_s not in self._by_interval:
            shape = self._shape(case)
            recipe = profile_of(case).recipe.statistics
            commits_twice = recipe is not None and recipe.commit != "same"
            observed = self.observed.every(interval_s / self.case.commit_interval_s, with_statistics=commits_twice)
            fitted = as_observed(shape, observed, self._fits, self.case)
            self._by_interval[interval_s] = Forecaster(site=self.site, shape=fitted)
        return self._by_interval[interval_s]

    @cached_property
    def _fits(self) -> Fits:
        return fits_of(self._shape(self.case), self.observed)

    def _shape(self, case: Case) -> Shape:
        profile = profile_of(case)
        return read_shape(of_one_writer(as_written(case, profile)), profile, self.site)


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
        forecaster = Forecaster(site=site_of(one))
        try:
            found[one.case.label] = {at_s: forecaster.of(one.case.over(at_s)) for at_s in _horizons_s(one.case)}
        except WasimError as error:
            refused[one.case.label] = str(error)
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
