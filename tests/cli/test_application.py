"""What all verbs have in common: help, examples, version, and what a mishap ends in."""

import errno
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable

import pytest
import typer
from support.command_line import run_main
from support.paths import SCENARIOS
from typer.testing import CliRunner

from wasim import __version__, scenario
from wasim.cli import app

SMOKE = SCENARIOS / "smoke.yaml"
VERBS = [
    "init",
    "validate",
    "simulate",
    "plan",
    "bench",
    "report",
    "inspect",
    "watch",
    "compare",
    "diff",
    "profile",
    "schema",
]


def said(*arguments: str) -> str:
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    return result.output


def test_the_version_is_the_packages() -> None:
    assert said("--version") == f"wasim {__version__}\n"


@pytest.mark.parametrize("flag", ["-h", "--help"])
def test_help_lists_every_verb(flag: str) -> None:
    assert re.findall(r"^│ (\w+) ", said(flag), flags=re.MULTILINE) == VERBS


@pytest.mark.parametrize("verb", VERBS)
def test_a_verbs_help_ends_with_an_example_that_it_understands(verb: str) -> None:
    (example,) = re.findall(r"Example: wasim (.+?)(?: *$)", said(verb, "-h"), flags=re.MULTILINE)
    name, *arguments = shlex.split(example.partition(" > ")[0])
    command = typer.main.get_command(app)
    assert name == verb
    assert isinstance(command, typer.core.TyperGroup)
    command.commands[name].make_context(name, arguments)


def test_shell_completion_can_be_installed() -> None:
    assert "--install-completion" in said("--help")


def failing_with(error: Exception) -> Callable[..., object]:
    def fail(*_: object, **__: object) -> object:
        raise error

    return fail


def test_a_bug_keeps_its_traceback_and_says_70(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(scenario, "load_scenario", failing_with(ZeroDivisionError("division by zero")))
    assert run_main("validate", str(SMOKE)) == 70
    assert "Traceback" in capsys.readouterr().err


def test_a_full_disk_is_one_line_and_2(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    full = OSError(errno.ENOSPC, "No space left on device", "results/x")
    monkeypatch.setattr(scenario, "load_scenario", failing_with(full))
    assert run_main("validate", str(SMOKE)) == 2
    said = capsys.readouterr().err
    assert said.startswith("results/x: No space left on device. ")
    assert said.count("\n") == 1


@pytest.mark.parametrize("arguments", [["schema"], ["simulate", str(SMOKE), "--mode", "fast", "--table-only"]])
def test_output_that_nobody_reads_is_no_exceeded_limit(arguments: list[str]) -> None:
    """As a shell says it of any program: `wasim … | head -1` in a pipeline that fails for a limit."""
    read_end, write_end = os.pipe()
    os.close(read_end)
    with os.fdopen(write_end, "wb") as unread:
        done = subprocess.run(
            [sys.executable, "-m", "wasim", *arguments], stdout=unread, stderr=subprocess.PIPE, check=False
        )
    assert (done.returncode, b"Traceback" in done.stderr) == (141, False)
