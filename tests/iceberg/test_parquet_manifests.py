"""Manifests of format version 4, in Parquet, as Arrow writes and reads them; tests/core has real ones."""

import io
import os
import signal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.parquet_manifests import SCHEMA, SPEC, entry

from wasim.iceberg import IcebergFileError, ManifestContent, parquet_process, read_manifest
from wasim.iceberg.manifests import read_manifest_header
from wasim.iceberg.parquet_manifests import parquet_manifest_bytes, parquet_manifest_length, read_parquet_manifest


def written(count: int = 3) -> bytes:
    return parquet_manifest_bytes(SCHEMA, SPEC, ManifestContent.DELETES, [entry(number) for number in range(count)])


def test_what_is_written_reads_back() -> None:
    manifest = read_manifest(written(), source="m0")
    assert manifest.entries == tuple(entry(number) for number in range(3))
    assert (manifest.header.schema, manifest.header.spec) == (SCHEMA, SPEC)
    assert (manifest.header.format_version, manifest.header.content) == (4, ManifestContent.DELETES)
    assert read_manifest_header(written(), source="m0") == manifest.header


def test_a_manifest_in_parquet_is_mostly_footer() -> None:
    lengths = [
        parquet_manifest_length(SCHEMA, SPEC, ManifestContent.DATA, [entry(n) for n in range(count)])
        for count in (1, 100, 200)
    ]
    assert 11_000 < lengths[0] < 14_000
    assert lengths[2] - lengths[1] < 100 * 50


@pytest.mark.parametrize("damage", [lambda data: data[:-9], lambda data: data[:400] + data[500:], lambda data: b"PAR1"])
def test_a_damaged_file_is_refused_by_name(damage) -> None:
    with pytest.raises(IcebergFileError, match=r"^m0: "):
        read_manifest(damage(written()), source="m0")


def test_a_parquet_file_that_is_no_manifest_is_refused() -> None:
    sink = io.BytesIO()
    pq.write_table(pa.table({"id": [1]}), sink)
    with pytest.raises(IcebergFileError, match="holds no schema and partition-spec"):
        read_manifest(sink.getvalue(), source="m0")


def test_a_bomb_is_refused_before_it_is_inflated() -> None:
    sink = io.BytesIO()
    mebibyte = pa.record_batch({"id": pa.array([bytes(1 << 20)], type=pa.binary())})
    with pq.ParquetWriter(sink, mebibyte.schema, compression="zstd", use_dictionary=False) as writer:
        for _ in range(300):
            writer.write_batch(mebibyte)
    with pytest.raises(IcebergFileError, match="more entries or bytes"):
        read_manifest(sink.getvalue(), source="m0")


def test_the_reader_recovers_from_a_manifest_that_ends_it(monkeypatch) -> None:
    sound = read_manifest(written(), source="m0")
    for signal_number, problem in ((signal.SIGABRT, "ends the process"), (signal.SIGSTOP, "more than 0.2 seconds")):
        monkeypatch.setattr(parquet_process, "MOST_SECONDS", 0.2)
        os.kill(parquet_process._READER.process.pid, signal_number)
        with pytest.raises(IcebergFileError, match=f"^m0: .*{problem}"):
            read_manifest(written(), source="m0")
        monkeypatch.undo()
        assert read_manifest(written(), source="m0") == sound


def test_a_column_of_another_type_is_refused() -> None:
    table = pq.read_table(io.BytesIO(written()))
    field = table.schema.field("status")
    texts = pa.array(["added"] * len(table))
    other = table.set_column(0, pa.field("status", pa.string(), metadata=field.metadata), texts)
    sink = io.BytesIO()
    pq.write_table(other, sink)
    with pytest.raises(IcebergFileError, match="field 0 is text, not integer"):
        read_manifest(sink.getvalue(), source="m0")


def test_what_is_not_wanted_is_not_read() -> None:
    wanted = read_parquet_manifest(written(), source="m0", wanted=frozenset({0, 2, 100}))
    assert wanted.rows[1] == {"f0": 1, "f2": {"f100": entry(1).file.file_path}}
