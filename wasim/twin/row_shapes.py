"""The columns that a table had when a row was written: what evolves a table leaves older rows as they are."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wasim.twin.row_sets import AS_ARRIVED
from wasim.twin.schema import Leaf
from wasim.units import Ints

Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """Columns by field id: of rows that arrive from a `number` on, and of values that statements from a `version` on
    give.
    """

    number: int
    version: int
    leaves: Mapping[int, Leaf]


def shapes_of(shapes: Sequence[Shape], numbers: Ints, versions: Ints) -> Ints:
    """The place of the shape in which each row was written: by its number if it is as it arrived, else by version."""
    arrived = np.searchsorted([shape.number for shape in shapes], numbers, side="right") - 1
    changed = np.searchsorted([shape.version for shape in shapes], versions, side="right") - 1
    return np.asarray(np.where(versions == AS_ARRIVED, arrived, changed))


def holding(shapes: Sequence[Shape], leaf: Leaf) -> Mask:
    """Which of the shapes have the column."""
    return np.array([leaf.field_id in shape.leaves for shape in shapes], dtype=np.bool_)
