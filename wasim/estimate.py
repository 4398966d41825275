"""What a bench would take, before it is run: time from what was measured on two cores, disk from a simulation.

Commits are taken to be small, as those that were measured: many rows take longer to write than is estimated here.
"""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from wasim.errors import WasimError, quoted
from wasim.ledger import METADATA_KINDS, Kind
from wasim.scenario import Case, LoadedScenario
from wasim.simulation import SimulationOptions, simulated_cases
from wasim.simulation.case import SimulatedCase
from wasim.workload import Append, ChangeRows, Evolve, Maintain, Probe, plan_steps

# Medians of `step_ms` of the appends in tests/data/runs/version_3, engine spark
APPEND_S = {"streaming": 0.40, "batch": 0.33}
# Medians of `wall_ms` in tests/data/operations/*/steps.parquet, engine spark
OPERATION_S: Mapping[str, float] = {
    "update": 1.8,
    "delete": 0.9,
    "merge": 2.7,
    "overwrite": 0.7,
    "upsert": 2.0,
    "rewrite_data_files": 2.7,
    "rewrite_manifests": 2.0,
    "expire_snapshots": 7.7,
    "remove_orphan_files": 12.5,
}
EVOLUTION_S = 0.3  # the same, of the evolutions together
# docs/bench.md: 50 to 200 commits a second; profile pyiceberg, `pace_s`
OTHER_APPEND_S = {"core": 0.01, "pyiceberg": 0.04, "flink": 1.0}
# commit_interval on the same machine: 634 ms for 240 manifests, 13.8 ms for 4
PLAN_S, PLAN_MANIFEST_S = 0.003, 0.0026
QUERIES = 2
MERGED_MANIFESTS = 100  # commit.manifest.min-count-to-merge: about this many stay live
# tests/data/runs/version_3: `wall_s` of a case less its steps, the cold probe in a fresh JVM included
CASE_S = 6.0
SESSION_S = 10.0  # from the command to the first warm-up commit of the same run
MEMORY_BYTES = int(1.3 * 2**30)  # resident while commit_interval ran: JVM 0.95 GB, Python 0.25 GB


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseEstimate:
    """A case, and what it would take. `disk_bytes` is None for what the simulator does not model."""

    label: str
    commits: int
    wall_s: float
    memory_bytes: int = MEMORY_BYTES
    disk_bytes: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEstimate:
    """The cases of a run, one after the other in one session, and all of it together."""

    cases: tuple[CaseEstimate, ...]
    wall_s: float
    memory_bytes: int = MEMORY_BYTES  # at most, as cases follow one another

    @property
    def disk_bytes(self) -> int | None:
        """What is on disk in the end; None if that is unknown of a case."""
        known = [case.disk_bytes for case in self.cases if case.disk_bytes is not None]
        return sum(known) if len(known) == len(self.cases) else None

    def document(self) -> dict[str, Any]:
        """The estimate as plain JSON values."""
        whole = {"wall_s": self.wall_s, "memory_bytes": self.memory_bytes, "disk_bytes": self.disk_bytes}
        return {**whole, "cases": [asdict(case) for case in self.cases]}


def estimate_run(scenario: LoadedScenario, *, engine: str) -> RunEstimate:
    """What `wasim bench` would take with that engine. WasimError for one that there is not."""
    if engine not in ("spark", "core", "pyiceberg", "flink"):
        raise WasimError(f"--engine is {quoted(engine)}. Give spark, core, pyiceberg or flink.")
    disk = [_disk_bytes(one, engine) for one in simulated_cases(scenario, SimulationOptions())]
    cases = tuple(
        CaseEstimate(label=case.label, commits=case.commits, wall_s=round(case_s(case, engine), 1), disk_bytes=size)
        for case, size in zip(scenario.cases(), disk, strict=True)
    )
    warmed = {case.writer_name: case for case in scenario.cases()}.values()
    warm_up_s = sum(case.environment.warm_up_commits * _append_s(case, engine) for case in warmed)
    return RunEstimate(cases=cases, wall_s=round(SESSION_S + warm_up_s + sum(case.wall_s for case in cases), 1))


def case_s(case: Case, engine: str) -> float:
    """Seconds that the case would take with that engine."""
    return CASE_S + sum(_steps_s(case, engine))


def _steps_s(case: Case, engine: str) -> Iterator[float]:
    """Seconds of each step; what waits for a count is taken to happen whenever that number of commits was made."""
    for step in plan_steps(case):
        match step:
            case Append():
                yield step.commits * (
                    _append_s(case, engine) if not step.replaced_per_commit else OPERATION_S["upsert"]
                )
            case Maintain() if step.condition is not None:
                yield OPERATION_S[step.operation] / step.condition.least
            case Maintain() | ChangeRows():
                yield OPERATION_S[step.operation]
            case Evolve():
                yield EVOLUTION_S
            case Probe():
                yield _probe_s(case, step)


def _append_s(case: Case, engine: str) -> float:
    spent = case.writer.tables * (OTHER_APPEND_S.get(engine) or APPEND_S.get(case.writer.kind, APPEND_S["streaming"]))
    return max(spent, case.commit_interval_s) if case.clock == "real" else spent


def _probe_s(case: Case, probe: Probe) -> float:
    rounds = case.planning.rounds_at_end if probe.final else case.planning.rounds
    manifests = min(probe.after_commit, MERGED_MANIFESTS) if case.merges else probe.after_commit
    return rounds * QUERIES * len(case.planning.readers) * (PLAN_S + manifests * PLAN_MANIFEST_S)


def _disk_bytes(one: SimulatedCase, engine: str) -> int | None:
    """Bytes of all tables' files in the end; engine core writes no data."""
    try:
        one.check()
        made, _ = one.simulate()
    except WasimError:
        return None
    kinds = METADATA_KINDS if engine == "core" else tuple(Kind)
    return sum(made.totals.on_disk_bytes[kind] for kind in kinds) * one.case.writer.tables
