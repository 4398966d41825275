"""What a verb imports: it decides how fast it starts, and what it needs installed."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

from support.paths import ROOT, SCENARIOS, sample_run
from support.small import SMALL_SCENARIO

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


def test_validate_imports_only_what_reads_yaml_and_table_properties() -> None:
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


def test_verbs_that_measure_nothing_need_no_extra(tmp_path: Path, reported_sample: Path) -> None:
    run, small = tmp_path / "run" / reported_sample.name, tmp_path / "small.yaml"
    small.write_text(SMALL_SCENARIO)
    shutil.copytree(sample_run(), run)
    verbs = [
        ["validate", small],
        ["schema"],
        ["simulate", small, "--table-only"],
        ["simulate", small, "--mode", "fast", "--grid", "grid.parquet"],
        ["compare", "run/latest", "run/latest"],
        ["report", "run/latest"],
        ["inspect", ROOT / "tests" / "data" / "tables" / "api_types_v3", "--fail-on", "never"],
        ["bench", small, "--dry-run"],
    ]
    lines = "\n".join(json.dumps([str(one) for one in verb]) for verb in verbs)
    command = [sys.executable, "-c", WITHOUT_EXTRAS]
    done = subprocess.run(command, input=lines, capture_output=True, text=True, check=False, timeout=240, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    pictures = sorted(f"charts/{path.name}" for path in (reported_sample / "charts").iterdir())
    assert {name.rpartition(".")[2] for name in pictures} == {"png", "svg"}
    for name in ("report.html", "summary.json", *pictures):  # the same run gives the same bytes in another process
        assert (run / name).read_bytes() == (reported_sample / name).read_bytes(), name
