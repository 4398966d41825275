"""A writer profile measured on real tables made for it: what `wasim profile` does."""

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import numpy as np
from rich.console import Console

from wasim.bench.run import BenchOptions, bench, engine_named
from wasim.contention import measure_contention
from wasim.errors import CaseFailed, WasimError
from wasim.iceberg.properties import PLACING_KEYS
from wasim.runs import Run, RunFolder, read_recording
from wasim.scenario import Case, LoadedScenario, load_scenario
from wasim.scenario.load import scenario_of
from wasim.spark.drive import TABLE_NAME
from wasim.twin import WriterProfile, measure_profile, with_samples

WRITERS = ("streaming", "batch")


def measure_writer(
    scenario: Path | None, *, writer: str, engine: str, master: str, name: str, console: Console
) -> WriterProfile:
    """The profile of a writer, measured on the tables of a scenario, or on the shipped calibration table's.

    The tables are written on real Spark, or by engine core, in a folder that is deleted again. `writer` writes the
    calibration table; a batch writer on real Spark is measured among concurrent ones too. WasimError for a scenario of
    different writers, or of none that is alone; CaseFailed if a table could not be written.
    """
    with tempfile.TemporaryDirectory(prefix="wasim-profile-") as folder:
        options = BenchOptions(results=Path(folder), master=master, fresh=True, engine=engine_named(engine))
        scenarios = [load_scenario(scenario)] if scenario else _calibration(writer, engine)
        cases = [case for loaded in scenarios for case in loaded.cases()]
        _check_measurable(scenario, cases)
        return _profile_of([_carried_out(loaded, options, console) for loaded in scenarios], name)


def _check_measurable(scenario: Path | None, cases: Sequence[Case]) -> None:
    names = sorted({case.writer_name.rpartition("×")[2] for case in cases})
    if len(names) > 1:
        raise WasimError(f"{scenario}: has the writers {', '.join(names)}; a profile is of one. Give it one.")
    if all(case.writer.writers > 1 for case in cases):
        raise WasimError(f"{scenario}: has no case of one writer alone. Sweep writer.writers from 1 on.")
    moved = [key for case in cases for properties in case.all_properties for key in properties if key in PLACING_KEYS]
    if moved:
        raise WasimError(
            f"{scenario}: table.properties.{moved[0]} puts files elsewhere than where a profile is read from. Take it"
            " out; the profile serves tables with it too."
        )


def _carried_out(loaded: LoadedScenario, options: BenchOptions, console: Console) -> Run:
    run = bench(loaded, options, console).run
    if run.failures:
        label, line = next(iter(run.failures.items()))
        raise CaseFailed(f"{label}: {line}")
    return run


def _calibration(writer: str, engine: str) -> list[LoadedScenario]:
    if writer not in WRITERS:
        raise WasimError(f"--writer is {writer!r}. Give {' or '.join(WRITERS)}, or a scenario with another writer.")
    shipped = files("wasim.profiles")
    content = shipped.joinpath("calibration.yaml").read_bytes()
    content = content.replace(b"writer: streaming", f"writer: {writer}".encode())
    together = [shipped.joinpath("together.yaml").read_bytes()] if writer == "batch" and engine == "spark" else []
    return [scenario_of(content) for content in (content, *together)]


def _profile_of(runs: Sequence[Run], name: str) -> WriterProfile:
    """One profile of all tables of these runs: their samples together, the pace and the footer in the middle, and the
    times of those that several wrote to.
    """
    cases = [(RunFolder(run.folder), case) for run in runs if run.folder is not None for case in run.cases]
    measured = [
        measure_profile(folder.warehouse(one.key).joinpath(*TABLE_NAME.split(".")), one.case, name=name)
        for folder, one in cases
        if one.case.writer.writers == 1
    ]
    together = [
        measure_contention(read_recording(folder.case(one.key)), one.case)
        for folder, one in cases
        if one.case.writer.writers > 1
    ]
    first, *others = measured
    pace_s = float(np.median([one.pace_s for one in measured]))
    footers = sorted((one.footer for one in measured), key=lambda footer: footer.mean_bytes)
    profile = replace(with_samples(first, *others), pace_s=round(pace_s, 3), footer=footers[len(footers) // 2])
    return replace(profile, together=tuple(together))
