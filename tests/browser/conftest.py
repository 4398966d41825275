"""One Chromium for all pages, and one plan's page."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from selenium import webdriver
from support.chromium import open_chromium
from typer.testing import CliRunner

from wasim.cli import app

WORKLOAD = ("--rows-per-second", "500", "--columns", "12", "--freshness", "2m", "--metadata-json", "3MB")


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    """The one browser."""
    with open_chromium(tmp_path_factory.mktemp("chromium")) as opened:
        yield opened


@pytest.fixture(scope="session")
def plan_page(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """A plan's page, and the JSON of the same plan."""
    page = tmp_path_factory.mktemp("plan") / "plan.html"
    result = CliRunner().invoke(app, ["plan", *WORKLOAD, "--json", "--html", str(page)])
    assert result.exit_code == 0, result.output
    return page, json.loads(result.stdout)
