"""Published directory listings, file by file: Spark 3.1.2 with Iceberg 0.12.1, 26 appends, 15 rollbacks and a rewrite;
and Flink SQL with a later release, three appends and a delete.

The twin is given what the pages print: names, ids, times, sizes of data files, the rows. Of Spark's it is not blind in
three things: rollbacks up to version 18 went to the second snapshot and later ones to the seventh, the application's id
has YARN's form, and which data files of a minute belong to which manifest.
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from uuid import UUID

from support.paths import DATA
from support.replay import Draws, snapshot_id_draw

from wasim.iceberg import DataFileEntry, ManifestHeader, TableMetadata
from wasim.iceberg.properties import TableProperties
from wasim.iceberg.releases import OLDEST, Release
from wasim.iceberg.schemas import NestedField, PrimitiveType, Schema
from wasim.iceberg.snapshots import Way
from wasim.iceberg.specs import PartitionSpec, SortOrder
from wasim.ledger import Action, Kind
from wasim.twin import profile_named
from wasim.twin.commits import Moment, TableRules
from wasim.twin.creation import roll_back_to
from wasim.twin.event_log import EventLog
from wasim.twin.identifiers import locations_of
from wasim.twin.live_manifests import ManifestWriter
from wasim.twin.profile import Names
from wasim.twin.snapshot_updates import FileChanges, append_files, commit_file_changes
from wasim.twin.table import SimulatedTable
from wasim.twin.table_json import TableJson

LISTING, FLINKS = (
    json.loads((DATA / "published" / name).read_text()) for name in ("spark_0_12.json", "flink_0_14.json")
)
SPARKS_SUMMARY = {**profile_named("spark_batch_0_12").summary, "spark.app.id": "{application}"}
SPEC, SYNC = PartitionSpec(spec_id=0, fields=()), bytes(16)
ROWS = {871: (1, "rison", 18), 892: (2, "zhangsan", 20), 899: (1, "rison_new", 18), 920: (2, "zhangsan_new", 20)}
SECOND, SEVENTH, LAST_TO_SECOND = 1368006528896806597, 3210846780360171248, 18


def test_every_file_of_the_listing_is_written_to_the_byte():
    written = sizes_written(Release(0, 12))
    steps = LISTING["steps"]
    *appends, rewrite = [step for step in steps if "snapshot_id" in step]
    for step in steps:
        name = f"{step['version']:05d}-{step['metadata_json']}.metadata.json"
        assert written.pop(name) == step["metadata_json_bytes"]
    for step in (*appends, rewrite):
        name = f"snap-{step['snapshot_id']}-1-{step['commit_uuid']}.avro"
        assert written.pop(name) == step["manifest_list_bytes"]
    for step in appends:
        assert written.pop(f"{step['commit_uuid']}-m0.avro") == step["manifest_bytes"]
    # Java's threads number what the rewrite writes in an order of their own
    assert sorted(written.values()) == sorted(rewrite["manifest_bytes"])


def test_no_list_is_as_iceberg_1_8_wrote_it():
    written, later = sizes_written(Release(0, 12)), sizes_written(Release(1, 8))
    assert all(later[name] != size for name, size in written.items() if name.startswith("snap-"))


def test_every_file_of_flinks_listing_is_written_to_the_byte():
    written = named_sizes(carried_out_by_flink())
    for step in FLINKS["steps"]:
        assert written.pop(f"v{step['version']}.metadata.json") == step["metadata_json_bytes"]
        if step["does"] != "create":
            assert written.pop(f"{step['commit_uuid']}-m0.avro") == step["manifest_bytes"]
            assert (
                written.pop(f"snap-{step['snapshot_id']}-1-{step['commit_uuid']}.avro") == step["manifest_list_bytes"]
            )
    assert written.keys() == {"version-hint.text"}


def sizes_written(release: Release) -> dict[str, int]:
    """Bytes of each metadata file of Spark's table by its name."""
    return named_sizes(carried_out(release))


def named_sizes(table: SimulatedTable) -> dict[str, int]:
    events = table.log.recording().events
    metadata = events.where((events.kind != Kind.DATA) & (events.action == Action.WRITE))
    names = (file.rpartition("/")[2] for file in metadata.file)
    return dict(zip(names, metadata.bytes.tolist(), strict=True))


def carried_out(release: Release = OLDEST) -> SimulatedTable:
    """The table after the steps of the page."""
    draws = Draws([])
    table = created(release, draws)
    for step in LISTING["steps"]:
        commit = [snapshot_id_draw(step["snapshot_id"]), UUID(step["commit_uuid"]).bytes] if "files" in step else []
        syncs = {"append": 2, "rewrite": 9}.get(step["does"], 0)
        draws.queue += [*commit, *[SYNC] * syncs, UUID(step["metadata_json"]).bytes]
        at_ms = step.get("timestamp_ms", 1_664_292_437_000)
        moment = Moment(
            event_time_s=0.0, timestamp_ms=at_ms, updated_ms=at_ms, texts={"application": step.get("application", "")}
        )
        match step["does"]:
            case "create":
                table.create()
            case "append":
                append_files(table, [appended(name, size) for name, size in step["files"]], moment)
                assert table.totals.records == step["total_records"]
            case "rollback":
                target = SECOND if step["version"] <= LAST_TO_SECOND else SEVENTH
                roll_back_to(table, table.history[target], moment)
            case "rewrite":
                rewrite_data_files(table, step, moment)
    return table


def created(release: Release, draws: Draws) -> SimulatedTable:
    profile = profile_named("spark_batch_0_12")
    owned = {key: text.format(owner="root") for key, text in profile.properties.items()}
    return new_table(LISTING, release, draws, names="metastore", properties=owned, summary=SPARKS_SUMMARY)


def new_table(
    listing: Mapping[str, Any],
    release: Release,
    draws: Draws,
    *,
    names: Names,
    properties: dict[str, str],
    summary: dict[str, str],
) -> SimulatedTable:
    location, none = listing["location"], TableProperties.read({})
    columns = enumerate(listing["columns"], 1)
    schema = Schema(
        columns=tuple(
            NestedField(field_id=number, name=name, type=PrimitiveType(kind)) for number, (name, kind) in columns
        )
    )
    base = TableMetadata(
        format_version=1,
        table_uuid="0" * 36,
        location=location,
        last_updated_ms=listing["steps"][1]["timestamp_ms"],
        last_column_id=len(schema.columns),
        schemas=(schema,),
        current_schema_id=0,
        partition_specs=(SPEC,),
        default_spec_id=0,
        last_partition_id=999,
        sort_orders=(SortOrder(),),
        default_sort_order_id=0,
        properties=properties,
        refs={},
    )
    log = EventLog(folder=None)
    log.enter_step(0, "create-table", event_time_s=0.0, rows_arrived=0, at_s=0.0)
    return SimulatedTable(
        rules=TableRules(
            locations=locations_of(location, none),
            format_version=1,
            appends_merge=True,
            properties=none,
            names=names,
            release=release,
            summary=summary,
            keeps_history=True,
        ),
        writer=ManifestWriter(header=ManifestHeader(schema=schema, spec=SPEC, format_version=1, release=release)),
        json=TableJson(base=base, properties=none, needs_text=True, release=release),
        log=log,
        rng=draws,
    )


def carried_out_by_flink() -> SimulatedTable:
    """Flink's table after three appends, and a file that a Spark with an older Iceberg dropped from it."""
    draws = Draws([])
    summary = {
        **profile_named("flink_0_14").summary,
        "flink.job-id": "{job}",
        "flink.max-committed-checkpoint-id": str(2**63 - 1),
    }
    table = new_table(FLINKS, Release(0, 14), draws, names="hadoop", properties={}, summary=summary)
    for step in FLINKS["steps"]:
        if step["does"] == "create":
            draws.queue = [SYNC]  # of a name that Hadoop's catalog does not draw
            table.create()
            continue
        draws.queue = [snapshot_id_draw(step["snapshot_id"]), UUID(step["commit_uuid"]).bytes, *[SYNC] * 3]
        texts = {key: step.get(key, "") for key in ("job", "application")}
        moment = Moment(
            event_time_s=0.0, timestamp_ms=step["timestamp_ms"], updated_ms=step["timestamp_ms"], texts=texts
        )
        if step["does"] == "append":
            append_files(table, [of_flink(step)], moment)
        else:
            drop_file(table, step, moment)
    return table


def of_flink(step: Mapping[str, Any]) -> DataFileEntry:
    numbers, texts = zip(*step["rows"], strict=True)
    lower, upper = (
        {1: least(numbers).to_bytes(8, "little"), 2: least(text.encode() for text in texts)} for least in (min, max)
    )
    sizes = dict(enumerate(step["column_sizes"], 1))
    name = f"{FLINKS['location']}/data/{step['file']}"
    return entry(name, step["file_bytes"], rows=len(numbers), column_sizes=sizes, lower=lower, upper=upper)


def drop_file(table: SimulatedTable, step: Mapping[str, Any], moment: Moment) -> None:
    """DELETE by metadata alone; that metadata.json has no `refs`, which is as Iceberg wrote it before 0.14."""
    table.json.release = Release(0, 13)
    table.rules = replace(table.rules, summary=SPARKS_SUMMARY)
    removed = {f"{FLINKS['location']}/data/{step['file']}"}
    commit_file_changes(table, FileChanges(way=Way.DELETE_FILES, operation="delete", removed=removed), moment)


def appended(name: str, size: int) -> DataFileEntry:
    """A file of one row, which its size gives away; a plain Parquet column of one value takes 43 B and the value."""
    number, person, age = ROWS[size]
    bounds = {1: number.to_bytes(4, "little"), 2: person.encode(), 3: age.to_bytes(4, "little")}
    sizes = {1: 47, 2: 47 + len(person), 3: 47}
    path = f"{LISTING['location']}/data/{name}"
    return entry(path, size, rows=1, column_sizes=sizes, lower=bounds, upper=bounds)


def rewrite_data_files(table: SimulatedTable, step: Mapping[str, Any], moment: Moment) -> None:
    """Java's action: one file of all fourteen rows; its columns' sizes are not on the page."""
    ((name, size),) = step["files"]
    lower = {1: (1).to_bytes(4, "little"), 2: b"rison", 3: (18).to_bytes(4, "little")}
    upper = {1: (2).to_bytes(4, "little"), 2: b"zhangsan", 3: (20).to_bytes(4, "little")}
    path = f"{LISTING['location']}/data/{name}"
    file = entry(path, size, rows=14, column_sizes={1: 83, 2: 103, 3: 83}, lower=lower, upper=upper)
    gone = {live.file.file_path for manifest in table.manifests for live in manifest.live}
    assert len(gone) == 14
    rewritten = FileChanges(way=Way.REWRITE_FILES, operation="replace", removed=gone, added=[file], writer_keys=())
    commit_file_changes(table, rewritten, moment)


def entry(
    path: str,
    size: int,
    *,
    rows: int,
    column_sizes: Mapping[int, int],
    lower: Mapping[int, bytes],
    upper: Mapping[int, bytes],
) -> DataFileEntry:
    return DataFileEntry(
        file_path=path,
        record_count=rows,
        file_size_bytes=size,
        column_sizes=column_sizes,
        value_counts=dict.fromkeys(column_sizes, rows),
        null_value_counts=dict.fromkeys(column_sizes, 0),
        nan_value_counts={},
        lower_bounds=lower,
        upper_bounds=upper,
        split_offsets=(4,),
        sort_order_id=0,
    )
