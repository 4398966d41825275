"""What a verb imports: it decides how fast it starts, and what it needs installed."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.paths import ROOT, SCENARIOS, sample_run

HEAVY = {"fastavro", "jinja2", "matplotlib", "numpy", "pandas", "py4j", "pyarrow", "pydantic", "pyspark", "pytest"} | {
    "ruamel",
    "scipy",
}
IMPORTED = """
import json, sys
from wasim.cli import main
sys.argv[0] = "wasim"
try:
    main()
except SystemExit as end:
    code = end.code or 0
print(json.dumps([code, sorted({name.partition(".")[0] for name in sys.modules})]), file=sys.stderr)
"""


def imported_by(*arguments: str) -> set[str]:
    """The packages that a process of its own has imported when the verb is done."""
    command = [sys.executable, "-c", IMPORTED, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    code, packages = json.loads(done.stderr.splitlines()[-1])
    assert code == 0, done.stderr
    return set(packages)


def test_help_imports_nothing_heavy() -> None:
    assert not imported_by("--help") & HEAVY


def test_help_of_a_verb_imports_no_more_than_typer_itself() -> None:
    assert imported_by("bench", "--help") & HEAVY <= {"pydantic"}


def test_validate_imports_what_reads_yaml_and_table_properties_and_no_more() -> None:
    assert imported_by("validate", str(SCENARIOS / "smoke.yaml")) & HEAVY <= {"fastavro", "numpy", "pydantic", "ruamel"}


def test_inspect_imports_no_scenario_and_nothing_that_draws() -> None:
    table = ROOT / "tests" / "data" / "tables" / "evolving_v2"
    assert not imported_by("inspect", str(table), "--fail-on", "never") & {
        "jinja2",
        "matplotlib",
        "pyiceberg",
        "ruamel",
    }


WITHOUT_EXTRAS = """
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"pyspark", "py4j", "pandas", "pytest", "pytest_benchmark", "pyiceberg", "chdb"}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Missing())
from wasim.cli import main
sys.argv[0] = "wasim"
main()
"""


@pytest.mark.parametrize(
    "arguments",
    [
        ["validate", SCENARIOS / "smoke.yaml"],
        ["schema"],
        ["simulate", SCENARIOS / "smoke.yaml", "--table-only"],  # "report" draws the page
        ["simulate", SCENARIOS / "smoke.yaml", "--mode", "fast", "--grid", "grid.parquet"],
        ["compare", "run/latest", "run/latest"],
        ["report", "run/latest"],
        ["inspect", ROOT / "tests" / "data" / "tables" / "api_types_v3", "--fail-on", "never"],
        ["bench", SCENARIOS / "smoke.yaml", "--dry-run"],
    ],
    ids=lambda arguments: arguments[0],
)
def test_a_verb_that_measures_nothing_needs_no_extra(arguments: list[str | Path], tmp_path: Path) -> None:
    if "run/latest" in arguments:
        shutil.copytree(sample_run(), tmp_path / "run" / sample_run().name)
    command = [sys.executable, "-c", WITHOUT_EXTRAS, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout
