"""Engine `years`: any horizon in sums, by one recurrence over what happens to a table.

`arrivals` and `sizes` read what a table's commits bring and what its files weigh off a handful of files that the exact
twin encodes; `history` steps `state` from event to event, and leaps over cycles alike (`leaps`); statements that change
rows are `changes`, carried out by `statements` on the files that `touched` finds; `retention` says what expiry and
deletion leave of that; `summed` puts it together.
"""

from wasim.years.raced import Settled, with_lost
from wasim.years.summed import (
    Shape,
    YearsOf,
    history_of,
    read_shape,
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
