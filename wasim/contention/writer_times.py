"""When commits arrive, and how long each part takes while other writers commit too: measured as quantiles."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from wasim.errors import WasimError
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


LEAST_S = 1e-9
QUANTILES = 11  # evenly spaced, from the least to the greatest
Quantiles = tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WriterTimes:
    """Seconds that each part of a commit took on one machine, as quantiles, by catalog and number of `writers`.

    `work_s` is from a commit's start until it reads the table: its job. `first_attempt_s` is from there until its
    metadata.json is written, `later_attempt_s` the same from the end of a retry's wait. `write_s` is the last part of
    an attempt, after its manifest list; in a REST catalog it is the server's. `finish_s` is from the metadata.json to
    the end of the commit, with the swap of the table's pointer in between. An attempt takes `ms_per_mib` longer for
    each MiB that metadata.json has grown by since; None: as long as on local files.
    """

    catalog: str
    writers: int
    work_s: Quantiles
    first_attempt_s: Quantiles
    later_attempt_s: Quantiles
    write_s: Quantiles
    finish_s: Quantiles
    ms_per_mib: float | None = None

    def slower_by(self, first_s: float, later_s: float | None = None) -> "WriterTimes":
        """The times with the first attempt longer by `first_s` seconds, and later ones by as many or by `later_s`."""
        more_s = first_s if later_s is None else later_s
        first = tuple(one + first_s for one in self.first_attempt_s)
        return replace(self, first_attempt_s=first, later_attempt_s=tuple(one + more_s for one in self.later_attempt_s))

    def logarithms(self, part: str) -> list[float]:
        """The logarithms of a part's quantiles, between which times are drawn, after the number of steps between them.

        The last tenth ends at the maximum of some hundred times: interpolated linearly, it would be far too slow.
        """
        quantiles = getattr(self, part)
        quantiles = quantiles if len(quantiles) > 1 else 2 * quantiles
        return [len(quantiles) - 1, *np.log(np.maximum(quantiles, LEAST_S)).tolist()]


PARTS = tuple(field.name for field in fields(WriterTimes) if field.name.endswith("_s"))


def times_among(measured: Sequence[WriterTimes], catalog: str, writers: int) -> WriterTimes:
    """Times of any number of writers: interpolated between measured numbers, part by part; beyond them, the nearest.

    WasimError if none was measured in that catalog.
    """
    ordered = sorted((one for one in measured if one.catalog == catalog), key=lambda one: one.writers)
    if not ordered:
        raise WasimError(
            f"The profile holds no times of several writers in the catalog {catalog}. Measure them with wasim profile"
            " and a scenario that sweeps writer.writers, or give writer.writers 1."
        )
    counts = [one.writers for one in ordered]

    def between(part: str) -> Quantiles:
        rows = np.array([getattr(one, part) for one in ordered])
        return tuple(float(np.interp(writers, counts, column)) for column in rows.T)

    parts: dict[str, Any] = {part: between(part) for part in PARTS}
    return WriterTimes(catalog=catalog, writers=writers, ms_per_mib=ordered[0].ms_per_mib, **parts)
