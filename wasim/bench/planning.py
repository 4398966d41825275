"""Benchmarks of table load, scan planning and directory listing; `timing` runs them with a table."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from pytest_benchmark.fixture import BenchmarkFixture

from wasim.bench.timing import Bench
from wasim.ledger import DirectoryScan
from wasim.spark.probe import Planned, Reader, Round, list_data_files, probe_of, timed_load

WARM_UP_ROUNDS = 2


def test_plan(benchmark: BenchmarkFixture, bench: Bench, planned: Planned) -> None:
    """Scan planning of one query, each round on a table loaded afresh; the load is timed by the round's set-up."""
    target, loads_ms, rounds = bench.target, list[float | None](), list[Round]()
    reader, query = planned

    def load() -> tuple[tuple[object], dict[str, object]]:
        table, load_ms = timed_load(reader)
        loads_ms.append(load_ms)
        return (table,), {}

    def plan(table: object) -> None:
        rounds.append(Round(load_ms=loads_ms[-1], plan=reader.plan(table, query)))

    benchmark.group = f"plan {query.name}"
    benchmark.pedantic(  # type: ignore[no-untyped-call]
        plan, setup=load, rounds=target.rounds, warmup_rounds=WARM_UP_ROUNDS
    )
    kept = rounds[-target.rounds :]
    last = kept[-1].plan
    benchmark.extra_info |= {
        "after_commit": target.occasion.after_commit,
        "reader": reader.name,
        "variant": reader.variant,
        "manifests_opened": last.manifests_opened,
        "manifests_scanned": last.manifests_scanned,
        "manifests_skipped": last.manifests_skipped,
        "load_median_ms": _median_ms([each.load_ms for each in kept]),
        "planning_median_ms": float(np.median([each.plan.planning_ms for each in kept])),
    }
    bench.probes.append(probe_of(reader, query, kept, target.occasion))


def _median_ms(rounds: Sequence[float | None]) -> float | None:
    known = [spent for spent in rounds if spent is not None]
    return float(np.median(known)) if known else None


def test_load_alone(benchmark: BenchmarkFixture, bench: Bench, loading: Reader) -> None:
    """Table load again and again with no planning in between, which caches favour: not the load before each plan."""
    benchmark.group = "load alone"
    benchmark.pedantic(  # type: ignore[no-untyped-call]
        loading.load, rounds=bench.target.rounds, warmup_rounds=WARM_UP_ROUNDS
    )
    assert benchmark.stats is not None  # noqa: S101 (the benchmark ran)


def test_list(benchmark: BenchmarkFixture, bench: Bench, listed: Sequence[Path]) -> None:
    """The table's data files found by listing directories."""
    benchmark.group = "list data files"
    list_calls, files = benchmark.pedantic(  # type: ignore[no-untyped-call]
        list_data_files, args=(listed,), rounds=bench.target.rounds, warmup_rounds=WARM_UP_ROUNDS
    )
    assert benchmark.stats is not None  # noqa: S101 (the benchmark ran)
    after_commit, spent_s = bench.target.occasion.after_commit, benchmark.stats.stats.data
    benchmark.extra_info |= {"after_commit": after_commit, "list_calls": list_calls, "files": files}
    bench.listings.append(
        DirectoryScan(
            after_commit=after_commit, list_calls=list_calls, files=files, scan_ms=np.array(spent_s, dtype=float) * 1e3
        )
    )
