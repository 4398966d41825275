"""A scenario simulated instead of run: exactly, or fast with laws fitted to an exact history of the same table.

No Spark, no Java, no table: the same cases, the same totals, the same document as a bench.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

import numpy as np

from wasim.calibration import calibrate, calibrate_upkeep, calibrate_upserts, case_run_exact, maintained_model
from wasim.checkpoints import checkpoint_ledger, maintained_ledger
from wasim.errors import WasimError
from wasim.ledger import Summed
from wasim.runs import CaseRun, Run, key_versions
from wasim.scenario import Case, LoadedScenario
from wasim.twin import Site, WriterProfile, shipped_profile, simulate_table
from wasim.twin.fast import (
    FastModel,
    fast_live_bytes,
    fast_totals,
    maintain_fast,
    maintained_live_bytes,
    maintained_totals,
    read_upkeep,
)
from wasim.twin.supported import check_summable
from wasim.units import format_duration, parse_duration_s

EXACT_AT_MOST_COMMITS = 2_000  # a few seconds; encoding grows with the square of the commits


class Mode(StrEnum):
    """How sizes come about: `exact` encodes every file, `fast` sums fitted laws, `auto` is exact if short."""

    AUTO = "auto"
    EXACT = "exact"
    FAST = "fast"


@dataclass(frozen=True, slots=True, kw_only=True)
class ForecastOptions:
    """How to simulate. `horizon_s` replaces the scenario's; `emit` takes the metadata trees of exact cases.

    Without a `profile`, each case has that of its writer. `location` is where the tables will lie.
    """

    mode: Mode = Mode.AUTO
    horizon_s: float | None = None
    emit: Path | None = None
    profile: WriterProfile | None = None
    location: str | None = None


def mode_named(name: str, emit: Path | None) -> Mode:
    """The mode with that name. WasimError for another, and for `fast` with a folder to emit into."""
    if name not in list(Mode):
        raise WasimError(f"--mode is {name!r}. Give {', '.join(Mode)}.")
    if emit is not None and name == Mode.FAST:
        raise WasimError("--emit writes every file, so it needs --mode exact.")
    return Mode.EXACT if emit is not None else Mode(name)


def location_named(text: str | None, emit: Path | None) -> str | None:
    """A table location without a slash at its end. WasimError for none such, and beside a folder to emit into."""
    if text is None:
        return None
    if emit is not None:
        raise WasimError("--location and --emit exclude each other: the emitted tables lie in the emitted folder.")
    if not text.strip("/") or text != text.strip():
        raise WasimError(f"--location is {text!r}. Give where the table will lie, such as s3://bucket/db/events.")
    return text.rstrip("/")


def horizon_named(text: str | None) -> float | None:
    """Seconds of a horizon such as 365d; None where none is given. WasimError for anything else."""
    if text is None:
        return None
    try:
        return parse_duration_s(text)
    except ValueError as wanted:
        raise WasimError(f"--horizon is {text!r}. Give {wanted}.") from None


def forecast(scenario: LoadedScenario, options: ForecastOptions, on_case: Callable[[str], None]) -> Run:
    """Every case of the scenario, simulated. WasimError names what the simulator does not model.

    `on_case` is told each case's label and mode before it is simulated.
    """
    runs, profiles = [], {}
    for case in scenario.cases():
        longer = over_horizon(case, options.horizon_s)
        mode = _mode(longer, options.mode)
        profile = options.profile or shipped_profile(longer)
        profiles[longer.label] = profile.described
        on_case(f"{longer.label}: {mode}, {longer.commits:,} commits, profile {profile.name} ({profile.origin})")
        runs.append(_forecast_case(longer, mode, profile, options))
    return Run(
        folder=Path(),
        scenario=scenario.name,
        question=scenario.scenario.question,
        provenance={"engine": {"name": "sim", "mode": str(options.mode)}, "profiles": profiles},
        cases=tuple(runs),
        failures={},
    )


def over_horizon(case: Case, horizon_s: float | None) -> Case:
    """The case over another horizon, cut to whole commits. WasimError if it holds none."""
    if horizon_s is None:
        return case
    longer = replace(case, horizon_s=horizon_s)
    if longer.commits < 1:
        raise WasimError(
            f"--horizon is {format_duration(horizon_s)}, shorter than the interval of {case.label}. Give a longer one."
        )
    return replace(longer, horizon_s=longer.commits * case.commit_interval_s)


def _mode(case: Case, asked: Mode) -> Mode:
    if asked is not Mode.AUTO:
        return asked
    return Mode.EXACT if case.commits <= EXACT_AT_MOST_COMMITS else Mode.FAST


def _forecast_case(case: Case, mode: Mode, profile: WriterProfile, options: ForecastOptions) -> CaseRun:
    started_s, site = time.monotonic(), _site(options.location)
    if mode is Mode.FAST:
        check_summable(case)
        made = _case_run_fast(case, profile, site)
    else:
        folder = options.emit / _folder_name(case) if options.emit is not None else None
        rng = np.random.default_rng(case.seed)
        made = case_run_exact(case, simulate_table(case, profile, rng, site=site, emit=folder))
    return replace(made, wall_s=time.monotonic() - started_s)


def _site(location: str | None) -> Site:
    return Site() if location is None else Site(location=location)


def _folder_name(case: Case) -> str:
    return "".join(letter if letter.isalnum() or letter in "-_.=" else "_" for letter in case.label)


def _case_run_fast(case: Case, profile: WriterProfile, site: Site) -> CaseRun:
    model = calibrate_upserts(case, profile, site) if case.key_columns else calibrate(case, profile, site)
    upkeep = read_upkeep(case)
    if upkeep is None:
        totals, live = fast_totals(model, case.commits), fast_live_bytes(model, case.commits)
        ledger, ingested = checkpoint_ledger(case, model), totals.data_bytes
    else:
        laws = calibrate_upkeep(case, model, profile, site)
        table = maintain_fast(maintained_model(model, upkeep, laws, case, profile))
        totals, live = maintained_totals(table), maintained_live_bytes(table)
        ledger, ingested = maintained_ledger(case, table), _ingested_bytes(model, case.commits)
    summed = Summed(
        totals=totals,
        live_bytes=live,
        ledger=ledger,
        ingested_bytes=ingested,
        operations=(),
        band={},
        approximated=(),
    )
    return CaseRun.of_summed(case, summed, key=case.key(key_versions({})), engine="sim", wall_s=0.0)


def _ingested_bytes(model: FastModel, commits: int) -> int:
    """Data and delete files of the writer's, as summaries count them."""
    deletes = model.appends.deletes
    return round(commits * (model.appends.data_bytes_per_commit + (deletes.bytes if deletes is not None else 0.0)))
