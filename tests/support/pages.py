"""A run's page with its charts, as `bench` puts them together."""

from collections.abc import Sequence

from wasim.fit import FitReport
from wasim.report.charts import draw_charts
from wasim.report.pages import render_run_page
from wasim.report.pages.run_page import LimitOutcome
from wasim.runs import Run


def page_of(run: Run, fit: FitReport, limits: Sequence[LimitOutcome] = ()) -> str:
    return render_run_page(run, fit, draw_charts(run, fit), limits)
