"""What a table's own times were set to, from stamps a little late."""

import pytest

from wasim.capacity.from_table import _as_set_s

SEEN = {59.8: 60, 60.29: 60, 60.4: 60.4, 3_610: 3_600, 86_000: 86_400, 7.02: 7, 7.3: 7.3, 5_402: 5_400, 0.25: 0.25}
SEEN |= {172_900: 172_800, 1.004: 1, 44.9: 45}


@pytest.mark.parametrize(("seen_s", "set_s"), SEEN.items())
def test_times_are_whole_units_but_for_jitter(seen_s: float, set_s: float):
    assert _as_set_s(seen_s) == set_s
