"""The plans that the README and the documents show are what `wasim plan` prints."""

import re
import shlex
from pathlib import Path

import pytest
from support.paths import ROOT, sample_run
from typer.testing import CliRunner

from wasim.cli import app

SHOWN = re.compile(r"```sh\n\.venv/bin/wasim (plan [^\n]+)\n```\n[^`]*```text\n(.+?)```", flags=re.DOTALL)
PAGES = (ROOT / "README.md", ROOT / "docs" / "choose_interval.md")
PLANS = [
    pytest.param(*shown, id=f"{page.name}-{number}")
    for page in PAGES
    for number, shown in enumerate(SHOWN.findall(page.read_text()))
]


def test_every_page_shows_a_plan():
    assert [len(SHOWN.findall(page.read_text())) for page in PAGES] == [1, 6]


@pytest.mark.slow
@pytest.mark.parametrize(("command", "text"), PLANS)
def test_a_page_shows_what_its_command_prints(
    command: str, text: str, reported_sample: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(Path(ROOT))
    run = str(sample_run().relative_to(ROOT))  # in a checkout it has no report, which its page has made first
    result = CliRunner().invoke(app, shlex.split(command.replace(run, str(reported_sample))))
    assert result.exit_code in (0, 1), result.output
    lines = iter(result.output.splitlines())
    assert [line for line in text.splitlines() if line not in lines] == []  # in this order; README leaves some out
