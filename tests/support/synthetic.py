"""Runs whose every byte is known beforehand: ledgers made from the model's own drivers, coefficients and noise."""

from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

import numpy as np

from wasim.fit import FitReport, fit_run
from wasim.ledger import METADATA_KINDS, Kind, Ledger, PlanningProbe, Totals
from wasim.ledger.totals import amplification
from wasim.model import Drivers, design_matrix, drivers_at, equation, known_bytes, read_appends
from wasim.runs import CaseRun, Run
from wasim.runs.saved import share_denominator
from wasim.scenario.case import Case
from wasim.scenario.metrics import PERIODS_S
from wasim.scenario.parts import Active, Columns, Environment, Planning, Table, Workload, Writer
from wasim.units import Floats, Ints, format_duration

TEN_COLUMNS = (
    Columns(name="a", type="long", count=3),
    Columns(name="s", type="string", count=3),
    Columns(name="d", type="double", count=2),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Truth:
    """What a synthetic writer costs. Noise is a standard deviation: of a file's size, and as a share of a latency."""

    json: tuple[float, ...] = (1_210.0, 1_001.0, 147.0)
    list: tuple[float, ...] = (4_450.0, 40.8)
    manifest: tuple[float, ...] = (7_330.0, 425.0)
    merged: float = 241.0
    data_bytes_per_row: float = 71.0
    data_bytes_per_file: float = 2_900.0
    base_ms: float = 180.0
    snapshot_ms: float = 0.08
    row_ms: float = 0.002
    load_ms: tuple[float, float] = (1.5, 20.0)  # and per MB of metadata.json
    planning_ms: tuple[float, float] = (4.0, 0.4)  # and per manifest scanned
    case_levels_ms: tuple[float, ...] = (0.0,)  # added to every step of a case, in turn: the machine's moods
    noise_bytes: float = 3.0
    noise_share: float = 0.05

    def coefficients(self, kind: Kind, *, merges: bool) -> Floats:
        """In the order of the equation's terms."""
        manifest = (*self.manifest, self.merged) if merges else self.manifest
        return np.array(
            {Kind.METADATA_JSON: self.json, Kind.MANIFEST_LIST: self.list, Kind.DATA_MANIFEST: manifest}[kind]
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """What the cases of a synthetic run differ in."""

    intervals_s: tuple[float, ...] = (1.0, 4.0, 15.0, 60.0)
    writers: tuple[str, ...] = ("streaming", "batch")
    horizon_s: float = 240.0
    files_per_commit: tuple[int, ...] = (1,)
    added_columns: tuple[int, ...] = ()  # when given, swept: columns beside the ten
    properties: dict[str, str] = field(default_factory=dict)


def synthetic_case(
    *,
    writer: str = "streaming",
    interval_s: float = 1.0,
    horizon_s: float = 240.0,
    files_per_commit: int = 1,
    added_columns: int | None = None,
    properties: dict[str, str] | None = None,
) -> Case:
    """A case of ten columns, or more, and 100 rows a second."""
    swept = {"commit_interval": format_duration(interval_s), "writer.kind": writer}
    if added_columns is not None:
        swept["table.columns.n.count"] = str(added_columns)
    added = (Columns(name="n", type="long", count=added_columns),) if added_columns else ()
    return Case(
        scenario="synthetic",
        table=Table(columns=(*TEN_COLUMNS, *added), properties=properties or {}),
        workload=Workload(rows_per_second=100, files_per_commit=files_per_commit),
        writer=Writer(kind=writer),  # type: ignore[arg-type]
        environment=Environment(),
        planning=Planning(),
        commit_interval_s=interval_s,
        horizon_s=horizon_s,
        clock="virtual",
        seed=0,
        repetition=0,
        swept=swept,
    )


def resting_case(horizon_s: float, *, idle_commit_every: int | None = None) -> Case:
    """Flink's checkpoints each second, whose rows come for 5 s of every 30."""
    case = synthetic_case(horizon_s=horizon_s)
    workload = case.workload.model_copy(update={"active": Active(lasts=5.0, every=30.0)})
    writer = case.writer.model_copy(update={"profile": "flink", "idle_commit_every": idle_commit_every})
    return replace(case, workload=workload, writer=writer)


@cache
def synthetic_report() -> FitReport:
    """The fit of the default synthetic run, made once."""
    return fit_run(synthetic_run())


def synthetic_run(truth: Truth | None = None, sweep: Sweep | None = None, *, seed: int = 0) -> Run:
    """A finished run in which every file is as large as `truth` says, but for seeded noise."""
    truth, sweep, rng = truth or Truth(), sweep or Sweep(), np.random.default_rng(seed)
    cases = [
        synthetic_case(
            writer=writer,
            interval_s=interval,
            horizon_s=sweep.horizon_s,
            files_per_commit=files,
            added_columns=added,
            properties=sweep.properties,
        )
        for writer in sweep.writers
        for added in (sweep.added_columns or (None,))
        for files in sweep.files_per_commit
        for interval in sweep.intervals_s
    ]
    return Run(
        folder=Path("results/synthetic/1"),
        scenario="synthetic",
        question="Does the fit find what is known?",
        provenance={},
        cases=share_denominator(
            synthetic_case_run(
                case, replace(truth, base_ms=truth.base_ms + truth.case_levels_ms[i % len(truth.case_levels_ms)]), rng
            )
            for i, case in enumerate(cases)
        ),
        failures={},
    )


def synthetic_case_run(case: Case, truth: Truth, rng: np.random.Generator) -> CaseRun:
    """One finished case."""
    ledger = synthetic_ledger(case, truth, rng)
    totals = Totals(
        written_bytes={kind: int(written.sum()) for kind, written in ledger.written_bytes.items()},
        deleted_bytes={kind: int(deleted.sum()) for kind, deleted in ledger.deleted_bytes.items()},
        files_written={kind: int(files.sum()) for kind, files in ledger.files_written.items()},
        files_deleted=dict.fromkeys(Kind, 0),
    )
    return CaseRun(
        key=f"{abs(hash(case.label)):012x}"[:12],
        case=case,
        engine="spark",
        ledger=ledger,
        totals=totals,
        live_bytes={kind: int(written[-1]) for kind, written in ledger.written_bytes.items()},
        operations=(),
        ingested_bytes=totals.data_bytes,
        amplification=amplification(totals, ingested_bytes=totals.data_bytes, horizon_s=case.horizon_s),
        probes=tuple(_probes(ledger, truth, rng)),
        wall_s=float(ledger.step_ms.sum() / 1000),
        settled={
            "metadata_json_bytes": float(ledger.written_bytes[Kind.METADATA_JSON].max()),
            "metadata_on_disk_bytes": float(sum(totals.on_disk_bytes[kind] for kind in METADATA_KINDS)),
            "manifests": float(ledger.live_manifests.max()),
            "snapshots": float(ledger.snapshots_retained.max()),
            "files": float(ledger.live_entries.max()),
            "delete_files": 0.0,
            **{
                metric: totals.metadata_bytes * period_s / case.horizon_s
                for metric, period_s in PERIODS_S.items()
                if case.horizon_s >= period_s
            },
        },
    )


def synthetic_ledger(case: Case, truth: Truth, rng: np.random.Generator) -> Ledger:
    """The ledger that `truth` and the case's drivers make."""
    commits = np.arange(1, case.commits + 1)
    data = truth.data_bytes_per_file * case.workload.files_per_commit + truth.data_bytes_per_row * case.rows_per_commit
    appends = read_appends(case, data_bytes_per_commit=data)
    drivers, count = drivers_at(appends, commits), len(commits)
    written = {kind: np.zeros(count, dtype=np.int64) for kind in Kind}
    for kind in (Kind.METADATA_JSON, Kind.MANIFEST_LIST, Kind.DATA_MANIFEST):
        exact = design_matrix(equation(kind, merges=case.merges), drivers) @ truth.coefficients(
            kind, merges=case.merges
        )
        exact = exact + known_bytes(kind, drivers, gzip_json=appends.gzip_json)
        written[kind] = _whole(exact + rng.normal(0, truth.noise_bytes, count))
    written[Kind.DATA] = _whole(np.full(count, data) + rng.normal(0, truth.noise_bytes, count))
    step = truth.base_ms + truth.snapshot_ms * drivers.snapshots + truth.row_ms * case.rows_per_commit
    step = step * rng.lognormal(0, truth.noise_share, count)
    step[: min(3, count)] *= 4  # a cold start
    return Ledger(
        step_ms=step,
        commit_ms=step * 0.4,
        written_bytes=written,
        deleted_bytes={kind: np.zeros(count, dtype=np.int64) for kind in Kind},
        files_written=_files(drivers, count),
        **_counts(case, drivers, commits, written[Kind.DATA]),
    )


def _counts(case: Case, drivers: Drivers, commits: Ints, data: Ints) -> dict[str, np.ndarray]:
    ones, live, replaced = np.ones_like(commits), _whole(drivers.live_manifests), _whole(drivers.manifests_replaced)
    added = _whole(drivers.entries_added)
    return {
        "commit": commits,
        "operation": np.array(["append"] * len(commits), dtype=object),
        "snapshot_operation": np.array(["append"] * len(commits), dtype=object),
        "snapshot_id": commits * 7_919,
        "event_time_s": commits * case.commit_interval_s,
        "reported_at_s": 1.8e9 + commits * 0.3,
        "attempts": ones,
        "manifests_created": ones,
        "manifests_kept": live - 1,
        "manifests_replaced": replaced,
        "live_manifests": live,
        "live_entries": np.cumsum(added),
        "entries_added": added,
        "entries_processed": 0 * ones,
        "snapshots_retained": commits,
        "records_added": ones * case.rows_per_commit,
        "records_live": commits * case.rows_per_commit,
        "data_bytes_live": np.cumsum(data),
        "wasted_bytes": 0 * ones,
    }


def _files(drivers: Drivers, count: int) -> dict[Kind, Ints]:
    files = {kind: np.zeros(count, dtype=np.int64) for kind in Kind}
    files[Kind.METADATA_JSON] = files[Kind.MANIFEST_LIST] = np.ones(count, dtype=np.int64)
    files[Kind.DATA_MANIFEST] = _whole(drivers.manifest_files)
    files[Kind.DATA] = _whole(drivers.entries_added)
    return files


def _probes(ledger: Ledger, truth: Truth, rng: np.random.Generator) -> list[PlanningProbe]:
    probes = []
    for commit in sorted({max(1, len(ledger) // 2), len(ledger)}):
        manifests, json_bytes = (
            int(ledger.live_manifests[commit - 1]),
            int(ledger.written_bytes[Kind.METADATA_JSON][commit - 1]),
        )
        load = truth.load_ms[0] + truth.load_ms[1] * json_bytes / 1e6
        for query, scanned in (("full_scan", manifests), ("statistics", manifests)):
            planning = truth.planning_ms[0] + truth.planning_ms[1] * scanned
            probes.append(
                PlanningProbe(
                    after_commit=commit,
                    query=query,
                    temperature="warm",
                    reader="iceberg_java",
                    variant="",
                    load_ms=load * rng.lognormal(0, truth.noise_share, 20),
                    planning_ms=planning * rng.lognormal(0, truth.noise_share, 20),
                    execution_ms=np.zeros(0),
                    manifests_total=manifests,
                    manifests_scanned=scanned,
                    manifests_skipped=manifests - scanned,
                    manifests_opened=scanned,
                    files_planned=int(ledger.live_entries[commit - 1]),
                    files_skipped=0,
                    snapshots=commit,
                    metadata_json_bytes=json_bytes,
                )
            )
    return probes


def with_other_readers(run: Run) -> Run:
    """The run as if pyiceberg and ClickHouse had planned too, each in its own time; ClickHouse has no load apart."""
    return replace(run, cases=tuple(replace(case, probes=_by_all(case.probes)) for case in run.cases))


def _by_all(probes: tuple[PlanningProbe, ...]) -> tuple[PlanningProbe, ...]:
    pyiceberg = (replace(probe, reader="pyiceberg", planning_ms=3 * probe.planning_ms) for probe in probes)
    clickhouse = (
        replace(
            probe, reader="clickhouse", variant=variant, load_ms=np.zeros(0), planning_ms=probe.planning_ms / 2,
            manifests_scanned=None, manifests_skipped=0, manifests_opened=opened, files_planned=None,
        )
        for probe in probes
        for variant, opened in (("metadata cache off", probe.manifests_total), ("metadata cache on", 0))
    )  # fmt: skip
    return (*probes, *pyiceberg, *clickhouse)


def _whole(values: Floats) -> Ints:
    return np.rint(values).astype(np.int64)
