"""Forecasts: a case simulated in sums over a horizon that was not run, with its maintenance and changes.

The fitted equations are of one writer's appends; these forecasts are for all other cases, and for remedies.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from wasim.errors import WasimError
from wasim.ledger import METADATA_KINDS
from wasim.report.keeping_up import stops_keeping_up
from wasim.runs import CaseRun, Run
from wasim.scenario import Case
from wasim.twin import Site, shipped_profile
from wasim.twin.supported import check_answerable
from wasim.units import DAY_S, MONTH_S
from wasim.years import simulate_years

HORIZONS_S = (DAY_S, MONTH_S)


@dataclass(frozen=True, slots=True, kw_only=True)
class Forecast:
    """A case's metadata over one horizon: bytes written by its end, and left on disk then.

    `keeps_up` is false if a commit takes longer than its interval before the end.
    """

    run: CaseRun
    keeps_up: bool

    @property
    def written_bytes(self) -> int:
        """Metadata written by the end of the horizon."""
        return self.run.totals.metadata_bytes

    @property
    def on_disk_bytes(self) -> int:
        """Metadata on disk at the end of the horizon."""
        return sum(self.run.totals.on_disk_bytes[kind] for kind in METADATA_KINDS)

    @property
    def band(self) -> float:
        """Relative half-width of the bytes written: those of the kinds, weighted by their bytes."""
        written = self.run.totals.written_bytes
        return sum(self.run.band.get(kind, 0.0) * written[kind] for kind in METADATA_KINDS) / max(self.written_bytes, 1)


Forecasts = Mapping[str, Mapping[float, Forecast]]
"""By a case's label, then by horizon in seconds."""


def forecast_run(run: Run) -> Forecasts:
    """A day and a month of each case that the fitted equations do not cover, unless `years` refuses it."""
    return {
        one.case.label: found
        for one in run.cases
        if not one.case.is_appends_of_one_writer and one.case.repetition == 0 and (found := _days_ahead(one))
    }


def _days_ahead(run: CaseRun) -> dict[float, Forecast]:
    others = (horizon_s for horizon_s in HORIZONS_S if horizon_s != run.case.horizon_s)
    try:
        return {horizon_s: forecast_case(run, run.case.over(horizon_s)) for horizon_s in others}
    except WasimError:
        return {}


def forecast_case(run: CaseRun, case: Case) -> Forecast:
    """The forecast of `case`, a variant of the run's, at the run's table location. WasimError if `years` refuses it."""
    profile = shipped_profile(case)
    check_answerable(case, profile)
    site = Site() if run.simulation is None else Site(location=run.simulation.location)
    summed = CaseRun.of_summed(case, simulate_years(case, profile, site), key="", engine="sim", wall_s=0.0)
    return Forecast(run=summed, keeps_up=stops_keeping_up(summed) is None)
