"""Benchmarks of table load and scan planning; `wasim.benchmarks` runs them with a table."""

import numpy as np
from pytest_benchmark.fixture import BenchmarkFixture

from wasim.benchmarks import Bench
from wasim.probe import Query, Round

WARM_UP_ROUNDS = 2


def test_plan(benchmark: BenchmarkFixture, bench: Bench, query: Query) -> None:
    """Scan planning of one query, each round on a table loaded afresh; the load is timed by the round's set-up."""
    target, loads_ms, rounds = bench.target, list[float](), list[Round]()

    def load() -> tuple[tuple[object], dict[str, object]]:
        table, load_ms = target.table.timed_load()
        loads_ms.append(load_ms)
        return (table,), {}

    def plan(table: object) -> None:
        rounds.append(Round(load_ms=loads_ms[-1], plan=target.table.plan(table, query)))

    benchmark.group = f"plan {query.name}"
    benchmark.pedantic(  # type: ignore[no-untyped-call]
        plan, setup=load, rounds=target.rounds, warmup_rounds=WARM_UP_ROUNDS
    )
    kept = rounds[-target.rounds :]
    last = kept[-1].plan
    benchmark.extra_info |= {
        "after_commit": target.after_commit,
        "manifests_scanned": last.manifests_scanned,
        "manifests_skipped": last.manifests_skipped,
        "scan_report_median_ms": float(np.median([each.plan.planning_ms for each in kept])),
    }
    bench.probes.append(target.table.probe(query, kept, after_commit=target.after_commit, temperature="warm"))


def test_load(benchmark: BenchmarkFixture, bench: Bench) -> None:
    """Table load alone: the catalog's pointer and the whole metadata.json."""
    benchmark.group = "load"
    benchmark.pedantic(  # type: ignore[no-untyped-call]
        bench.target.table.load, rounds=bench.target.rounds, warmup_rounds=WARM_UP_ROUNDS
    )
    assert benchmark.stats is not None  # noqa: S101 (the benchmark ran)
