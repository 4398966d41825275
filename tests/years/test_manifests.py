"""Rules of manifests over runs of like ones: what Iceberg does to single manifests, done to many at once."""

import pytest

from wasim.rules.merging import MergePolicy
from wasim.years.flows import DATA, Flow, no_flows
from wasim.years.manifests import ManifestRuns
from wasim.years.packing import Run


def bytes_of(fresh: float, compacted: float, by_partition: float) -> float:
    return 100 + 10 * (fresh + compacted)


def manifests(runs: list[tuple[int, int]], **policy: int) -> ManifestRuns:
    rules = MergePolicy(enabled=True, **{"min_count": 5, "target_bytes": 1000} | policy)
    listed = [Run(count=float(count), bytes=float(size), fresh=1.0) for count, size in runs]
    return ManifestRuns(policy=rules, bytes_of=bytes_of, group=DATA, runs=listed)


def test_entries_survive_merges_and_rewrites():
    table = manifests([(7, 300), (2, 950), (30, 110)])
    flows = no_flows()
    table.merge(flows)
    table.settle()
    assert table.entries == 39
    assert table.rewrite(flows)
    assert table.entries == 39
    assert table.count == -(-flows[Flow.REPLACED_MANIFESTS + 1] // 1000) or table.count >= 1


def test_a_manifest_is_written_again_where_one_of_its_entries_goes():
    table = manifests([(10, 110)])
    table.runs[0].settled = 1.0
    flows = no_flows()
    assert table.filter(1.0, 0.0, 0.0, flows) == 10
    assert table.entries == 10
    assert flows[Flow.WRITTEN_MANIFESTS] == flows[Flow.REPLACED_MANIFESTS] == 10


def test_entries_of_closed_partitions_are_settled_oldest_first():
    table = manifests([(4, 110), (6, 111)])
    table.settle_entries("fresh", 5.0)
    assert [round(run.settled, 6) for run in table.runs] == [1.0, 1.0, 0.0]
    assert table.entries_of("fresh") == 5


@pytest.mark.parametrize(("entries", "count", "size"), [(160, 2, 850), (370, 12, 400)], ids=["larger", "more"])
def test_manifests_grow_over_a_leap_or_become_more_where_full(entries, count, size):
    table = manifests([(2, 400), (1, 200)])
    for run, held in zip(table.runs, (30.0, 10.0), strict=True):
        run.fresh = held
    table.hold(entries)
    assert table.entries == pytest.approx(entries)
    assert (table.runs[0].count, table.runs[0].bytes) == pytest.approx((count, size))
