"""Avro files taken apart and put together: every bound holds to the byte, and files come back as they were."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.iceberg_files import header_bytes

from wasim.iceberg import IcebergFileError
from wasim.iceberg.containers import (
    BLOCK_RAW_BYTES,
    CODECS,
    DEFAULT_LIMITS,
    HeaderValues,
    Limits,
    Packing,
    container_bytes,
    header_length,
    read_container,
    read_container_header,
    read_packed,
    split_blocks,
)

SYNC = bytes(range(16))
RECORDS = st.lists(st.binary(min_size=1, max_size=40), max_size=30)
HEADERS = st.dictionaries(
    st.text(max_size=9).filter(lambda key: key != "avro.codec"), st.binary(max_size=200), max_size=5
)


@given(header=HEADERS, records=RECORDS, codec=st.sampled_from(CODECS), threshold=st.integers(1, 200))
def test_what_is_written_is_read_back(header, records, codec, threshold):
    header = {**header, "avro.codec": codec.encode()}
    packing = Packing(block_raw_bytes=threshold)
    data = container_bytes(HeaderValues(header, packing), records, sync_marker=SYNC)
    container = read_container(data, source="m")
    assert (container.header, container.codec, container.sync_marker) == (header, codec, SYNC)
    packed = read_packed(data, source="m")
    assert packed.header_data + SYNC == header_bytes(header, SYNC) == data[: header_length(header)]
    assert b"".join(block.raw for block in container.blocks) == b"".join(records)
    assert container.blocks == tuple(split_blocks(records, threshold))
    assert read_container_header(data, source="m") == header
    again = read_packed(data, source="m", like=packed)
    assert again == packed
    assert again.header is packed.header


@given(records=RECORDS, threshold=st.integers(1, 200))
def test_a_block_closes_with_the_record_that_reaches_the_threshold(records, threshold):
    wanted, held = [], []
    for record in records:
        held.append(record)
        if sum(map(len, held)) >= threshold:
            wanted.append(held)
            held = []
    wanted += [held] if held else []
    found = split_blocks(records, threshold)
    assert [block.raw for block in found] == [b"".join(block) for block in wanted]
    assert [block.record_count for block in found] == [len(block) for block in wanted]


def test_avros_own_threshold_is_64_000_bytes():
    assert BLOCK_RAW_BYTES == 64_000
    assert [block.record_count for block in split_blocks([b"x" * 32_000] * 4)] == [2, 2]


def written(records, header=None, **packing):
    header = HeaderValues({"avro.codec": b"null", **(header or {})}, Packing(**packing))
    return container_bytes(header, records, sync_marker=SYNC)


def refused(data, **limits):
    with pytest.raises(IcebergFileError) as fault:
        read_container(data, source="m", limits=Limits(**limits))
    return str(fault.value)


def test_each_bound_of_a_file_is_the_last_allowed():
    data = written([b"12345"] * 4, block_raw_bytes=10)  # two blocks of ten bytes, two records each
    just = {"records": 4, "block_raw_bytes": 10, "raw_bytes": 20, "header_keys": 1}
    assert len(read_container(data, source="m", limits=Limits(**just)).blocks) == 2
    for name, bound in just.items():
        assert refused(data, **{**just, name: bound - 1}).startswith("m: ")
    assert "announces 2 records; 3 in all are allowed" in refused(data, records=3)
    assert "a block of 10 bytes for 2 records; 9 bytes are allowed" in refused(data, block_raw_bytes=9)
    header = {"key": b"x" * 50}
    length = len(header_bytes({"avro.codec": b"null", **header}, SYNC)) - len(SYNC) - 1
    data = written([b"1"], header)
    read_container(data, source="m", limits=Limits(header_bytes=length))
    assert f"a header of more than {length - 1} bytes" in refused(data, header_bytes=length - 1)


def test_a_block_may_hold_as_many_records_as_bytes():
    data = written([b"1"] * 5)
    assert read_container(data, source="m").blocks[0].record_count == 5
    place = data.index(SYNC) + len(SYNC)
    assert data[place] == 10  # zigzag of 5
    assert "a block of 5 bytes for 6 records" in refused(data[:place] + b"\x0c" + data[place + 1 :])
    assert "announces 0 records" in refused(data[:place] + b"\x00" + data[place + 1 :])


def test_what_a_file_may_ask_for_grows_with_its_size():
    mib = 1 << 20
    sizes = (0, mib, 1 << 40)
    assert [DEFAULT_LIMITS.raw_bytes_of(size) for size in sizes] == [64 * mib, 96 * mib, 1024 * mib]
    assert [DEFAULT_LIMITS.records_of(size) for size in sizes] == [100_000, 100_000 + mib // 4, 4_000_000]
    assert (DEFAULT_LIMITS.block_raw_bytes, DEFAULT_LIMITS.header_bytes) == (64 * mib, 16 * mib)
    assert DEFAULT_LIMITS.header_keys == 1_000


def test_a_codec_that_is_none_is_named_in_forty_letters():
    header = {"avro.codec": b"c" * 100}
    data = header_bytes(header, SYNC)
    assert f"is compressed with {'c' * 40}; only null, deflate, snappy and zstandard are read" in refused(data)


def test_a_header_key_given_twice_is_named_in_sixty_letters():
    one = header_bytes({"k" * 70: b""}, b"")[5:-1]
    data = b"Obj\x01\x04" + one + one + b"\x00" + SYNC
    assert f"has the header key {'k' * 60!r} twice" in refused(data)


@pytest.mark.parametrize("length", [0, 15, 17])
def test_a_sync_marker_has_sixteen_bytes(length):
    with pytest.raises(ValueError, match=f"a sync marker has 16 bytes, not {length}"):
        container_bytes({}, [], sync_marker=b"s" * length)


def test_a_file_that_ends_early_is_refused_wherever_it_does():
    data = written([b"12345"] * 4, {"key": b"value"}, block_raw_bytes=10)
    ends = {len(data), len(header_bytes({"avro.codec": b"null", "key": b"value"}, SYNC))}
    ends.add(len(data) - 10 - 2 - len(SYNC))  # after its first block
    for end in range(len(data) + 1):
        if end in ends:
            read_container(data[:end], source="m")
        else:
            with pytest.raises(IcebergFileError):
                read_container(data[:end], source="m")
