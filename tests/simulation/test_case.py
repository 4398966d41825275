"""One case, simulated: its bytes and its latency come from the same race."""

from dataclasses import replace

import pytest
from support.paths import SCENARIOS
from support.synthetic import synthetic_case

from wasim.scenario import load_scenario
from wasim.scenario.changes import Maintenance
from wasim.scenario.parts import PartitionField, Writer
from wasim.simulation.case import AUTO_BUDGET, EMIT_BUDGET, Mode, Needs, SimulatedCase, add_up, exact_needs
from wasim.twin import Site, shipped_profile

SHORT = synthetic_case(horizon_s=2_000.0)
YEAR = synthetic_case(horizon_s=365 * 86_400.0)


def test_a_year_of_seconds_is_not_taken_unasked() -> None:
    assert exact_needs(SHORT).within(AUTO_BUDGET)
    needs = exact_needs(YEAR, emits=True)
    assert not needs.within(EMIT_BUDGET)
    assert needs.disk_bytes > 400 * 2**50  # half of 1,040 B times 31,536,000 squared
    assert needs.seconds > 365 * 86_400


def test_what_was_measured_is_estimated_within_a_factor_of_two() -> None:
    needs = exact_needs(replace(SHORT, horizon_s=5_000.0))
    assert needs.seconds == pytest.approx(9, rel=0.5)
    assert needs.memory_bytes == pytest.approx(235e6, rel=0.5)
    assert exact_needs(SHORT, emits=True).disk_bytes == pytest.approx(2.1e9, rel=0.2)


def test_expiry_keeps_time_and_disk_from_growing_with_the_square() -> None:
    expiry = Maintenance.model_validate({"expire_snapshots": {"every": "100s", "older_than": "100s"}})
    plain, expiring = (replace(YEAR, maintenance=maintenance) for maintenance in (Maintenance(), expiry))
    assert exact_needs(expiring, emits=True).disk_bytes < exact_needs(plain, emits=True).disk_bytes / 100


def test_partitioned_rows_take_time_and_changed_rows_memory() -> None:
    by_day = SHORT.table.model_copy(update={"partition_by": (PartitionField(column="event_time", transform="day"),)})
    busy = replace(SHORT, workload=SHORT.workload.model_copy(update={"rows_per_second": 50_000}))
    assert exact_needs(replace(busy, table=by_day)).seconds > 5 * exact_needs(busy).seconds
    compaction = Maintenance.model_validate({"rewrite_data_files": {"every": "1h"}})
    assert exact_needs(replace(busy, maintenance=compaction)).memory_bytes > 2**34


def test_statements_take_time_for_every_live_file() -> None:
    def needs(locality: str, horizon_s: float, **maintenance: object) -> float:
        upsert = {"kind": "batch", "upsert": {"share": 0.2, "mode": "merge-on-read", "locality": locality}}
        case = replace(SHORT, horizon_s=horizon_s, writer=Writer.model_validate(upsert))
        return exact_needs(replace(case, maintenance=Maintenance.model_validate(maintenance))).seconds

    assert needs("newest", 3_000.0) == pytest.approx(135, rel=0.2)
    assert needs("scattered", 3_000.0) - needs("newest", 3_000.0) == pytest.approx(3_000 * 20 * 4e-4, rel=0.1)
    assert needs("newest", 3_000.0, rewrite_data_files={"every": "100s"}) < 20


def test_several_cases_add_times_and_disks_but_not_memory() -> None:
    one, other = (
        Needs(seconds=seconds, memory_bytes=memory, disk_bytes=7.0) for seconds, memory in ((1.0, 5.0), (2.0, 3.0))
    )
    assert add_up([one, other]) == Needs(seconds=3.0, memory_bytes=5.0, disk_bytes=14.0)
    assert Needs(seconds=7_300.0, memory_bytes=2**20, disk_bytes=2**30).words == (
        "about 2h, 1.00 MiB of memory, 1.00 GiB on disk"
    )


@pytest.mark.parametrize(
    ("mode", "arrivals", "provider"),
    [
        (Mode.EXACT, None, "s3"),
        (Mode.EXACT, "evenly", "gcs"),
        (Mode.FAST, None, None),
        (Mode.FAST, "evenly", "gcs"),
        pytest.param(Mode.FAST, None, "s3", marks=pytest.mark.slow),
        pytest.param(Mode.FAST, None, "local", marks=pytest.mark.slow),
    ],
)
def test_lost_attempts_are_the_same_share_of_bytes_and_latency(
    mode: Mode, arrivals: str | None, provider: str | None
) -> None:
    given = load_scenario(SCENARIOS / "contention.yaml", {"horizon": "20m"}).cases()[2]
    writer = given.writer.model_copy(update={"writers": 30, "arrivals": arrivals})
    case = replace(given, writer=writer, commit_interval_s=2.0)
    one = SimulatedCase(case=case, mode=mode, profile=shipped_profile(case), site=Site(provider=provider), emit=None)
    made, _ = one.simulate()
    assert made.contention is not None
    assert made.latency is not None
    share = made.contention.lost_attempts / made.contention.attempts
    assert made.latency.lost_share == pytest.approx(share, abs=0.06)
