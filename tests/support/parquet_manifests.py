"""A table's schema, spec and entries, for manifests of format version 4."""

from wasim.iceberg import DataFileEntry, ManifestEntry
from wasim.iceberg.schemas import NestedField, PrimitiveType, Schema
from wasim.iceberg.specs import PartitionField, PartitionSpec

COLUMNS = (("id", "long"), ("at", "timestamptz"), ("price", "decimal(10, 2)"), ("day", "date"))
SCHEMA = Schema(
    columns=tuple(
        NestedField(field_id=number, name=name, type=PrimitiveType(kind))
        for number, (name, kind) in enumerate(COLUMNS, 1)
    )
)
SPEC = PartitionSpec(
    spec_id=0,
    fields=(
        PartitionField(field_id=1000, name="at_hour", source_id=2, transform="hour"),
        PartitionField(field_id=1001, name="price", source_id=3, transform="identity"),
        PartitionField(field_id=1002, name="day", source_id=4, transform="identity"),
    ),
)


def entry(number: int) -> ManifestEntry:
    file = DataFileEntry(
        file_path=f"file:/w/t/data/{number:05d}.parquet",
        record_count=10,
        file_size_bytes=1000 + number,
        partition=(490_000 + number, (-1234).to_bytes(2, "big", signed=True), 20_000),
        column_sizes={1: 50, 2: 60},
        value_counts={1: 10, 2: 10},
        null_value_counts={1: 0, 2: 0},
        nan_value_counts={},
        lower_bounds={1: bytes(8), 2: bytes(8)},
        upper_bounds={1: b"\x09" + bytes(7), 2: b"\x01" * 8},
        split_offsets=(4,),
        sort_order_id=0,
    )
    return ManifestEntry(status=1, snapshot_id=2**62 + number, file=file)
