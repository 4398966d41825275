"""Commits by a writer's recipe: against a public table, and against the same steps apart."""

from dataclasses import replace

import numpy as np
from support.synthetic import synthetic_case

from wasim.iceberg import TableMetadata, read_metadata_json
from wasim.iceberg.properties import TableProperties
from wasim.iceberg.schemas import NestedField, PrimitiveType, Schema
from wasim.iceberg.snapshots import Snapshot
from wasim.iceberg.specs import PartitionSpec, SortOrder
from wasim.ledger import Action, Kind
from wasim.scenario.parts import Writer
from wasim.twin import Site, profile_named, simulate_table
from wasim.twin.profile import as_written
from wasim.twin.recipe_steps import statistics_file
from wasim.twin.summary import CommitCounts, FileCounts, TableTotals, summary_counters
from wasim.twin.table_json import TableJson

# lithium-tech/tea, test/iceberg/warehouse/dangling_deletes: CREATE TABLE and two INSERTs of eight rows by Trino 476
LOCATION = "s3a://warehouse/dangling_deletes"
PUBLISHED_BYTES = [1562, 2524, 3176, 4141, 4796]
PUBLISHED_STATISTICS_BYTES = [(628, 438), (761, 443)]
SNAPSHOT_IDS = [4612042580536532046, 927871522036283109, 583117362677106030]
UUID = "d8d56a7c-689c-4e61-8720-f9e86ac3e974"


def test_trinos_public_table_grows_as_profiled_to_the_byte():
    profile, schema = profile_named("trino"), two_integers()
    json = TableJson(base=created(schema), properties=TableProperties(), needs_text=False, release=profile.release)
    sizes, statistics = [], []
    for number, snapshot_id in enumerate(SNAPSHOT_IDS):
        add_snapshot(json, profile, snapshot_id, number)
        sizes.append(json.content())
        if not number:
            continue  # CREATE TABLE
        path = f"{LOCATION}/metadata/20250910_130929_00002_yek99-{UUID}.stats"
        values = dict.fromkeys((1, 2), 8 * number)
        made = statistics_file(
            profile.recipe.statistics, path, values, snapshot_id=snapshot_id, sequence_number=number + 1
        )
        statistics.append((made.file_size_bytes, made.file_footer_size_bytes))
        json.add_statistics(made)
        json.commit(version_file(), json.base, json.base.last_updated_ms)
        sizes.append(json.content())
    assert sizes == PUBLISHED_BYTES
    assert statistics == PUBLISHED_STATISTICS_BYTES


def simulated(name: str):
    """A hundred commits by a writer, ten seconds apart."""
    given = synthetic_case(writer="batch", interval_s=10.0, horizon_s=1_000.0)
    case = replace(given, writer=Writer(kind="batch", profile=name))
    return case, simulate_table(case, profile_named(name), np.random.default_rng(2))


def with_early_expiry(name: str):
    """The writer's profile, if it kept snapshots for five minutes."""
    profile = profile_named(name)
    expiry = replace(profile.recipe.expiry, older_than_s=300.0)
    return replace(profile, recipe=replace(profile.recipe, expiry=expiry))


def versions(made) -> list[int]:
    events = made.recording.events
    return events.bytes[(events.kind == Kind.METADATA_JSON) & (events.action == Action.WRITE)].tolist()


def test_statistics_are_an_own_version_that_makes_no_snapshot():
    _, made = simulated("trino")
    assert len(made.table.json.snapshots) == len(made.recording.reports.commit_ms) == 100
    assert len(made.table.json.statistics) == 100
    assert len(versions(made)) == 1 + 200


def test_what_is_counted_of_statistics_is_what_is_written(tmp_path):
    case = replace(synthetic_case(horizon_s=6.0), writer=Writer(kind="batch", profile="trino"))
    trino, site = profile_named("trino"), Site(location=str(tmp_path))
    counted = simulate_table(case, trino, np.random.default_rng(2), site=site)
    assert versions(counted) == versions(simulate_table(case, trino, np.random.default_rng(2), emit=tmp_path))
    newest = max((tmp_path / "metadata").glob("*.metadata.json"))
    assert len(read_metadata_json(newest.read_bytes(), source="newest").statistics) == 6


def test_an_expiry_that_shares_the_commit_writes_no_version():
    case, made = simulated("automq")
    assert len(made.table.json.snapshots) == 100  # the oldest is less than an hour old
    made = simulate_table(case, with_early_expiry("automq"), np.random.default_rng(2))
    assert len(made.table.json.snapshots) == 31
    assert len(versions(made)) == 1 + 100
    events = made.recording.events
    assert np.count_nonzero((events.action == Action.DELETE) & (events.kind == Kind.MANIFEST_LIST)) == 69


def test_a_separate_expiry_writes_a_version():
    case, _ = simulated("redpanda")
    made = simulate_table(case, with_early_expiry("redpanda"), np.random.default_rng(2))
    assert len(made.table.json.snapshots) == 31
    assert len(versions(made)) == 1 + 100 + 69
    assert made.table.json.base.refs["redpanda.tag"].snapshot_id == made.table.snapshot_id


def test_a_case_takes_what_it_leaves_open_from_its_recipe():
    case = replace(synthetic_case(writer="batch"), writer=Writer(kind="batch", profile="automq"))
    written = as_written(case, profile_named("automq"))
    assert written.table.properties["write.metadata.delete-after-commit.enabled"] == "true"
    assert written.maintenance.expire_snapshots.older_than == 3600
    own = replace(case, writer=Writer(kind="batch", profile="pyiceberg", append="merge"))
    assert as_written(own, profile_named("pyiceberg")).merges
    left_open = replace(case, writer=Writer(kind="batch", profile="pyiceberg"))
    assert not as_written(left_open, profile_named("pyiceberg")).merges


def two_integers() -> Schema:
    kind = PrimitiveType(name="int")
    columns = tuple(NestedField(field_id=place, name=f"c{place}", required=False, type=kind) for place in (1, 2))
    return Schema(columns=columns, schema_id=0)


def created(schema: Schema) -> TableMetadata:
    return TableMetadata(
        format_version=2,
        table_uuid=UUID,
        location=LOCATION,
        last_updated_ms=1757509766096,
        last_column_id=2,
        schemas=(schema,),
        current_schema_id=0,
        partition_specs=(PartitionSpec(fields=()),),
        default_spec_id=0,
        last_partition_id=999,
        sort_orders=(SortOrder(),),
        default_sort_order_id=0,
        properties=profile_named("trino").properties,
        refs={},
    )


def version_file() -> str:
    return f"{LOCATION}/metadata/00000-{UUID}.metadata.json"


def add_snapshot(json: TableJson, profile, snapshot_id: int, number: int) -> None:
    added = FileCounts(files=1, records=8, bytes=371) if number else FileCounts()
    totals = TableTotals(files=number, records=8 * number, bytes=371 * number)
    counts = CommitCounts(added=added, changed_partitions=min(number, 1), totals=totals)
    texts = {"trino_query": "20250910_130925_00001_yek99", **summary_counters(counts)}
    keys = [key for key in profile.summary if number or not key.startswith("added-")]
    summary = {key: profile.summary[key].format_map(texts) for key in keys}
    snapshot = Snapshot(
        snapshot_id=snapshot_id,
        timestamp_ms=1757509766096,
        manifest_list=f"{LOCATION}/metadata/snap-{snapshot_id}-1-{UUID}.avro",
        parent_snapshot_id=SNAPSHOT_IDS[number - 1] if number else None,
        sequence_number=number + 1,
        operation="append",
        summary=summary,
        schema_id=0,
    )
    changed = json.add(snapshot)
    if number:
        json.commit(version_file(), changed, snapshot.timestamp_ms)
    else:
        json.base = changed
