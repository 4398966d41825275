"""Iceberg's hash for buckets."""

import numpy as np

from wasim.twin.bounds import decimal_bytes
from wasim.twin.hashing import murmur3_32, murmur3_32_of_ints, murmur3_32_of_longs


def test_bucket_hashes_are_those_of_the_specification():
    assert murmur3_32((34).to_bytes(8, "little")) == 2017239379
    assert murmur3_32(b"iceberg") == 1210000089
    assert murmur3_32(bytes([0, 1, 2, 3])) == -188683207
    assert murmur3_32(decimal_bytes(1420)) == -500754589
    assert murmur3_32((17486).to_bytes(8, "little")) == -653330422


def test_many_numbers_have_the_hashes_that_each_has_alone():
    numbers = np.array([0, 1, -1, 34, 17486, 2**62, -(2**63), 2**63 - 1])
    alone = [murmur3_32(number.to_bytes(8, "little", signed=True)) for number in numbers.tolist()]
    assert murmur3_32_of_longs(numbers).tolist() == alone
    words = np.array([0, 1, -1, 34, 17486, -(2**31), 2**31 - 1])
    alone = [murmur3_32(number.to_bytes(4, "little", signed=True)) for number in words.tolist()]
    assert murmur3_32_of_ints(words).tolist() == alone
