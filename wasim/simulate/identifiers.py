"""Ids as Iceberg draws them, from a given generator."""

from uuid import UUID

import numpy as np

LONG_MAX = 2**63 - 1


def draw_uuid(rng: np.random.Generator) -> UUID:
    """A random UUID of version 4."""
    return UUID(bytes=rng.bytes(16), version=4)


def draw_snapshot_id(rng: np.random.Generator) -> int:
    """A snapshot id: both halves of a random UUID, folded into 63 bits."""
    number = draw_uuid(rng).int
    return (number >> 64 ^ number) & LONG_MAX
