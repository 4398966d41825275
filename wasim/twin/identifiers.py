"""Ids as Iceberg draws them, from a given generator."""

from dataclasses import dataclass

import numpy as np

LONG_MAX = 2**63 - 1
_FIXED_BITS = 0xF << 76 | 0x3 << 62  # version and variant
_VERSION_4 = 0x4 << 76 | 0x2 << 62


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitIdentity:
    """What identifies a commit in names, entries and lists."""

    snapshot_id: int
    uuid: str
    sequence_number: int


def draw_identity(sequence_number: int, rng: np.random.Generator) -> CommitIdentity:
    """The identity of the commit that takes this sequence number."""
    return CommitIdentity(snapshot_id=draw_snapshot_id(rng), uuid=draw_uuid(rng), sequence_number=sequence_number)


def draw_uuid(rng: np.random.Generator) -> str:
    """A random UUID of version 4, as text."""
    text = f"{_draw_uuid_number(rng):032x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def draw_snapshot_id(rng: np.random.Generator) -> int:
    """A snapshot id: both halves of a random UUID, folded into 63 bits."""
    number = _draw_uuid_number(rng)
    return (number >> 64 ^ number) & LONG_MAX


def _draw_uuid_number(rng: np.random.Generator) -> int:
    # `uuid.UUID` makes the same number five times slower, and each commit draws three.
    return int.from_bytes(rng.bytes(16), "big") & ~_FIXED_BITS | _VERSION_4
