"""A writer profile measured on real tables made for it: what `wasim profile` does."""

import tempfile
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import numpy as np
from rich.console import Console

from wasim.bench.engines import engine_named
from wasim.bench.run import BenchOptions, bench
from wasim.drive import TABLE_NAME
from wasim.errors import CaseFailed, WasimError
from wasim.runs import Run, RunFolder
from wasim.scenario import LoadedScenario, load_scenario
from wasim.simulate import WriterProfile, measure_profile, with_samples

WRITERS = ("streaming", "batch")


def measure_writer(
    scenario: Path | None, *, writer: str, engine: str, master: str, name: str, console: Console
) -> WriterProfile:
    """The profile of a writer, measured on the tables of a scenario, or on the shipped calibration table's.

    The tables are written on real Spark, or by engine core, in a folder that is deleted again. `writer` is that of the
    calibration table. WasimError for a scenario of several writers; CaseFailed if a table could not be written.
    """
    with tempfile.TemporaryDirectory(prefix="wasim-profile-") as folder:
        loaded = load_scenario(scenario) if scenario else _calibration(Path(folder), writer)
        names = sorted({case.writer_name for case in loaded.cases()})
        if len(names) > 1:
            raise WasimError(f"{scenario}: has the writers {', '.join(names)}; a profile is of one. Give it one.")
        options = BenchOptions(results=Path(folder), master=master, fresh=True, engine=engine_named(engine))
        run = bench(loaded, options, console).run
        if run.failures:
            label, line = next(iter(run.failures.items()))
            raise CaseFailed(f"{label}: {line}")
        return _profile_of(run, name)


def _calibration(folder: Path, writer: str) -> LoadedScenario:
    if writer not in WRITERS:
        raise WasimError(f"--writer is {writer!r}. Give {' or '.join(WRITERS)}, or a scenario with another writer.")
    text = files("wasim.profiles").joinpath("calibration.yaml").read_text()
    path = folder / "calibration.yaml"
    path.write_text(text.replace("writer: streaming", f"writer: {writer}"))
    return load_scenario(path)


def _profile_of(run: Run, name: str) -> WriterProfile:
    """One profile of all tables of a run: their samples together, and the pace and the footer in the middle."""
    folder = RunFolder(run.folder)
    measured = [
        measure_profile(folder.warehouse(one.key).joinpath(*TABLE_NAME.split(".")), one.case, name=name)
        for one in run.cases
    ]
    first, *others = measured
    pace_s = float(np.median([one.pace_s for one in measured]))
    footers = sorted((one.footer for one in measured), key=lambda footer: footer.mean_bytes)
    return replace(with_samples(first, *others), pace_s=round(pace_s, 3), footer=footers[len(footers) // 2])
