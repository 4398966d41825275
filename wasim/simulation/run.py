"""A scenario simulated: each case in its mode, into a run's folder or in memory."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from rich.console import Console

from wasim.errors import CaseFailed, WasimError
from wasim.ledger import Recording
from wasim.processes import map_in_processes
from wasim.runner import Job, Outcome, conclude, run_cases
from wasim.runs import CaseRun, Run, RunFolder, keep_case, note_provenance
from wasim.runs.saved import share_denominator
from wasim.scenario import Case, LoadedScenario
from wasim.scenario.prices import load_prices, prices_for
from wasim.simulation.case import AUTO_BUDGET, EMIT_BUDGET, ENGINE_NAME, Mode, SimulatedCase, add_up, mode_for
from wasim.twin import Site, shipped_profile
from wasim.twin.profile import as_triggered, as_written

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulationOptions:
    """How to simulate. `emit` takes the metadata trees of exact cases.

    The run's folder is made in `results`; without it, nothing is written. `location` is the tables' future location;
    without one, `Site`'s. `provider` is the store whose requests commit latency is modelled from, `catalog` the catalog
    whose times and rules commits have; without one, the case's own. `prices` is a file of prices; without one, the
    provider's.
    """

    results: Path | None = None
    mode: Mode = Mode.AUTO
    emit: Path | None = None
    location: str | None = None
    provider: str | None = None
    catalog: str | None = None
    prices: Path | None = None


def simulate(scenario: LoadedScenario, options: SimulationOptions, console: Console) -> Outcome:
    """Simulates the scenario; `console` takes progress and notes. With a folder for results, an unfinished run resumes.

    WasimError if a case is not modelled, or if emitting takes much and exact mode is not named, before
    anything is simulated; CaseFailed if no case could be finished.
    """
    cases = {one.key: one for one in simulated_cases(scenario, options)}
    for one in cases.values():
        one.check()
    if options.emit is not None and options.mode is not Mode.EXACT:
        _check_emitted(cases.values())

    def say(line: str) -> None:
        console.print(line, markup=False, highlight=False, soft_wrap=True)

    if options.results is None:
        prices = prices_for(options.provider) if options.prices is None else load_prices(options.prices)
        return conclude(_run_of(scenario, cases, say), scenario, prices)

    def simulate_left(left: Mapping[str, Case], folder: RunFolder) -> dict[str, str]:
        note_provenance(folder.path, engine={"name": ENGINE_NAME, "data": "none", "mode": str(options.mode)}, jars={})
        return _simulate([cases[key] for key in left], say, partial(keep_case, folder))

    job = Job(
        scenario=scenario,
        cases={key: one.case for key, one in cases.items()},
        results=options.results,
        fresh=options.emit is not None,  # what is emitted is no part of a run's folder: all of it is written again
        prices=options.prices,
    )
    return run_cases(job, simulate_left, console)


def simulated_cases(scenario: LoadedScenario, options: SimulationOptions) -> list[SimulatedCase]:
    """The scenario's cases in order, each with its mode, profile and site."""
    chosen = []
    for given in scenario.cases():
        profile = shipped_profile(given)
        case = replace(as_written(as_triggered(given, profile), profile), raced_in=options.catalog)
        folder_name = "".join(one if one.isalnum() or one in "-_.=" else "_" for one in case.label)
        emit = None if options.emit is None else options.emit / folder_name
        location = options.location if emit is None else str(emit.absolute())
        site = Site(provider=options.provider)
        site = site if location is None else replace(site, location=location)
        chosen.append(
            SimulatedCase(
                case=case,
                mode=mode_for(case, options.mode, emits=emit is not None),
                profile=profile,
                site=site,
                emit=emit,
            )
        )
    return chosen


def _check_emitted(cases: Iterable[SimulatedCase]) -> None:
    """WasimError if emitting the cases takes more than `EMIT_BUDGET`."""
    needs = add_up(one.needs for one in cases if one.needs is not None)
    if not needs.within(EMIT_BUDGET):
        raise WasimError(
            f"--emit writes every file, which takes {needs.words}. Give a shorter --horizon, or --mode exact to do it"
            " all the same."
        )


Keep = Callable[[CaseRun, Recording | None], None]


def _simulate(cases: Sequence[SimulatedCase], say: Say, keep: Keep) -> dict[str, str]:
    """Simulates cases and hands each to `keep`; returns why the others failed, by label.

    Each core takes a case, unless one of them needs so much memory that it had better be alone.
    """
    small = all(one.needs is None or one.needs.within(AUTO_BUDGET) for one in cases)
    results = map_in_processes(_finished, cases, processes=None if small else 1)
    failures = {}
    for one in cases:
        say(one.announced)
        finished = next(results)
        if isinstance(finished, WasimError):
            failures[one.case.label] = str(finished)
            say(f"failed: {one.case.label}: {finished}")
        else:
            keep(*finished)
    return failures


def _finished(one: SimulatedCase) -> tuple[CaseRun, Recording | None] | WasimError:
    try:
        return one.simulate()
    except WasimError as error:
        return error


def _run_of(scenario: LoadedScenario, cases: Mapping[str, SimulatedCase], say: Say) -> Run:
    runs: list[CaseRun] = []
    failures = _simulate(list(cases.values()), say, lambda made, recording: runs.append(made))
    if not runs:
        raise CaseFailed("\n".join(f"{label}: {line}" for label, line in failures.items()))
    return Run(
        folder=None,
        scenario=scenario.name,
        question=scenario.scenario.question,
        provenance={},
        cases=share_denominator(runs),
        failures=failures,
        overrides=scenario.overrides,
    )
