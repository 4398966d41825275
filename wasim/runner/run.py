"""A whole run: open its folder, run the cases that are not finished yet, conclude."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from wasim.errors import CaseFailed
from wasim.runner.conclude import Outcome, conclude_run
from wasim.runs import RunFolder, RunMarker, open_run_folder, write_atomically
from wasim.scenario import Case, LoadedScenario
from wasim.scenario.prices import load_prices

CaseRunner = Callable[[Mapping[str, Case], RunFolder], dict[str, str]]
"""An engine's function that runs cases, by key, and saves each in the run's folder, with the run's provenance. Returns
the essential line of each error by the case's label: a case that fails does not stop the others.
"""


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
    marker = RunMarker(
        scenario=scenario.name,
        question=scenario.scenario.question,
        keys=tuple(job.cases),
        overrides=dict(scenario.overrides),
    )
    with open_run_folder(job.results, marker, fresh=job.fresh) as folder:
        done = folder.finished(list(job.cases))
        if done:
            console.print(
                f"Resuming {folder.path}: {len(done)} of {len(job.cases)} cases are finished already.", soft_wrap=True
            )
        write_atomically(folder.path / "scenario.yaml", scenario.text)
        failures = run({key: case for key, case in job.cases.items() if key not in done}, folder)
        write_atomically(folder.path / "failures.json", json.dumps(failures, indent=1))
        if not folder.finished(list(job.cases)):
            raise CaseFailed(*(f"{label}: {line}" for label, line in failures.items()))
        return conclude_run(folder.path, job.prices)
