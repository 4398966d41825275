"""The knee of a sweep."""

import numpy as np

from wasim.report.answer.choice import knee_of


def test_the_knee_is_farthest_below_the_line_between_the_ends() -> None:
    assert knee_of(np.array([1.0, 5.0, 15.0, 60.0]), np.array([400.0, 20.0, 4.0, 1.0])) == 1
    assert knee_of(np.array([1.0, 2.0, 3.0]), np.array([3.0, 2.9, 1.0])) != 1
