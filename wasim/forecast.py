"""A scenario simulated instead of run: exactly, or fast with laws fitted to an exact history of the same table.

No Spark, no Java, no table: the same cases, the same totals, the same document as a bench.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

import numpy as np

from wasim.errors import WasimError
from wasim.fit.cost import WriterFit, fit_group
from wasim.fit.groups import Observed, group_cases
from wasim.ledger import Kind, Ledger, Recording, sum_by_operation, sum_contention, sum_events, view_by_commit
from wasim.ledger.operations import ingested_bytes
from wasim.ledger.totals import amplification
from wasim.ledger.vocabulary import CREATE_TABLE
from wasim.model import Appends, drivers_at
from wasim.runs import CaseRun, Run, key_versions
from wasim.scenario import Case, LoadedScenario
from wasim.simulate import Simulated, Site, WriterProfile, shipped_profile, simulate_table
from wasim.simulate.fast import FastModel, Law, fast_checkpoints, fast_live_bytes, fast_totals
from wasim.simulate.honoured import check_summable
from wasim.units import format_duration, parse_duration_s

EXACT_AT_MOST_COMMITS = 2_000  # a few seconds; encoding grows with the square of the commits
CALIBRATION_ROWS = 1  # of a file; of more, bounds are drawn
CALIBRATION_COMMITS = 320  # three merges by default, and a metadata log that is long since full


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
        made = _case_run_fast(case, calibrate(case, profile, site))
    else:
        folder = options.emit / _folder_name(case) if options.emit is not None else None
        rng = np.random.default_rng(case.seed)
        made = _case_run_exact(case, simulate_table(case, profile, rng, site=site, emit=folder))
    return replace(made, wall_s=time.monotonic() - started_s)


def _site(location: str | None) -> Site:
    return Site() if location is None else Site(location=location)


def _folder_name(case: Case) -> str:
    return "".join(letter if letter.isalnum() or letter in "-_.=" else "_" for letter in case.label)


def calibrate(case: Case, profile: WriterProfile, site: Site | None = None) -> FastModel:
    """The fast model of a case: the laws of its files, fitted to the exact history of its first commits."""
    short = replace(case, horizon_s=CALIBRATION_COMMITS * case.commit_interval_s)
    simulated = _simulate_sizes(short, profile, site)
    made = _case_run_exact(short, simulated)
    (group,) = group_cases(Run(folder=Path(), scenario="", question="", provenance={}, cases=(made,), failures={}))
    observed = tuple(as_profiled(one, profile) for one in group.observed)
    return _fast_model(case, profile, fit_group(group.restricted(observed)), simulated.recording)


def first_metadata_bytes(case: Case, profile: WriterProfile, site: Site) -> int:
    """Bytes of the metadata.json that CREATE TABLE writes."""
    short = replace(case, horizon_s=case.commit_interval_s)
    recording = _simulate_sizes(short, profile, site).recording
    return _created_bytes(recording)


def _created_bytes(recording: Recording) -> int:
    return int(recording.events.where(recording.events.operation == CREATE_TABLE).bytes.sum())


def exact_case_run(case: Case, profile: WriterProfile, site: Site) -> CaseRun:
    """The case simulated file by file, for laws to be fitted to."""
    return _case_run_exact(case, _simulate_sizes(case, profile, site))


def _simulate_sizes(case: Case, profile: WriterProfile, site: Site | None) -> Simulated:
    """The case simulated for its sizes alone: bounds are as long as those of its rows, which are not computed."""
    rng = np.random.default_rng(case.seed)
    return simulate_table(case, profile, rng, site=site, most_rows_computed=CALIBRATION_ROWS)


def as_profiled(one: Observed, profile: WriterProfile) -> Observed:
    """What was observed, with the drivers that this writer's summaries have."""
    appends = with_summary(one.appends, profile)
    return replace(one, appends=appends, drivers=drivers_at(appends, one.case_run.ledger.commit))


def with_summary(appends: Appends, profile: WriterProfile) -> Appends:
    """The appends with the growing numbers that this writer's summaries hold."""
    templates = "".join(profile.summary.values())
    return replace(
        appends,
        repeats_epoch="{epoch}" in templates or "{checkpoint}" in templates,
        counts_manifests="manifests-kept" in profile.summary,
    )


def _fast_model(case: Case, profile: WriterProfile, writer: WriterFit, recording: Recording) -> FastModel:
    dropped = case.table.properties.get("write.metadata.delete-after-commit.enabled", "false")
    return FastModel(
        appends=with_summary(writer.appends_of(case), profile),
        laws={one.kind: Law(terms=one.terms, coefficients=one.fit.coefficients) for one in writer.kinds},
        create_bytes=_created_bytes(recording),
        delete_after_commit=dropped.lower() == "true",
    )


def _case_run_exact(case: Case, simulated: Simulated) -> CaseRun:
    totals = sum_events(simulated.recording.events)
    ingested = ingested_bytes(simulated.recording)
    return CaseRun(
        key=case.key(key_versions({})),
        case=case,
        engine="sim",
        ledger=view_by_commit(simulated.recording),
        totals=totals,
        live_bytes=simulated.live_bytes,
        contention=sum_contention(simulated.recording) if case.writer.writers > 1 else None,
        operations=sum_by_operation(simulated.recording),
        ingested_bytes=ingested,
        amplification=amplification(totals, ingested_bytes=ingested, horizon_s=case.horizon_s),
        probes=(),
        wall_s=0.0,
    )


def _case_run_fast(case: Case, model: FastModel) -> CaseRun:
    totals = fast_totals(model, case.commits)
    return CaseRun(
        key=case.key(key_versions({})),
        case=case,
        engine="sim",
        ledger=_checkpoint_ledger(case, model),
        totals=totals,
        live_bytes=fast_live_bytes(model, case.commits),
        operations=(),
        ingested_bytes=totals.data_bytes,
        amplification=amplification(totals, ingested_bytes=totals.data_bytes, horizon_s=case.horizon_s),
        probes=(),
        wall_s=0.0,
    )


def _checkpoint_ledger(case: Case, model: FastModel) -> Ledger:
    """Rows of some commits only, evenly spaced in the logarithm, the last one among them."""
    commits, drivers, sizes = fast_checkpoints(model, case.commits)
    nothing, unknown = np.zeros(len(commits), dtype=np.int64), np.full(len(commits), np.nan)
    by_kind = {kind: sizes.get(kind, nothing) for kind in Kind}
    merged = drivers.manifest_files.astype(np.int64)
    live, files = drivers.live_manifests.astype(np.int64), commits * model.appends.files_per_commit
    return Ledger(
        commit=commits,
        operation=np.full(len(commits), "append", dtype=object),
        snapshot_operation=np.full(len(commits), "append", dtype=object),
        snapshot_id=nothing,
        event_time_s=commits.astype(np.float64) * case.commit_interval_s,
        reported_at_s=unknown,
        commit_ms=unknown,
        step_ms=unknown,
        attempts=np.ones_like(commits),
        manifests_created=merged,
        manifests_kept=live - 1,
        manifests_replaced=drivers.manifests_replaced.astype(np.int64),
        live_manifests=live,
        live_entries=files,
        entries_added=np.full_like(commits, model.appends.files_per_commit),
        entries_processed=drivers.entries_merged.astype(np.int64),
        snapshots_retained=commits,
        records_added=np.full_like(commits, case.rows_per_commit),
        records_live=commits * case.rows_per_commit,
        data_bytes_live=np.rint(commits * model.appends.data_bytes_per_commit).astype(np.int64),
        wasted_bytes=nothing,
        written_bytes=by_kind,
        deleted_bytes=dict.fromkeys(Kind, nothing),
        files_written=dict.fromkeys(Kind, nothing),
    )
