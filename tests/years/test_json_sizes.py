"""metadata.json in sums, by what a writer's recipe puts there."""

from dataclasses import replace

import numpy as np
import pytest
from support.synthetic import synthetic_case

from wasim.iceberg.properties import METADATA_COMPRESSION
from wasim.ledger import Kind, sum_events
from wasim.scenario.changes import Changes, Maintenance, Overwrite, RewriteDataFiles
from wasim.scenario.parts import Writer
from wasim.twin import Site, WriterProfile, profile_named, simulate_table
from wasim.years import read_shape, simulate_years
from wasim.years.json_sizes import _to_copy


def expiring_early(name: str) -> WriterProfile:
    """The writer's profile, if it kept snapshots for ten minutes."""
    profile = profile_named(name)
    expiry = replace(profile.recipe.expiry, older_than_s=600.0)
    return replace(profile, recipe=replace(profile.recipe, expiry=expiry))


@pytest.mark.parametrize(
    "profile",
    [profile_named("trino"), profile_named("pyiceberg"), expiring_early("automq"), expiring_early("redpanda")],
    ids=lambda profile: profile.name,
)
def test_versions_of_a_recipe_are_equal_in_sums(profile):
    given = synthetic_case(writer="batch", interval_s=10.0, horizon_s=1_800.0)
    case = replace(given, writer=Writer(kind="batch", profile=profile.name))
    exact = simulate_table(case, profile, np.random.default_rng(case.seed))
    expected, found = sum_events(exact.recording.events), simulate_years(case, profile, Site())
    json = Kind.METADATA_JSON
    assert found.totals.files_written[json] == expected.files_written[json]
    assert found.totals.files_deleted == expected.files_deleted
    assert found.totals.written_bytes[json] == pytest.approx(expected.written_bytes[json], rel=0.005)
    assert found.live_bytes[json] == pytest.approx(exact.live_bytes[json], rel=0.005)


@pytest.mark.parametrize(("codec", "near"), [("none", 0.005), ("gzip", 0.13)])
def test_jobs_make_snapshots_without_the_writer_s_statistics(codec: str, near: float):
    profile, given = profile_named("trino"), synthetic_case(writer="batch", interval_s=10.0, horizon_s=600.0)
    case = replace(
        given,
        writer=Writer(kind="batch", profile="trino"),
        table=given.table.model_copy(update={"properties": {METADATA_COMPRESSION: codec}}),
        maintenance=Maintenance(rewrite_data_files=RewriteDataFiles(every=60.0)),
    )
    expected = sum_events(simulate_table(case, profile, np.random.default_rng(case.seed)).recording.events)
    found, json = simulate_years(case, profile, Site()), Kind.METADATA_JSON
    assert found.totals.files_written[json] == expected.files_written[json] == 1 + 2 * 60 + 10
    assert found.totals.written_bytes[json] == pytest.approx(expected.written_bytes[json], rel=near)
    assert codec == "none" or found.band[json] == near


@pytest.mark.parametrize(("every", "commits"), [(4.0, 150), pytest.param(100.0, 500, marks=pytest.mark.slow)])
def test_gzipped_snapshots_of_a_query_are_as_written(every: float, commits: int):
    """Overwrites between a stream's appends, whose query is named again and again, and totals that fall back to 0: what
    deflate finds once more after the next overwrite stood 2.2 % too large.
    """
    given = synthetic_case(interval_s=10.0, horizon_s=10.0 * commits)
    case = replace(
        given,
        table=given.table.model_copy(update={"properties": {METADATA_COMPRESSION: "gzip"}}),
        changes=Changes(overwrite=Overwrite(every=every, share=0.1, kind="static")),
    )
    profile, json = profile_named("spark_streaming"), Kind.METADATA_JSON
    expected = sum_events(simulate_table(case, profile, np.random.default_rng(case.seed)).recording.events)
    found = simulate_years(case, profile, Site())
    assert found.totals.written_bytes[json] == pytest.approx(expected.written_bytes[json], rel=0.01)


def test_gzipped_metadata_json_tells_its_plain_size():
    case = synthetic_case(writer="batch", interval_s=10.0, horizon_s=1_800.0)
    zipped = replace(case, table=case.table.model_copy(update={"properties": {METADATA_COMPRESSION: "gzip"}}))
    profile = profile_named("spark_batch")
    plain, stored = (
        simulate_table(one, profile, np.random.default_rng(1)).live_bytes[Kind.METADATA_JSON] for one in (case, zipped)
    )
    sizes = read_shape(zipped, profile, Site()).sizes.json.over(zipped)
    assert stored < plain / 3
    assert float(sizes.plain(np.array(stored), np.array(100.0))) == pytest.approx(plain, rel=0.03)


def test_snapshot_ids_of_few_digits_are_copied_too():
    """One in 90,000 has fewer than 15, and a plan that drew such a one ended in a traceback."""
    ids, text = {}, '{"snapshot-id":%d,"timestamp-ms":1767225600000,"manifest-list":"s3://t/metadata/snap-%d-1-.avro"}'
    (like, _), _ = _to_copy([text % (7, 7), text % (8, 8)])
    copied = like.copied(0, 100, iter([1 << 62, 5]), ids)
    assert ids == {"7": str(1 << 62)}
    assert copied == text % (1 << 62, 1 << 62)
