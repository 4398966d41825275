"""The fast form against the exact one, and its speed."""

import time
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from support.synthetic import synthetic_case, synthetic_run

from wasim.fit.cost import fit_group
from wasim.fit.groups import group_cases
from wasim.ledger import METADATA_KINDS, Kind, Totals, sum_events, view_by_commit
from wasim.ledger.vocabulary import CREATE_TABLE
from wasim.scenario import Case
from wasim.scenario.parts import PartitionField
from wasim.twin import profile_named, shipped_profile, simulate_case
from wasim.twin.fast import FastModel, Law, fast_rows, fast_totals

SLOW = pytest.mark.slow
DROPPING = {
    "write.metadata.delete-after-commit.enabled": "true",
    "write.metadata.previous-versions-max": "30",
}
MERGING = {"commit.manifest.min-count-to-merge": "10"}


def exact(case: Case, seed: int = 1):
    return simulate_case(case, shipped_profile(case), np.random.default_rng(seed))


def calibrated(case: Case, calibration_horizon_s: float) -> FastModel:
    """The fast model of a case, fitted to the exact ledger of its beginning."""
    short = replace(case, horizon_s=calibration_horizon_s)
    recording = exact(short)
    ledger = view_by_commit(recording)
    totals = sum_events(recording.events)
    example = synthetic_run().cases[0]
    made = replace(example, case=short, ledger=ledger, totals=totals, probes=(), ingested_bytes=totals.data_bytes)
    group = group_cases([made])[0]
    writer = fit_group(group)
    created = recording.events.where(recording.events.operation == CREATE_TABLE)
    return FastModel(
        appends=writer.appends_of(case),
        laws={one.kind: Law(terms=one.terms, coefficients=one.fit.coefficients) for one in writer.kinds},
        create_bytes=int(created.bytes.sum()),
        delete_after_commit=case.table.properties.get("write.metadata.delete-after-commit.enabled") == "true",
    )


def errors(fast: Totals, slow: Totals) -> dict[Kind, float]:
    return {
        kind: fast.written_bytes[kind] / slow.written_bytes[kind] - 1
        for kind in METADATA_KINDS
        if slow.written_bytes[kind]
    }


@pytest.mark.parametrize(
    ("writer", "properties"), [("streaming", {}), ("batch", {}), ("batch", MERGING), ("streaming", DROPPING)]
)
def test_fast_totals_agree_with_exact_ones(writer, properties):
    case = synthetic_case(writer=writer, horizon_s=600.0, properties=properties)
    fast = fast_totals(calibrated(case, 240.0), case.commits)
    slow = sum_events(exact(case, seed=5).events)
    assert fast.files_written == slow.files_written
    assert fast.files_deleted == slow.files_deleted
    assert max(map(abs, errors(fast, slow).values())) < 0.01, errors(fast, slow)
    for kind in METADATA_KINDS:
        assert fast.deleted_bytes[kind] == pytest.approx(slow.deleted_bytes[kind], rel=0.01)


@pytest.mark.parametrize(
    "properties",
    [pytest.param({}, marks=SLOW), DROPPING, pytest.param({"write.metadata.compression-codec": "gzip"}, marks=SLOW)],
)
def test_fast_totals_agree_with_exact_ones_in_hadoops_catalog(properties):
    case = synthetic_case(horizon_s=600.0, properties=properties)
    case = replace(case, environment=case.environment.model_copy(update={"catalog": "hadoop"}))
    fast = fast_totals(calibrated(case, 240.0), case.commits)
    slow = sum_events(exact(case, seed=5).events)
    assert fast.files_written == slow.files_written
    assert fast.files_deleted == slow.files_deleted
    assert fast.written_bytes[Kind.VERSION_HINT] == slow.written_bytes[Kind.VERSION_HINT]
    assert fast.deleted_bytes[Kind.VERSION_HINT] == slow.deleted_bytes[Kind.VERSION_HINT]
    assert max(map(abs, errors(fast, slow).values())) < 0.005, errors(fast, slow)


CODEC = "write.manifest.compression-codec"


@pytest.mark.parametrize(
    "properties",
    [
        {CODEC: "zstd", "write.object-storage.enabled": "true"},
        pytest.param(
            {CODEC: "snappy", "write.data.path": "lake", "write.metadata.path": "log"}, marks=pytest.mark.slow
        ),
        pytest.param({CODEC: "uncompressed", "write.summary.partition-limit": "8"}, marks=pytest.mark.slow),
    ],
)
def test_fast_follows_properties_that_change_bytes(properties):
    case = synthetic_case(horizon_s=400.0, files_per_commit=2, properties={**properties, **MERGING})
    by = (PartitionField(column="s_0", transform="bucket[4]"),)
    case = replace(case, table=case.table.model_copy(update={"partition_by": by}))
    fast = fast_totals(calibrated(case, 200.0), case.commits)
    slow = sum_events(exact(case, seed=5).events)
    assert fast.files_written == slow.files_written
    assert max(map(abs, errors(fast, slow).values())) < 0.005, errors(fast, slow)


@pytest.fixture(scope="module")
def model() -> FastModel:
    return calibrated(synthetic_case(writer="batch"), 240.0)


def test_rows_sum_to_the_totals(model):
    totals = fast_totals(model, 5_000)
    parts = list(fast_rows(model, 5_000, at_once=777))
    for kind in (Kind.METADATA_JSON, Kind.MANIFEST_LIST, Kind.DATA_MANIFEST):
        written = sum(float(part[kind].sum()) for part in parts)
        created = model.create_bytes if kind is Kind.METADATA_JSON else 0
        assert written + created == pytest.approx(totals.written_bytes[kind], abs=1)


def test_ten_million_commits_take_no_longer_than_ten_thousand_and_little_memory(model):
    fast_totals(model, 10_000_000)  # the merges of a cycle are found once
    times = {}
    tracemalloc.start()
    for commits in (10_000, 10_000_000):
        started_s = time.perf_counter()
        fast_totals(model, commits)
        times[commits] = time.perf_counter() - started_s
    peak_bytes = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert times[10_000_000] < 1000 * times[10_000] + 0.1
    streams_s = profile_named("spark_streaming").pace_s  # the real writer's time for a commit
    assert 10_000_000 / times[10_000_000] > 1e6 / streams_s
    assert peak_bytes < 300e6


def test_more_commits_never_cost_less(model):
    totals = [fast_totals(model, commits).metadata_bytes for commits in (1, 2, 99, 100, 101, 5_000, 200_000, 400_000)]
    assert totals == sorted(totals)
