"""What a run's folder holds, concluded: fitted, judged, drawn, and summed up in one document."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wasim.bench.limits import LimitDocument, judge
from wasim.benchmarks import merge_benchmarks
from wasim.charts import save_charts
from wasim.errors import ExitCode
from wasim.fit import FitReport, fit_document, fit_run
from wasim.pages import render_run_page
from wasim.runs import Run, read_run, summary_document, write_atomically
from wasim.scenario import load_scenario


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came out of a run, ready to be shown."""

    run: Run
    fit: FitReport
    limits: tuple[LimitDocument, ...]
    document: dict[str, Any]
    report: Path

    @property
    def exit_code(self) -> ExitCode:
        """3 if a case failed, 1 if a limit is breached, else 0."""
        if self.run.failures:
            return ExitCode.CASE_FAILED
        return ExitCode.DONE if all(limit["holds"] for limit in self.limits) else ExitCode.FINDINGS


def conclude_run(folder: Path) -> Outcome:
    """Fits, judges and draws the run in `folder`. summary.json is written last: it marks the run as complete."""
    run, scenario = read_run(folder), load_scenario(folder / "scenario.yaml")
    fit = fit_run(run, held_out=scenario.fit.held_out)
    limits = tuple(judge(scenario.limits, run))
    document = summary_document(run, fit_document(fit), list(limits))
    merge_benchmarks(sorted(folder.glob("cases/*/benchmark-*.json")), folder / "benchmark.json")
    save_charts(run, fit, folder / "charts")
    report = folder / "report.html"
    write_atomically(report, render_run_page(run, fit, limits))
    write_atomically(folder / "summary.json", json.dumps(document, indent=1))
    return Outcome(run=run, fit=fit, limits=limits, document=document, report=report)
