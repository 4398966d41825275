"""Content files as JSON: what the specification says, and what Iceberg's own parser makes of it."""

import json
from pathlib import Path

import pytest

from wasim.core.described import content_file_json
from wasim.iceberg import DataFileEntry, read_manifest
from wasim.iceberg.record_fields import FileContent, ManifestContent
from wasim.iceberg.schemas import PrimitiveType
from wasim.spark import Session

ROWS = DataFileEntry(
    file_path="file:/t/data/a.parquet",
    record_count=3,
    file_size_bytes=700,
    column_sizes={1: 60},
    value_counts={1: 3},
    null_value_counts={1: 0},
    nan_value_counts={},
    lower_bounds={1: bytes(8)},
    upper_bounds={1: b"\x02" + bytes(7)},
    split_offsets=(4,),
    sort_order_id=0,
)
DELETES = {
    "by position": DataFileEntry(
        file_path="file:/t/data/b-deletes.parquet",
        record_count=1,
        file_size_bytes=1500,
        content=FileContent.POSITION_DELETES,
        lower_bounds={2147483546: b"file:/t/data/a.parquet"},
        upper_bounds={2147483546: b"file:/t/data/a.parquet"},
        referenced_data_file="file:/t/data/a.parquet",
        split_offsets=(4,),
    ),
    "by equality": DataFileEntry(
        file_path="file:/t/data/c-deletes.parquet",
        record_count=2,
        file_size_bytes=500,
        content=FileContent.EQUALITY_DELETES,
        column_sizes={1: 50},
        value_counts={1: 2},
        null_value_counts={1: 0},
        nan_value_counts={},
        lower_bounds={1: bytes(8)},
        upper_bounds={1: b"\x01" + bytes(7)},
        split_offsets=(4,),
        equality_ids=(1,),
        sort_order_id=0,
    ),
    "by vector": DataFileEntry(
        file_path="file:/t/data/d-deletes.puffin",
        record_count=1,
        file_size_bytes=400,
        content=FileContent.POSITION_DELETES,
        file_format="PUFFIN",
        referenced_data_file="file:/t/data/a.parquet",
        content_offset=4,
        content_size_bytes=40,
    ),
}
SCHEMA = {"type": "struct", "schema-id": 0, "fields": [{"id": 1, "name": "event_id", "required": True, "type": "long"}]}


def test_a_partition_value_is_written_as_the_specification_says() -> None:
    values = {
        "date": (20454, "2026-01-01"),
        "timestamptz": (1_767_225_600_000_001, "2026-01-01T00:00:00.000001+00:00"),
        "timestamp": (1_767_225_600_000_000, "2026-01-01T00:00:00.000000"),
        "decimal(10, 2)": (b"\xff\x85", "-1.23"),
        "decimal(20, 0)": (b"\x7b", "123"),
        "binary": (b"\x01\xff", "01FF"),
        "string": ("a b", "a b"),
        "int": (5, 5),
        "boolean": (True, True),
    }
    for name, (value, expected) in values.items():
        file = DataFileEntry(file_path="f", record_count=1, file_size_bytes=2, partition=(value,))
        assert content_file_json(file, [PrimitiveType(name)])["partition"] == [expected]


def test_only_what_is_there_is_written() -> None:
    file = DataFileEntry(file_path="f", record_count=1, file_size_bytes=2, lower_bounds={3: b"\x0a"})
    assert content_file_json(file, []) == {
        "spec-id": 0,
        "content": "data",
        "file-path": "f",
        "file-format": "PARQUET",
        "file-size-in-bytes": 2,
        "record-count": 1,
        "lower-bounds": {"keys": [3], "values": ["0A"]},
    }


def test_a_delete_file_says_what_it_deletes_and_where() -> None:
    kinds = {name: content_file_json(file, []) for name, file in DELETES.items()}
    assert [one["content"] for one in kinds.values()] == ["position-deletes", "equality-deletes", "position-deletes"]
    assert kinds["by equality"]["equality-ids"] == (1,)
    told = ("referenced-data-file", "content-offset", "content-size-in-bytes")
    assert [kinds["by vector"][name] for name in told] == ["file:/t/data/a.parquet", 4, 40]
    assert [name for name in told if name in kinds["by equality"]] == []


@pytest.mark.parametrize(("name", "version"), [("by position", 2), ("by equality", 2), ("by vector", 3)])
def test_the_library_lists_a_delete_file_as_it_was_described(
    name: str, version: int, session: Session, tmp_path: Path
) -> None:
    iceberg, properties = session.jvm.org.apache.iceberg, session.jvm.java.util.HashMap()
    properties.put("format-version", str(version))
    table = iceberg.hadoop.HadoopTables(session.jvm.org.apache.hadoop.conf.Configuration()).create(
        iceberg.SchemaParser.fromJson(json.dumps(SCHEMA)),
        iceberg.PartitionSpec.unpartitioned(),
        properties,
        str(tmp_path / "table"),
    )
    (tmp_path / "journal").mkdir()
    line = {
        "way": "row_delta",
        "summary": {},
        "files": [content_file_json(ROWS, [])],
        "deletes": [content_file_json(DELETES[name], [])],
        "removed": [],
        "rows": [0, 0],
    }
    session.commit_change(table, json.dumps(line), journal=session.journal(tmp_path / "journal"))
    manifests = [
        read_manifest(path.read_bytes(), source="") for path in (tmp_path / "table").glob("metadata/*-m*.avro")
    ]
    listed = {manifest.header.content: [entry.file for entry in manifest.entries] for manifest in manifests}
    assert listed == {ManifestContent.DATA: [ROWS], ManifestContent.DELETES: [DELETES[name]]}
