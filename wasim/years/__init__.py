"""Engine `years`: any horizon in sums, by the events that happen to a table.

`arrivals` and `sizes` read what a table's commits bring and what its files weigh off a handful of files that the exact
twin encodes; `laws` and `history` have the machine step through its events; `retention` says what expiry and deletion
leave of that; `summed` puts it together.
"""

from wasim.years.history import history_of
from wasim.years.raced import Settled, with_lost
from wasim.years.shape import Shape, read_shape
from wasim.years.summed import (
    YearsOf,
    shape_key,
    simulate_ahead,
    simulate_years,
    sum_history,
)

__all__ = [
    "Settled",
    "Shape",
    "YearsOf",
    "history_of",
    "read_shape",
    "shape_key",
    "simulate_ahead",
    "simulate_years",
    "sum_history",
    "with_lost",
]
