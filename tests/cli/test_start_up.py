"""What a verb imports: it decides how fast it starts, and what it needs installed."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from support.command_line import report_sample, run_without_extras
from support.paths import ROOT, SCENARIOS
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


def test_verbs_that_measure_nothing_need_no_extra(tmp_path: Path, reported_sample: Path) -> None:
    small = tmp_path / "small.yaml"
    small.write_text(SMALL_SCENARIO)
    run_without_extras(
        tmp_path,
        ["validate", small],
        ["schema"],
        ["simulate", small, "--table-only"],
        ["simulate", small, "--mode", "fast", "--grid", "grid.parquet"],
        ["compare", reported_sample, reported_sample],
        ["inspect", ROOT / "tests" / "data" / "tables" / "api_types_v3", "--fail-on", "never"],
        ["bench", small, "--dry-run"],
    )
    pictures = [path.suffix for path in (reported_sample / "charts").iterdir()]  # of a report made so too
    assert {*pictures} == {".png", ".svg"}


@pytest.mark.slow
def test_a_second_process_reports_the_same_bytes(tmp_path: Path, reported_sample: Path) -> None:
    run, pictures = report_sample(tmp_path), (f"charts/{path.name}" for path in (reported_sample / "charts").iterdir())
    for name in ("report.html", "summary.json", *pictures):
        assert (run / name).read_bytes() == (reported_sample / name).read_bytes(), name
