"""Planning timed with pytest-benchmark, run inside the process that holds the session.

`planning` holds the benchmarks themselves; `run_planning_benchmarks` hands them a table and collects what they saw. The
JSON is pytest-benchmark's own and works with `pytest-benchmark compare`.
"""

import contextlib
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from wasim.errors import CaseFailed
from wasim.ledger import DirectoryScan, PlanningProbe
from wasim.spark.probe import Occasion, Planned, Query, Reader

_BENCHMARKS = Path(__file__).parent / "planning.py"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanningTarget:
    """What the benchmarks plan: queries of a table by readers on some occasion, and how often.

    The data files below `data_folders` are found by listing directories too, if any are given.
    """

    label: str
    planned: Sequence[Planned]
    occasion: Occasion
    rounds: int
    data_folders: Sequence[Path]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanningBenchmarks:
    """What the benchmarks saw."""

    probes: list[PlanningProbe]
    listings: list[DirectoryScan]


@dataclass(slots=True)
class Bench:
    """The pytest plugin that hands the target in and takes the probes out."""

    target: PlanningTarget
    machine: Mapping[str, Any]
    probes: list[PlanningProbe] = field(default_factory=list)
    listings: list[DirectoryScan] = field(default_factory=list)
    errors: list[BaseException] = field(default_factory=list)

    def pytest_exception_interact(self, call: pytest.CallInfo[Any]) -> None:
        """Keeps the error itself, so that it can be raised where the case runs."""
        if call.excinfo is not None:
            self.errors.append(call.excinfo.value)

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """One benchmark per reader and query, named by case, commit, reader and query."""
        target = self.target
        metafunc.parametrize("bench", [self], ids=[f"{target.label} @{target.occasion.after_commit}"])
        if "planned" in metafunc.fixturenames:
            metafunc.parametrize("planned", target.planned, ids=[_name(*planned) for planned in target.planned])
        if "loading" in metafunc.fixturenames:
            # variants load alike: the first of each reader stands for all
            loading = {reader.name: reader for reader, _ in reversed(target.planned) if reader.loads_apart}
            metafunc.parametrize("loading", loading.values(), ids=list(loading))
        if "listed" in metafunc.fixturenames:
            listed = [target.data_folders] if target.data_folders else []
            metafunc.parametrize("listed", listed, ids=["data"] * len(listed))

    @pytest.hookimpl(tryfirst=True)
    def pytest_benchmark_generate_machine_info(self) -> Mapping[str, Any]:
        """The run's provenance, known already; asking the CPU again takes a second each time."""
        return self.machine

    @pytest.hookimpl(tryfirst=True)
    def pytest_benchmark_generate_commit_info(self) -> Mapping[str, Any]:
        """What pytest-benchmark expects; the run's provenance has the commit."""
        return {"id": self.machine.get("git_commit", "unversioned"), "dirty": False}

    def pytest_benchmark_update_json(self, output_json: dict[str, Any]) -> None:
        """Parameters are objects of ours, which pytest-benchmark would write out, paths and all; names say enough."""
        for each in output_json["benchmarks"]:
            each["params"] = {"case": self.target.label}


def _name(reader: Reader, query: Query) -> str:
    return " ".join(part for part in (reader.name, reader.variant, query.name) if part)


def run_planning_benchmarks(target: PlanningTarget, machine: Mapping[str, Any], json_path: Path) -> PlanningBenchmarks:
    """Times load, planning and listing into pytest-benchmark's JSON. Raises what a query raised."""
    bench = Bench(target, machine)
    arguments = [
        str(_BENCHMARKS), f"--benchmark-json={json_path}", "-q", "-s", f"--rootdir={_BENCHMARKS.parent}",
        "--config-file=/dev/null", "--override-ini=addopts=", "-p", "no:cacheprovider", "-p", "no:randomly",
        "--benchmark-disable-gc",
    ]  # fmt: skip
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        outcome = pytest.main(arguments, plugins=[bench])
    if outcome == pytest.ExitCode.INTERRUPTED and not bench.errors:
        raise KeyboardInterrupt  # pytest keeps it to itself
    if outcome != pytest.ExitCode.OK:
        raise bench.errors[0] if bench.errors else CaseFailed(f"Planning could not be timed: {said.getvalue()[-300:]}")
    return PlanningBenchmarks(probes=bench.probes, listings=bench.listings)
