"""The order of Java's hash maps, by how many buckets they have."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wasim.iceberg.hash_order import (
    hashed_order,
    iceberg_partition_hash,
    iceberg_text_hash,
    java_copy_order,
    java_map_order,
    java_string_hash,
)


def buckets_of(order, count):
    """How many buckets a map of so many keys has: the only number that the keys 1 and `buckets` tell apart."""
    found = []
    for buckets in (2**power for power in range(1, 12)):
        keys = [buckets, 1, *(4096 * number for number in range(1, count - 1))]
        other = [buckets // 2, 1, *(4096 * number for number in range(1, count - 1))]
        # `buckets` falls into the first of so many buckets, and half of it does not
        first, last = order(keys), order(other)
        if first.index(buckets) < first.index(1) and (buckets == 2 or last.index(buckets // 2) > last.index(1)):
            found.append(buckets)
    return found


@pytest.mark.parametrize(("count", "buckets"), [(2, 16), (12, 16), (13, 32), (24, 32), (25, 64), (48, 64), (49, 128)])
def test_a_map_that_is_filled_doubles_beyond_three_quarters(count, buckets):
    assert buckets_of(java_map_order, count) == [buckets]


# the least power of two that is at least count ÷ 0.75 + 1, rounded down
@pytest.mark.parametrize(
    ("count", "buckets"), [(2, 4), (3, 8), (5, 8), (6, 16), (11, 16), (12, 32), (23, 32), (24, 64), (47, 64), (48, 128)]
)
def test_a_copied_map_is_as_large_as_java_17_s(count, buckets):
    assert buckets_of(java_copy_order, count) == [buckets]


@given(keys=st.lists(st.integers(-(2**31), 2**31 - 1) | st.text(max_size=5), max_size=40))
def test_every_key_comes_once(keys):
    for order in (java_map_order, java_copy_order):
        found = order(keys)
        assert len(found) == len(set(keys))
        assert set(found) == set(keys)


@pytest.mark.parametrize(
    ("text", "hashed"), [("", 0), ("a", 97), ("Aa", 2112), ("BB", 2112), ("hello", 99162322), ("😀", 1772899)]
)
def test_a_string_hashes_as_in_java(text, hashed):
    assert java_string_hash(text) == hashed


def test_high_bits_of_a_hash_count_too():
    assert java_map_order([1 << 16, 0]) == [0, 1 << 16]


def test_partitions_and_paths_hash_as_in_iceberg():
    by_region_and_day = [(region, 20454) for region in range(6)]  # whose delete files Spark wrote in this order
    regions = [region for region, _ in hashed_order(by_region_and_day, iceberg_partition_hash)]
    assert regions == [4, 2, 0, 5, 3, 1]
    assert iceberg_text_hash("ab") == (177 * 31 + 97) * 31 + 98
    assert iceberg_partition_hash(("ab", None)) == ((97 * 41 + 2) * 41 + iceberg_text_hash("ab")) * 41 % 2**32
