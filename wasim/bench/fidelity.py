"""How close the simulator comes to real runs: each saved case simulated from scenario and profile alone."""

from collections.abc import Iterable
from pathlib import Path

import numpy as np

from wasim.drive import TABLE_NAME
from wasim.runs import CaseRun, RunFolder, read_recording, read_run
from wasim.simulate import Site, shipped_profile, simulate_case
from wasim.simulate.fidelity import KindFidelity, compare

INTRODUCTION = """# Fidelity of the simulator

`make validate` runs every scenario of `scenarios/fidelity/` on real Spark and Iceberg, simulates the same cases from
the scenario and the shipped writer profile alone (the profiles were measured on other tables), and writes this page.
Nothing of the real runs is used but where the table lies, which anyone can choose.

A row is one kind of file of one case: files written (− deleted), bytes written over the case, the error of the sum,
and the largest error of any one commit. The goal: counts exact, every kind of metadata within 0.5 %. Data files are
sized by the profile and have no goal. What misses its goal stays in the table.
"""
Fidelity = tuple[str, tuple[KindFidelity, ...]]


def check_fidelity(runs: Iterable[Path]) -> list[Fidelity]:
    """Per case of the runs in these folders, in order: its label, and real against simulated by kind.

    The simulator is told what anyone can choose, the table's location, and nothing that the run measured.
    """
    checked = []
    for path in runs:
        folder, run = RunFolder(path), read_run(path)
        checked += [(f"{run.scenario}: {case.case.label}", _compare(case, folder)) for case in run.cases]
    return checked


def _compare(case: CaseRun, folder: RunFolder) -> tuple[KindFidelity, ...]:
    real = read_recording(folder.case(case.key))
    location = folder.warehouse(case.key).absolute().joinpath(*TABLE_NAME.split("."))
    rng = np.random.default_rng(case.case.seed)
    site = Site(location=str(location))
    return compare(real, simulate_case(case.case, shipped_profile(case.case), rng, site=site))
