"""The shipped writer profiles: what is measured, what is documented, and what each makes a table look like."""

import json
import re
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from support.round_trip import check_round_trip
from support.synthetic import synthetic_case

from wasim.errors import SavedFileError, WasimError
from wasim.iceberg import read_manifest, read_manifest_list, read_metadata_json
from wasim.iceberg.releases import release_named
from wasim.ledger import Kind
from wasim.scenario.changes import Evolution
from wasim.scenario.scenario import row_bytes
from wasim.twin import WriterProfile, profile_named, read_profile, render_profile, shipped_profile, simulate_case
from wasim.twin.profile import SHIPPED, as_triggered, as_written, render_document
from wasim.twin.supported import ignored

DOCUMENTED = [name for name in SHIPPED if profile_named(name).origin == "documented"]


def newest_metadata(folder: Path):
    path = max((folder / "metadata").glob("*.metadata.json"), key=lambda one: one.stat().st_size)
    return read_metadata_json(path.read_bytes(), source=str(path))


def written(name: str, folder: Path, **options):
    case = synthetic_case(horizon_s=6.0, **options)
    simulate_case(case, profile_named(name), np.random.default_rng(1), emit=folder)
    return newest_metadata(folder)


@pytest.mark.parametrize("name", DOCUMENTED)
def test_a_documented_profile_names_its_sources(name):
    assert profile_named(name).sources.keys() >= {"summary", "properties", "columns, footer, pace_s"}


def test_what_was_measured_of_spark_is_marked_so():
    assert {name: profile_named(name).origin for name in SHIPPED if name in ("spark_streaming", "spark_batch")} == {
        "spark_streaming": "measured",
        "spark_batch": "measured",
    }


@pytest.mark.parametrize("name", SHIPPED)
def test_a_profile_survives_a_file(name, tmp_path):
    profile = profile_named(name)
    (tmp_path / "profile.json").write_text(render_profile(profile))
    assert read_profile(tmp_path / "profile.json") == profile
    assert profile_named(str(tmp_path / "profile.json")) == profile


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_file_has_a_sample_a_line(name):
    text = files("wasim.profiles").joinpath(f"{name}.json").read_text()
    assert text == render_document(json.loads(text)) + "\n"


@pytest.mark.parametrize("name", SHIPPED)
def test_every_profile_writes_a_table_that_reads_back(name, tmp_path):
    metadata = written(name, tmp_path, files_per_commit=2)
    assert len(metadata.snapshots) == 6
    listed = read_manifest_list(Path(metadata.snapshots[-1].manifest_list).read_bytes(), source="list").manifests
    assert [one.added_files_count for one in listed] == [2] * 6
    entries = [
        entry.file.file_path
        for one in listed
        for entry in read_manifest(Path(one.manifest_path).read_bytes(), source="manifest").entries
    ]
    assert len(set(entries)) == 12
    assert metadata.snapshots[-1].operation == "append"
    profile = profile_named(name)
    unsaid = set() if profile.recipe.counts_no_partition else {"changed-partition-count"}
    assert list(metadata.snapshots[-1].summary) == [key for key in profile.summary if key not in unsaid]


def test_before_1_11_manifests_are_uncounted_and_levels_ignored(tmp_path):
    properties = {"write.manifest.compression-level": "1"}
    metadata = written("spark_streaming_1_10", tmp_path / "old", properties=properties)
    assert not any(key.startswith("manifests-") for key in metadata.snapshots[0].summary)
    manifests = sorted((tmp_path / "old" / "metadata").glob("*-m0.avro"))
    # Files of 1.10 differ from those of 1.12 in nothing but that: re-encoded at level 9 they are the same bytes.
    assert [check_round_trip(path) for path in manifests] == [None] * 6
    written("spark_streaming", tmp_path / "new", properties=properties)
    newer = sorted((tmp_path / "new" / "metadata").glob("*-m0.avro"))
    assert sum(path.stat().st_size for path in newer) > sum(path.stat().st_size for path in manifests)


def test_flinks_subtasks_keep_their_uuid_and_count_their_files_on(tmp_path):
    metadata = written("flink", tmp_path, files_per_commit=2)
    listed = read_manifest_list(Path(metadata.snapshots[-1].manifest_list).read_bytes(), source="list").manifests
    names = [
        entry.file.file_path.rpartition("/")[2]
        for one in listed
        for entry in read_manifest(Path(one.manifest_path).read_bytes(), source="manifest").entries
    ]
    of_first = sorted(name for name in names if name.startswith("00000-0-"))
    assert len({name[8:44] for name in of_first}) == 1
    assert [name[45:50] for name in of_first] == ["00001", "00002", "00003", "00004", "00005", "00006"]
    assert metadata.snapshots[-1].summary["flink.max-committed-checkpoint-id"] == "6"


def test_kafka_connects_summary_holds_its_offsets_and_time(tmp_path):
    summary = written("kafka_connect", tmp_path).snapshots[-1].summary
    offsets = next(text for key, text in summary.items() if key.startswith("kafka.connect.offsets."))
    assert json.loads(offsets) == {"0": 49}
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", summary["kafka.connect.valid-through-ts"])


@pytest.mark.parametrize("name", ["kafka_connect", "flink_0_14", "trino", "debezium"])
def test_whoever_merges_does_so_whatever_the_kind(small_case, name):
    profile = profile_named(name)
    for kind in ("streaming", "batch"):
        case = small_case(writer=f"{{kind: {kind}, profile: {name}}}")
        assert as_written(case, profile).merges


def test_properties_that_redpanda_does_not_read_are_named():
    given = {"write.metadata.compression-codec": "gzip", "commit.manifest.min-count-to-merge": "9"}
    case = synthetic_case(properties=given)
    assert list(ignored(case, profile_named("redpanda"))) == [
        "Redpanda topic ignores write.metadata.compression-codec with a catalog of its own in the bucket; the figures"
        " are as if it did not.",
        "Redpanda topic ignores commit.manifest.min-count-to-merge.",
    ]
    assert list(ignored(case, profile_named("kafka_connect"))) == []


def test_properties_that_a_writer_never_reads_change_nothing():
    codec = "write.metadata.compression-codec"
    pyiceberg, later = profile_named("pyiceberg"), Evolution(at=3.0, set_properties={codec: "gzip", "note": "x"})
    given = {codec: "gzip", "write.manifest.compression-level": "1"}
    case = replace(synthetic_case(properties=given), evolution=(later,))
    written = as_written(case, pyiceberg)
    assert [*written.all_properties] == [{codec: "none"}, {codec: "none", "note": "x"}]
    assert as_written(case, profile_named("flink")).all_properties == case.all_properties


def test_an_older_writers_pretty_json_is_counted_to_the_byte(tmp_path):
    case, profile = synthetic_case(horizon_s=9.0), profile_named("security_lake")
    counted = simulate_case(case, profile, np.random.default_rng(3)).events
    emitted = simulate_case(case, profile, np.random.default_rng(3), emit=tmp_path).events
    longer = len(str(tmp_path)) - len("file:/warehouse/db/events")
    sizes = [one.bytes[one.kind == Kind.METADATA_JSON] for one in (counted, emitted)]
    paths = [1 + 2 * commit for commit in range(10)]  # the location, and per commit a list's path and a log entry's
    assert (sizes[1] - sizes[0]).tolist() == [longer * count for count in paths]
    assert all(len(path.name) == len(".metadata.json") + 36 for path in (tmp_path / "metadata").glob("*.json"))


def test_a_profile_neither_shipped_nor_a_file_is_refused():
    with pytest.raises(SavedFileError, match="sling: is no file and no shipped profile"):
        profile_named("sling")


def test_a_profile_from_before_0_12_is_refused(tmp_path):
    document = json.loads(render_profile(profile_named("spark_batch")))
    for version, is_known in (("0.11", False), ("0.12", True)):
        (tmp_path / "old.json").write_text(json.dumps(document | {"iceberg": version}))
        if is_known:
            assert read_profile(tmp_path / "old.json").release == release_named("0.12")
        else:
            with pytest.raises(SavedFileError, match=r"iceberg is 0\.11.* Give 0\.12 or a newer release"):
                read_profile(tmp_path / "old.json")


def test_a_profile_like_a_shipped_one_inherits_what_it_omits(tmp_path):
    path = tmp_path / "mine.json"
    path.write_text(json.dumps({"schema_version": 1, "name": "mine", "like": "flink", "pace_s": 9.0}))
    assert profile_named(str(path)) == replace(profile_named("flink"), name="mine", pace_s=9.0)
    path.write_text(json.dumps({"schema_version": 1, "name": "mine", "like": "hudi"}))
    with pytest.raises(SavedFileError, match=r"is like 'hudi', which is no shipped profile\. Give one of spark_stream"):
        profile_named(str(path))


def test_format_version_3_is_refused_for_older_writers():
    case = synthetic_case(horizon_s=2.0)
    case = replace(case, table=case.table.model_copy(update={"format_version": 3}))
    profile: WriterProfile = profile_named("security_lake")
    with pytest.raises(WasimError, match=r"format_version 3 .* security_lake, whose Iceberg is 1\.4"):
        simulate_case(case, profile, np.random.default_rng(0))


def test_a_case_has_the_profile_that_its_writer_names(small_case):
    assert shipped_profile(small_case(writer="flink")).name == "flink"
    assert shipped_profile(small_case(writer="{kind: streaming, profile: kafka_connect}")).name == "kafka_connect"
    assert shipped_profile(small_case(writer="streaming")).name == "spark_streaming"
    with pytest.raises(SavedFileError, match=r"mine\.json: is no file and no shipped profile"):
        shipped_profile(small_case(writer="{kind: batch, profile: mine.json}"))


def test_a_case_commits_as_early_as_its_profile_ships():
    firehose, case = profile_named("firehose"), synthetic_case(interval_s=300.0, horizon_s=3600.0)
    many = case.workload.model_copy(update={"rows_per_second": 100_000.0})
    often = as_triggered(replace(case, workload=many), firehose)
    arrived = often.commit_interval_s * 100_000 * row_bytes(case.table)
    assert arrived == pytest.approx(firehose.trigger.bytes, rel=0.01)
    assert 3599.0 < often.horizon_s <= 3600.0
    assert as_triggered(often, firehose) == often
    writer = case.writer.model_validate({"kind": "batch", "trigger": "none"})
    untouched = replace(case, workload=many, writer=writer)
    assert as_triggered(untouched, firehose) == untouched
    assert as_triggered(case, profile_named("automq")) == case


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"triger": {}}, "4: triger is unknown. Did you mean trigger?"),
        ({"recipe": {"apend": "fast"}}, "5: recipe.apend is unknown. Did you mean append?"),
        ({"recipe": {"append": "slow"}}, '5: recipe.append is "slow". Give fast or merge.'),
        (
            {"recipe": {"expiry": {"commit": "later", "older_than_s": 1}}},
            '6: recipe.expiry.commit is "later". Give same',
        ),
        (
            {"recipe": {"expiry": {"commit": "own", "older_than_s": 0}}},
            '7: recipe.expiry.older_than_s is "0". Give more',
        ),
        ({"recipe": {"expiry": {"commit": "own"}}}, "5: recipe.expiry.older_than_s is missing. Add it, or say which"),
        ({"recipe": {"sets": {"a": "{nope}"}}}, '6: recipe.sets.a names "nope" in braces. Give some of added-data'),
        ({"summary": {"a": "{"}}, '5: summary.a names "{" in braces.'),
        ({"data_file": "data/x.parquet"}, "4: data_file names every file the same. Name one of query_id, random"),
        ({"trigger": {"bytes": 0}}, '5: trigger.bytes is "0". Give more than 0.'),
        ({"trigger": {"every_s": "soon"}}, '5: trigger.every_s is "soon". Give a number.'),
        ({"trigger": {"every_s": 900, "most_s": 60}}, "5: trigger.every_s is 900, but most_s is 60, so that it never"),
        ({"trigger": {"setting": "a={ms2}"}}, '5: trigger.setting names "ms2" in braces. Give some of interval, ms,'),
        ({"pace_s": -1}, '4: pace_s is "-1". Give more than 0.'),
        ({"columns": []}, "4: columns is an empty list. Give at least one."),
        ({"iceberg": "newest"}, '4: iceberg is "newest".'),
        ({"sql": "hive"}, '4: sql is "hive". Give spark, flink, trino or athena.'),
    ],
)
def test_what_no_writer_does_is_refused_with_its_line(tmp_path, given, said):
    path = tmp_path / "odd.json"
    path.write_text(json.dumps({"schema_version": 1, "like": "firehose"} | given, indent=1))
    with pytest.raises(SavedFileError) as raised:
        read_profile(path)
    assert str(raised.value).startswith(f"{path}:{said}")


def test_what_a_profile_of_its_own_lacks_is_named(tmp_path):
    (path := tmp_path / "odd.json").write_text('{"schema_version": 1, "name": "x"}')
    with pytest.raises(SavedFileError, match=r"origin is missing\. Add it, or say which shipped profile this is like"):
        read_profile(path)
