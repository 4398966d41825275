"""Bytes of a manifest by the entries that it holds."""

import pytest

from wasim.years.growth import SizeByCount
from wasim.years.manifest_sizes import ManifestBytes

HEADER, ENTRY, COMPACTED_MORE, SORTED_MORE = 5000.0, 100.0, 7.0, 3.0
SIZES = ManifestBytes(
    new=0.0,
    staged=0.0,
    by_count=SizeByCount([0, 1, 2], [HEADER, HEADER + ENTRY, HEADER + 2 * ENTRY]),
    compacted_more=COMPACTED_MORE,
    sorted_more=SORTED_MORE,
)


@pytest.mark.parametrize(
    ("fresh", "compacted", "by_partition", "more"),
    [
        (6, 0, 0, 0.0),
        (6, 0, 4, 4 * SORTED_MORE),
        (6, 5, 4, 5 * COMPACTED_MORE + 4 * SORTED_MORE),
        (0, 5, 0, 4 * COMPACTED_MORE),  # the first of them has no other before it
        (0, 1, 0, 0.0),
        (0.25, 0.5, 0, 0.0),
    ],
)
def test_entries_of_compacted_files_and_sorted_ones_take_more(fresh, compacted, by_partition, more):
    assert SIZES.of(fresh, compacted, by_partition) == HEADER + ENTRY * (fresh + compacted) + more
