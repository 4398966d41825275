"""A real table that nobody read: its files are the simulated ones, or as much larger as is asked for."""

from functools import cache

import numpy as np

from support.synthetic import synthetic_case
from wasim.twin import Site, shipped_profile
from wasim.years import read_shape
from wasim.years.observed import FoundFiles, FoundJson, Observed
from wasim.years.shape import Shape

CASE = synthetic_case(writer="batch", horizon_s=400.0)


@cache
def shape() -> Shape:
    return read_shape(CASE, shipped_profile(CASE), Site())


def observed(scale: float = 1.0, more: float = 0.0, **others: float) -> Observed:
    """A table whose files are of the simulated bytes, times `scale`, and `more`."""
    sizes, counts = shape().sizes, np.array([1.0, 2, 5, 20, 90, 150, 200, 400, 500])
    lists = np.array([sizes.lists.by_count.at(count) for count in counts])
    manifests = np.array([sizes.data_manifests.by_count.at(count) for count in counts])
    json = FoundJson(
        around=sizes.json.around + 700,
        log_entry=sizes.json.log_entry,
        snapshot=900.0,
        statistics=0.0,
        snapshots=400,
        logged=100,
        stored_bytes=10**6,
        is_compressed=False,
        band=0.02,
    )
    return Observed(
        made=400.0,
        json=json,
        lists=FoundFiles(counts=counts, new=np.zeros(9), bytes=more + scale * lists),
        manifests=FoundFiles(counts=counts, new=np.zeros(9), bytes=more + scale * manifests),
        **others,
    )
