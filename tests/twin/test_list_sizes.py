"""Sizes of manifest lists whose blocks come again: nearly those of the files as written, for little deflating."""

import numpy as np
import pytest

from wasim.iceberg.containers import block_ranges, container_bytes
from wasim.twin.list_sizes import ListSizes

HEADER = {"avro.codec": b"deflate", "avro.schema": b"{}", "format-version": b"2"}


def record(number: int) -> bytes:
    """Texts of many lengths, as names and counts have them."""
    rng = np.random.default_rng(number)
    return f"{number}/".encode() + rng.bytes(16).hex().encode() * 6 + b"x" * int(rng.integers(40))


def test_list_lengths_are_met_within_two_thousandths():
    sizes, sync, records, lists = ListSizes(), bytes(16), [], []
    for number in range(1500):
        records = [record(number), *records]
        if number == 900:  # one in the middle is replaced
            records[300] = record(10_000)
        if number == 1200:  # all are rewritten
            records = [record(20_000 + place) for place in range(700)]
        if number % 7 == 0:
            lists.append((tuple(records), sizes.of(HEADER, records)))
    measured = [size for _, size in lists]
    written = [len(container_bytes(HEADER, every, sync_marker=sync)) for every, _ in lists]
    assert measured == pytest.approx(written, rel=0.002)
    assert sum(measured) == pytest.approx(sum(written), rel=0.0003)
    short = [place for place, (every, _) in enumerate(lists) if len(every) < 64]
    assert [measured[place] for place in short] == [written[place] for place in short]


def test_few_blocks_are_deflated(monkeypatch):
    deflated: list[int] = []
    monkeypatch.setattr("wasim.iceberg.containers.pack", lambda _, raw, level: deflated.append(len(raw)) or raw)
    sizes, records, blocks = ListSizes(), [], 0
    for number in range(1500):
        records = [record(number), *records]
        blocks += len(block_ranges(records))
        sizes.of(HEADER, records)
    assert 63 < len(deflated) < 500 < blocks / 5
