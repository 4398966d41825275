"""Where the pages of a Parquet file's columns end: the writer looks now and then how much each column has gathered.

It looks at all columns at once, next when half of what the fullest one still takes has come, but after a hundred rows
at least and ten thousand at most. Facts from parquet-java (ColumnWriteStoreBase.sizeCheck, ParquetProperties).
"""

from collections.abc import Sequence

import numpy as np

from wasim.units import Floats

MOST_ROWS = 20_000  # of a page
_PAGE_BYTES = 1 << 20
FULL_BYTES = _PAGE_BYTES - int(_PAGE_BYTES * 0.1)  # a page that has gathered so many ends
_LEAST_WAIT, _MOST_WAIT = 100, 10_000  # rows between two looks


def page_ends(gathered: Sequence[Floats]) -> list[list[int]]:
    """For each column the row after each of its pages but the last; `gathered` are bytes of its rows, one by one."""
    totals = [np.append(0, np.ceil(np.cumsum(one))) for one in gathered]
    rows = len(gathered[0])
    ends: list[list[int]] = [[] for _ in gathered]
    row = _LEAST_WAIT
    while row < rows:
        fills_in, limit = _PAGE_BYTES, row + MOST_ROWS
        for total, ended in zip(totals, ends, strict=True):
            first = ended[-1] if ended else 0
            used, rest = int(total[row] - total[first]), _PAGE_BYTES - int(total[row] - total[first])
            if used >= FULL_BYTES or row - first >= MOST_ROWS:
                ended.append(row)
                rest = _PAGE_BYTES
            else:
                limit = min(limit, first + MOST_ROWS)
            fills_in = min(fills_in, (row - first) * rest // used if used else _MOST_WAIT)
        row = min(row + min(max(fills_in // 2, _LEAST_WAIT), _MOST_WAIT), limit)
    return ends
