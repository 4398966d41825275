"""How much sooner exact simulation is done than the library that it is a twin of: the same appends, in one run."""

import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("pyspark")

from support.contexts import context_of

from wasim.bench.case import carry_out
from wasim.scenario import Case
from wasim.spark import Session
from wasim.spark.servers import Servers
from wasim.twin import shipped_profile, simulate_case

TEN_COLUMNS = "{columns: [{name: reading, type: double, count: 4}, {name: sensor, type: string, values: 5, count: 4}]}"
LEAST_RATIO = 10.0  # docs/decisions/0005 says what was measured
TURNS = 4  # the first warms up the JVM


@pytest.mark.slow
def test_a_thousand_appends_are_simulated_sooner_than_made(
    session: Session, servers: Servers, small_case: Callable[..., Case], tmp_path: Path
) -> None:
    case = small_case(table=TEN_COLUMNS, writer="streaming", horizon="1000s")
    ratios = []
    for turn in range(TURNS):
        run = carry_out(case, context_of("core", case, session, servers, tmp_path / f"{turn}"))
        core_s = float(run.ledger.reported_at_s[-1] - run.ledger.reported_at_s[0])
        started_s = time.perf_counter()
        recording = simulate_case(case, shipped_profile(case), np.random.default_rng(turn))
        exact_s = time.perf_counter() - started_s
        assert len(recording.reports) == run.commits == 1000
        ratios.append(core_s / exact_s)
        print(f"1,000 fast appends on JDBC: core {core_s:.1f} s, exact {exact_s:.1f} s, ratio {ratios[-1]:.1f}")
    print(f"median ratio {np.median(ratios[1:]):.1f} of {TURNS - 1}; the first warms up")
    assert np.median(ratios[1:]) >= LEAST_RATIO
