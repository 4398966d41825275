"""Manifest lists of every version read back as written, and the least that a list may say."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.iceberg_files import manifest_list_bytes

from wasim.iceberg import IcebergFileError, read_manifest_list
from wasim.iceberg.avro_encoding import encode_long, encode_string
from wasim.iceberg.containers import container_bytes
from wasim.iceberg.manifest_lists import ManifestFile, ManifestListHeader, PartitionFieldSummary

SYNC = b"s" * 16
LONGS = st.integers(1, 2**62)
SUMMARIES = st.builds(
    PartitionFieldSummary,
    contains_null=st.booleans(),
    contains_nan=st.none() | st.booleans(),
    lower_bound=st.none() | st.binary(max_size=9),
    upper_bound=st.none() | st.binary(max_size=9),
)
COUNTS = ("added_files_count", "existing_files_count", "deleted_files_count")
ROWS = ("added_rows_count", "existing_rows_count", "deleted_rows_count")


@st.composite
def manifests(draw, version):
    since_v2 = {"content": draw(st.integers(0, 1)), "sequence_number": draw(LONGS), "min_sequence_number": draw(LONGS)}
    return ManifestFile(
        manifest_path=draw(st.text(max_size=30)),
        manifest_length=draw(LONGS),
        partition_spec_id=draw(st.integers(1, 9)),
        added_snapshot_id=draw(LONGS),
        **{name: draw(st.integers(0, 2**31 - 1)) for name in COUNTS},
        **{name: draw(LONGS) for name in ROWS},
        partitions=draw(st.none() | st.lists(SUMMARIES, max_size=3).map(tuple)),
        key_metadata=draw(st.none() | st.binary(max_size=9)),
        **(since_v2 if version > 1 else {}),
        **({"first_row_id": draw(LONGS)} if version > 2 else {}),
    )


@given(data=st.data(), version=st.integers(1, 3))
def test_a_list_reads_back_as_it_was_written(data, version):
    listed = data.draw(st.lists(manifests(version), max_size=4))
    header = ManifestListHeader(
        format_version=version,
        snapshot_id=data.draw(LONGS),
        parent_snapshot_id=data.draw(st.none() | LONGS),
        sequence_number=data.draw(LONGS) if version > 1 else None,
        first_row_id=data.draw(LONGS) if version > 2 else None,
    )
    found = read_manifest_list(manifest_list_bytes(header, listed, sync_marker=SYNC), source="l")
    assert found.manifests == tuple(listed)
    assert found.header == header
    assert (found.sync_marker, found.codec) == (SYNC, "deflate")


PATH = encode_long(1) + encode_string("m0")


def minimal(*fields, path=PATH, **header):
    """A list of one manifest, of which it says nothing but these fields, by their ids."""
    known = {
        500: {"name": "manifest_path", "type": ["null", "string"], "field-id": 500},
        501: {"name": "manifest_length", "type": "long", "field-id": 501},
        515: {"name": "sequence_number", "type": "long", "field-id": 515},
    }
    schema = {"type": "record", "name": "manifest_file", "fields": [known[number] for number in fields]}
    values = {500: path, 501: encode_long(70), 515: encode_long(9)}
    texts = {"avro.schema": json.dumps(schema).encode(), **header}
    return container_bytes(texts, [b"".join(values[number] for number in fields)], sync_marker=SYNC)


def test_path_and_length_are_enough_and_all_else_is_unknown():
    found = read_manifest_list(minimal(500, 501), source="l")
    (one,) = found.manifests
    assert (one.manifest_path, one.manifest_length) == ("m0", 70)
    assert (one.partition_spec_id, one.content, one.sequence_number, one.min_sequence_number) == (0, 0, 0, 0)
    assert [getattr(one, name) for name in (*COUNTS, *ROWS, "added_snapshot_id", "partitions", "first_row_id")] == [
        None
    ] * 9
    assert found.header == ManifestListHeader(format_version=1, snapshot_id=None)


@pytest.mark.parametrize("count", ["added_files_count", "added_data_files_count"])  # since Iceberg 1.5, and before
def test_fields_without_ids_are_known_by_any_release_s_names(count):
    kinds = {"manifest_path": "string", "manifest_length": "long", count: "int"}
    schema = {"type": "record", "name": "r", "fields": [{"name": name, "type": kind} for name, kind in kinds.items()]}
    values = encode_string("m0") + encode_long(70) + encode_long(3)
    data = container_bytes({"avro.schema": json.dumps(schema).encode()}, [values], sync_marker=SYNC)
    (one,) = read_manifest_list(data, source="l").manifests
    assert (one.manifest_path, one.manifest_length, one.added_files_count) == ("m0", 70, 3)


def test_a_list_with_sequence_numbers_is_of_version_2():
    assert read_manifest_list(minimal(500, 501, 515), source="l").header.format_version == 2
    said = minimal(500, 501, **{"format-version": b"3", "snapshot-id": b"7", "parent-snapshot-id": b"null"})
    assert read_manifest_list(said, source="l").header == ManifestListHeader(format_version=3, snapshot_id=7)


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (minimal(500), "of other records than a manifest list's"),
        (minimal(501), "of other records than a manifest list's"),
        (minimal(500, 501, **{"format-version": b"5"}), "has format version 5"),
        (minimal(500, 501, **{"snapshot-id": b"x"}), "whose snapshot-id is no number"),
        (minimal(500, 501, **{"snapshot-id": b"1" * 21}), "whose snapshot-id is beyond 64 bits"),
        (minimal(500, 501, path=encode_long(0)), "without a path or a length"),
    ],
)
def test_what_is_no_list_is_refused(data, problem):
    with pytest.raises(IcebergFileError, match=problem):
        read_manifest_list(data, source="l")
