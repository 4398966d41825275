"""Which data files compaction takes over a long history, and what it makes of them."""

from collections.abc import Callable

import pytest

from wasim.ledger import Kind
from wasim.machine.columns import REMOVED_FILES, WRITTEN_FILES
from wasim.scenario import Case
from wasim.twin import Site, shipped_profile
from wasim.years import history_of, read_shape, simulate_years


@pytest.mark.parametrize(("target", "compacts"), [(500, True), (1_500_000_000, True), (4_000, False)])
def test_files_outside_both_bounds_of_the_target_are_compacted(
    target: int, compacts: bool, small_case: Callable[..., Case]
):
    case = small_case(
        horizon="120s", maintenance=f"{{rewrite_data_files: {{every: 20s, target_file_size_bytes: {target}}}}}"
    )
    shape = read_shape(case, shipped_profile(case), Site())
    size = shape.file_bytes.of(shape.arrivals.rows_per_file)
    assert (0.75 * target <= size <= 1.8 * target) != compacts, size
    lists = simulate_years(case, shipped_profile(case), Site()).totals.files_written[Kind.MANIFEST_LIST]
    assert (lists > case.commits) == compacts


def test_small_files_of_a_partition_become_one_and_the_rows_stay(small_case: Callable[..., Case]):
    case = small_case(horizon="120s", maintenance="{rewrite_data_files: {every: 20s}}")
    flows = history_of(case, read_shape(case, shipped_profile(case), Site())).flows[-1]
    assert flows[WRITTEN_FILES] - flows[REMOVED_FILES] == 1
