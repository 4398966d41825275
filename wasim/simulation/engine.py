"""What a simulator is, an engine without a table: a case goes in, a recording or sums come out."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import numpy as np

from wasim.ledger import Recorded, Summed
from wasim.scenario import Case
from wasim.simulation.needs import AUTO_BUDGET, exact_needs
from wasim.twin import Site, WriterProfile, simulate_table
from wasim.twin.supported import check_answerable, check_supported
from wasim.years import simulate_years

EXACT_AT_MOST_COMMITS = 2_000  # encoding grows with the square of the commits


class Mode(StrEnum):
    """How sizes are computed: `exact` encodes every file, `fast` sums a recurrence over any horizon, `auto` takes
    `exact` for short histories.
    """

    AUTO = "auto"
    EXACT = "exact"
    FAST = "fast"


@dataclass(frozen=True, slots=True, kw_only=True)
class Simulator:
    """One way to simulate. `check` raises WasimError for a case that it does not model.

    `simulate` takes a case, the profile of its writer, where its table lies, and a folder that takes the table's
    metadata, if any.
    """

    mode: Mode
    check: Callable[[Case, WriterProfile], None]
    simulate: Callable[[Case, WriterProfile, Site, Path | None], Recorded | Summed]


def _simulate_exactly(case: Case, profile: WriterProfile, site: Site, emit: Path | None) -> Recorded:
    made = simulate_table(case, profile, np.random.default_rng(case.seed), site=site, emit=emit)
    return Recorded(recording=made.recording, live_bytes=made.live_bytes)


def _sum(case: Case, profile: WriterProfile, site: Site, emit: Path | None) -> Summed:
    return simulate_years(case, profile, site)


EXACT = Simulator(mode=Mode.EXACT, check=check_supported, simulate=_simulate_exactly)
FAST = Simulator(mode=Mode.FAST, check=check_answerable, simulate=_sum)


def simulator_for(case: Case, mode: Mode, *, emits: bool = False) -> Simulator:
    """The simulator of a mode for the case; only the exact one can emit files."""
    if mode is Mode.AUTO:
        waves = case.writer.arrivals == "at_once"  # which steps of a case would cut
        short = case.commits <= EXACT_AT_MOST_COMMITS and not waves and exact_needs(case).within(AUTO_BUDGET)
        mode = Mode.EXACT if short or emits else Mode.FAST
    return EXACT if mode is Mode.EXACT else FAST
