"""Which data files compaction takes over a long history, and what it makes of them."""

from collections.abc import Callable

import pytest

from wasim.ledger import Kind
from wasim.machine.columns import REMOVED_FILES, WRITTEN_FILES
from wasim.scenario import Case
from wasim.twin import Site, shipped_profile
from wasim.years import history_of, read_shape, simulate_years


@pytest.mark.parametrize(("times", "compacts"), [(0.4, True), (1.0, False), (1000.0, True)])
def test_files_outside_both_bounds_of_the_target_are_compacted(
    times: float, compacts: bool, small_case: Callable[..., Case]
):
    lines = {"horizon": "120s", "workload": "{rows_per_second: 2000}"}
    plain = small_case(**lines)
    shape = read_shape(plain, shipped_profile(plain), Site())
    target = int(times * shape.file_bytes.of(shape.arrivals.rows_per_file))
    upkeep = f"{{rewrite_data_files: {{every: 20s, target_file_size_bytes: {target}}}}}"
    case = small_case(**lines, maintenance=upkeep)
    lists = simulate_years(case, shipped_profile(case), Site()).totals.files_written[Kind.MANIFEST_LIST]
    assert (lists > case.commits) == compacts


def test_small_files_of_a_partition_become_one_and_the_rows_stay(small_case: Callable[..., Case]):
    case = small_case(horizon="120s", maintenance="{rewrite_data_files: {every: 20s}}")
    flows = history_of(case, read_shape(case, shipped_profile(case), Site())).flows[-1]
    assert flows[WRITTEN_FILES] - flows[REMOVED_FILES] == 1
