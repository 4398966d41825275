"""Compressed files inflate to the byte that is allowed, and no further."""

import gzip

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from wasim.iceberg import IcebergFileError
from wasim.iceberg.gzip_files import FREE_TEXT_BYTES, TEXT_BYTES_PER_BYTE, decompressed, gunzip, gzip_bytes

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
