"""How close the simulator comes to real runs: each saved case simulated from scenario and profile alone."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np

from wasim.errors import WasimError
from wasim.iceberg.properties import MANIFEST_MERGE_ENABLED
from wasim.ledger import Kind, view_by_commit
from wasim.report.charts import thrash_svg
from wasim.runs import CaseRun, RunFolder, read_recording, read_run
from wasim.scenario import Case
from wasim.scenario.paths import SCHEMES_SINCE
from wasim.spark.drive import TABLE_NAME
from wasim.twin import Site, shipped_profile, simulate_case
from wasim.twin.fidelity import KindFidelity, compare
from wasim.units import Ints

INTRODUCTION = """# Fidelity of the simulator

`make validate` runs every scenario of `scenarios/fidelity/` on real Spark and Iceberg, simulates the same cases from
the scenario and the shipped writer profile alone (the profiles were measured on other tables), and writes this page.
Nothing of the real runs is used but where the table lies, which anyone can choose.

A row is one kind of file of one case: files written (− deleted), bytes written over the case, the error of the sum,
and the largest error of any one commit. The goal: counts exact, every kind of metadata within 0.5 %. Sizes of
data files, delete files and their columns follow laws of a writer's profile ([decision
14](decisions/0014-what-the-twin-leaves-out.md)) and have no goal. What misses its goal stays in the table.

A stream that ends for a change of its table may give its last batch once more: data files are then written twice, by
chance, and committed once. No simulator foretells that; it is the row of `fidelity_evolution` that misses.

Updates, deletes, merges and overwrites are of few enough rows for one task of Spark's. Of more, Spark's session decides
how many files a statement writes, and the simulator takes the scenario's `files_per_commit`.

The case that merges most, commit by commit: near the target size, every commit rewrites nearly all that is there.

![Manifests of a table that merges near the target size, real and simulated](thrash.svg)

[published.md](published.md) and [security_lake.md](security_lake.md) hold the simulator against what others published.
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


def draw_thrash(runs: Iterable[Path]) -> str:
    """The manifests of the case that merged most, real and simulated, as an SVG document.

    WasimError if no case of these runs merged a manifest.
    """
    cases = [(case, RunFolder(path)) for path in runs for case in read_run(path).cases]
    case, folder = max(cases, key=lambda one: _merges(one[0]))
    if not _merges(case):
        raise WasimError("--chart draws merged manifests, and no case of these runs merged any. Name one that did.")
    written = case.ledger.written_bytes[Kind.DATA_MANIFEST]
    properties = {**case.case.table.properties, MANIFEST_MERGE_ENABLED: "false"}
    unmerged = replace(case.case, table=case.case.table.model_copy(update={"properties": properties}))
    return thrash_svg(written, _manifest_bytes(case.case, case, folder), _manifest_bytes(unmerged, case, folder))


def _merges(case: CaseRun) -> int:
    return case.totals.files_written[Kind.DATA_MANIFEST] - case.commits


def _manifest_bytes(simulated: Case, case: CaseRun, folder: RunFolder) -> Ints:
    recording = simulate_case(
        simulated, shipped_profile(simulated), np.random.default_rng(simulated.seed), site=_site(case, folder)
    )
    return view_by_commit(recording).written_bytes[Kind.DATA_MANIFEST]


def _site(case: CaseRun, folder: RunFolder) -> Site:
    path = folder.warehouse(case.key).absolute().joinpath(*TABLE_NAME.split("."))
    return Site(location=f"file:{path}" if case.case.table.format_version >= SCHEMES_SINCE else str(path))


def _compare(case: CaseRun, folder: RunFolder) -> tuple[KindFidelity, ...]:
    real = read_recording(folder.case(case.key))
    rng = np.random.default_rng(case.case.seed)
    return compare(real, simulate_case(case.case, shipped_profile(case.case), rng, site=_site(case, folder)))
