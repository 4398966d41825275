"""Forecasts of a real table: by its own sizes and commits where they are known, else by its writer's profile."""

from dataclasses import dataclass, field

from wasim.forecast.ahead import Forecast, Forecaster, forecast_of, profile_of
from wasim.scenario import Case
from wasim.twin import Site
from wasim.twin.profile import as_written
from wasim.years import read_shape
from wasim.years.observed import Fits, FoundFiles, FoundJson, Observed, as_observed, band_of, fits_of
from wasim.years.shape import Shape
from wasim.years.summed import of_one_writer

__all__ = ["FoundFiles", "FoundJson", "Observed", "TableForecasts", "band_of"]


@dataclass(slots=True, kw_only=True)
class TableForecasts:
    """Forecasts of a table at `site`, as `case` says that it is written, and otherwise."""

    case: Case
    observed: Observed
    site: Site
    _fits: Fits | None = None
    _by_interval: dict[float, Forecaster] = field(default_factory=dict)

    def over(self, case: Case, horizon_s: float) -> Forecast:
        """The forecast of a case whose table is this one, whatever its interval and its maintenance."""
        return forecast_of(case.over(horizon_s), self._forecaster(case))

    def as_its_profile_has_it(self, horizon_s: float) -> Forecast:
        """The forecast of the table as it is written, with the sizes of its writer's profile."""
        return forecast_of(self.case.over(horizon_s), Forecaster(site=self.site))

    def _forecaster(self, case: Case) -> Forecaster:
        interval_s = case.commit_interval_s
        if interval_s not in self._by_interval:
            shape = self._shape(case)
            recipe = profile_of(case).recipe.statistics
            commits_twice = recipe is not None and recipe.commit != "same"
            observed = self.observed.every(interval_s / self.case.commit_interval_s, with_statistics=commits_twice)
            fitted = as_observed(shape, observed, self._known_fits())
            self._by_interval[interval_s] = Forecaster(site=self.site, shape=fitted)
        return self._by_interval[interval_s]

    def _known_fits(self) -> Fits:
        if self._fits is None:
            self._fits = fits_of(self._shape(self.case), self.observed)
        return self._fits

    def _shape(self, case: Case) -> Shape:
        profile = profile_of(case)
        return read_shape(of_one_writer(as_written(case, profile)), profile, self.site)
