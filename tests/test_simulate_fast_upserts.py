"""The fast form of Flink's upserts, held against exact histories that the calibration never saw."""

from dataclasses import replace

import pytest
from upserts import upserting_case

from wasim.calibration import calibrate_upkeep, calibrate_upserts, exact_case_run, maintained_model
from wasim.ledger import METADATA_KINDS, Kind
from wasim.scenario import Case
from wasim.simulate import Site, shipped_profile
from wasim.simulate.fast import Maintained, maintain_fast, maintained_live_bytes, maintained_totals, read_upkeep
from wasim.simulate.honoured import check_summable

EXPIRY = {"every": "40s", "older_than": "20s"}
DROPPING = {"write.metadata.delete-after-commit.enabled": "true", "write.metadata.previous-versions-max": "30"}
MERGING = {"commit.manifest.min-count-to-merge": "10"}


def followed(case: Case) -> Maintained:
    check_summable(case)
    profile, upkeep = shipped_profile(case), read_upkeep(case)
    assert upkeep is not None
    model = calibrate_upserts(case, profile)
    laws = calibrate_upkeep(case, model, profile)
    return maintain_fast(maintained_model(model, upkeep, laws, case, profile))


def check_agreement(case: Case, *, most: float = 0.005, most_of_data: float = 0.005) -> None:
    table = followed(case)
    fast, run = maintained_totals(table), exact_case_run(replace(case, seed=7), shipped_profile(case), Site())
    exact, live = run.totals, maintained_live_bytes(table)
    assert fast.files_written == exact.files_written
    assert fast.files_deleted == exact.files_deleted
    for kind in (*METADATA_KINDS, Kind.DATA, Kind.DELETE_FILE):
        near = {"rel": most if kind in METADATA_KINDS else most_of_data, "abs": 50}
        assert fast.written_bytes[kind] == pytest.approx(exact.written_bytes[kind], **near), kind
        assert fast.deleted_bytes[kind] == pytest.approx(exact.deleted_bytes[kind], **near), kind
        assert live[kind] == pytest.approx(run.live_bytes[kind], rel=0.02, abs=100), kind


@pytest.mark.parametrize(
    ("maintenance", "properties", "fields"),
    [
        ({}, {}, {}),
        ({}, MERGING, {"repeats": 0.25, "subtasks": 1}),
        ({}, DROPPING, {"version": 3, "repeats": 0.25, "subtasks": 1}),
        ({"expire_snapshots": EXPIRY}, {}, {}),
        ({"expire_snapshots": EXPIRY, "remove_orphan_files": EXPIRY}, MERGING, {"partitioned": True, "subtasks": 1}),
    ],
)
def test_fast_and_exact_agree_on_commits_that_delete_by_key(maintenance, properties, fields):
    check_agreement(upserting_case(commits=900, maintenance=maintenance, properties=properties, **fields))
