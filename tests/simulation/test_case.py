"""One case, simulated: its bytes and its latency come from the same race."""

from dataclasses import replace

import pytest
from support.paths import SCENARIOS

from wasim.scenario import load_scenario
from wasim.simulation.case import EXACT, FAST, SimulatedCase, Simulator
from wasim.twin import Site, shipped_profile


@pytest.mark.parametrize(
    ("simulator", "arrivals", "provider"),
    [
        (EXACT, None, "s3"),
        (EXACT, "evenly", "gcs"),
        (FAST, None, None),
        (FAST, "evenly", "gcs"),
        pytest.param(FAST, None, "s3", marks=pytest.mark.slow),
        pytest.param(FAST, None, "local", marks=pytest.mark.slow),
    ],
    ids=lambda one: str(getattr(one, "mode", one)),
)
def test_lost_attempts_are_the_same_share_of_bytes_and_latency(
    simulator: Simulator, arrivals: str | None, provider: str | None
) -> None:
    given = load_scenario(SCENARIOS / "contention.yaml", {"horizon": "20m"}).cases()[2]
    writer = given.writer.model_copy(update={"writers": 30, "arrivals": arrivals})
    case = replace(given, writer=writer, commit_interval_s=2.0)
    one = SimulatedCase(
        case=case, simulator=simulator, profile=shipped_profile(case), site=Site(provider=provider), emit=None
    )
    made, _ = one.simulate()
    assert made.contention is not None
    assert made.latency is not None
    share = made.contention.lost_attempts / made.contention.attempts
    assert made.latency.lost_share == pytest.approx(share, abs=0.06)
