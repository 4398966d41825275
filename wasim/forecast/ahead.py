"""A case over horizons that nobody ran: metadata written and left on disk, with a band and what was ignored."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from wasim.contention import commit_slowing
from wasim.ledger import METADATA_KINDS, Kind, Summed
from wasim.runs import CaseRun
from wasim.runs.limits import measure
from wasim.scenario import Case
from wasim.twin import Site, WriterProfile, shipped_profile
from wasim.twin.profile import as_written, tables_in_turn
from wasim.twin.supported import check_answerable
from wasim.years import Shape, YearsOf

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

    def sums(self, case: Case) -> Summed:
        """The case in sums, by the profile of its writer. WasimError for what makes no sense."""
        years = self.years_of(case)
        return years.simulate(as_written(case, years.profile))

    def years_of(self, case: Case) -> YearsOf:
        """What simulates the cases."""
        if self._years is None:
            self._years = YearsOf(profile=profile_of(case), site=self.site, shape=self.shape)
        return self._years


def forecast(case: Case, site: Site, horizons_s: Sequence[float]) -> tuple[Forecast, ...]:
    """The case over these horizons, in seconds, for a table at `site`. WasimError for what makes no sense."""
    forecaster = Forecaster(site=site)
    return tuple(forecast_of(case.over(horizon_s), forecaster) for horizon_s in horizons_s)


def forecast_of(case: Case, forecaster: Forecaster) -> Forecast:
    """The case's forecast over its own horizon."""
    run = CaseRun.of_summed(case, forecaster.sums(case), key="", engine="sim", wall_s=0.0)
    return Forecast(run=run)


def profile_of(case: Case) -> WriterProfile:
    """The profile of the case's writer. WasimError if there is none, or for what makes no sense with it."""
    profile = shipped_profile(case)
    check_answerable(case, profile)
    return profile
