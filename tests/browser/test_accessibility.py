"""Every page that wasim writes, in Chromium: axe finds nothing, light or dark, and no page scrolls sideways."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from support.chromium import DESK, PHONE, faults_of, overflow_px, show
from support.command_line import run_main
from support.paths import ROOT, sample_run
from support.trees import emit_tree

from wasim.doctor import InspectOptions, inspect_location
from wasim.doctor.page import render_page
from wasim.runner import conclude_run

pytestmark = pytest.mark.browser
PAGES = ("plan", "infeasible", "fleet", "report", "inspect")


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory, plan_page: tuple[Path, dict]) -> Callable[[str], Path]:
    """A page by its name, written when first asked for."""
    folder = tmp_path_factory.mktemp("pages")

    def report() -> str:
        run = folder / "run"
        shutil.copytree(sample_run(), run)
        found = conclude_run(run).report
        assert found is not None
        page = found.read_text()
        assert 'id="explorer"' in page
        return page

    def inspect() -> str:
        table = emit_tree(folder / "table", horizon_s=8.0).root
        return render_page(inspect_location(str(table), InspectOptions(grace_s=0)))

    def planned(*flags: str) -> str:
        page = folder / "planned.html"
        assert run_main("plan", *flags, "--html", str(page)) in (0, 1)
        return page.read_text()

    written = {
        "report": report,
        "inspect": inspect,
        "fleet": lambda: planned("--fleet", str(ROOT / "docs" / "fleet.yaml")),
        "infeasible": lambda: planned("--rows-per-second", "500", "--freshness", "30s", "--manifests", "3"),
    }

    def find(name: str) -> Path:
        if name == "plan":
            return plan_page[0]
        path = folder / f"{name}.html"
        if not path.exists():
            path.write_text(written[name]())
        return path

    return find


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_axe_finds_nothing(browser, pages, name, dark):
    show(browser, pages(name), size=PHONE if dark else DESK, dark=dark)
    assert faults_of(browser) == []


@pytest.mark.parametrize("name", PAGES)
def test_no_page_scrolls_sideways_on_a_phone(browser, pages, name):
    show(browser, pages(name), size=PHONE)
    browser.execute_script("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    assert overflow_px(browser) == 0


@pytest.mark.parametrize("name", ["plan", "fleet"])
def test_words_in_a_table_keep_room_on_a_phone(browser, pages, name):
    show(browser, pages(name), size=PHONE)
    lines = "return [...document.querySelectorAll('td:not(.figure)')].map(one => one.offsetHeight)"
    assert max(browser.execute_script(lines)) < 100


@pytest.mark.parametrize("name", PAGES)
def test_dark_mode_is_dark(browser, pages, name):
    colours = []
    for dark in (False, True):
        show(browser, pages(name), dark=dark)
        colours.append(browser.execute_script("return getComputedStyle(document.body).backgroundColor"))
    assert colours == ["rgb(254, 254, 254)", "rgb(20, 23, 27)"]
