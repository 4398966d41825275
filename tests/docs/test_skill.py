"""The page for agents: its commands run, and their JSON holds what it names."""

import json
import re
import shlex
import shutil
from pathlib import Path
from typing import Any

import pytest
from support.paths import DATA, ROOT
from typer.testing import CliRunner

from wasim.cli import app

PAGE = (ROOT / "docs" / "SKILL.md").read_text()
SHOWN = re.findall(r"```sh\n\.venv/bin/wasim ([^\n]+)\n```\n\n((?:\|.*\n)+)", PAGE)
TABLE = "CREATE TABLE db.t (a INT) USING iceberg TBLPROPERTIES ('write.metadata.compression-codec'='{}');\n"


def values_at(document: Any, path: str) -> list[Any]:
    """All values at `a.b[].c`; KeyError where the document has no such field."""
    found = [document]
    for step in path.split("."):
        name = step.removesuffix("[]")
        found = [one[name] for one in found]
        if step != name:
            found = [item for items in found for item in items]
    return found


@pytest.mark.parametrize(("command", "table"), SHOWN)
def test_the_json_of_a_command_holds_what_the_page_names(
    command: str, table: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(DATA / "tables" / "evolving_v2", tmp_path / "tests/data/tables/evolving_v2")
    for name, codec in (("old", "none"), ("new", "gzip")):
        (tmp_path / f"{name}.sql").write_text(TABLE.format(codec))
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, shlex.split(command))
    assert result.exit_code == 0, result.output
    document = json.loads(result.stdout)
    paths = re.findall(r"^\| `(.+?)` \|", table, flags=re.MULTILINE)
    assert {path for path in paths if not values_at(document, path)} == set()
    assert len(paths) >= 2


def test_the_page_shows_each_verb_once() -> None:
    assert [command.split()[0] for command, _ in SHOWN] == ["inspect", "plan", "simulate", "diff"]
    assert PAGE.count("\n.venv/bin/wasim ") == len(SHOWN)
