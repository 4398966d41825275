"""Ids as Iceberg draws them."""

from uuid import RFC_4122, UUID

import numpy as np

from wasim.twin.identifiers import LONG_MAX, draw_snapshot_id, draw_uuid


def test_snapshot_ids_fill_63_bits():
    rng = np.random.default_rng(0)
    drawn = np.array([draw_snapshot_id(rng) for _ in range(4000)])
    assert drawn.min() >= 0
    assert drawn.max() <= LONG_MAX
    assert abs(np.mean(drawn / LONG_MAX) - 0.5) < 0.03


def test_uuids_are_of_version_4():
    drawn = [UUID(draw_uuid(np.random.default_rng(seed))) for seed in range(50)]
    assert {(one.version, one.variant) for one in drawn} == {(4, RFC_4122)}
    assert len(set(drawn)) == 50
