"""Files made to harm their reader: each is refused by our own error, soon and in little memory."""

import contextlib
import json
import tempfile
import time
import tracemalloc
import zlib
from functools import cache
from pathlib import Path

import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.iceberg_files import SYNC, header_bytes, real_file, stored
from support.round_trip import check_round_trip

from wasim.iceberg import IcebergFileError, read_manifest, read_manifest_list, read_metadata_json
from wasim.iceberg.avro_encoding import encode_bytes, encode_long, encode_string
from wasim.iceberg.avro_reader import AvroRecord, read_avro_schema
from wasim.iceberg.codecs import gzip_bytes, pack
from wasim.iceberg.containers import Limits, read_container
from wasim.iceberg.record_scanning import _Budget, _skipper

MOST_SECONDS = 15  # a shared machine under tracemalloc; none takes two on its own
MOST_BYTES = 200 << 20


MANIFEST = real_file("blocks", "*-m0.avro")
LISTING = real_file("nested_v3", "snap-*.avro")
JSON = real_file("evolving_v2", "*.metadata.json")
READERS = (read_manifest, read_manifest_list, read_metadata_json)


def refuse(reader, data, match=".", **options):
    """The reader raises our error within bounds of time and memory."""
    tracemalloc.start()
    started = time.monotonic()
    try:
        with pytest.raises(IcebergFileError, match=match) as caught:
            reader(data, source="hostile", **options)
        assert str(caught.value).startswith("hostile: ")
        assert len(str(caught.value)) < 500
        assert tracemalloc.get_traced_memory()[1] < MOST_BYTES
    finally:
        tracemalloc.stop()
    assert time.monotonic() - started < MOST_SECONDS


def with_schema(avro_schema, raw=b"\x00" * 100, count=1, codec=b"null", **header):
    """A manifest of a real header but for the Avro schema and its one block."""
    values = dict(read_container(MANIFEST, source="m").header)
    values |= {"avro.codec": codec, "avro.schema": json.dumps(avro_schema).encode(), **header}
    return header_bytes(values, SYNC) + encode_long(count) + encode_bytes(raw) + SYNC


def record(*fields):
    fields = [{"name": f"n{number}", "type": kind, "field-id": number} for number, kind in fields]
    return {"type": "record", "name": "r", "fields": fields}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("data", [b"", b"O", b"Obj\x01", b"Obj\x02" + b"\x00" * 40, b"PAR1", b"\x1f\x8b", b"\xff" * 99])
def test_what_is_no_iceberg_file_is_refused(reader, data):
    refuse(reader, data)


@pytest.mark.parametrize("length", [5, 20, 1000, len(MANIFEST) - 300, len(MANIFEST) - 17, len(MANIFEST) - 1])
def test_a_manifest_cut_short_is_refused(length):
    refuse(read_manifest, MANIFEST[:length])


def test_a_header_that_announces_a_billion_keys_is_refused():
    refuse(read_manifest, b"Obj\x01" + encode_long(10**9) + b"\x00" * 99, "1000 are allowed")
    refuse(read_manifest, b"Obj\x01" + encode_long(-(10**9)) + b"\x00" * 99, "1000 are allowed")


def test_a_header_value_longer_than_the_file_is_refused():
    refuse(read_manifest, b"Obj\x01" + encode_long(1) + encode_string("schema") + encode_long(1 << 62), "announces")
    refuse(read_manifest, b"Obj\x01" + encode_long(1) + encode_string("schema") + encode_long(-5), "announces")


def test_a_number_without_end_is_refused():
    refuse(read_manifest, b"Obj\x01" + b"\xff" * 1000, "number")


def test_a_header_key_that_comes_twice_is_refused():
    twice = (encode_string("a") + encode_bytes(b"1")) * 2
    refuse(read_manifest, b"Obj\x01" + encode_long(2) + twice + b"\x00" + SYNC, "twice")


def test_a_deflate_bomb_is_refused():
    bomb = zlib.compress(b"\x00" * (100 << 20), 9, wbits=-15)
    values = dict(read_container(MANIFEST, source="m").header)
    data = header_bytes(values, SYNC) + encode_long(1) + encode_bytes(bomb) + SYNC
    refuse(read_manifest, data, "inflates to more than")


def block_of(codec, stored, count=1):
    return header_bytes({"avro.codec": codec}, SYNC) + encode_long(count) + encode_bytes(stored) + SYNC


@pytest.mark.slow
def test_a_zstandard_bomb_is_refused_before_it_fills_memory():
    bomb = zstandard.ZstdCompressor(level=19, write_content_size=False).compress(b"\x00" * (2 << 30))
    assert len(bomb) < 1 << 18
    refuse(read_container, block_of(b"zstandard", bomb), "inflates to more than")


def test_a_zstandard_window_of_gigabytes_is_refused():
    frame = bytes.fromhex("28b52ffd") + b"\x00" + bytes([21 << 3]) + b"\x01\x00\x00"  # 2 GiB, then an empty last block
    refuse(read_container, block_of(b"zstandard", frame), "does not inflate")


@pytest.mark.parametrize("announced", [b"\xff\xff\xff\xff\x0f", b"\x80\x80\x80\x80\x80\x01", b""])
def test_a_snappy_block_is_not_given_what_it_announces(announced):
    refuse(read_container, block_of(b"snappy", announced + b"\x00" * 20), "inflates to more than|how large|not inflate")


@pytest.mark.parametrize("codec", ["deflate", "snappy", "zstandard"])
@given(place=st.integers(0, 10_000), flip=st.integers(1, 255), cut=st.integers(0, 60))
def test_a_damaged_block_is_read_or_refused_and_nothing_else(codec, place, flip, cut):
    stored = bytearray(pack(codec, bytes(range(256)) * 8))
    stored[place % len(stored)] ^= flip
    data = block_of(codec.encode(), bytes(stored[: len(stored) - cut % len(stored)]))
    with contextlib.suppress(IcebergFileError):
        read_container(data, source="hostile")


@pytest.mark.parametrize("codec", ["snappy", "zstandard"])
def test_a_block_cut_short_or_followed_by_more_is_refused(codec):
    stored = pack(codec, bytes(range(256)) * 8)
    assert read_container(block_of(codec.encode(), stored), source="whole").blocks[0].raw == bytes(range(256)) * 8
    for wrong in (stored[:-1], stored[: len(stored) // 2], stored + b"\x00", stored + stored, b""):
        refuse(read_container, block_of(codec.encode(), wrong))


def test_many_small_blocks_meet_the_limit_of_their_sum():
    block = encode_long(1) + encode_bytes(zlib.compress(b"\x00" * (1 << 20), 9, wbits=-15)) + SYNC
    data = header_bytes({"avro.codec": b"deflate"}, SYNC) + block * 64
    refuse(read_container, data, "inflates to more than", limits=Limits(raw_bytes=32 << 20))


@pytest.mark.parametrize("count", [0, -1, 2**62, 5_000_000])
def test_a_block_that_announces_too_many_records_is_refused(count):
    refuse(read_manifest, header_bytes({"avro.codec": b"null"}, SYNC) + encode_long(count) + b"\x00", "records")


def test_records_smaller_than_any_entry_are_refused_before_decoding():
    values = {**read_container(MANIFEST, source="m").header, "avro.codec": b"null"}
    data = header_bytes(values, SYNC) + encode_long(3_000_000) + encode_bytes(b"\x00" * 3_000_000) + SYNC
    refuse(read_manifest, data, "announces 3000000 records")
    data = header_bytes(values, SYNC) + encode_long(80_000) + encode_bytes(b"\x00" * 80_000) + SYNC
    refuse(read_manifest, data, "80000 bytes for 80000 records")


@pytest.mark.parametrize(
    ("schema", "problem"),
    [
        (record((0, "int"), (2, {"type": "array", "items": "null"})), "items take no bytes"),
        (record((0, "int"), (2, {"type": "array", "items": record()})), "items take no bytes"),
        (record((0, "int"), (2, {"type": "fixed", "name": "f", "size": 2**31})), "fixed type of"),
        (record((0, "int"), (2, "r")), "type name 'r'"),
        (record((0, "int"), (2, ["null", "int", "string"])), "union"),
        (record((0, "int"), (2, {"type": "map", "values": "int"})), "type 'map'"),
        (record((0, "int"), (2, {"type": "enum", "name": "e", "symbols": ["a"]})), "type 'enum'"),
        (record((0, "int"), (0, "int")), "field id twice"),
        (record((0, "int")), "of other records than manifest entries"),
        (record((0, "int"), (2, "int")), "of other records than manifest entries"),
        (record((0, "string"), (2, record((100, "string")))), "of other records than manifest entries"),
        (record((0, "int"), (2, record((100, "long")))), "of other records than manifest entries"),
        (record((0, "int"), (2, record((100, "string")))), "without the required field 103"),
        ("int", "describes no record"),
        (record(), "describes no record"),
        ([], "union"),
        (7, "not an object"),
    ],
)
def test_a_foreign_schema_is_refused_before_decoding(schema, problem):
    refuse(read_manifest, with_schema(schema), problem)


def test_a_schema_that_nests_deeply_is_refused():
    deep = "int"
    for _ in range(20):
        deep = {"type": "array", "items": deep}
    refuse(read_manifest, with_schema(record((0, "int"), (2, deep))), "too deeply")
    header = {"schema": b'{"type":"list","element":' * 100_000}
    refuse(read_manifest, with_schema(record((0, "int")), **header), "too deeply|not JSON")


def test_a_schema_text_of_megabytes_is_refused():
    refuse(read_manifest, with_schema(["x" * (2 << 20)]), "allowed")


def test_json_that_nests_without_end_is_refused():
    for text in (b"[" * 10_000_000, b'{"a":' * 2_000_000):
        refuse(read_metadata_json, text, "too deeply|JSON values")
        refuse(read_metadata_json, text[:600_000], "too deeply")


def test_a_schema_that_nests_without_end_is_refused():
    document = json.loads(JSON)
    nested = '"int"'
    for _ in range(900):
        nested = '{"type":"list","element-id":1,"element":' + nested + ',"element-required":false}'
    text = json.dumps(document | {"schemas": "HERE"}).replace(
        '"HERE"', '[{"type":"struct","fields":[{"id":1,"name":"a","required":false,"type":' + nested + "}]}]"
    )
    refuse(read_metadata_json, text.encode(), "too deeply|which no schema has")


def test_a_number_of_a_million_digits_is_refused():
    refuse(read_metadata_json, b'{"format-version":' + b"9" * 1_000_000 + b"}", "not JSON")


def test_millions_of_tiny_values_are_refused_before_they_are_built():
    refuse(read_metadata_json, b"[" + b"[]," * 11_000_000 + b"[]]", "JSON values")


@pytest.mark.parametrize(
    ("length", "said"),
    [(0, "is empty"), (1, "is cut short"), (len(JSON) // 2, "is cut short"), (len(JSON.rstrip()) - 1, "is cut short")],
)
def test_json_cut_short_is_named_so(length, said):
    refuse(read_metadata_json, JSON[:length], match=said)


def test_a_gzip_bomb_is_refused():
    refuse(read_metadata_json, gzip_bytes(b" " * (60 << 20)), "inflates to more than")


def test_gzip_that_is_cut_short_is_refused():
    refuse(read_metadata_json, gzip_bytes(JSON)[:-9], "cut short")


def deflated(values, blocks):
    """A file of blocks that deflate packs a thousand-fold: (records, how often, which bytes)."""
    data = header_bytes(dict(values) | {"avro.codec": b"deflate"}, SYNC)
    for records, often, raw in blocks:
        data += encode_long(records) + encode_bytes(deflated_often(often, raw)) + SYNC
    return data


@cache
def deflated_often(often, raw):
    compressor = zlib.compressobj(9, zlib.DEFLATED, -15)
    return b"".join([compressor.compress(raw) for _ in range(often)]) + compressor.flush()


LIST_HEADER = read_container(LISTING, source="m").header
MANIFEST_HEADER = read_container(MANIFEST, source="m").header


def test_millions_of_partition_summaries_are_refused_before_they_are_decoded():
    record = read_container(LISTING, source="m").blocks[0].raw
    places = [field["field-id"] for field in json.loads(LIST_HEADER["avro.schema"])["fields"]]
    head = scan_until(record, LIST_HEADER, places.index(507))
    summaries = 15_000_000
    many = head + b"\x02" + encode_long(summaries)
    data = deflated(LIST_HEADER, [(1, 1, many + b"\x00" * (summaries * 4 - len(many)))])
    assert len(data) < 100_000
    refuse(read_manifest_list, data, "arrays of more items")


def scan_until(raw, header, fields):
    """The bytes of a record before its field of that number."""
    avro = read_avro_schema(header["avro.schema"], source="s")
    ids = [number for number, _ in avro.fields[:fields]]
    cut = AvroRecord(fields=tuple(field for field in avro.fields if field[0] in ids))
    return raw[: _skipper(cut)(raw, 0, _Budget(1000))]


def test_millions_of_smallest_records_are_refused_before_decoding():
    data = deflated(MANIFEST_HEADER, [(3_900_000, 1, b"\x00" * (65 << 20))])
    assert len(data) < 100_000
    refuse(read_manifest, data, "announces 3900000 records")


def test_millions_of_split_offsets_are_refused_before_decoding():
    fields = [
        {"name": f"n{n}", "type": kind, "field-id": n} for n, kind in ((100, "string"), (103, "long"), (104, "long"))
    ]
    offsets = {"name": "o", "field-id": 132, "type": {"type": "array", "items": "long", "element-id": 133}}
    file = {"type": "record", "name": "r2", "fields": [*fields, offsets]}
    values = dict(MANIFEST_HEADER) | {"avro.schema": json.dumps(record((0, "int"), (2, file))).encode()}
    head = b"\x00" + encode_string("f") + b"\x02\x02" + encode_long(60_000_000)
    data = deflated(values, [(1, 1, head + b"\x00" * (60_000_001))])
    assert len(data) < 100_000
    refuse(read_manifest, data, "arrays of more items")


def test_sixteen_largest_blocks_meet_their_files_limit():
    data = deflated(MANIFEST_HEADER, [(1, 16, b"\x00" * (4 << 20))] * 16)
    refuse(read_container, data, "inflates to more than")


def test_half_a_gigabyte_of_json_is_refused_before_decoding():
    compressor = zlib.compressobj(9, zlib.DEFLATED, 31)
    data = compressor.compress('{"a":"💧'.encode()) + compressor.flush(zlib.Z_FULL_FLUSH)
    mebibyte = compressor.compress(b"x" * (1 << 20)) + compressor.flush(zlib.Z_FULL_FLUSH)
    data += mebibyte * 511
    assert len(data) < 600_000
    refuse(read_metadata_json, data, "inflates to more than")


def test_one_emoji_makes_no_long_text_four_bytes_wide():
    data = b'{"a":"' + "💧".encode() + b'","b":"' + b"x" * (40 << 20) + b'"}'
    refuse(read_metadata_json, data, "format-version is missing")


def mutated(original):
    """A real file with some bytes changed, dropped or doubled."""
    edit = st.tuples(st.integers(0, len(original) - 1), st.integers(0, 40), st.binary(max_size=12))

    def apply(edits):
        data = bytearray(original)
        for position, length, replacement in edits:
            data[position : position + length] = replacement
        return bytes(data)

    return st.lists(edit, min_size=1, max_size=4).map(apply)


FUZZ = settings(suppress_health_check=[HealthCheck.too_slow])


def read_or_refuse(reader, data):
    started = time.monotonic()
    try:
        reader(data, source="fuzzed")
    except IcebergFileError as error:
        assert str(error).startswith("fuzzed: ")  # noqa: PT017 - that it is raised is not what is tested
    assert time.monotonic() - started < MOST_SECONDS


@FUZZ
@given(mutated(LISTING) | mutated(stored(LISTING)))
def test_a_mutated_manifest_list_is_read_or_refused(data):
    read_or_refuse(read_manifest_list, data)


@FUZZ
@given(mutated(stored(real_file("identities", "*-m0.avro"))) | mutated(real_file("identities", "*-m0.avro")))
def test_a_mutated_manifest_is_read_or_refused(data):
    read_or_refuse(read_manifest, data)


@FUZZ
@given(mutated(stored(real_file("identities", "*-m0.avro"))))
def test_a_mutated_manifest_is_compared_or_refused(data):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "m0.avro"
        path.write_bytes(data)
        try:
            check_round_trip(path)
        except IcebergFileError as error:
            assert str(path) in str(error)  # noqa: PT017 - that it is raised is not what is tested


@FUZZ
@given(mutated(JSON))
def test_mutated_metadata_json_is_read_or_refused(data):
    read_or_refuse(read_metadata_json, data)


@FUZZ
@given(st.sampled_from([0.2, 0.5, 0.8]), st.binary(min_size=1, max_size=200))
def test_records_of_noise_are_read_or_refused(share, noise):
    container = read_container(LISTING, source="m")
    raw = container.blocks[0].raw
    at = int(len(raw) * share)
    raw = raw[:at] + noise + raw[at:]
    data = header_bytes({**container.header, "avro.codec": b"null"}, SYNC)
    data += encode_long(container.blocks[0].record_count) + encode_bytes(raw) + SYNC
    read_or_refuse(read_manifest_list, data)
