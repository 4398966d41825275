"""What a manifest says of each file: data or deletes, its place, sizes and column metrics."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, IntEnum
from typing import TypeAlias

# As Avro holds it: days of a date, micros or nanos of a time, a decimal's unscaled bytes (big end first), a uuid's 16.
PartitionValue: TypeAlias = bool | int | float | str | bytes | None
FileKey: TypeAlias = tuple[str, int | None]  # path, and of a deletion vector its offset

V1_BLOCK_SIZE_BYTES = 64 << 20


class Status(IntEnum):
    """What a manifest says of a file."""

    EXISTING = 0
    ADDED = 1
    DELETED = 2


class FileContent(IntEnum):
    """What a file holds."""

    DATA = 0
    POSITION_DELETES = 1
    EQUALITY_DELETES = 2


class ManifestContent(Enum):
    """What kind of files a manifest lists; which its name does not say."""

    DATA = "data"
    DELETES = "deletes"


@dataclass(frozen=True, slots=True, kw_only=True)
class DataFileEntry:
    """A data or delete file as a manifest describes it. Metric maps keep the writer's order."""

    file_path: str
    record_count: int
    file_size_bytes: int
    content: int = FileContent.DATA
    file_format: str = "PARQUET"
    partition: tuple[PartitionValue, ...] = ()
    block_size_bytes: int = V1_BLOCK_SIZE_BYTES
    column_sizes: Mapping[int, int] | None = None
    value_counts: Mapping[int, int] | None = None
    null_value_counts: Mapping[int, int] | None = None
    nan_value_counts: Mapping[int, int] | None = None
    lower_bounds: Mapping[int, bytes] | None = None
    upper_bounds: Mapping[int, bytes] | None = None
    key_metadata: bytes | None = None
    split_offsets: tuple[int, ...] | None = None
    equality_ids: tuple[int, ...] | None = None
    sort_order_id: int | None = None
    first_row_id: int | None = None
    referenced_data_file: str | None = None
    content_offset: int | None = None
    content_size_bytes: int | None = None


def key_of(file: DataFileEntry) -> FileKey:
    """What identifies a file: its path, and for a deletion vector its place in the Puffin file too."""
    return file.file_path, file.content_offset


@dataclass(frozen=True, slots=True, kw_only=True)
class ManifestEntry:
    """One file in a manifest. A None of snapshot id or sequence numbers is inherited from the manifest list."""

    status: int
    file: DataFileEntry
    snapshot_id: int | None = None
    sequence_number: int | None = None
    file_sequence_number: int | None = None
