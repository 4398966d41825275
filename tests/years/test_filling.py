"""How often merges begin with the manifest that they fill, compared with merging manifest after manifest."""

import pytest

from wasim.rules.merging import MergePolicy
from wasim.years.filling import Filling
from wasim.years.flows import DATA, Flow, no_flows
from wasim.years.manifests import ManifestRuns
from wasim.years.packing import Run

HEADER, ENTRY, TARGET, LEAST = 700.0, 30.0, 200_000.0, 20


def test_merges_come_closer_where_a_manifest_is_nearly_full():
    """Over several full manifests of 6,643 entries, one entry to each new manifest."""
    policy = MergePolicy(enabled=True, min_count=LEAST, target_bytes=int(TARGET))
    listed = ManifestRuns(policy=policy, bytes_of=lambda fresh, *_: HEADER + ENTRY * fresh, group=DATA)
    flows, new_bytes, commits = no_flows(), HEADER + ENTRY, 30_000
    for _ in range(commits):
        listed.runs.append(Run(count=1.0, bytes=new_bytes, fresh=1.0, is_new=True))
        listed.merge(flows)
        listed.settle()
    evenly = commits / (LEAST - 1)
    number, size = Filling(target_bytes=TARGET, new_bytes=new_bytes, least=LEAST - 1.0).merges(0.0, commits * ENTRY)
    assert flows[Flow.MERGED_AGAIN + DATA] == pytest.approx(number * evenly, rel=0.03)
    assert flows[Flow.MERGED_AGAIN + DATA + 1] == pytest.approx(size * evenly, rel=0.03)
    assert number > 1.1
