"""What a run's folder holds, concluded: fitted, judged, drawn, and summed up in one document."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wasim.bench.limits import LimitDocument, judge
from wasim.benchmarks import merge_benchmarks
from wasim.errors import ExitCode
from wasim.fit import FitReport, fit_document, fit_run
from wasim.report.charts import draw_charts, save_charts
from wasim.report.charts.modelled import hourly_bytes
from wasim.report.pages import render_run_page
from wasim.runs import Run, read_run, summary_document, write_atomically
from wasim.scenario import load_scenario
from wasim.scenario.prices import Prices, load_prices


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came out of a run, ready to be shown."""

    run: Run
    fit: FitReport
    limits: tuple[LimitDocument, ...]
    document: dict[str, Any]
    report: Path
    prices: Prices

    @property
    def exit_code(self) -> ExitCode:
        """3 if a case failed, 1 if a limit is breached, else 0."""
        if self.run.failures:
            return ExitCode.CASE_FAILED
        return ExitCode.DONE if all(limit["holds"] for limit in self.limits) else ExitCode.FINDINGS


def conclude_run(folder: Path, prices: Path | None = None) -> Outcome:
    """Fits, judges and draws the run in `folder`. summary.json is written last: it marks the run as complete.

    `prices` is a file of prices for cases on S3; without one, the run's own holds, else the one shipped.
    """
    run, scenario = read_run(folder), load_scenario(folder / "scenario.yaml")
    price_list = _settle_prices(folder / "prices.yaml", prices)
    fit = fit_run(run, held_out=scenario.fit.held_out)
    limits = tuple(judge(scenario.limits, run, hourly_bytes(fit, run)))
    document = summary_document(run, fit_document(fit), list(limits), price_list)
    merge_benchmarks(sorted(folder.glob("cases/*/benchmark-*.json")), folder / "benchmark.json")
    charts = draw_charts(run, fit)
    save_charts(charts, folder / "charts")
    report = folder / "report.html"
    write_atomically(report, render_run_page(run, fit, charts, limits, price_list))
    write_atomically(folder / "summary.json", json.dumps(document, indent=1))
    return Outcome(run=run, fit=fit, limits=limits, document=document, report=report, prices=price_list)


def _settle_prices(own: Path, named: Path | None) -> Prices:
    """The prices to be used, kept in the run's folder when they are not those that wasim ships."""
    if named is not None:
        prices = load_prices(named)
        write_atomically(own, named.read_bytes())
        return prices
    return load_prices(own) if own.exists() else load_prices()
