"""One metadata file, readable."""

import json
import struct

import pytest
from support.paths import DATA

from wasim.doctor.file_view import PUFFIN_MAGIC, file_view_document, read_bound, render_file_view, view_file
from wasim.iceberg import IcebergFileError
from wasim.iceberg.schemas import NestedField, PrimitiveType, Schema

FILES = sorted(path for path in DATA.glob("tables/*/metadata/*") if path.suffix in (".avro", ".json", ".stats"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parts[-3]}/{path.name[:12]}")
def test_every_real_file_is_shown_and_is_json(path):
    view = view_file(path.read_bytes(), source=path.name)
    assert json.loads(json.dumps(file_view_document(view)))["schema_version"] == 1
    lines = list(render_file_view(view, 2))
    assert lines[0] == f"{view.kind.replace('_', ' ')}: {len(view.records):,} records"


@pytest.mark.parametrize(
    ("kind", "bound", "shown"),
    [
        ("int", struct.pack("<i", -7), -7),
        ("long", struct.pack("<q", 1 << 40), 1 << 40),
        ("double", struct.pack("<d", 0.5), "0.5"),
        ("boolean", b"\x01", True),
        ("date", struct.pack("<i", 1), "1970-01-02"),
        ("time", struct.pack("<q", 1_000_000), "00:00:01"),
        ("timestamp", struct.pack("<q", 1), "1970-01-01T00:00:00.000001+00:00"),
        ("timestamptz_ns", struct.pack("<q", 1_000), "1970-01-01T00:00:00.000001+00:00"),
        ("string", "é".encode(), "é"),
        ("decimal(9, 2)", (-1234).to_bytes(2, "big", signed=True), "-12.34"),
        ("fixed[2]", b"\x00\xff", "0x00ff"),
        ("string", b"\xff", "0xff"),
        ("date", struct.pack("<i", 2**31 - 1), "0xffffff7f"),
    ],
)
def test_a_bound_is_shown_by_its_column_s_type(kind, bound, shown):
    schema = Schema(columns=(NestedField(field_id=1, name="c", type=PrimitiveType(kind)),))
    assert read_bound(bound, schema, 1) == shown


def puffin(footer, size=None, flags=0):
    text = json.dumps(footer).encode()
    tail = struct.pack("<iI", len(text) if size is None else size, flags)
    return PUFFIN_MAGIC + b"blob" + PUFFIN_MAGIC + text + tail + PUFFIN_MAGIC


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (puffin({}, size=-1), "cannot be -1 bytes"),
        (puffin({}, size=1 << 30), "cannot be 1073741824 bytes"),
        (puffin({}, flags=1), "compressed with lz4"),
        (puffin({"blobs": [{"type": "t", "fields": [], "offset": 4, "length": 99}]}), "lies outside it"),
        (PUFFIN_MAGIC, "without a footer"),
        (b"PAR1", "Parquet"),
        (b"ORC", "not JSON"),
        (b"", "is empty"),
        (b"AGS1\x00", "is encrypted"),
    ],
)
def test_what_is_no_metadata_file_is_refused(data, problem):
    with pytest.raises(IcebergFileError, match=problem):
        view_file(data, source="f")
