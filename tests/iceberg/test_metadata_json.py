"""metadata.json: tolerant reading, exact writing."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.paths import DATA
from support.round_trip import metadata_json_bytes

from wasim.iceberg import IcebergFileError, read_metadata_json
from wasim.iceberg.codecs import GZIP_HEADER
from wasim.iceberg.json_text import compact_json, quote, read_json
from wasim.iceberg.metadata_json import render_metadata_json
from wasim.iceberg.snapshots import EncryptedKey, SnapshotRef, snapshot_json

TABLES = DATA / "tables"
PLAIN = sorted(TABLES.rglob("*.metadata.json"))


def read(path):
    return read_metadata_json(path.read_bytes(), source=path.name)


@pytest.mark.parametrize("path", [path for path in PLAIN if ".gz." not in path.name], ids=lambda path: path.parts[-3])
def test_pretty_printed_metadata_in_any_key_order_reads_the_same(path):
    document = json.loads(path.read_bytes())
    shuffled = {key: document[key] for key in sorted(document)}
    pretty = json.dumps(shuffled, indent=2).encode()
    expected = path.read_bytes().replace(b"1.0E10", b"10000000000.0")
    assert metadata_json_bytes(read_metadata_json(pretty, source="pretty")) == expected


def test_unknown_fields_are_kept_by_place_and_never_written():
    document = json.loads((TABLES / "quickstart_gzip").parent.joinpath(PLAIN[0]).read_bytes())
    document["vendor"] = {"a": [1, None]}
    document["schemas"][0]["fields"][0]["colour"] = "red"
    metadata = read_metadata_json(json.dumps(document).encode(), source="vendor.metadata.json")
    assert metadata.unknown_fields == (("schemas[0].fields[0].colour", "red"), ("vendor", {"a": [1, None]}))
    with pytest.raises(ValueError, match="colour"):
        metadata_json_bytes(metadata)


def test_v1_metadata_older_than_ids_is_read_as_by_iceberg():
    document = {
        "format-version": 1,
        "location": "s3://b/t",
        "last-updated-ms": 5,
        "last-column-id": 1,
        "schema": {"type": "struct", "fields": [{"id": 1, "name": "d", "required": True, "type": "date"}]},
        "partition-spec": [{"name": "d_month", "transform": "month", "source-id": 1}],
        "properties": {},
        "current-snapshot-id": 7,
        "snapshots": [{"snapshot-id": 7, "timestamp-ms": 5, "manifests": ["s3://b/t/m.avro"]}],
    }
    metadata = read_metadata_json(json.dumps(document).encode(), source="old")
    assert metadata.partition_specs[0].fields[0].field_id == metadata.last_partition_id == 1000
    assert metadata.refs == {"main": SnapshotRef(snapshot_id=7)}
    assert '"manifests":["s3://b/t/m.avro"]' in render_metadata_json(metadata)
    assert (metadata.current_schema().schema_id, metadata.default_spec().spec_id) == (0, 0)


def test_empty_tables_say_minus_one_before_v3():
    for version, text in ((1, b":-1,"), (2, b":-1,"), (3, b":null,")):
        (path,) = (TABLES / f"empty_v{version}" / "metadata").glob("*.metadata.json")
        assert b'"current-snapshot-id"' + text in metadata_json_bytes(read(path))


def test_snapshot_texts_rendered_once_give_the_same_file():
    metadata = read(next((TABLES / "evolving_v2").rglob("*.metadata.json")))
    texts = [snapshot_json(snapshot) for snapshot in metadata.snapshots]
    assert render_metadata_json(metadata, snapshot_texts=texts) == render_metadata_json(metadata)


def test_compressed_metadata_reads_as_what_was_compressed():
    metadata = read(next((TABLES / "old_v1").rglob("*.metadata.json")))
    data = metadata_json_bytes(metadata, gzip_header=GZIP_HEADER)
    assert data[:10] == GZIP_HEADER
    assert read_metadata_json(data, source="gzip") == metadata


def test_encryption_keys_stand_between_row_ids_and_refs():
    metadata = read(next((TABLES / "empty_v3").rglob("*.metadata.json")))
    key = EncryptedKey(key_id="k", encrypted_key_metadata="AAE=", encrypted_by_id="kms", properties={"a": "b"})
    text = render_metadata_json(replace(metadata, encryption_keys=(key,)))
    assert '"encryption-keys":[{"key-id":"k","encrypted-key-metadata":"AAE=","encrypted-by-id":"kms",' in text
    assert text.index("next-row-id") < text.index("encryption-keys") < text.index('"refs"')
    assert read_metadata_json(text.encode(), source="x").encryption_keys == (key,)


def test_control_characters_are_escaped_as_jackson_escapes_them():
    assert quote('"\\\b\t\n\f\r\x1f\x7f/é円') == '"\\"\\\\\\b\\t\\n\\f\\r\\u001F\x7f/é円"'


def test_half_a_surrogate_pair_becomes_java_s_question_mark():
    metadata = read(next((TABLES / "empty_v2").rglob("*.metadata.json")))
    odd = read_metadata_json(render_metadata_json(metadata).encode().replace(b"wasim", b"\\ud800"), source="x")
    assert b'"owner":"?"' in metadata_json_bytes(odd)


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_any_text_survives_quoting(text):
    assert json.loads(quote(text)) == text


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(st.characters(exclude_categories=["Cs"])),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=3), inner),
    )
)
def test_any_json_value_survives_compacting(value):
    assert read_json(compact_json(value), source="x") == json.loads(json.dumps(value)) == value


@pytest.mark.parametrize("spelling", ["1.0E10", "1e5", "0.10", "-0.0", "4.9E-324"])
def test_a_float_keeps_its_spelling(spelling):
    assert compact_json(read_json(f"[{spelling}]", source="x")) == f"[{spelling}]"


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"format-version": 5}, "format-version is 5; 1, 2, 3 and 4 are known"),
        ({"format-version": "2"}, "format-version is not a whole number"),
        ({"current-schema-id": 9}, "current-schema-id is 9, which no schema has"),
        ({"default-spec-id": 9}, "default-spec-id is 9, which no partition spec has"),
        ({"location": None}, "location is not a string"),
        ({"snapshots": {}}, "snapshots is not an array"),
        ({"snapshots": [{}]}, r"snapshots\[0\].snapshot-id is missing"),
        ({"last-column-id": 2**63}, "last-column-id is not a whole number of 64 bits"),
        ({"properties": {"a": []}}, "properties is not an object of strings"),
        ({"refs": {"main": 1}}, "refs.main is not an object"),
    ],
)
def test_what_is_wrong_is_named_by_its_place(change, problem):
    document = json.loads(next((TABLES / "empty_v2").rglob("*.metadata.json")).read_bytes()) | change
    with pytest.raises(IcebergFileError, match=problem) as caught:
        read_metadata_json(json.dumps(document).encode(), source="broken.metadata.json")
    assert str(caught.value).startswith("broken.metadata.json: ")
