"""One history until several horizons: the first as if it were alone, the others as far as leaps agree."""

from dataclasses import replace

import pytest
from support.paths import SCENARIOS

from wasim.ledger import METADATA_KINDS
from wasim.scenario import load_scenario
from wasim.scenario.changes import ExpireSnapshots, Maintenance, RewriteManifests
from wasim.twin import Site, shipped_profile
from wasim.units import DAY_S
from wasim.years.horizons import histories_at, sums_at
from wasim.years.summed import history_of, read_shape, sum_history

HORIZONS_S = (2 * DAY_S, 30 * DAY_S, 365 * DAY_S)


@pytest.mark.parametrize("append", ["fast", "merge"])
def test_a_history_that_goes_on_comes_to_what_a_longer_one_alone_does(append):
    case = load_scenario(SCENARIOS / "commit_interval.yaml").cases()[0]
    rewriting = Maintenance(rewrite_manifests=RewriteManifests(every=DAY_S))
    case = replace(
        case,
        commit_interval_s=30.0,
        writer=case.writer.model_copy(update={"append": append}),
        maintenance=rewriting,
        horizon_s=DAY_S,
    )
    shape = read_shape(case, shipped_profile(case), Site())
    kept = rewriting.model_copy(update={"expire_snapshots": ExpireSnapshots(every=DAY_S, older_than=DAY_S)})
    found = sums_at(case, shape, histories_at(case, shape, HORIZONS_S), HORIZONS_S, kept)
    for horizon_s, summed in zip(HORIZONS_S, found, strict=True):
        alone = replace(case, horizon_s=horizon_s, maintenance=kept)
        expected = sum_history(alone, shape, history_of(alone, shape).run())
        written = [one.totals.written_bytes for one in (summed, expected)]
        if horizon_s == HORIZONS_S[0]:
            assert summed.totals == expected.totals
            assert summed.live_bytes == expected.live_bytes
        assert [written[0][kind] for kind in METADATA_KINDS] == pytest.approx(
            [written[1][kind] for kind in METADATA_KINDS], rel=2e-3
        )
