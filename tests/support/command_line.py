"""The command line as a shell sees it: its exit code, or the document that it prints."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from support.paths import sample_run
from wasim import cli

_WITHOUT_EXTRAS = """
import json, sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"pyspark", "py4j", "pandas", "pytest", "pytest_benchmark", "pyiceberg", "chdb"}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Missing())
from wasim.cli import main
for line in sys.stdin:
    sys.argv = ["wasim", *json.loads(line)]
    try:
        main()
    except SystemExit as end:
        if end.code:
            sys.exit(f"{line}: {end.code}")
"""


def run_main(*arguments: str) -> int:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.argv", ["wasim", *arguments])
        with pytest.raises(SystemExit) as end:
            cli.main()
    return int(end.value.code or 0)


def document_of(*arguments: object) -> dict[str, object]:
    """What a command prints with --json, in a process of its own, as it must be where it starts a Spark session: that
    ends with the command, and with it the session of the tests would.
    """
    command = [sys.executable, "-m", "wasim", *map(str, arguments), "--json"]
    document: dict[str, object] = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    return document


def run_without_extras(folder: Path, *verbs: list[object]) -> None:
    """Runs verbs from within the folder, in a process of their own where no extra is installed."""
    lines = "\n".join(json.dumps([str(one) for one in verb]) for verb in verbs)
    command = [sys.executable, "-c", _WITHOUT_EXTRAS]
    done = subprocess.run(command, input=lines, capture_output=True, text=True, check=False, timeout=240, cwd=folder)
    assert done.returncode == 0, done.stderr


def report_sample(folder: Path) -> Path:
    """A copy of the sample run in the folder, with the report that `wasim report` makes of it without extras."""
    run = folder / sample_run().name
    shutil.copytree(sample_run(), run)
    run_without_extras(folder, ["report", run])
    return run
