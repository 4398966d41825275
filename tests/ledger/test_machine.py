"""Planning latency: the law of a machine's coefficients, and what a store adds."""

from dataclasses import replace

import pytest

from wasim.capacity import Requirements, request_from_flags
from wasim.contention import load_providers
from wasim.ledger.machine import SHIPPED_MACHINE


def test_planning_waits_for_small_manifests_and_reads_large_ones():
    machine = SHIPPED_MACHINE
    few, more = (machine.scanning_ms(manifests, manifests, 7000 * manifests) for manifests in (5, 8))
    assert few == more
    assert machine.scanning_ms(9, 9, 9 * 7000) - more == pytest.approx(machine.wait_ms)
    assert machine.scanning_ms(1, 1, 7000) < machine.scanning_ms(2, 2, 2 * 7000)
    large = machine.scanning_ms(8, 800_000, 60e6)
    assert large - machine.planning_ms == pytest.approx(machine.reading_ms(8, 800_000, 60e6) / machine.threads)
    assert replace(machine, threads=8).scanning_ms(400, 400, 400 * 7000) < machine.scanning_ms(400, 400, 400 * 7000) / 3


def test_planning_from_a_store_waits_for_every_object_read():
    flags, requirements = {"rows_per_second": "100"}, Requirements(freshness="5m")
    local, remote = (
        request_from_flags(flags, replace(requirements, provider=name)).machine for name in ("local", "s3")
    )
    get_ms = load_providers().store("s3").get.p50_ms
    assert local == SHIPPED_MACHINE
    assert remote.full_scan_ms(0, 1, 0, 0) - local.full_scan_ms(0, 1, 0, 0) == pytest.approx(
        3 * get_ms
    )  # JSON, list, manifest
    many = remote.full_scan_ms(0, 200, 0, 0) - local.load_ms - local.planning_ms
    assert many == pytest.approx(2 * get_ms + (200 * get_ms + local.reading_ms(200, 0, 0)) / local.threads)
    assert not remote.waits(200, 0, 0)
