"""The wheel, installed where nothing of this checkout and none of the extras is."""

import json
import os
import re
import subprocess
import sys
import venv
from pathlib import Path
from zipfile import ZipFile

import pytest
from support.paths import ROOT, SCENARIOS

from wasim import __version__

pytestmark = pytest.mark.slow


def run(*command: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    outside = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "JAVA_HOME")}
    if Path(command[0]).name == "wasim":
        outside["PATH"] = str(Path(command[0]).parent)  # where no Java is
    return subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, check=False, timeout=600, cwd=cwd, env=outside
    )


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of programs of an environment with the wheel and its base dependencies, of the versions locked."""
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    built = run(*pip, "wheel", "--no-build-isolation", "--no-deps", "--wheel-dir", folder, ROOT, cwd=folder)
    assert built.returncode == 0, built.stderr
    (wheel,) = folder.glob("wasim-*.whl")
    locked = re.findall(r"^(\S+==[^\\\n]+)", (ROOT / "requirements.lock").read_text(), flags=re.MULTILINE)
    (folder / "constraints.txt").write_text("\n".join(locked))
    venv.create(folder / "empty", with_pip=True)
    programs = folder / "empty" / "bin"
    done = run(programs / "pip", "install", "--quiet", "-c", folder / "constraints.txt", wheel, cwd=folder)
    assert done.returncode == 0, done.stderr
    return programs


def test_the_wheel_simulates_without_spark_and_without_the_checkout(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "smoke.yaml").write_text((SCENARIOS / "smoke.yaml").read_text())
    done = run(installed / "wasim", "simulate", "smoke.yaml", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "streaming" in done.stdout
    assert run(installed / "python", "-c", "import pyspark", cwd=tmp_path).returncode != 0


def test_the_wheel_plans_and_inspects_without_java(installed: Path, tmp_path: Path) -> None:
    version = run(installed / "wasim", "--version", cwd=tmp_path)
    assert version.stdout == f"wasim {__version__}\n"
    assert f"## {__version__} (" in (ROOT / "CHANGELOG.md").read_text()
    plan = run(
        installed / "wasim", "plan", "--rows-per-second", "500", "--metadata-json", "5MB", "--json", cwd=tmp_path
    )
    assert (plan.returncode, plan.stderr) == (0, "")
    assert json.loads(plan.stdout)["schema_version"] == 1
    only = ("--only", "streaming every 4s", "--emit", "emitted", "--table-only")
    (tmp_path / "smoke.yaml").write_text((SCENARIOS / "smoke.yaml").read_text())
    assert run(installed / "wasim", "simulate", "smoke.yaml", *only, cwd=tmp_path).returncode == 0
    (table,) = (tmp_path / "emitted").iterdir()
    doctor = run(installed / "wasim", "inspect", table, "--fail-on", "never", "--json", cwd=tmp_path)
    assert (doctor.returncode, doctor.stderr) == (0, "")
    assert json.loads(doctor.stdout)["history"]["commits"] == 3


def test_the_wheel_holds_the_package_without_tools(installed: Path) -> None:
    (wheel,) = installed.parents[1].glob("wasim-*.whl")
    assert {name.split("/")[0] for name in ZipFile(wheel).namelist()} == {"wasim", f"wasim-{__version__}.dist-info"}


def test_bench_of_the_wheel_says_what_it_needs(installed: Path, tmp_path: Path) -> None:
    done = run(installed / "wasim", "bench", SCENARIOS / "smoke.yaml", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (2, 'bench needs Spark: pip install "wasim[bench]"\n')
