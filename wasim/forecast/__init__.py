"""The one door for what a table's metadata will come to: every verb's projection is asked for here.

A forecast is of a case, at a table location: the case names its writer, and so the writer's profile, its arrivals and
maintenance. `ahead` simulates one over some horizons, a run's cases, and a real table by its own sizes, and has the
commit intervals that are tried; `remedies` says what the standard remedies against metadata growth would save.
"""

from wasim.forecast.ahead import Forecast, RunForecasts, TableForecasts, forecast_run
from wasim.forecast.remedies import Remedies, find_remedies, missing_remedies, with_change
from wasim.years import shape_key
from wasim.years.observed import FoundFiles, FoundJson, Observed, band_of
