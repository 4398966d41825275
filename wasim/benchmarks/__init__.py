"""Planning timed with pytest-benchmark, run inside the process that holds the session.

`planning` holds the benchmarks themselves; `run_planning_benchmarks` hands them a table and collects what they saw. The
JSON is pytest-benchmark's own and works with `pytest-benchmark compare`.
"""

import contextlib
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from wasim.errors import CaseFailed, SavedFileError
from wasim.ledger import PlanningProbe
from wasim.probe import PlanningTable, Query

_BENCHMARKS = Path(__file__).parent / "planning.py"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanningTarget:
    """What the benchmarks plan: a table after some commit, and how often."""

    label: str
    table: PlanningTable
    queries: Sequence[Query]
    after_commit: int
    rounds: int


@dataclass(slots=True)
class Bench:
    """The pytest plugin that hands the target in and takes the probes out."""

    target: PlanningTarget
    machine: Mapping[str, Any]
    probes: list[PlanningProbe] = field(default_factory=list)
    errors: list[BaseException] = field(default_factory=list)

    def pytest_exception_interact(self, call: pytest.CallInfo[Any]) -> None:
        """Keeps the error itself, so that it can be raised where the case runs."""
        if call.excinfo is not None:
            self.errors.append(call.excinfo.value)

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """One benchmark per query, named by case, commit and query."""
        label = f"{self.target.label} @{self.target.after_commit}"
        metafunc.parametrize("bench", [self], ids=[label])
        if "query" in metafunc.fixturenames:
            metafunc.parametrize("query", self.target.queries, ids=[query.name for query in self.target.queries])

    @pytest.hookimpl(tryfirst=True)
    def pytest_benchmark_generate_machine_info(self) -> Mapping[str, Any]:
        """The run's provenance, known already; asking the CPU again takes a second each time."""
        return self.machine

    @pytest.hookimpl(tryfirst=True)
    def pytest_benchmark_generate_commit_info(self) -> Mapping[str, Any]:
        """What pytest-benchmark expects; the run's provenance has the commit."""
        return {"id": self.machine.get("git_commit", "unversioned"), "dirty": False}


def run_planning_benchmarks(target: PlanningTarget, machine: Mapping[str, Any], json_path: Path) -> list[PlanningProbe]:
    """Times load and planning of the target's queries into pytest-benchmark's JSON. Raises what a query raised."""
    bench = Bench(target, machine)
    arguments = [
        str(_BENCHMARKS), f"--benchmark-json={json_path}", "-q", "-s", f"--rootdir={_BENCHMARKS.parent}",
        "--config-file=/dev/null", "--override-ini=addopts=", "-p", "no:cacheprovider", "-p", "no:randomly",
        "--benchmark-disable-gc",
    ]  # fmt: skip
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        outcome = pytest.main(arguments, plugins=[bench])
    if outcome != pytest.ExitCode.OK:
        raise bench.errors[0] if bench.errors else CaseFailed(f"Planning could not be timed: {said.getvalue()[-300:]}")
    return bench.probes


def merge_benchmarks(parts: Sequence[Path], target: Path) -> None:
    """One pytest-benchmark document with the benchmarks of all `parts`, in order; nothing is written for no parts."""
    try:
        documents = [json.loads(part.read_text()) for part in parts]
    except (OSError, ValueError) as error:
        raise SavedFileError(f"A case's benchmark-*.json cannot be read ({error}). Run the bench again.") from error
    if documents:
        merged = documents[0] | {"benchmarks": [bench for document in documents for bench in document["benchmarks"]]}
        target.write_text(json.dumps(merged, indent=1))
