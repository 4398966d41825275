"""The one door for what a table's metadata will come to: every verb's projection is asked for here.

A forecast is of a case, at a table location: the case names its writer, and so the writer's profile, its arrivals and
maintenance. `ahead` simulates one over some horizons; `of_run` a run's cases; `of_table` a real table by its own sizes;
`remedies` what the standard remedies against metadata growth would save; `trouble` lists the sizes that are known to
cause trouble, with their sources; `intervals` the commit intervals that are tried.
"""

from wasim.forecast.ahead import Forecast, Forecaster, forecast
from wasim.forecast.of_run import RunForecasts, forecast_run
from wasim.forecast.of_table import FoundFiles, FoundJson, Observed, TableForecasts
from wasim.forecast.remedies import Remedies, Remedy, find_remedies, missing_remedies, with_change
from wasim.years import shape_key
