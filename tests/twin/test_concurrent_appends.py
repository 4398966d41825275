"""Several simulated writers at once: who wins, what lost attempts leave, and what a profile knows of their times."""

import json
from dataclasses import fields, replace
from functools import cache

import numpy as np
import pytest
from support.attempts import attempts_of
from support.paths import DATA
from support.races import share_lost, times
from support.synthetic import synthetic_case

from tools.comparison import compare
from wasim.contention import measure_contention, race_of
from wasim.errors import SavedFileError, WasimError
from wasim.iceberg import read_manifest, read_manifest_list, read_metadata_json
from wasim.iceberg.properties import TableProperties
from wasim.ledger import Action, CommitReports, Kind, sum_contention, view_by_commit
from wasim.ledger.vocabulary import METADATA_KINDS
from wasim.runs import read_recording
from wasim.scenario import case_from_document
from wasim.scenario.parts import Environment
from wasim.twin import Site, read_profile, render_profile, shipped_profile, simulate_table
from wasim.workload import Append, plan_steps

REAL = DATA / "together"
DEFAULT_POLICY = TableProperties()
RETRIES = {"commit.retry.num-retries": "1", "commit.retry.min-wait-ms": "5", "commit.retry.max-wait-ms": "20"}
MERGE_OFTEN = {"commit.manifest.min-count-to-merge": "3"}


def case_of(writers: int, *, format_version: int = 2, **parts):
    catalog = parts.pop("catalog", "jdbc")
    made = synthetic_case(**{"writer": "batch", "horizon_s": 40.0, **parts})
    return replace(
        made,
        environment=Environment.model_validate({"catalog": catalog}),
        writer=made.writer.model_copy(update={"writers": writers}),
        table=made.table.model_copy(update={"format_version": format_version}),
    )


def simulated(case, folder=None, seed: int = 0):
    catalog = case.environment.catalog
    profile = replace(shipped_profile(case), together=(times(2, catalog=catalog), times(8, catalog=catalog)))
    return simulate_table(case, profile, np.random.default_rng(seed), emit=folder)


@pytest.mark.parametrize("properties", [RETRIES, RETRIES | MERGE_OFTEN])
@pytest.mark.parametrize("version", [1, 2, 3])
def test_lost_attempts_leave_their_metadata_json_and_nothing_else(version, properties, tmp_path):
    case = case_of(8, properties=properties, format_version=version)
    recording = simulated(case, tmp_path).recording
    events, reports, contention = recording.events, recording.reports, sum_contention(recording)
    failed = contention.failed["CommitFailedException"]
    assert 0 < failed == case.commits - len(reports)
    assert contention.lost_attempts > failed
    assert sorted(recording.steps.step) == list(range(case.commits + 1))
    assert recording.steps.rows_arrived.sum() == len(reports) * case.rows_per_commit
    orphans = {path.name for path in (tmp_path / "metadata").glob("*.metadata.json")}
    assert len(orphans) == 1 + contention.attempts
    assert contention.orphan_bytes[Kind.METADATA_JSON] > 0
    assert contention.orphan_files == contention.lost_attempts
    written = events.where(events.action == Action.WRITE)
    assert sum(written.kind == Kind.MANIFEST_LIST) == contention.attempts
    assert sum(written.kind == Kind.DATA) == case.commits
    assert np.all(np.diff(events.seen_at_s) >= 0)
    newest = written.file[(written.kind == Kind.METADATA_JSON) & (written.commit == len(reports))][-1]
    metadata = read_metadata_json((tmp_path / newest).read_bytes(), source=newest)
    assert [one.sequence_number for one in metadata.snapshots] == [
        place * (version > 1) for place in range(1, len(reports) + 1)
    ]
    listed = {one.manifest_list.rpartition("/")[2] for one in metadata.snapshots}
    assert {path.name for path in (tmp_path / "metadata").glob("snap-*")} == listed
    last = metadata.snapshots[-1].manifest_list.rpartition("/")[2]
    manifests = read_manifest_list((tmp_path / "metadata" / last).read_bytes(), source="").manifests
    assert sum(one.added_files_count + one.existing_files_count for one in manifests) == len(reports)
    there = {path.name for path in (tmp_path / "metadata").glob("*-m*.avro")}
    named = {
        one.manifest_path.rpartition("/")[2]
        for name in listed
        for one in read_manifest_list((tmp_path / "metadata" / name).read_bytes(), source="").manifests
    }
    assert there == named
    entries = [
        entry
        for one in manifests
        for entry in read_manifest(
            (tmp_path / "metadata" / one.manifest_path.rpartition("/")[2]).read_bytes(), source=""
        ).entries
    ]
    assert len({entry.file.file_path for entry in entries}) == len(entries) == len(reports)


@pytest.mark.parametrize("name", sorted(path.name for path in REAL.iterdir()))
def test_the_attempts_of_a_real_run_leave_its_files(name, monkeypatch):
    document, real = json.loads((REAL / name / "case.json").read_text()), read_recording(REAL / name)
    case = case_from_document(document["case"])
    monkeypatch.setattr("wasim.twin.case.race_of", lambda *_, **__: attempts_of(real, case))
    site = Site(location=document["location"])
    again = [
        simulate_table(case, shipped_profile(case), np.random.default_rng(seed), site=site).recording
        for seed in range(4)  # random names deflate to a thousandth more or less, a list's more than others
    ]
    made, kinds = again[0], [compare(real, one) for one in again]
    assert all(one.counts_agree for some in kinds for one in some)
    errors = {some[0].kind: np.mean([one.error for one in some]) for some in zip(*kinds, strict=True)}
    assert {kind: error for kind, error in errors.items() if kind in METADATA_KINDS and abs(error) > 0.001} == {}
    chance = {"snapshot_id", "reported_at_s", "commit_ms", "step_ms", "data_bytes_added", "data_bytes_live"}
    for column in sorted({field.name for field in fields(CommitReports)} - chance):
        assert getattr(made.reports, column).tolist() == getattr(real.reports, column).tolist(), column
    assert made.steps.error.tolist() == real.steps.error.tolist()
    there, here = sum_contention(real), sum_contention(made)
    assert (here.attempts, here.lost_attempts, here.failed) == (there.attempts, there.lost_attempts, there.failed)
    assert here.orphan_files == there.orphan_files

    def steps_of(events):
        columns = ("step", "commit", "attempt", "operation", "action", "kind")
        return sorted(zip(*(getattr(events, column).tolist() for column in columns), strict=True))

    assert steps_of(made.events) == steps_of(real.events)


@pytest.mark.parametrize("name", sorted(path.name for path in REAL.iterdir()))
def test_measured_times_foretell_a_real_runs_lost_attempts(name):
    document, real = json.loads((REAL / name / "case.json").read_text()), read_recording(REAL / name)
    case, cost = case_from_document(document["case"]), sum_contention(real)
    step = next(step for step in plan_steps(case) if isinstance(step, Append))
    profile = shipped_profile(case)
    shares = [
        share_lost(race_of(case, profile.together, step, passed_s=0.0, rng=np.random.default_rng(seed)))
        for seed in range(100)
    ]
    assert np.mean(shares) == pytest.approx(cost.lost_attempts / cost.attempts, abs=0.08)


def test_the_table_goes_on_as_after_commits_in_turn():
    case = case_of(4, properties=RETRIES)
    recording = simulated(case).recording
    reports, ledger = recording.reports, view_by_commit(recording)
    count = len(reports)
    assert reports.files_live.tolist() == list(range(1, count + 1))
    assert reports.snapshots_retained.tolist() == list(range(1, count + 1))
    assert sorted(set(reports.event_time_s)) == sorted(reports.event_time_s)
    assert np.all(ledger.wasted_bytes[ledger.attempts == 1] == 0)
    assert np.all(ledger.wasted_bytes[ledger.attempts > 1] > 0)


def test_surviving_files_are_as_large_as_a_lone_writers():
    alone, among = (simulated(case_of(writers)).recording for writers in (1, 2))
    for kind in (Kind.DATA_MANIFEST, Kind.MANIFEST_LIST):
        sizes = []
        for one in (alone, among):
            last = one.reports.attempts[np.maximum(one.events.commit, 1) - 1]
            counts = (kind == Kind.DATA_MANIFEST) | (one.events.attempt == last)
            chosen = (one.events.kind == kind) & (one.events.action == Action.WRITE) & counts
            sizes.append(np.sort(one.events.bytes[chosen]))
        assert sizes[0] == pytest.approx(sizes[1], rel=0.01)


def test_times_are_measured_from_recordings_and_kept_in_a_profile(tmp_path):
    case, recording = measurable()
    measured = measure_contention(recording, case)
    assert measured.writers == 4
    assert 0 <= measured.later_attempt_s[0] <= measured.later_attempt_s[-1] < 0.2
    # simulated reports: an attempt is a fifth of a second at most, and nothing comes after its metadata.json
    assert 0 <= measured.first_attempt_s[0] <= measured.first_attempt_s[-1] <= 0.2
    assert measured.write_s[-1] == measured.finish_s[-1] == 0
    path = tmp_path / "profile.json"
    path.write_text(render_profile(replace(shipped_profile(case), together=(measured,))))
    assert read_profile(path).together == (measured,)
    with pytest.raises(SavedFileError, match="too few commits"):
        measure_contention(simulated(case_of(2, horizon_s=3.0)).recording, case_of(2, horizon_s=3.0))


def without(recording, chosen):
    return replace(recording, events=recording.events.where(~chosen))


@cache
def measurable():
    case = case_of(4, properties=RETRIES | {"commit.retry.num-retries": "9"}, horizon_s=200.0)
    recording = simulated(case).recording
    # the simulator's own reports have no durations, which attempts need that read the table as they began
    return case, replace(
        recording, reports=replace(recording.reports, commit_ms=np.full(len(recording.reports), 200.0))
    )


def test_a_commit_whose_attempt_left_nothing_is_not_measured():
    case, recording = measurable()
    events = recording.events
    second = (events.attempt == 2) & (events.commit > 0)
    assert second.any()
    jsons, lists = events.kind == Kind.METADATA_JSON, events.kind == Kind.MANIFEST_LIST
    # its list alone tells when a metadata.json came, or would have come, and its metadata.json alone does
    for gone in (second & jsons, second & lists):
        measured = measure_contention(without(recording, gone), case)
        assert measured.later_attempt_s[-1] == pytest.approx(measure_contention(recording, case).later_attempt_s[-1])
    fewer = measure_contention(without(recording, second & (jsons | lists) & (events.commit > 100)), case)
    assert fewer != measure_contention(recording, case)
    with pytest.raises(SavedFileError, match="too few second attempts"):
        measure_contention(without(recording, second & (jsons | lists)), case)


def test_no_lag_is_given_without_lists_and_their_versions():
    case, recording = measurable()
    for kind in (Kind.METADATA_JSON, Kind.MANIFEST_LIST):
        with pytest.raises(SavedFileError, match="too few commits"):
            measure_contention(without(recording, recording.events.kind == kind), case)


@pytest.mark.parametrize("version", [1, 2, 3])
def test_the_hadoop_catalog_deletes_what_it_cannot_rename(version, tmp_path):
    case = case_of(8, properties=RETRIES, catalog="hadoop", format_version=version)
    recording = simulated(case, tmp_path).recording
    events, commits, contention = recording.events, len(recording.reports), sum_contention(recording)
    assert contention.lost_attempts > contention.failed["CommitFailedException"] > 0
    assert contention.orphan_files == 0
    jsons = events.where(events.kind == Kind.METADATA_JSON)
    assert sum(jsons.action == Action.WRITE) == 1 + contention.attempts
    assert sum(jsons.action == Action.DELETE) == contention.lost_attempts
    hints = events.where((events.kind == Kind.VERSION_HINT) & (events.action == Action.WRITE))
    assert len(hints) == 1 + commits
    there = sorted(path.name for path in (tmp_path / "metadata").glob("*.metadata.json"))
    assert there == sorted(f"v{version}.metadata.json" for version in range(1, commits + 2))
    assert (tmp_path / "metadata" / "version-hint.text").read_text() == f"{commits + 1}"


def test_a_rest_server_writes_nothing_for_stale_commits(tmp_path):
    recording = simulated(case_of(8, properties=RETRIES, catalog="rest"), tmp_path).recording
    events, contention = recording.events, sum_contention(recording)
    written = events.where(events.action == Action.WRITE)
    jsons = sum(written.kind == Kind.METADATA_JSON)
    assert sum(written.kind == Kind.MANIFEST_LIST) == contention.attempts
    assert 1 + len(recording.reports) <= jsons < 1 + contention.attempts
    assert contention.orphan_files == jsons - 1 - len(recording.reports)
    assert len(list((tmp_path / "metadata").glob("*.metadata.json"))) == jsons


def test_losers_delete_their_metadata_json_where_a_catalog_has_them(tmp_path):
    case = replace(case_of(4, properties=RETRIES), raced_in="glue")
    recording = simulated(case, tmp_path).recording
    events, contention = recording.events, sum_contention(recording)
    jsons = events.where(events.kind == Kind.METADATA_JSON)
    lost = contention.attempts - len(recording.reports)
    assert sum(jsons.action == Action.DELETE) == lost > 0
    assert contention.orphan_files == 0
    assert all(path.name[0] == "0" for path in (tmp_path / "metadata").glob("*.metadata.json"))  # no rename: numbered


def test_without_measured_times_several_writers_are_refused():
    case = case_of(2, catalog="postgresql")
    with pytest.raises(WasimError, match="no times of several writers in the catalog postgresql"):
        simulate_table(case, shipped_profile(case), np.random.default_rng(0))
