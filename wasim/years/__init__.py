"""Engine `years`: any horizon in sums, by one recurrence over what happens to a table.

`arrivals` and `sizes` read what a table's commits bring and how large its files are off a handful of files that the
exact twin encodes; `history` steps a table through its events, in plain numbers (`machine`), `compiled` where that
pays. `retention` says what expiry and deletion leave of that; `summed` puts it together.
"""

from wasim.years.history import History, steps_compiled
from wasim.years.raced import Settled, with_lost
from wasim.years.shape import Shape, read_shape
from wasim.years.summed import YearsOf, grown_of, shape_key, simulate_ahead, simulate_years, sum_history
