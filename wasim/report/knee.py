"""Where giving up further freshness begins to save little. Apart from `answer`, so that a plan starts without fits."""

import numpy as np

from wasim.units import Floats

FEWEST_FOR_A_KNEE = 3


def knee_of(intervals_s: Floats, written_bytes: Floats) -> int:
    """The place of the interval farthest below the line from the shortest interval to the longest.

    Both axes run from 0 to 1 over the sweep; to its left a second of freshness saves more than on average, to its right
    less. Intervals ascend, three or more of them.
    """
    freshness = (intervals_s - intervals_s[0]) / (intervals_s[-1] - intervals_s[0])
    spread = max(float(written_bytes.max() - written_bytes.min()), 1.0)
    return int(np.argmax(1 - freshness - (written_bytes - written_bytes.min()) / spread))
