"""What a case's files weigh, fitted to exact simulations of its first commits: the laws that fast mode sums."""

from dataclasses import replace

import numpy as np

from wasim.fit.cost import WriterFit, fit_group
from wasim.fit.groups import Observed, group_cases
from wasim.iceberg.properties import TableProperties
from wasim.ledger import Kind, Recording
from wasim.ledger.vocabulary import CREATE_TABLE
from wasim.model import Appends, drivers_at
from wasim.runs import CaseRun, key_versions
from wasim.scenario import Case
from wasim.scenario.changes import Maintenance
from wasim.scenario.parts import Table
from wasim.twin import Simulated, Site, WriterProfile, simulate_table
from wasim.twin.fast import FastModel, Law

TARGET_MANIFEST_BYTES = TableProperties().manifest_target_size_bytes
_TARGET = "commit.manifest.target-size-bytes"
CALIBRATION_ROWS = 1  # of a file; of more, bounds are drawn
CALIBRATION_COMMITS = 320  # three merges by default, and a metadata log that is long since full


def calibrate(case: Case, profile: WriterProfile, site: Site | None = None) -> FastModel:
    """The fast model of a case's appends: the laws of its files, fitted to the exact history of its first commits."""
    plain = replace(case, maintenance=Maintenance(), horizon_s=CALIBRATION_COMMITS * case.commit_interval_s)
    plain = replace(plain, table=with_room(case.table))
    simulated = simulate_sizes(plain, profile, site)
    made = case_run_exact(plain, simulated)
    (group,) = group_cases([made])
    observed = tuple(as_profiled(one, profile) for one in group.observed)
    return _fast_model(case, profile, fit_group(group.restricted(observed)), simulated.recording)


def with_room(table: Table) -> Table:
    """The table with a target that no manifest nears. Near it single bytes decide which commits merge."""
    given = int(table.properties.get(_TARGET, TARGET_MANIFEST_BYTES))
    if given >= TARGET_MANIFEST_BYTES:
        return table
    return table.model_copy(update={"properties": {**table.properties, _TARGET: str(TARGET_MANIFEST_BYTES)}})


def first_metadata_bytes(case: Case, profile: WriterProfile, site: Site) -> int:
    """Bytes of the metadata.json that CREATE TABLE writes."""
    short = replace(case, maintenance=Maintenance(), horizon_s=case.commit_interval_s)
    return created_bytes(simulate_sizes(short, profile, site).recording)


def created_bytes(recording: Recording) -> int:
    """Bytes that CREATE TABLE wrote, but for a version hint."""
    events = recording.events
    return int(events.bytes[(events.operation == CREATE_TABLE) & (events.kind == Kind.METADATA_JSON)].sum())


def exact_case_run(case: Case, profile: WriterProfile, site: Site) -> CaseRun:
    """The case simulated file by file, for laws to be fitted to."""
    return case_run_exact(case, simulate_sizes(case, profile, site))


def simulate_sizes(case: Case, profile: WriterProfile, site: Site | None) -> Simulated:
    """The case simulated for its sizes alone: bounds are as long as those of its rows, which are not computed."""
    rng = np.random.default_rng(case.seed)
    return simulate_table(case, profile, rng, site=site, most_rows_computed=CALIBRATION_ROWS)


def as_profiled(one: Observed, profile: WriterProfile) -> Observed:
    """What was observed, with the drivers that this writer's summaries have."""
    appends = with_summary(one.appends, profile)
    return replace(one, appends=appends, drivers=drivers_at(appends, one.ledger.commit))


def with_summary(appends: Appends, profile: WriterProfile) -> Appends:
    """The appends with the growing numbers that this writer's summaries hold, and the names that it gives."""
    templates = "".join(profile.summary.values())
    return replace(
        appends,
        repeats_epoch="{epoch}" in templates or "{checkpoint}" in templates,
        counts_manifests="manifests-kept" in profile.summary,
        hadoop_names=appends.hadoop_names or profile.names == "hadoop",
    )


def _fast_model(case: Case, profile: WriterProfile, writer: WriterFit, recording: Recording) -> FastModel:
    dropped = case.table.properties.get("write.metadata.delete-after-commit.enabled", "false")
    return FastModel(
        appends=with_summary(writer.appends_of(case), profile),
        laws={one.kind: Law(terms=one.terms, coefficients=one.fit.coefficients) for one in writer.kinds},
        create_bytes=created_bytes(recording),
        delete_after_commit=dropped.lower() == "true",
    )


def case_run_exact(case: Case, simulated: Simulated) -> CaseRun:
    """A simulated case as a bench would leave it behind."""
    return CaseRun.of_recording(
        case,
        simulated.recording,
        key=case.key(key_versions({})),
        engine="sim",
        live_bytes=simulated.live_bytes,
        wall_s=0.0,
    )
