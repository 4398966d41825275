"""What holds for the simulated writer whatever the scenario: events, sums, and agreement of its two forms."""

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from support.few import FEW
from support.synthetic import synthetic_case

from wasim.ledger import Action, Kind, sum_events
from wasim.twin import profile_named, shipped_profile, simulate_case
from wasim.twin.profile import SHIPPED

CASES = st.builds(
    synthetic_case,
    writer=st.sampled_from(["streaming", "batch"]),
    horizon_s=st.integers(min_value=3, max_value=30).map(float),
    files_per_commit=st.integers(min_value=1, max_value=3),
    properties=st.fixed_dictionaries(
        {
            "commit.manifest.min-count-to-merge": st.integers(min_value=2, max_value=8).map(str),
            "write.metadata.previous-versions-max": st.integers(min_value=1, max_value=12).map(str),
            "write.metadata.delete-after-commit.enabled": st.sampled_from(["true", "false"]),
            "write.metadata.compression-codec": st.sampled_from(["none", "gzip"]),
        }
    ),
)
PROFILES = st.sampled_from(SHIPPED)


@FEW
@given(case=CASES, name=PROFILES)
def test_events_add_up_to_what_is_on_disk_whoever_writes(case, name):
    events = simulate_case(case, profile_named(name), np.random.default_rng(1)).events
    there: dict[str, int] = {}
    for action, file, size in zip(events.action, events.file, events.bytes, strict=True):
        if action == Action.DELETE:
            assert there.pop(file) == size
        else:
            assert file not in there
            there[file] = size
    assert sum(there.values()) == sum(sum_events(events).on_disk_bytes.values())


@FEW
@given(case=CASES)
def test_a_longer_history_begins_as_the_shorter_one(case):
    longer = replace(case, horizon_s=case.horizon_s + 4)
    profile = shipped_profile(case)
    short, long = (simulate_case(one, profile, np.random.default_rng(3)).events for one in (case, longer))
    assert long.bytes.tolist()[: len(short)] == short.bytes.tolist()


@FEW
@given(case=CASES, name=PROFILES)
def test_bytes_by_commit_and_kind_add_up_to_the_totals(case, name):
    events = simulate_case(case, profile_named(name), np.random.default_rng(2)).events
    totals = sum_events(events)
    for kind in Kind:
        mine = events.where((events.kind == kind) & (events.action == Action.WRITE))
        assert totals.written_bytes[kind] == sum(int(size) for size in mine.bytes)
