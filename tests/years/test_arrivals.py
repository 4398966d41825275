"""What a commit of the writer brings."""

import numpy as np
import pytest

from wasim.years.arrivals import Arrivals

SPREAD = (0.0, 0.0, 0.25, 0.5, 0.25)  # commits bring two to four files


def test_chances_are_those_of_runs_of_commits():
    arrivals = Arrivals(
        files=3.0, rows_per_file=1.0, partitions=3.0, open_partitions=4.0, lifetime_s=np.inf, spread=SPREAD
    )
    assert arrivals.chance(1, 3.5) == pytest.approx(0.25)
    assert arrivals.chance(2, 7) == pytest.approx(2 * 0.5 * 0.25 + 0.25**2)
    assert arrivals.chance(0, 1) == 0
    assert arrivals.chance(3, -2) == pytest.approx(1)
