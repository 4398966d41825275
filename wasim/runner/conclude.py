"""A whole run: cases run that are not finished yet; then fitted, judged, drawn, and summed up in one document."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rich.console import Console

from wasim import runs
from wasim.errors import CaseFailed, ExitCode, SavedFileError
from wasim.fit import fit_document, fit_run
from wasim.report.answer import Conclusion, answer_document, answer_run
from wasim.scenario import Case, LoadedScenario, load_scenario
from wasim.scenario.metrics import PERIODS_S
from wasim.scenario.prices import Prices, load_prices, prices_for
from wasim.storage.access import read_regular

CaseRunner = Callable[[Mapping[str, Case], runs.RunFolder], dict[str, str]]
"""An engine's function that runs cases, by key, and saves each in the run's folder, with the run's provenance. Returns
the essential line of each error by the case's label: a case that fails does not stop the others.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome(Conclusion):
    """A concluded run, ready to be printed. Without a folder there is no `report`, and no `remedies_line`."""

    limits: tuple[runs.LimitDocument, ...]
    prices: Prices
    document: dict[str, Any]
    report: Path | None = None

    @property
    def exit_code(self) -> ExitCode:
        """3 if a case failed, 1 if a limit is breached, else 0."""
        if self.run.failures:
            return ExitCode.CASE_FAILED
        return ExitCode.FINDINGS if any(limit["holds"] is False for limit in self.limits) else ExitCode.DONE


def conclude(run: runs.Run, scenario: LoadedScenario, prices: Prices) -> Outcome:
    """Fits and judges a run; nothing is drawn or written."""
    from wasim.forecast import forecast_run  # noqa: PLC0415  (the simulators take a while to import)

    fit, forecasts = fit_run(run, held_out=scenario.scenario.fit.held_out), forecast_run(run)
    ahead = {
        period_s: {
            label: float(one[period_s].written_bytes) for label, one in forecasts.by_case.items() if period_s in one
        }
        for period_s in PERIODS_S.values()
    }
    limits = tuple(runs.judge(scenario.limits, run, ahead))
    answer = answer_run(run, fit, limits, prices, forecasts)
    said = answer_document(answer, run) | {"approximated": list(forecasts.notes)}
    document = runs.summary_document(run, fit_document(fit), list(limits), prices, said)
    return Outcome(
        run=run, fit=fit, answer=answer, limits=limits, prices=prices, document=document, ahead=forecasts.notes
    )


def conclude_run(folder: Path, prices: Path | None = None) -> Outcome:
    """Fits, judges and draws the run in `folder`. summary.json is written last: it marks the run as complete.

    `prices` is a file of prices; without one, the run's own holds, else the provider's.
    """
    # matplotlib takes most of a second to import, and a run that is not saved draws nothing
    from wasim.capacity.run_sliders import sliders_of_run  # noqa: PLC0415
    from wasim.forecast import find_remedies  # noqa: PLC0415
    from wasim.report.charts import draw_charts, save_charts  # noqa: PLC0415
    from wasim.report.pages.answer_cells import remedies_document, remedies_line, remedy_table  # noqa: PLC0415
    from wasim.report.pages.run_page import render_run_page  # noqa: PLC0415

    run = runs.read_run(folder)
    scenario = load_scenario(folder / "scenario.yaml", run.overrides)
    price_list = _settle_prices(folder / "prices.yaml", prices, run)
    concluded = conclude(run, scenario, price_list)
    _merge_benchmarks(sorted(folder.glob("cases/*/benchmark-*.json")), folder / "benchmark.json")
    charts = draw_charts(run, concluded.fit, concluded.answer, concluded.limits)
    save_charts(charts, folder / "charts")
    remedies = None
    if concluded.answer.suggested is not None:
        choice, option = concluded.answer.suggested
        remedies = find_remedies(option.run, choice.longer_s(option))
    document = concluded.document
    document = {**document, "answer": {**document["answer"], "remedies": remedies_document(remedies)}}
    line = "" if remedies is None else remedies_line(remedies)
    concluded = replace(concluded, document=document, report=folder / "report.html", remedies_line=line)
    sliders = sliders_of_run(run, concluded.answer, folder)
    table = None if remedies is None else remedy_table(remedies)
    runs.write_atomically(folder / "report.html", render_run_page(concluded, charts, remedies=table, sliders=sliders))
    runs.write_atomically(folder / "summary.json", json.dumps(document, indent=1))
    return concluded


def _settle_prices(own: Path, named: Path | None, run: runs.Run) -> Prices:
    """The prices to use: `named`, which is copied into the run's folder, else the run's own, else those shipped for the
    provider that its commits are modelled for.
    """
    if named is not None:
        prices = load_prices(named)
        runs.write_atomically(own, read_regular(named))
        return prices
    if own.exists():
        return load_prices(own)
    return prices_for(next((one.latency.provider for one in run.cases if one.latency is not None), None))


def _merge_benchmarks(parts: Sequence[Path], target: Path) -> None:
    """One pytest-benchmark document with the benchmarks of all `parts`, in order; nothing is written for no parts."""
    try:
        documents = [json.loads(read_regular(part)) for part in parts]
    except (OSError, ValueError) as error:
        raise SavedFileError(f"A case's benchmark-*.json cannot be read ({error}). Run the bench again.") from error
    if documents:
        merged = documents[0] | {"benchmarks": [bench for document in documents for bench in document["benchmarks"]]}
        target.write_text(json.dumps(merged, indent=1))


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A scenario to run: its cases in order, by the key that names each on its engine.

    The run's folder goes below `results`. `fresh` says not to resume an unfinished run. `prices` is a file of prices
    for cases on S3; without one, those that wasim ships count.
    """

    scenario: LoadedScenario
    cases: Mapping[str, Case]
    results: Path
    fresh: bool = False
    prices: Path | None = None


def run_cases(job: Job, run: CaseRunner, console: Console) -> Outcome:
    """Runs the job's cases, or those that an unfinished run of it left, and concludes the run; `console` takes notes.

    CaseFailed if no case could be finished; EnvironmentFault if the folder cannot be made.
    """
    if job.prices is not None:
        load_prices(job.prices)  # a mistake in it is reported before anything runs
    scenario = job.scenario
    marker = runs.RunMarker(
        scenario=scenario.name,
        question=scenario.scenario.question,
        keys=tuple(job.cases),
        overrides=dict(scenario.overrides),
    )
    with runs.open_run_folder(job.results, marker, fresh=job.fresh) as folder:
        done = folder.finished(list(job.cases))
        if done:
            console.print(
                f"Resuming {folder.path}: {len(done)} of {len(job.cases)} cases are finished already.", soft_wrap=True
            )
        runs.write_atomically(folder.path / "scenario.yaml", scenario.text)
        failures = run({key: case for key, case in job.cases.items() if key not in done}, folder)
        runs.write_atomically(folder.path / "failures.json", json.dumps(failures, indent=1))
        if not folder.finished(list(job.cases)):
            raise CaseFailed(*(f"{label}: {line}" for label, line in failures.items()))
        return conclude_run(folder.path, job.prices)
