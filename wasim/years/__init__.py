"""Engine `years`: any horizon in sums, by one recurrence over what happens to a table."""

from wasim.years.summed import Shape, read_shape, simulate_years

__all__ = ["Shape", "read_shape", "simulate_years"]
