"""The commands of the README and of the documents run, and their links lead somewhere."""

import csv
import re
import shlex
import shutil
from pathlib import Path

import pytest
from support.paths import DATA, ROOT, sample_run
from typer.testing import CliRunner

from wasim.cli import app
from wasim.scenario import load_scenario

README = (ROOT / "README.md").read_text()
TESTED_ELSEWHERE = ("choose_interval.md", "SKILL.md")  # in tests/capacity/test_pages.py and test_skill.py
MEASURES = "--out"  # a command that measures is carried out by test_bench
REPORTS = "report results/sample"  # as tests/cli/test_start_up.py does


def page(name: str) -> str:
    return (ROOT / "docs" / name).read_text()


def commands_of(text: str) -> list[str]:
    return re.findall(r"^\.venv/bin/wasim (.+)$", text, flags=re.MULTILINE)


DOCUMENTS = [path for path in sorted((ROOT / "docs").glob("*.md")) if path.name not in TESTED_ELSEWHERE]
TEXTS = [README, *(path.read_text() for path in DOCUMENTS)]
ALL = dict.fromkeys(command for text in TEXTS for command in commands_of(text))


@pytest.fixture
def copy_of_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for path in (ROOT / "scenarios", sample_run(), DATA / "tables" / "evolving_v2"):
        shutil.copytree(path, tmp_path / path.relative_to(ROOT))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_documents_run_every_verb_that_needs_no_spark() -> None:
    verbs = {str(one.name or getattr(one.callback, "__name__", "")) for one in app.registered_commands}
    assert {command.split()[0] for command in ALL} == verbs - {"profile", "schema"}


@pytest.mark.parametrize("command", [command for command in ALL if MEASURES not in command and REPORTS not in command])
def test_a_command_of_the_documents_runs(command: str, copy_of_root: Path) -> None:
    if command.startswith("validate my_stream.yaml"):
        CliRunner().invoke(app, ["init", "my_stream.yaml"])
    result = CliRunner().invoke(app, shlex.split(command.replace("RUN", sample_run().name)))
    assert result.exit_code == 0, result.output
    assert result.output.strip()


def test_the_scenario_of_the_documents_is_sound(tmp_path: Path) -> None:
    (text,) = re.findall(r"```yaml\n(# yaml-language-server.+?)```", page("scenarios.md"), flags=re.DOTALL)
    path = tmp_path / "my_stream.yaml"
    path.write_text(text)
    assert len(load_scenario(path).cases()) == 18


def test_pages_agree_on_how_many_comparisons_meet_the_goal() -> None:
    with (ROOT / "docs" / "fidelity.csv").open() as rows:
        verdicts = [row["meets_goal"] for row in csv.DictReader(rows)]
    stated = {counts for text in TEXTS for counts in re.findall(r"(\d+) of (\d+) (?:rows|comparisons)", text)}
    assert stated == {(str(verdicts.count("true")), str(len(verdicts)))}


def test_readme_and_bench_page_state_one_measured_answer() -> None:
    (_, measured) = re.findall(r"```text\n(.+?)```", README, flags=re.DOTALL)
    assert measured in page("bench.md")


def test_make_targets_of_the_readme_exist() -> None:
    makefile = (ROOT / "Makefile").read_text()
    for target in re.findall(r"^make (\S+)", README, flags=re.MULTILINE):
        assert f"\n{target}:" in makefile


def test_tools_named_in_documents_exist() -> None:
    pages = (ROOT / "Makefile", *(ROOT / "docs").rglob("*.md"), *(ROOT / "tools").glob("*.py"))
    named = {name for page in pages for name in re.findall(r"\btools\.(\w+)", page.read_text())}
    assert named
    assert named <= {path.stem for path in (ROOT / "tools").glob("*.py")}


def test_links_of_every_document_lead_somewhere() -> None:
    for page in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")):
        for target in re.findall(r"\]\((?!https?:)([^)#]*)(?:#[^)]*)?\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_the_index_names_every_document() -> None:
    named = set(re.findall(r"\]\(([A-Za-z_0-9]+\.md)", (ROOT / "docs" / "README.md").read_text()))
    assert named == {page.name for page in (ROOT / "docs").glob("*.md")} - {"README.md"}
