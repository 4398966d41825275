"""The action on a sample repository: its script's comment, and where that is posted; the hook of pre-commit."""

import json
import os
import re
import shlex
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt
from ruamel.yaml import YAML
from support.paths import DATA, ROOT
from typer.testing import CliRunner

from wasim.cli import app

ACTION = ROOT / "action"
WASIM = Path(sys.executable).parent / "wasim"
GOLDEN = DATA / "action" / "comment.md"

CONNECTOR = {"connector.class": "org.apache.iceberg.connect.IcebergSinkConnector", "iceberg.tables": "web.events"}
TABLE = "CREATE TABLE lake.web.clicks (id bigint) USING iceberg TBLPROPERTIES ('format-version'='2'{});\n"


def git(folder: Path, *arguments: str) -> str:
    identity = ("-c", "user.name=n", "-c", "user.email=e", "-c", "commit.gpgsign=false")
    done = subprocess.run(["git", "-C", str(folder), *identity, *arguments], check=True, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A pull request sets gzip in SQL, commits ten times as often in a connector, and changes a job's code."""
    folder = tmp_path_factory.mktemp("sample")
    git(folder, "init", "-b", "main", ".")
    (folder / "clicks.sql").write_text(TABLE.format(""))
    (folder / "sink.json").write_text(json.dumps(CONNECTOR))
    git(folder, "add", "-A")
    git(folder, "commit", "-m", "as it was")
    git(folder, "checkout", "-b", "change")
    (folder / "clicks.sql").write_text(TABLE.format(", 'write.metadata.compression-codec'='gzip'"))
    (folder / "sink.json").write_text(json.dumps(CONNECTOR | {"iceberg.control.commit.interval-ms": "30000"}))
    (folder / "job.py").write_text("df.writeStream.trigger(processingTime='1 minute')\n")
    git(folder, "add", "-A")
    git(folder, "commit", "-m", "faster")
    return folder


@pytest.fixture(scope="module")
def ran(repository: Path) -> tuple[Path, str]:
    """The comment that the script wrote, and the outputs of its step."""
    comment, outputs = repository / "comment.md", repository / "outputs"
    environment = os.environ | {
        "WASIM": str(WASIM),
        "BASE": git(repository, "rev-parse", "main"),
        "HEAD": git(repository, "rev-parse", "change"),
        "FAIL_ABOVE": "metadata=1.5",
        "ARGUMENTS": "--horizon 1d --rows-per-second 200",
        "COMMENT_FILE": str(comment),
        "GITHUB_OUTPUT": str(outputs),
    }
    subprocess.run([ACTION / "diff.sh"], cwd=repository, env=environment, check=True, capture_output=True, timeout=120)
    return comment, outputs.read_text()


def masked(text: str) -> str:
    """Without its figures: they are the simulator's, and tested there."""
    return re.sub(r"\d[\d.,]*", "#", text)


def test_the_comment_is_as_it_was(ran: tuple[Path, str]) -> None:
    text = ran[0].read_text()
    if os.environ.get("WASIM_UPDATE_GOLDEN"):
        GOLDEN.write_text(text)
    assert masked(text) == masked(GOLDEN.read_text())


def test_the_lists_of_the_comment_are_tight(ran: tuple[Path, str]) -> None:
    rendered = MarkdownIt().render(ran[0].read_text())
    assert rendered.count("<ul>") == 2
    assert "<li>\n<p>" not in rendered


def test_the_step_hands_on_that_the_gate_failed(ran: tuple[Path, str]) -> None:
    assert ran[1].splitlines() == ["status=1", f"comment-file={ran[0]}"]


def test_a_mistake_ends_the_step(repository: Path) -> None:
    environment = os.environ | {"WASIM": str(WASIM), "BASE": "nowhere", "HEAD": "change", "COMMENT_FILE": os.devnull}
    done = subprocess.run([ACTION / "diff.sh"], cwd=repository, env=environment, capture_output=True, check=False)
    assert done.returncode == 2


class Comments(BaseHTTPRequestHandler):
    """A pull request's comments, as GitHub's interface keeps them."""

    kept: dict[int, str]

    def do_GET(self) -> None:
        first = self.path.endswith("&page=1")
        self._answer([{"id": key, "body": body} for key, body in self.kept.items()] if first else [])

    def do_POST(self) -> None:
        self.kept[len(self.kept) + 1] = self._body()
        self._answer({})

    def do_PATCH(self) -> None:
        self.kept[int(self.path.rpartition("/")[2])] = self._body()
        self._answer({})

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def _body(self) -> str:
        return str(json.loads(self.rfile.read(int(self.headers["Content-Length"])))["body"])

    def _answer(self, document: Any) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps(document).encode())


@pytest.fixture
def comments() -> Iterator[tuple[str, dict[int, str]]]:
    kept = {1: "Looks good to me"}
    handler = type("Kept", (Comments,), {"kept": kept})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}", kept
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_later_comment_takes_the_place_of_the_first(
    comments: tuple[str, dict[int, str]], ran: tuple[Path, str], tmp_path: Path
) -> None:
    address, kept = comments
    environment = os.environ | {
        "GITHUB_API_URL": address,
        "GITHUB_REPOSITORY": "o/r",
        "GITHUB_TOKEN": "t",
        "PULL_REQUEST": "7",
    }
    later = tmp_path / "later.md"
    later.write_text("<!-- wasim diff -->\n### Nothing changes\n")
    for path in (ran[0], later):
        subprocess.run([sys.executable, ACTION / "post.py", path], env=environment, check=True, timeout=30)
    assert kept == {1: "Looks good to me", 2: later.read_text()}


def test_the_action_uses_no_other_action_and_its_own_files() -> None:
    document = YAML(typ="safe").load(ACTION / "action.yml")
    steps = document["runs"]["steps"]
    assert document["runs"]["using"] == "composite"
    assert not any("uses" in step for step in steps)
    named = re.findall(r"\$GITHUB_ACTION_PATH/([\w./]+)", " ".join(step["run"] for step in steps))
    assert all((ACTION / name).exists() for name in named)
    assert os.access(ACTION / "diff.sh", os.X_OK)
    script = (ACTION / "diff.sh").read_text()
    given = steps[1]["env"]
    assert all(f"${name}" in script or f"${{{name}" in script for name in given)


def test_the_action_pins_what_the_lock_pins() -> None:
    (command,) = re.findall(
        r"^(sed .*) > ", YAML(typ="safe").load(ACTION / "action.yml")["runs"]["steps"][0]["run"], re.M
    )
    environment = os.environ | {"GITHUB_ACTION_PATH": str(ACTION)}
    pinned = subprocess.run(["bash", "-c", command], env=environment, check=True, capture_output=True, text=True)
    lines = pinned.stdout.splitlines()
    assert len(lines) == (ROOT / "requirements.lock").read_text().count("==") - pinned.stdout.count(" == ")
    assert all(re.fullmatch(r"[\w.-]+==[\w.]+( ; .+)?", line) for line in lines)


def test_the_hook_says_what_a_commit_would_cost(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (hook,) = YAML(typ="safe").load(ROOT / ".pre-commit-hooks.yaml")
    changed = repository / "clicks.sql"
    text = changed.read_text()
    assert re.search(hook["files"], changed.name)
    changed.write_text(TABLE.format(""))
    try:
        monkeypatch.chdir(repository)
        verb = shlex.split(hook["entry"])[1:]
        done = CliRunner().invoke(app, [*verb, "--horizon", "1d", "--fail-above", "metadata=1.5"])
    finally:
        changed.write_text(text)
    assert done.exit_code == 1
    assert "clicks.sql: lake.web.clicks: `write.metadata.compression-codec` gzip → unset" in done.stdout
