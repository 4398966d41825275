"""Which files statements touch, compared with rows drawn one by one."""

import numpy as np
import pytest

from wasim.years.history import new_table
from wasim.years.machine.tables import ARRIVED, FILES, LIVE, RECORDS
from wasim.years.machine.touched import missed_by, rows_in_files

ROWS = 10  # of a file as it arrives


@pytest.mark.parametrize(("ages", "within"), [(0, 1e-6), (40, 0.005), (160, 0.035)])
def test_files_as_they_arrived_are_missed_by_the_rows_left(ages: int, within: float) -> None:
    """Each statement has taken one row in fifty out of the files that were there; of equal files the law is exact."""
    kept = 0.98 ** np.linspace(0, ages, 20_000)
    left = np.random.default_rng(1).binomial(ROWS, kept)
    table = new_table()
    one = table.classes[ARRIVED]
    one[FILES], one[RECORDS], one[LIVE] = len(left), ROWS * len(left), left.sum()
    for share in (0.01, 0.1, 0.5):
        missed = missed_by(*rows_in_files(table, ARRIVED), share)
        assert missed == pytest.approx(np.mean((1 - share) ** left), abs=within)
