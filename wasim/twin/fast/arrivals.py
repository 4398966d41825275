"""Rows that are left of what a writer has brought: all of appends, of upserts those that no later commit replaced.

Of f new rows and r with earlier keys, d of them different, f·b are there after b commits. Keys come again from among
the oldest s = d/r of the rows there are, so that a new row of commit a waits until commit a/s, and of what is replaced
then (a/b)^k is left at commit b, where k = r/f. Of all since commit c there are left

    f · (b − u) + (f · u · (1 − (c/u)^(1 + k)) + d · b · (1 − (c/b)^(1 + k))) / (1 + k),   u = max(s · b, c)

Where the newest rows are those that come again, it is f · (b − c), and the last ones that came again.
"""

import numpy as np

from wasim.model import Appends
from wasim.units import Floats


def rows_left(appends: Appends, commits: int | Floats, *, since: int) -> Floats:
    """Rows left after so many commits of those that came after commit `since`."""
    made, deletes = np.asarray(commits, dtype=np.float64), appends.deletes
    if deletes is None:
        return np.asarray((made - since) * appends.rows_per_commit)
    new, different = appends.rows_per_commit - deletes.replaced, deletes.replaced - deletes.positions
    if not since or not deletes.replaced:
        return np.asarray(np.where(made > since, (made - since) * new + (0 if since else deletes.replaced), 0.0))
    if deletes.replaces_newest or not new:
        return np.asarray((made - since) * new + np.where(made > since, different, 0.0))
    power = 1 + deletes.replaced / new
    waited = np.maximum(different / deletes.replaced * made, since)
    again = new * waited * (1 - (since / waited) ** power) + different * made * (1 - (since / made) ** power)
    return np.asarray(new * (made - waited) + again / power)
