"""Benchmarks of table load and scan planning; `wasim.benchmarks` runs them with a table."""

import numpy as np
from pytest_benchmark.fixture import BenchmarkFixture

from wasim.benchmarks import Bench
from wasim.ledger import PlanningProbe
from wasim.probe import ICEBERG_JAVA, Query, ScanPlan

WARM_UP_ROUNDS = 2


def test_plan(benchmark: BenchmarkFixture, bench: Bench, query: Query) -> None:
    """Scan planning of one query, each round on a table loaded afresh; the load is timed by the round's set-up."""
    target, plans, loads_ms = bench.target, list[ScanPlan](), list[float]()

    def load() -> tuple[tuple[object], dict[str, object]]:
        table, load_ms = target.table.timed_load()
        loads_ms.append(load_ms)
        return (table,), {}

    benchmark.group = f"plan {query.name}"
    benchmark.pedantic(  # type: ignore[no-untyped-call]
        lambda table: plans.append(target.table.plan(table, query)),
        setup=load,
        rounds=target.rounds,
        warmup_rounds=WARM_UP_ROUNDS,
    )
    plan = plans[-1]
    snapshots, json_bytes = target.table.describe(target.table.load())
    planning_ms = np.array([p.planning_ms for p in plans[-target.rounds :]])
    benchmark.extra_info |= {
        "after_commit": target.after_commit,
        "manifests_scanned": plan.manifests_scanned,
        "manifests_skipped": plan.manifests_skipped,
        "scan_report_median_ms": float(np.median(planning_ms)),
    }
    bench.probes.append(
        PlanningProbe(
            after_commit=target.after_commit,
            query=query.name,
            temperature="warm",
            reader=ICEBERG_JAVA,
            load_ms=np.array(loads_ms[-target.rounds :]),
            planning_ms=planning_ms,
            execution_ms=np.empty(0),
            manifests_total=plan.manifests_total,
            manifests_scanned=plan.manifests_scanned,
            manifests_skipped=plan.manifests_skipped,
            files_planned=plan.files,
            snapshots=snapshots,
            metadata_json_bytes=json_bytes,
        )
    )


def test_load(benchmark: BenchmarkFixture, bench: Bench) -> None:
    """Table load alone: the catalog's pointer and the whole metadata.json."""
    benchmark.group = "load"
    benchmark.pedantic(  # type: ignore[no-untyped-call]
        bench.target.table.load, rounds=bench.target.rounds, warmup_rounds=WARM_UP_ROUNDS
    )
    assert benchmark.stats is not None  # noqa: S101 (the benchmark ran)
