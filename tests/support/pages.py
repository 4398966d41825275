"""A run's page with its charts, as `bench` puts them together."""

from collections.abc import Sequence

from wasim.fit import FitReport
from wasim.forecast import RunForecasts
from wasim.report.answer import Conclusion, LimitOutcome, answer_run
from wasim.report.charts import draw_charts
from wasim.report.pages.run_page import render_run_page
from wasim.runs import Run
from wasim.scenario.prices import load_prices


def page_of(
    run: Run,
    fit: FitReport,
    limits: Sequence[LimitOutcome] = (),
    forecasts: RunForecasts | None = None,
    *,
    charts: bool = True,
) -> str:
    """The page; without `charts`, which take most of its time, where its tables or its words are looked at."""
    prices = load_prices()
    answer = answer_run(run, fit, limits, prices, forecasts)
    concluded = Conclusion(run=run, fit=fit, answer=answer, limits=limits, prices=prices)
    return render_run_page(concluded, draw_charts(run, fit, answer, limits) if charts else ())
