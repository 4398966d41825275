"""What several writers add to the sums of one, of races made up."""

from dataclasses import replace

import numpy as np
import pytest
from support.synthetic import synthetic_case

from wasim.contention import Outcome
from wasim.ledger import Kind
from wasim.scenario import Case
from wasim.twin import Site, shipped_profile
from wasim.years import simulate_years
from wasim.years.raced import Settled, with_lost


def outcome(lost: int, refused: int = 0, failed: int = 0) -> Outcome:
    return Outcome(
        commits=100,
        attempts=100 - failed + lost,
        lost=lost,
        refused=refused,
        failed=failed,
        redone=0,
        seconds=100.0,
        commit_ms=np.ones(100 - failed),
        lost_share_band=0.03,
    )


def test_races_stand_for_equal_parts_of_the_commits():
    found = Settled(races=(outcome(10, 4, failed=5), outcome(30, 10, failed=15), outcome(20)))
    assert found.shares.tolist() == pytest.approx([1 / 6, 1 / 2, 5 / 6])
    assert found.landed_share == pytest.approx(1 - 20 / 300)
    assert found.landed_of(synthetic_case(horizon_s=600.0)) == 560
    assert found.lost_share == pytest.approx(60 / (105 + 115 + 120))
    assert found.lost_share_band == pytest.approx(0.03 * 3**0.5 / 3)
    assert found.lost_at(600.0, wrote_json=False).tolist() == pytest.approx([20, 60, 40])
    assert found.lost_at(600.0, wrote_json=True).tolist() == pytest.approx([12, 40, 40])


def among(catalog: str) -> Case:
    case = synthetic_case(horizon_s=600.0)
    environment = case.environment.model_copy(update={"catalog": catalog})
    return replace(case, environment=environment)


@pytest.mark.parametrize(
    ("catalog", "raced_in", "stays"),
    [("hadoop", None, 0), ("jdbc", None, 120), ("jdbc", "glue", 0), ("hadoop", "storage", 120)],
)
def test_what_attempts_wrote_is_deleted_or_an_orphan(catalog: str, raced_in: str | None, stays: int):
    case = replace(among(catalog), raced_in=raced_in)
    alone = simulate_years(replace(case, horizon_s=540.0), shipped_profile(case), Site())
    found = with_lost(case, alone, Settled(races=(outcome(20, failed=10), outcome(20, failed=10))))
    assert found.contention is not None
    assert (found.contention.lost_attempts, found.contention.failed_commits) == (120, 60)
    assert found.contention.attempts == 540 + 120
    more = {
        kind: [
            getattr(found.totals, name)[kind] - getattr(alone.totals, name)[kind]
            for name in ("files_written", "files_deleted", "written_bytes", "deleted_bytes")
        ]
        for kind in (Kind.METADATA_JSON, Kind.MANIFEST_LIST, Kind.DATA_MANIFEST, Kind.DATA)
    }
    assert [more[kind][0] for kind in more] == [120, 120, 60, 60]
    assert found.contention.orphan_files == more[Kind.METADATA_JSON][0] - more[Kind.METADATA_JSON][1]
    for kind, (files, deleted, size, gone) in more.items():
        assert size - gone == found.contention.orphan_bytes[kind]
        assert found.contention.lost_bytes[kind] == pytest.approx(size, rel=1e-3)
        mean = alone.totals.written_bytes[kind] / alone.totals.files_written[kind]
        assert size == pytest.approx(files * mean, rel=0.02)
        assert (deleted == files) == (kind != Kind.METADATA_JSON or found.contention.orphan_files == 0)
    assert found.contention.orphan_files == stays
    assert found.ledger.event_time_s[-1] == pytest.approx(600, abs=2)
    assert found.band[Kind.MANIFEST_LIST] > found.band[Kind.DATA] > alone.band[Kind.DATA]


def test_attempts_that_are_lost_late_wrote_larger_metadata_json():
    case = among("jdbc")
    alone = simulate_years(case, shipped_profile(case), Site())
    early, late = (
        with_lost(case, alone, Settled(races=races)).contention.lost_bytes[Kind.METADATA_JSON]
        for races in ((outcome(40), outcome(0)), (outcome(0), outcome(40)))
    )
    assert late > 2 * early
