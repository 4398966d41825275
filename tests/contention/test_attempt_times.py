"""How long an attempt takes: its requests one after another, added up by hand."""

from dataclasses import replace

import numpy as np
import pytest

from wasim.contention import load_providers
from wasim.contention.attempt_times import AttemptRequests, Footprint, attempt_times, reading_s, validation_s, width_of
from wasim.contention.providers import Latency, Store
from wasim.errors import WasimError
from wasim.units import MIB


def latency(p50_ms: float, ms_per_mib: float = 0.0, known: str = "measured") -> Latency:
    """One that always takes as long."""
    figures = {"p50_ms": p50_ms, "p99_ms": p50_ms, "ms_per_mib": ms_per_mib}
    return Latency.model_validate(figures | {"known": known, "source": "here", "as_of": "2026-01-01"})


STORE = Store(title="even", get=latency(10, 1), put=latency(20, 2), swap=latency(7))
REQUESTS = AttemptRequests(store=STORE, swap=latency(5), engine=latency(100, 3, "estimated"))
SIZES = Footprint(
    metadata_json_bytes=2 * MIB,
    manifest_list_bytes=MIB,
    manifest_bytes=MIB / 2,
    manifests_written=2,
    json_text_bytes=4 * MIB,
)


def test_an_attempt_takes_its_requests_one_after_another():
    found = attempt_times(SIZES, REQUESTS, (1.0, 2.0))
    # engine; metadata.json; list, read and written; metadata.json
    later = 112 + 12 + (11 + 22) + 24
    for part, wanted in (
        (found.first_attempt_s, later + 2 * 21),
        (found.later_attempt_s, later),
        (found.write_s, 24),
        (found.finish_s, 5),
    ):
        assert part == pytest.approx([wanted / 1000] * len(part))
    assert (found.work_s, found.ms_per_mib) == ((1.0, 2.0), 6)
    plain = attempt_times(replace(SIZES, json_text_bytes=0), REQUESTS, (1.0,))
    assert plain.later_attempt_s[0] == pytest.approx((106 + 12 + 33 + 24) / 1000)


def test_manifests_are_read_and_validated_one_after_another():
    assert reading_s(SIZES, STORE, 4) == pytest.approx((4 * 10.5 + 24) / 1000)
    assert reading_s(SIZES, STORE, 0) == 0
    assert validation_s(SIZES, STORE) == pytest.approx((11 + 10.5) / 1000)


def test_a_band_is_that_of_what_takes_the_time():
    engine, others = 112, 23 + 87 + 5  # two GETs, four PUTs, and the swap
    assert width_of(SIZES, REQUESTS) == pytest.approx((0.5 * engine + 0.15 * others) / (engine + others))


def test_uncompressed_json_is_parsed_as_stored():
    assert SIZES.parsed_bytes == 4 * MIB
    assert replace(SIZES, json_text_bytes=0.0).parsed_bytes == 2 * MIB


def test_an_attempt_of_one_manifest_writes_it_once():
    one = Footprint(metadata_json_bytes=MIB, manifest_list_bytes=MIB, manifest_bytes=MIB)
    found = attempt_times(one, REQUESTS, (0.0,))
    # engine; GET of metadata.json and list; PUT of list and metadata.json; the first attempt's manifest
    assert found.later_attempt_s[0] * 1000 == pytest.approx(103 + 11 + 11 + 22 + 22)
    assert found.first_attempt_s[0] - found.later_attempt_s[0] == pytest.approx(0.022)


def test_requests_are_drawn_about_median_and_99th_percentile():
    figures = {"p50_ms": 10, "p99_ms": 40, "known": "measured", "source": "here", "as_of": "2026-01-01"}
    swap = Latency.model_validate(figures)
    found = np.array(attempt_times(SIZES, replace(REQUESTS, swap=swap), (0.0,)).finish_s) * 1000
    assert np.median(found) == pytest.approx(10, rel=0.05)
    levels = np.linspace(0, 1, len(found))
    assert np.interp(0.99, levels, found) == pytest.approx(40, rel=0.15)
    # lognormal: as far below the median as above it, by factors
    assert np.interp(0.01, levels, found) == pytest.approx(10 / 4, rel=0.15)


def test_requests_of_provider_and_catalog_have_names():
    providers = load_providers()
    found = AttemptRequests.of(providers, "s3", "jdbc")
    assert (found.store, found.swap) == (providers.stores["s3"], providers.catalogs["jdbc"])
    assert AttemptRequests.of(providers, "gcs", "storage").swap == providers.stores["gcs"].swap
    with pytest.raises(WasimError, match="is unknown"):
        AttemptRequests.of(providers, "s4", "jdbc")


def test_without_compression_and_merges_a_band_counts_each_request_once():
    store = Store(title="band", get=latency(10, 0, "estimated"), put=latency(20, 0), swap=latency(7))
    requests = AttemptRequests(store=store, swap=latency(5, known="derived"), engine=latency(0))
    one = Footprint(metadata_json_bytes=MIB, manifest_list_bytes=MIB, manifest_bytes=MIB)
    # two GETs, three PUTs, a swap
    assert width_of(one, requests) == pytest.approx((0.5 * 20 + 0.15 * 60 + 0.3 * 5) / 85)
