"""Headless Chromium on pages of ours: at a width, in light or dark, with the axe accessibility checks."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any

from selenium import webdriver
from selenium.webdriver.chrome.service import Service

CHROMIUM, DRIVER = Path("/usr/bin/chromium"), Path("/usr/bin/chromedriver")
PHONE, DESK = (390, 844), (1280, 900)
FLAGS = (
    "--headless",
    "--no-sandbox",  # CI runs as root
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
_AXE = (
    "const done = arguments[0]; axe.run().then(found => done(found.violations), fault => done([{id: String(fault)}]))"
)


@contextmanager
def open_chromium(profile: Path) -> Iterator[webdriver.Chrome]:
    """A browser whose profile is this new folder."""
    options = webdriver.ChromeOptions()
    options.binary_location = str(CHROMIUM)
    for flag in (*FLAGS, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    browser = webdriver.Chrome(options=options, service=Service(str(DRIVER)))
    try:
        yield browser
    finally:
        browser.quit()


def show(
    browser: webdriver.Chrome, page: Path, *, size: tuple[int, int] = DESK, dark: bool = False, at: str = ""
) -> None:
    """Opens a page afresh, `at` a fragment of it."""
    width, height = size
    metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": size == PHONE}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
    browser.get("about:blank")
    browser.get(page.as_uri() + at)


def faults_of(browser: webdriver.Chrome) -> list[str]:
    """What axe finds in the page that is shown, all of it unfolded: rule and first place of each violation."""
    browser.execute_script("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    browser.execute_script(files("axe_core_python").joinpath("axe.min.js").read_text())
    found: list[dict[str, Any]] = browser.execute_async_script(_AXE)
    return [f"{one['id']}: {one.get('nodes', [{}])[0].get('html', '')[:200]}" for one in found]


def overflow_px(browser: webdriver.Chrome) -> int:
    """By how many pixels the page is wider than its window."""
    return int(
        browser.execute_script("return document.documentElement.scrollWidth - document.documentElement.clientWidth")
    )
