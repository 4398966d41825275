"""Engine `years`: any horizon in sums, by one recurrence over what happens to a table.

`arrivals` and `sizes` read what a table's commits bring and what its files weigh off a handful of files that the exact
twin encodes; `stepped` steps a table through its events, in plain numbers (`machine`), `compiled` where that pays.
Where statements change rows, `history` steps `state` from one to the next: they are `changes`, carried out by
`statements` on the files that `touched` finds, and very many are leapt over (`drift`). `retention` says what expiry and
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
