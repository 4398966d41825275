"""The commit intervals that are tried: one ladder, for plans, sliders and forecasts of a table."""

INTERVALS_S = (0.1, 0.5, 1.0, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1800.0, 3600.0, 21600.0, 86400.0, 604800.0)
_BETWEEN_S = (2.0, 3.0, 7.0, 15.0, 20.0, 40.0, 90.0, 180.0, 240.0, 420.0, 900.0, 1200.0, 2700.0, 7200.0, 1.08e4, 4.32e4)
LEAST_STEP_S = 1.0  # shorter intervals are tried only where the freshness is shorter


def steps_between(shorter_s: float, longer_s: float) -> list[float]:
    """Candidates between two intervals, ascending, in steps finer than the ladder's."""
    return sorted(one for one in (*INTERVALS_S, *_BETWEEN_S) if shorter_s < one < longer_s)


def shorter_step(interval_s: float) -> float | None:
    """The next interval of the ladder below this one; None below a second."""
    return max((step for step in INTERVALS_S if LEAST_STEP_S <= step < interval_s), default=None)


def longer_steps(interval_s: float) -> list[float]:
    """The intervals of the ladder above this one, ascending; above its end, twice as long."""
    return [step for step in INTERVALS_S if step > interval_s] or [2 * interval_s]
