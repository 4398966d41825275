"""The fast form of Flink's upserts, held against exact histories that the calibration never saw."""

from dataclasses import replace

import pytest
from support.upserts import rows_of_commits, upserting_case

from wasim.calibration import calibrate_upkeep, calibrate_upserts, exact_case_run, maintained_model
from wasim.errors import WasimError
from wasim.grid import plan_grid
from wasim.ledger import METADATA_KINDS, Kind
from wasim.scenario import Case
from wasim.twin import Site, shipped_profile
from wasim.twin.fast import Maintained, maintain_fast, maintained_live_bytes, maintained_totals, read_upkeep
from wasim.twin.fast.arrivals import rows_left
from wasim.twin.supported import check_summable

EXPIRY = {"every": "40s", "older_than": "20s"}
DROPPING = {"write.metadata.delete-after-commit.enabled": "true", "write.metadata.previous-versions-max": "30"}
MERGING = {"commit.manifest.min-count-to-merge": "10"}
MOST_OF_DATA = 0.02  # keys of an ever larger table deflate ever less, and fast mode takes the mean of the first ones


def followed(case: Case) -> Maintained:
    check_summable(case)
    profile, upkeep = shipped_profile(case), read_upkeep(case)
    assert upkeep is not None
    model = calibrate_upserts(case, profile)
    laws = calibrate_upkeep(case, model, profile)
    return maintain_fast(maintained_model(model, upkeep, laws, case, profile))


def check_agreement(case: Case, *, most: float = 0.005, most_of_data: float = MOST_OF_DATA) -> None:
    table = followed(case)
    fast, run = maintained_totals(table), exact_case_run(replace(case, seed=7), shipped_profile(case), Site())
    exact, live = run.totals, maintained_live_bytes(table)
    assert fast.files_written == exact.files_written
    assert fast.files_deleted == exact.files_deleted
    for kind in (*METADATA_KINDS, Kind.DATA, Kind.DELETE_FILE):
        near = {"rel": most if kind in METADATA_KINDS else most_of_data, "abs": 50}
        assert fast.written_bytes[kind] == pytest.approx(exact.written_bytes[kind], **near), kind
        assert fast.deleted_bytes[kind] == pytest.approx(exact.deleted_bytes[kind], **near), kind
        assert live[kind] == pytest.approx(run.live_bytes[kind], rel=max(0.02, near["rel"]), abs=100), kind


@pytest.mark.parametrize(
    ("maintenance", "properties", "fields"),
    [
        ({}, MERGING, {"repeats": 0.25, "subtasks": 1}),
        pytest.param(
            {"expire_snapshots": EXPIRY, "remove_orphan_files": EXPIRY},
            {},
            {"partitioned": True, "subtasks": 1},
            marks=pytest.mark.slow,
        ),
        pytest.param({}, {}, {}, marks=pytest.mark.slow),
        pytest.param({}, DROPPING, {"version": 3, "repeats": 0.25, "subtasks": 1}, marks=pytest.mark.slow),
        pytest.param({"expire_snapshots": EXPIRY}, {}, {}, marks=pytest.mark.slow),
    ],
)
def test_fast_and_exact_agree_on_commits_that_delete_by_key(maintenance, properties, fields):
    check_agreement(upserting_case(commits=900, maintenance=maintenance, properties=properties, **fields))


COMPACTION = {"every": "50s", "min_input_files": 2}
LEAVING = {"every": "10s", "min_input_files": 2, "target_file_size_bytes": 600_000}


@pytest.mark.parametrize(
    ("maintenance", "properties", "fields"),
    [
        ({"rewrite_data_files": {"every": "120s"}, "expire_snapshots": EXPIRY}, {}, {"repeats": 0.25, "subtasks": 1}),
        pytest.param(
            {"rewrite_manifests": {"every": "50s"}, "expire_snapshots": EXPIRY}, {}, {}, marks=pytest.mark.slow
        ),
        pytest.param({"rewrite_data_files": COMPACTION}, {}, {}, marks=pytest.mark.slow),
        pytest.param(
            {"rewrite_data_files": {"when_small_files": 30}, "expire_snapshots": EXPIRY}, {}, {}, marks=pytest.mark.slow
        ),
        pytest.param(
            {"rewrite_manifests": {"when_manifests": 24}, "remove_orphan_files": EXPIRY},
            DROPPING,
            {"partitioned": True, "subtasks": 1},
            marks=pytest.mark.slow,
        ),
    ],
)
def test_fast_and_exact_agree_where_what_deletes_by_key_is_compacted(maintenance, properties, fields):
    check_agreement(upserting_case(commits=500, maintenance=maintenance, properties=properties, **fields))


@pytest.mark.slow
def test_fast_and_exact_agree_in_format_version_3_where_few_manifests_merge():
    upkeep = {"rewrite_data_files": COMPACTION, "rewrite_manifests": {"every": "35s"}, "expire_snapshots": EXPIRY}
    case = upserting_case(commits=500, maintenance=upkeep, properties=MERGING, version=3)
    check_agreement(case, most=0.01, most_of_data=0.06)  # of data files that keep their rows' ids the law knows nothing


@pytest.mark.parametrize(
    ("locality", "more"),
    [
        ("newest", {"rewrite_manifests": {"every": "70s"}}),
        ("scattered", {}),
    ],
)
@pytest.mark.slow
def test_deletes_stay_from_the_first_file_on_that_compaction_leaves_alone(locality, more):
    upkeep = {"rewrite_data_files": LEAVING, "expire_snapshots": EXPIRY, **more}
    case = upserting_case(commits=600, maintenance=upkeep, locality=locality)
    history = followed(case).history
    assert history.deletes is not None
    removed = history.deletes.compactions.removed_files
    assert removed[:5].all()
    assert not removed[-5:].any()
    check_agreement(case)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"version": 3, "repeats": 0.25}, "in format version 3 is simulated in exact mode"),
        ({"repeats": 0.9}, "a smaller writer.upsert.repeats"),
    ],
)
def test_compaction_of_what_comes_again_is_refused_where_it_is_not_summed(fields, words):
    with pytest.raises(WasimError, match=words):
        check_summable(upserting_case(maintenance={"rewrite_data_files": COMPACTION}, **fields))


def test_a_grid_refuses_upserts_by_name():
    with pytest.raises(WasimError, match=r"writer\.upsert is not simulated in a --grid"):
        plan_grid([upserting_case()])


def test_upserts_that_merge_are_refused_with_what_to_do():
    case = upserting_case()
    writer = case.writer.model_copy(update={"upsert": case.writer.upsert.model_copy(update={"mode": "merge-on-read"})})
    with pytest.raises(WasimError, match=r"mode merge-on-read is simulated in exact mode only.*mode equality-deletes"):
        check_summable(replace(case, writer=writer))


def test_checkpoints_whose_number_of_files_changes_are_refused():
    case = upserting_case(subtasks=4, partitioned=True)
    case = replace(case, workload=case.workload.model_copy(update={"rows_per_second": 3.0}))
    with pytest.raises(WasimError, match=r"bring \d+\.\d+ data files in the mean.*Give more rows per second"):
        calibrate_upserts(case, shipped_profile(case))


@pytest.mark.slow
def test_what_comes_again_is_counted_once_wherever_the_rows_lie():
    for locality in ("scattered", "newest"):
        case = upserting_case(commits=200, locality=locality, repeats=0.5)
        appends = calibrate_upserts(replace(case, horizon_s=20.0), shipped_profile(case)).appends
        arrived = dict(rows_of_commits(case))
        for since in (0, 60):
            left: dict[int, int] = {}
            for commit, rows in arrived.items():
                left |= dict.fromkeys(rows.numbers.tolist(), commit)
            expected = sum(1 for commit in left.values() if commit > since)
            assert float(rows_left(appends, case.commits, since=since)) == pytest.approx(expected, rel=0.01)
