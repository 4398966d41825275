"""Recipes for schedulers run on a real table, each where its package is installed."""

import os
import re
import subprocess
import sys
from pathlib import Path
from runpy import run_path
from typing import Any

import pytest
from support.paths import DATA, ROOT

PAGE = (ROOT / "docs" / "recipes.md").read_text()
LOCATION = "s3://bucket/warehouse/db/events"


def block(heading: str, language: str) -> str:
    (section,) = re.findall(rf"^## {heading}\n(.+?)(?=^## |\Z)", PAGE, flags=re.DOTALL | re.MULTILINE)
    return re.findall(rf"```{language}\n(.+?)```", section, flags=re.DOTALL)[0]


def run_recipe(heading: str, table: str, folder: Path) -> dict[str, Any]:
    """The names that a recipe defines, for a table of the tests."""
    path = folder / "recipe.py"
    path.write_text(block(heading, "python").replace(LOCATION, str(DATA / "tables" / table)))
    return run_path(str(path))


@pytest.fixture
def wasim_on_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    command = tmp_path / "bin" / "wasim"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nPYTHONPATH={ROOT} exec {sys.executable} -m wasim "$@"\n')
    command.chmod(0o755)
    monkeypatch.setenv("PATH", f"{command.parent}:{os.environ['PATH']}")


@pytest.mark.parametrize(("table", "healthy"), [("empty_v2", True), ("evolving_v2", False)])
def test_airflow_task_fails_where_findings_are_critical(
    table: str, healthy: bool, wasim_on_path: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AIRFLOW_HOME", str(tmp_path / "airflow"))
    pytest.importorskip("airflow.providers.standard")
    from airflow.exceptions import AirflowException  # type: ignore[import-not-found, unused-ignore]

    (task,) = run_recipe("Airflow", table, tmp_path)["dag"].tasks
    if healthy:
        task.execute({})
    else:
        with pytest.raises(AirflowException, match="non-zero"):
            task.execute({})


@pytest.mark.parametrize(("table", "healthy"), [("empty_v2", True), ("evolving_v2", False)])
def test_dagster_check_passes_without_findings(table: str, healthy: bool, wasim_on_path: None, tmp_path: Path) -> None:
    pytest.importorskip("dagster")
    result = run_recipe("Dagster", table, tmp_path)["metadata_has_no_findings"]()
    assert result.passed is healthy
    assert ("WA101" in result.metadata) is not healthy


def test_dbt_prints_the_tables_of_a_run(tmp_path: Path) -> None:
    pytest.importorskip("dbt.adapters.duckdb")
    (tmp_path / "macros").mkdir()
    (tmp_path / "models").mkdir()
    (tmp_path / "macros" / "written_tables.sql").write_text(block("dbt", "jinja"))
    (tmp_path / "models" / "events.sql").write_text("select 1 as a")
    (tmp_path / "dbt_project.yml").write_text(
        f"name: lake\nversion: '1.0'\nprofile: lake\nmodels:\n  +materialized: table\n{block('dbt', 'yaml')}"
    )
    (tmp_path / "profiles.yml").write_text(
        f"lake:\n  target: t\n  outputs:\n    t: {{type: duckdb, path: {tmp_path / 'db.duckdb'}, schema: web}}\n"
    )
    dbt = Path(sys.executable).with_name("dbt")
    ran = subprocess.run(
        [dbt, "--quiet", "run", "--profiles-dir", "."],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert ran.stdout.split() == ["my_catalog.web.events"]
