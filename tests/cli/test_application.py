"""What all verbs have in common: help, examples, version."""

import re
import shlex

import click
import pytest
import typer
from typer.testing import CliRunner

from wasim import __version__
from wasim.cli import app

VERBS = [
    "init",
    "validate",
    "simulate",
    "bench",
    "report",
    "inspect",
    "watch",
    "compare",
    "profile",
    "fidelity",
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
def test_a_verbs_help_ends_with_an_example_that_the_verb_understands(verb: str) -> None:
    (example,) = re.findall(r"Example: wasim (.+?)(?: *$)", said(verb, "-h"), flags=re.MULTILINE)
    name, *arguments = shlex.split(example.partition(" > ")[0])
    command = typer.main.get_command(app)
    assert name == verb
    assert isinstance(command, click.Group | typer.core.TyperGroup)
    command.commands[name].make_context(name, arguments)


def test_shell_completion_can_be_installed() -> None:
    assert "--install-completion" in said("--help")
