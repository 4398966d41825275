"""A run concluded: fitted, judged, drawn, and summed up in one document."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wasim.errors import ExitCode, SavedFileError
from wasim.fit import FitReport, fit_document, fit_run
from wasim.report.answer import Answer, answer_document, answer_run
from wasim.runs import LimitDocument, Run, judge, read_run, summary_document, write_atomically
from wasim.runs.limits import PERIODS_S
from wasim.scenario import LoadedScenario, load_scenario
from wasim.scenario.prices import Prices, load_prices
from wasim.storage.local import read_regular

if TYPE_CHECKING:
    from wasim.forecast import Remedies


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """A concluded run, ready to be printed. Without a folder there is no `report`, and no `remedies`.

    `ahead` are sentences on its forecasts: what they ignore or replace by a mean.
    """

    run: Run
    fit: FitReport
    answer: Answer
    limits: tuple[LimitDocument, ...]
    document: dict[str, Any]
    report: Path | None
    prices: Prices
    ahead: tuple[str, ...]
    remedies: "Remedies | None" = None
    remedies_line: str = ""

    @property
    def exit_code(self) -> ExitCode:
        """3 if a case failed, 1 if a limit is breached, else 0."""
        if self.run.failures:
            return ExitCode.CASE_FAILED
        return ExitCode.FINDINGS if any(limit["holds"] is False for limit in self.limits) else ExitCode.DONE


def conclude(run: Run, scenario: LoadedScenario, prices: Prices) -> Outcome:
    """Fits and judges a run; nothing is drawn or written."""
    from wasim.forecast import forecast_run  # noqa: PLC0415  (the simulators take a while to import)

    fit, forecasts = fit_run(run, held_out=scenario.fit.held_out), forecast_run(run)
    ahead = {
        period_s: {
            label: float(one[period_s].written_bytes) for label, one in forecasts.by_case.items() if period_s in one
        }
        for period_s in PERIODS_S.values()
    }
    limits = tuple(judge(scenario.limits, run, ahead))
    answer = answer_run(run, fit, limits, prices, forecasts)
    said = answer_document(answer, run) | {"approximated": list(forecasts.notes)}
    document = summary_document(run, fit_document(fit), list(limits), prices, said)
    return Outcome(
        run=run,
        fit=fit,
        answer=answer,
        limits=limits,
        document=document,
        report=None,
        prices=prices,
        ahead=forecasts.notes,
    )


def conclude_run(folder: Path, prices: Path | None = None) -> Outcome:
    """Fits, judges and draws the run in `folder`. summary.json is written last: it marks the run as complete.

    `prices` is a file of prices for cases on S3; without one, the run's own holds, else the one shipped.
    """
    # matplotlib takes most of a second to import, and a run that is not saved draws nothing
    from wasim.capacity.run_sliders import sliders_of_run  # noqa: PLC0415
    from wasim.forecast import find_remedies  # noqa: PLC0415
    from wasim.report.charts import draw_charts, save_charts  # noqa: PLC0415
    from wasim.report.pages.remedy_cells import remedies_document, remedies_line, remedy_table  # noqa: PLC0415
    from wasim.report.pages.run_page import PageParts, render_run_page  # noqa: PLC0415

    run = read_run(folder)
    scenario = load_scenario(folder / "scenario.yaml", run.overrides)
    price_list = _settle_prices(folder / "prices.yaml", prices)
    concluded = conclude(run, scenario, price_list)
    _merge_benchmarks(sorted(folder.glob("cases/*/benchmark-*.json")), folder / "benchmark.json")
    charts = draw_charts(run, concluded.fit, concluded.answer, concluded.limits)
    save_charts(charts, folder / "charts")
    report = folder / "report.html"
    remedies = None
    if concluded.answer.suggested is not None:
        choice, option = concluded.answer.suggested
        remedies = find_remedies(option.run, choice.longer_s(option))
    line = "" if remedies is None else remedies_line(remedies)
    parts = PageParts(
        run=run,
        fit=concluded.fit,
        answer=concluded.answer,
        limits=concluded.limits,
        prices=price_list,
        remedies=None if remedies is None else remedy_table(remedies),
        remedies_line=line,
        ahead=concluded.ahead,
        sliders=sliders_of_run(run, concluded.answer, folder),
    )
    write_atomically(report, render_run_page(parts, charts))
    answer = {**concluded.document["answer"], "remedies": remedies_document(remedies)}
    document = {**concluded.document, "answer": answer}
    write_atomically(folder / "summary.json", json.dumps(document, indent=1))
    return replace(concluded, document=document, report=report, remedies=remedies, remedies_line=line)


def _settle_prices(own: Path, named: Path | None) -> Prices:
    """The prices to use: `named`, which is copied into the run's folder, else the run's own, else those shipped."""
    if named is not None:
        prices = load_prices(named)
        write_atomically(own, read_regular(named))
        return prices
    return load_prices(own) if own.exists() else load_prices()


def _merge_benchmarks(parts: Sequence[Path], target: Path) -> None:
    """One pytest-benchmark document with the benchmarks of all `parts`, in order; nothing is written for no parts."""
    try:
        documents = [json.loads(read_regular(part)) for part in parts]
    except (OSError, ValueError) as error:
        raise SavedFileError(f"A case's benchmark-*.json cannot be read ({error}). Run the bench again.") from error
    if documents:
        merged = documents[0] | {"benchmarks": [bench for document in documents for bench in document["benchmarks"]]}
        target.write_text(json.dumps(merged, indent=1))
