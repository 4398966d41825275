"""Blocks packed and inflated within bounds."""

import gzip

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from wasim.iceberg import IcebergFileError
from wasim.iceberg.codecs import (
    CODECS,
    DEFAULT_LEVELS,
    FREE_TEXT_BYTES,
    LEVELS,
    TEXT_BYTES_PER_BYTE,
    CorruptBlock,
    decompressed,
    gunzip,
    gzip_bytes,
    inflate,
    pack,
)

PACKED = [codec for codec in CODECS if codec != "null"]


@given(raw=st.binary(max_size=2_000), codec=st.sampled_from(PACKED), data=st.data())
def test_a_block_inflates_to_no_byte_more_than_allowed(raw, codec, data):
    level = data.draw(st.sampled_from(list(LEVELS.get(codec, [0]))))
    stored = pack(codec, raw, level)
    assert inflate(codec, stored, len(raw)) == raw
    if raw:
        with pytest.raises(CorruptBlock, match=f"inflates to more than {len(raw) - 1} bytes"):
            inflate(codec, stored, len(raw) - 1)


@pytest.mark.parametrize("codec", PACKED)
def test_a_block_cut_short_is_corrupt(codec):
    stored = pack(codec, b"records of some length " * 40)
    for end in (0, 1, 5, len(stored) - 1):
        with pytest.raises(CorruptBlock):
            inflate(codec, stored[:end], 10_000)


def test_a_snappy_block_ends_with_the_checksum_of_its_records():
    stored = pack("snappy", b"records of some length " * 40)
    for changed in (stored[:-1] + bytes([stored[-1] ^ 1]), stored[:9] + bytes([stored[9] ^ 1]) + stored[10:]):
        with pytest.raises(CorruptBlock):
            inflate("snappy", changed, 10_000)


def test_more_behind_a_zstandard_block_is_corrupt():
    stored = pack("zstandard", b"records")
    for more in (b"x", b"x" * 600):
        with pytest.raises(CorruptBlock, match="more behind"):
            inflate("zstandard", stored + more, 10_000)


def test_levels_are_those_of_icebergs_codecs():
    assert {codec: (min(levels), max(levels)) for codec, levels in LEVELS.items()} == {
        "deflate": (-1, 9),  # of Java's Deflater, -1 its default
        "zstandard": (-7, 22),
    }
    assert DEFAULT_LEVELS == {"deflate": 9, "zstandard": 1}
    raw = bytes(range(256)) * 40
    for codec, level in DEFAULT_LEVELS.items():
        assert pack(codec, raw) == pack(codec, raw, level)


def test_a_codec_of_no_name_is_refused():
    with pytest.raises(ValueError, match="codec bzip2 is none of null, deflate, snappy, zstandard"):
        pack("bzip2", b"")


PACKERS = {"gzip": gzip_bytes, "zstandard": zstandard.ZstdCompressor().compress}


@pytest.mark.parametrize("packer", PACKERS)
@given(text=st.binary(min_size=1, max_size=2_000))
def test_a_file_inflates_to_no_byte_more_than_allowed(packer, text):
    data = PACKERS[packer](text)
    assert decompressed(data, source="f", most_bytes=len(text)) == text
    with pytest.raises(IcebergFileError, match=f"inflates to more than {len(text) - 1} bytes"):
        decompressed(data, source="f", most_bytes=len(text) - 1)
    for end in (5, len(data) // 2, len(data) - 1):
        with pytest.raises(IcebergFileError):
            decompressed(data[:end], source="f", most_bytes=10_000)


def test_files_may_inflate_to_16_mib_and_forty_times():
    assert (FREE_TEXT_BYTES, TEXT_BYTES_PER_BYTE) == (16 << 20, 40)
    free = gzip_bytes(bytes(FREE_TEXT_BYTES))
    assert len(gunzip(free, source="f", most_bytes=1 << 30)) == FREE_TEXT_BYTES
    more = free + gzip_bytes(bytes(TEXT_BYTES_PER_BYTE * (len(free) + 2_000)))
    with pytest.raises(IcebergFileError, match=f"inflates to more than {FREE_TEXT_BYTES + 40 * len(more)} bytes"):
        gunzip(more, source="f", most_bytes=1 << 30)


def test_members_are_joined_and_what_follows_them_passed_over():
    data = gzip_bytes(b"one ") + gzip.compress(b"two")
    assert gunzip(data, source="f", most_bytes=7) == b"one two"
    assert gunzip(data + b"\x00" * 9, source="f", most_bytes=7) == b"one two"


def test_what_is_not_compressed_is_left_alone():
    assert decompressed(b"{}", source="f", most_bytes=0) == b"{}"


@given(text=st.binary(max_size=500))
def test_gzip_reads_what_is_written_as_java_writes_it(text):
    data = gzip_bytes(text)
    assert gzip.decompress(data) == text
    assert data[:10].hex() == "1f8b08000000000000ff"
