"""When the commits of a race arrive: the one list of ways, for bytes, shares and latency."""

import numpy as np

from wasim.scenario import Arrivals, Case
from wasim.units import Floats


def arrivals_of(case: Case, provider: str | None) -> Arrivals:
    """How a case's commits arrive: as it says, or as `bench` would run several writers with its clock.

    Where a `provider` is named, a virtual clock means nothing: jobs elsewhere come when they come, at random.
    """
    if case.writer.arrivals is not None:
        return case.writer.arrivals
    if case.writer.writers == 1:
        return "at_random"
    if case.clock == "real":
        return "evenly"
    return "when_free" if provider is None else "at_random"


def due_s(arrivals: Arrivals, every_s: float, count: int, writers: int, rng: np.random.Generator) -> Floats:
    """When each of `count` commits is due, in seconds from the start, ascending; one is due every `every_s` on average.

    `at_random` is a Poisson process; `evenly` has them that far apart; `at_once` has one commit of each writer at the
    same moment, and again when as many intervals have passed; `when_free` has each as soon as its writer is free.
    """
    if arrivals == "when_free":
        return np.zeros(count)
    if arrivals == "at_once":
        return np.floor(np.arange(count) / writers) * (writers * every_s)
    gaps = rng.exponential(every_s, count) if arrivals == "at_random" else np.full(count, every_s)
    return np.cumsum(gaps)
