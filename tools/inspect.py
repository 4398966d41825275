"""What inspecting a table costs, compared with pyiceberg's table of manifests and with reading the files alone.

    python -m tools.inspect              # 500 commits, all former metadata.json kept
    python -m tools.inspect 1000 5000    # as long as that; from 2,000 on with a short metadata log

Each is measured in processes of its own, in turn with the others so that a busy machine slows all of them, imports left
out: processor seconds, the least of nine, and peak memory.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from wasim.errors import WasimError
from wasim.scenario import load_scenario
from wasim.twin import shipped_profile, simulate_table

COMMITS = (500,)
_SHORT_LOG_FROM = 2_000
_PYICEBERG_UP_TO = 1_000
_MOST_TIMES_READ = 8
_TURNS, _ROUNDS = 3, 3
_SCENARIO = """
name: inspect
question: What does inspecting a table cost?
table:
  columns:
    - {{name: a, type: long, count: 3}}
    - {{name: s, type: string, count: 3}}
    - {{name: d, type: double, count: 2}}
  properties: {properties}
workload: {{rows_per_second: 100}}
horizon: {commits}s
commit_interval: 1s
writer: streaming
"""
_SHORT_LOG = '{"write.metadata.delete-after-commit.enabled": "true", "write.metadata.previous-versions-max": "5"}'
_MEASURED = """
import json, resource, sys, time
{imports}
spent = []
for _ in range({rounds}):
    started = time.process_time()
    {look}
    spent.append(time.process_time() - started)
print(json.dumps([min(spent), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024]))
"""
_DOCTOR = {
    "imports": "from wasim.doctor import InspectOptions, inspect_location",
    "look": "inspect_location(sys.argv[1], InspectOptions(grace_s=0))",
}
_PYICEBERG = {
    "imports": "from pyiceberg.table import StaticTable\nfrom pathlib import Path\n"
    "newest = str(max(Path(sys.argv[1], 'metadata').glob('*.metadata.json')))",
    "look": "StaticTable.from_metadata(newest).inspect.all_manifests()",
}
_READ = {
    "imports": "from pathlib import Path\nfiles = sorted(Path(sys.argv[1], 'metadata').iterdir())",
    "look": "sum(len(file.read_bytes()) for file in files)",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """Processor seconds, and the peak of memory."""

    cpu_s: float
    peak_bytes: int


def emit_table(folder: Path, commits: int) -> None:
    """A table of this many appends at `folder`, as engine `twin` writes it."""
    properties = _SHORT_LOG if commits >= _SHORT_LOG_FROM else "{}"
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        file.write(_SCENARIO.format(commits=commits, properties=properties))
        file.flush()
        (case,) = load_scenario(Path(file.name)).cases()
    simulate_table(case, shipped_profile(case), np.random.default_rng(0), emit=folder)


def measure(looks: Sequence[dict[str, str]], folder: Path) -> list[Cost]:
    """The least cost of each look at a table, over some turns. WasimError if one fails."""
    turns = [[_measured(look, folder) for look in looks] for _ in range(_TURNS)]
    return [min(costs, key=lambda cost: cost.cpu_s) for costs in zip(*turns, strict=True)]


def _measured(look: dict[str, str], folder: Path) -> Cost:
    command = [sys.executable, "-c", _MEASURED.format(rounds=_ROUNDS, **look), str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise WasimError(f"Measuring failed: {(done.stderr.splitlines() or ['no reason given'])[-1]}")
    cpu_s, peak_bytes = json.loads(done.stdout)
    return Cost(cpu_s=cpu_s, peak_bytes=peak_bytes)


def report(commits: Sequence[int], folder: Path) -> Iterator[str]:
    """A Markdown table, a row for each number of commits."""
    yield "| commits | metadata | inspect | peak memory | reading alone | times as long | pyiceberg | times faster |"
    yield "|--:|--:|--:|--:|--:|--:|--:|--:|"
    for count in commits:
        root = folder / str(count)
        emit_table(root, count)
        size = sum(file.stat().st_size for file in (root / "metadata").iterdir())
        looks = [_DOCTOR, _READ] if count > _PYICEBERG_UP_TO else [_DOCTOR, _READ, _PYICEBERG]
        doctor, read, *others = measure(looks, root)
        times = doctor.cpu_s / read.cpu_s
        row = (
            f"| {count:,} | {size / 1e6:,.0f} MB | {doctor.cpu_s:.3f} s | {doctor.peak_bytes / 1e6:,.0f} MB"
            f" | {read.cpu_s:.3f} s | {times:.1f}{'' if times <= _MOST_TIMES_READ else ' (!)'} |"
        )
        compared = [f" {one.cpu_s:.2f} s | {one.cpu_s / doctor.cpu_s:.1f} |" for one in others]
        yield row + "".join(compared or [" | |"])


def main(arguments: Sequence[str]) -> None:
    """Print the table as it grows."""
    commits = [int(one) for one in arguments] or COMMITS
    with tempfile.TemporaryDirectory() as folder:
        for line in report(commits, Path(folder)):
            print(line, flush=True)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except (WasimError, ValueError) as error:
        print(error, file=sys.stderr)
        sys.exit(2)
