"""Ids as Iceberg draws them, from a given generator."""

from dataclasses import dataclass
from uuid import UUID

import numpy as np

LONG_MAX = 2**63 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitIdentity:
    """What identifies a commit in names, entries and lists."""

    snapshot_id: int
    uuid: str
    sequence_number: int


def draw_identity(sequence_number: int, rng: np.random.Generator) -> CommitIdentity:
    """The identity of the commit that takes this sequence number."""
    return CommitIdentity(snapshot_id=draw_snapshot_id(rng), uuid=str(draw_uuid(rng)), sequence_number=sequence_number)


def draw_uuid(rng: np.random.Generator) -> UUID:
    """A random UUID of version 4."""
    return UUID(bytes=rng.bytes(16), version=4)


def draw_snapshot_id(rng: np.random.Generator) -> int:
    """A snapshot id: both halves of a random UUID, folded into 63 bits."""
    number = draw_uuid(rng).int
    return (number >> 64 ^ number) & LONG_MAX
