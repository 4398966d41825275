"""Ids as Iceberg draws them, from a given generator."""

from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np

LONG_MAX = 2**63 - 1
_FIXED_BITS = 0xF << 76 | 0x3 << 62  # version and variant
_VERSION_4 = 0x4 << 76 | 0x2 << 62
_UUID_BYTES = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitIdentity:
    """What identifies a commit in names, entries and lists."""

    snapshot_id: int
    uuid: str
    sequence_number: int


def draw_identity(sequence_number: int, rng: np.random.Generator) -> CommitIdentity:
    """The identity of the commit that takes this sequence number."""
    first, second = draw_uuid_numbers(2, rng)
    return CommitIdentity(snapshot_id=snapshot_id_of(first), uuid=text_of_uuid(second), sequence_number=sequence_number)


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
