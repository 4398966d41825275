"""Leaps over statements that change rows."""

from dataclasses import replace

import pytest
from support.paths import SCENARIOS

from wasim.scenario import load_scenario
from wasim.scenario.changes import RewriteManifests
from wasim.twin import Site, shipped_profile
from wasim.units import DAY_S
from wasim.years import simulate_years


def test_partitions_may_open_and_close_between_two_statements():
    """Deletes on read every eight seconds, manifests rewritten daily, partitions by day: 2.6 million commits."""
    case = load_scenario(SCENARIOS / "fidelity" / "placement.yaml").cases()[0]
    daily = case.maintenance.model_copy(update={"rewrite_manifests": RewriteManifests(every=DAY_S)})
    third, whole = (
        simulate_years(replace(case, horizon_s=days * DAY_S, maintenance=daily), shipped_profile(case), Site())
        for days in (10, 30)
    )
    assert whole.totals.metadata_bytes == pytest.approx(3 * third.totals.metadata_bytes, rel=0.1)
