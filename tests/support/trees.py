"""Metadata trees that the simulator writes, for readers of tables to be tried on."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from support.synthetic import synthetic_case
from wasim.ledger import Kind, sum_events
from wasim.scenario import Case
from wasim.twin import Simulated, shipped_profile, simulate_table


def simulate(case: Case, **options: object) -> Simulated:
    """The case simulated by the profile that comes with wasim for its writer."""
    return simulate_table(case, shipped_profile(case), np.random.default_rng(case.seed), **options)  # type: ignore[arg-type]


def newest_json(root: Path) -> str:
    """The newest metadata.json of a table's folder."""
    return str(max((root / "metadata").glob("*.metadata.json")))


@dataclass(frozen=True, slots=True, kw_only=True)
class EmittedTree:
    """A table's folder, and what was written into it."""

    root: Path
    case: Case
    simulated: Simulated

    @property
    def on_disk_bytes(self) -> dict[Kind, int]:
        """What should be there by kind, as the recording has it; data files are described and never written."""
        return sum_events(self.simulated.recording.events).on_disk_bytes


def emit_tree(root: Path, case: Case | None = None, **options: object) -> EmittedTree:
    """The tree of a case, or of a synthetic one of these options."""
    case = case or synthetic_case(**options)  # type: ignore[arg-type]
    simulated = simulate_table(case, shipped_profile(case), np.random.default_rng(0), emit=root)
    return EmittedTree(root=root, case=case, simulated=simulated)
