"""Ids as Iceberg draws them, from a given generator; and where the files of a table go."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np

from wasim.iceberg.properties import TableProperties
from wasim.twin.hashing import murmur3_32

LONG_MAX = 2**63 - 1
_FIXED_BITS = 0xF << 76 | 0x3 << 62  # version and variant
_VERSION_4 = 0x4 << 76 | 0x2 << 62
_UUID_BYTES = 16
_HASH_BITS = 20
_FOLDER_BITS = 4
_FOLDERS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitIdentity:
    """What identifies a commit in names, entries and lists."""

    snapshot_id: int
    uuid: str
    sequence_number: int


def draw_identity(sequence_number: int, rng: np.random.Generator) -> CommitIdentity:
    """The identity of the commit that takes this sequence number."""
    return draw_identities([sequence_number], rng)[0]


def draw_identities(sequence_numbers: Sequence[int], rng: np.random.Generator) -> list[CommitIdentity]:
    """The identities of the commits that take these sequence numbers."""
    drawn = iter(draw_uuid_numbers(2 * len(sequence_numbers), rng))
    return [
        CommitIdentity(snapshot_id=snapshot_id_of(next(drawn)), uuid=text_of_uuid(next(drawn)), sequence_number=number)
        for number in sequence_numbers
    ]


def draw_uuid(rng: np.random.Generator) -> str:
    """A random UUID of version 4, as text."""
    return text_of_uuid(*draw_uuid_numbers(1, rng))


def trino_query(wall_ms: int, number: int) -> str:
    """A query's id as Trino makes it: when it began, its number on that day, and a coordinator's five letters."""
    began = datetime.fromtimestamp(wall_ms / 1000, UTC)
    return f"{began:%Y%m%d_%H%M%S}_{number % 100_000:05d}_wasim"


def draw_snapshot_id(rng: np.random.Generator) -> int:
    """A snapshot id: both halves of a random UUID, folded into 63 bits."""
    return snapshot_id_of(*draw_uuid_numbers(1, rng))


def text_of_uuid(number: int) -> str:
    """A UUID as text."""
    text = f"{number:032x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def snapshot_id_of(number: int) -> int:
    """The snapshot id that Iceberg makes of a UUID."""
    return (number >> 64 ^ number) & LONG_MAX


def draw_uuid_numbers(count: int, rng: np.random.Generator) -> list[int]:
    """Random UUIDs of version 4, as numbers: drawn together they are the same as one by one."""
    # `uuid.UUID` makes the same number five times slower, and each commit draws three.
    data = rng.bytes(_UUID_BYTES * count)
    numbers = [int.from_bytes(data[at : at + _UUID_BYTES], "big") for at in range(0, len(data), _UUID_BYTES)]
    return [number & ~_FIXED_BITS | _VERSION_4 for number in numbers]


@dataclass(frozen=True, slots=True, kw_only=True)
class Locations:
    """Folders of a table at `table`. In `data`, files may be spread by a hash of their names.

    Where they are, partitions need not have folders; without, the hash's last part leads the file's name.
    """

    table: str
    data: str
    metadata: str
    is_spread: bool = False
    has_partition_folders: bool = True

    def metadata_file(self, name: str) -> str:
        """The path of a metadata file."""
        return f"{self.metadata}/{name}"

    def data_file(self, folder: str, name: str) -> str:
        """The path of a data or delete file; `folder` is its partition's, with a slash at the end, or empty."""
        if not self.is_spread:
            return f"{self.data}/{folder}{name}"
        if self.has_partition_folders:
            return f"{self.data}/{_spread(folder + name)}/{folder}{name}"
        return f"{self.data}/{_spread(name)}-{name}"

    def relative(self, path: str) -> str:
        """The path of a file within the table."""
        return path.removeprefix(f"{self.table}/")


def locations_of(location: str, properties: TableProperties) -> Locations:
    """Where a table at that location puts its files; the properties' own locations are relative to it."""
    return Locations(
        table=location,
        data=f"{location}/{properties.write_data_location or 'data'}",
        metadata=f"{location}/{properties.write_metadata_location or 'metadata'}",
        is_spread=properties.object_store_enabled,
        has_partition_folders=properties.object_store_partitioned_paths,
    )


def _spread(name: str) -> str:
    """The last bits of the name's hash, as folders of four bits and what is left: 0110/1001/0011/11001010."""
    bits = f"{murmur3_32(name.encode()) & (1 << _HASH_BITS) - 1:0{_HASH_BITS}b}"
    folders = [bits[place * _FOLDER_BITS : (place + 1) * _FOLDER_BITS] for place in range(_FOLDERS)]
    return "/".join([*folders, bits[_FOLDERS * _FOLDER_BITS :]])
