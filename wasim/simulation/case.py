"""A case simulated: with its simulator, its writer's profile and its table's location, as engine `simulator`."""

import hashlib
import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from pathlib import Path

import numpy as np

from wasim import __version__
from wasim.contention import Setup, model_latency
from wasim.iceberg.properties import TableProperties
from wasim.ledger import Recorded, Recording, Summed
from wasim.ledger.vocabulary import SCHEMA_VERSION
from wasim.runs import CaseRun, Simulation
from wasim.scenario import Case
from wasim.simulation.needs import AUTO_BUDGET, Needs, exact_needs
from wasim.twin import Site, WriterProfile, render_profile, simulate_table
from wasim.twin.profile import tables_in_turn
from wasim.twin.supported import check_answerable, check_supported
from wasim.years import read_shape, simulate_years

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


ENGINE_NAME = "sim"
ANNOUNCED_FROM_S = 3.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedCase:
    """A case and everything that decides its simulated bytes and latencies."""

    case: Case
    simulator: Simulator
    profile: WriterProfile
    site: Site
    emit: Path | None

    @property
    def simulation(self) -> Simulation:
        """What is saved of how the case was simulated."""
        return Simulation(mode=str(self.simulator.mode), profile=dict(self.profile.described))

    @property
    def key(self) -> str:
        """What names the case: a hash of all that decides its bytes."""
        decides = {
            "wasim": __version__,
            "ledger_schema": str(SCHEMA_VERSION),
            "engine": ENGINE_NAME,
            "mode": str(self.simulator.mode),
            "profile": hashlib.sha256(render_profile(self.profile).encode()).hexdigest(),
            "site": json.dumps(asdict(self.site)),
        }
        return self.case.key(decides)

    @property
    def announced(self) -> str:
        """The line to print before the case is simulated."""
        profile = f"profile {self.profile.name} ({self.profile.origin})"
        needs = self.needs
        is_said = needs is not None and (needs.seconds > ANNOUNCED_FROM_S or needs.disk_bytes)
        takes = f", {needs.words}" if needs is not None and is_said else ""
        return f"{self.case.label}: {self.simulator.mode}, {self.case.commits_made:,} commits, {profile}{takes}"

    @property
    def needs(self) -> Needs | None:
        """What simulating the case takes, where that is done exactly; else None."""
        exact = self.simulator.mode is Mode.EXACT
        return exact_needs(self.case, emits=self.emit is not None) if exact else None

    def simulate(self) -> tuple[CaseRun, Recording | None]:
        """The finished case, with its recording if the simulator makes one. WasimError for what it does not model."""
        started_s, case = time.monotonic(), self.case
        returned = self.simulator.simulate(case, self.profile, self.site, self.emit)
        named = {"key": self.key, "engine": ENGINE_NAME}
        wall_s = time.monotonic() - started_s
        if isinstance(returned, Recorded):
            recording = returned.recording
            made = CaseRun.of_recording(case, recording, live_bytes=returned.live_bytes, wall_s=wall_s, **named)
            return self._described(made), recording
        return self._described(CaseRun.of_summed(case, returned, wall_s=wall_s, **named)), None

    def _described(self, made: CaseRun) -> CaseRun:
        """The finished case with its provenance and its modelled commit latency."""
        setup = Setup(provider=self.site.provider, measured=self.profile.together, plain=self._plain_json())
        latency = model_latency(self.case, made.ledger, setup)
        if latency is not None:
            interval_s = latency.sustainable_interval_s * tables_in_turn(self.case)
            latency = replace(latency, sustainable_interval_s=interval_s)
        return replace(made, simulation=self.simulation, location=self.site.location, latency=latency)

    def _plain_json(self) -> Callable[[float, float], float] | None:
        """Bytes of metadata.json before compression, of those stored after so many commits; None where it is plain."""
        properties = TableProperties.read(self.case.table.properties)
        if properties.metadata_compression == "none":
            return None
        json_sizes, most = (
            read_shape(self.case, self.profile, self.site).sizes.json,
            properties.metadata_previous_versions_max,
        )
        return lambda stored, commits: float(json_sizes.plain(np.array(stored), np.array(min(commits, most))))
