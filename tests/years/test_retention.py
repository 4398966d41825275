"""What expiry makes of a history of any length."""

from collections.abc import Callable
from dataclasses import fields, replace

import numpy as np
import pytest
from support.synthetic import resting_case, synthetic_case

from wasim.ledger import METADATA_KINDS, Kind, Totals, sum_events
from wasim.runs.limits import HELD
from wasim.scenario import Case
from wasim.scenario.changes import ExpireSnapshots, Maintenance, RewriteManifests
from wasim.scenario.parts import Writer
from wasim.twin import Site, WriterProfile, profile_named, shipped_profile, simulate_table
from wasim.years import simulate_years
from wasim.years.flows import WIDTH, Flow
from wasim.years.json_sizes import MetadataJson
from wasim.years.retention import Grown, Retention
from wasim.years.samples import Samples


def test_an_expiry_by_count_comes_equally_often(small_case: Callable[..., Case]):
    upkeep = "{expire_snapshots: {when_snapshots: 20, older_than: 5s}}"  # which leaves 6 of 20
    sizes = []
    for commits in (4_000, 400_000):
        case = small_case(horizon=f"{commits}s", maintenance=upkeep)
        totals = simulate_years(case, shipped_profile(case), Site()).totals
        json, lists, expiries = Kind.METADATA_JSON, Kind.MANIFEST_LIST, (commits - 6) // 14
        assert totals.files_written[json] == 1 + commits + expiries
        assert 6 <= totals.files_written[lists] - totals.files_deleted[lists] <= 20
        sizes.append(totals.written_bytes[json] / (commits + expiries))
    assert sizes[1] == pytest.approx(sizes[0], rel=0.02)


def test_orphan_removal_takes_the_bytes_of_gone_metadata_json(small_case: Callable[..., Case]):
    logged = "{columns: [{name: n, type: int}], properties: {write.metadata.previous-versions-max: 5}}"
    upkeep = "{expire_snapshots: {every: 10s, older_than: 5s}, remove_orphan_files: {every: 20s, older_than: 5s}}"
    case = small_case(horizon="150s", table=logged, maintenance=upkeep)
    made = simulate_table(case, shipped_profile(case), np.random.default_rng(1), most_rows_computed=1)
    exact, summed = sum_events(made.recording.events), simulate_years(case, shipped_profile(case), Site()).totals
    assert summed.files_deleted[Kind.METADATA_JSON] == exact.files_deleted[Kind.METADATA_JSON]
    deleted = exact.deleted_bytes[Kind.METADATA_JSON]
    assert summed.deleted_bytes[Kind.METADATA_JSON] == pytest.approx(deleted, rel=0.005)


def test_old_metadata_json_that_stays_is_as_large_as_written(small_case: Callable[..., Case]):
    kept = "write.metadata.delete-after-commit.enabled: 'true', write.metadata.previous-versions-max: 90"
    case = small_case(
        horizon="100s",
        table=f"{{columns: [{{name: n, type: int}}], properties: {{{kept}}}}}",
        maintenance="{expire_snapshots: {every: 45s, older_than: 5s}}",
    )
    made = simulate_table(case, shipped_profile(case), np.random.default_rng(1), most_rows_computed=1)
    exact, summed = sum_events(made.recording.events), simulate_years(case, shipped_profile(case), Site()).totals
    deleted = exact.deleted_bytes[Kind.METADATA_JSON]
    assert deleted > 0
    assert summed.deleted_bytes[Kind.METADATA_JSON] == pytest.approx(deleted, rel=0.12)
    assert summed.on_disk_bytes[Kind.METADATA_JSON] == pytest.approx(exact.on_disk_bytes[Kind.METADATA_JSON], rel=0.01)


def test_each_of_many_expiries_leaves_what_was_written_since(small_case: Callable[..., Case]):
    """Ten snapshots stay, of a table that makes two to a commit once half of ten million commits have gone by."""
    upkeep = "{expire_snapshots: {every: 20s, older_than: 10s}}"
    case = small_case(horizon="10000000s", maintenance=upkeep)
    commits = np.array([0.0, 4e6, 5e6, 5e6 + 7, 1e7])
    nothing, flows = np.zeros(len(commits)), np.zeros((len(commits), WIDTH))
    flows[:, Flow.SNAPSHOTS] = commits + np.maximum(0.0, commits - 5e6)
    flows[:, Flow.SNAPSHOT_JSON_BYTES] = 1000 * flows[:, Flow.SNAPSHOTS]
    columns = {one.name: nothing for one in fields(Samples) if one.name not in ("commits", "flows")}
    samples = Samples(**columns, commits=commits, flows=flows)
    json = MetadataJson(created=1e3, around=1e3, log_entry=0.0, snapshot_log_entry=0.0)
    kept = Retention(case=case, grown=Grown(samples=samples, json=json), log_limit=1)
    # 11 to 30 snapshots of one to a commit, of twice as many later, and what each expiry leaves
    mean = (5e6 * 21e3 + 1e7 * 41e3 + 25e4 * 11e3 + 25e4 * 21e3) / (15e6 + 5e5)
    assert kept.json_bytes / kept.versions == pytest.approx(mean, rel=0.05)


def test_what_is_held_takes_no_look_at_each_expiry(small_case: Callable[..., Case], monkeypatch: pytest.MonkeyPatch):
    properties = "write.metadata.delete-after-commit.enabled: 'true', write.metadata.previous-versions-max: 5"
    case = small_case(
        horizon="20000s",
        table=f"{{columns: [{{name: n, type: int}}], properties: {{{properties}}}}}",
        maintenance="{expire_snapshots: {every: 20s, older_than: 10s}}",
    )

    def held() -> dict[str, float]:
        settled = simulate_years(case, shipped_profile(case), Site()).settled
        return {metric: settled[metric] for metric in HELD}

    each = held()
    assert each["snapshots"] == 31
    for name in ("ALL_TURNS", "SOME_TURNS"):
        monkeypatch.setattr(f"wasim.years.retention.{name}", 10)
    assert held() == pytest.approx(each, rel=0.01)


@pytest.mark.parametrize("idle_commit_every", [0, 1, 10])
@pytest.mark.parametrize(
    "maintenance",
    [
        Maintenance(),
        Maintenance(expire_snapshots=ExpireSnapshots(every=7.0, older_than=4.0)),  # younger than a period
        Maintenance(expire_snapshots=ExpireSnapshots(when_snapshots=20, older_than=5.0)),
        Maintenance(rewrite_manifests=RewriteManifests(every=11.0)),
    ],
    ids=["appends alone", "young expiry", "expiry by count", "rewriting while nothing comes"],
)
def test_a_writer_that_rests_is_maintained_by_the_clock(maintenance, idle_commit_every):
    case = replace(resting_case(400.0, idle_commit_every=idle_commit_every), maintenance=maintenance)
    exact, summed = both(case)
    for kind in METADATA_KINDS:
        assert summed.files_written[kind] == pytest.approx(exact.files_written[kind], rel=0.01), kind
        assert summed.written_bytes[kind] == pytest.approx(exact.written_bytes[kind], rel=0.03), kind
    lists = Kind.MANIFEST_LIST
    assert summed.files_deleted[lists] == pytest.approx(exact.files_deleted[lists], abs=2)


def test_a_commit_of_nothing_says_what_its_writer_says():
    for name in ("redpanda", "pyiceberg"):  # whose summaries lack what Iceberg counts
        case = resting_case(300.0, idle_commit_every=1)
        writer = case.writer.model_copy(update={"kind": "batch", "profile": name})
        exact, summed = both(replace(case, writer=writer))
        sizes = [totals.written_bytes[Kind.METADATA_JSON] for totals in (summed, exact)]
        assert sizes[0] == pytest.approx(sizes[1], rel=0.005), name


@pytest.mark.parametrize("name", ["redpanda", "automq"])
def test_a_writer_that_expires_itself_does_so_when_it_commits(name):
    profile = profile_named(name)
    early = replace(profile, recipe=replace(profile.recipe, expiry=replace(profile.recipe.expiry, older_than_s=75.0)))
    case = resting_case(600.0)
    case = replace(case, writer=Writer(kind="batch", profile=name))
    exact, summed = both(case, early)
    for kind in METADATA_KINDS:
        assert summed.files_written[kind] == pytest.approx(exact.files_written[kind], rel=0.01), kind
        assert summed.written_bytes[kind] == pytest.approx(exact.written_bytes[kind], rel=0.03), kind
    turns = 600 // 30
    expiries = turns - 3 if name == "redpanda" else 0  # what ages between two turns goes at once, with the next commit
    assert exact.files_written[Kind.METADATA_JSON] == 1 + 5 * turns + expiries


def test_statistics_come_with_a_writer_s_commits_and_no_others():
    case = synthetic_case(writer="batch", horizon_s=200.0)
    case = replace(
        case,
        writer=Writer(kind="batch", profile="trino"),
        maintenance=Maintenance(rewrite_manifests=RewriteManifests(every=5.0)),
    )
    exact, summed = both(case)
    assert summed.files_written[Kind.METADATA_JSON] == exact.files_written[Kind.METADATA_JSON]
    sizes = [totals.written_bytes[Kind.METADATA_JSON] for totals in (summed, exact)]
    assert sizes[0] == pytest.approx(sizes[1], rel=0.005)


def both(case: Case, profile: WriterProfile | None = None) -> tuple[Totals, Totals]:
    """Exact totals, and those in sums."""
    profile = profile or shipped_profile(case)
    made = simulate_table(case, profile, np.random.default_rng(1), most_rows_computed=1)
    return sum_events(made.recording.events), simulate_years(case, profile, Site()).totals
