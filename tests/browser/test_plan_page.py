"""A plan's page in Chromium: what the sliders show is what `wasim plan --json` says of that setting."""

import re
from dataclasses import replace
from math import ceil
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from support.chromium import DESK, PHONE, overflow_px, show

from wasim.capacity import Figures, PlanRequest, SettingSimulator, make_plan
from wasim.capacity.commands import sql_of
from wasim.capacity.request import Requirements, request_from_flags
from wasim.capacity.words import value_words
from wasim.ledger.trouble import JSON_MARKS
from wasim.units import format_bytes, format_duration

pytestmark = pytest.mark.browser
WORKLOAD = {"rows_per_second": "500", "columns": "12"}
LIMITS = {"metadata_json_bytes": "3MB"}
UNITS = {"B": 1.0, "KiB": 2.0**10, "MiB": 2.0**20, "GiB": 2.0**30, "TiB": 2.0**40, "ms": 1.0}


def request(**workload: str) -> PlanRequest:
    return request_from_flags(WORKLOAD | workload, Requirements(freshness="2m", limits=LIMITS))


@pytest.fixture(scope="module")
def simulator() -> SettingSimulator:
    """What made the page's plan."""
    made = SettingSimulator(request=request())
    make_plan(made.request, made)
    return made


@pytest.fixture(autouse=True)
def opened(browser: webdriver.Chrome, plan_page: tuple[Path, dict]) -> None:
    show(browser, plan_page[0])


def shown(browser, attribute="metric"):
    """Texts by the name that the page marks them with."""
    cells = browser.find_elements(By.CSS_SELECTOR, f".verdict [data-{attribute}]")
    return {cell.get_attribute(f"data-{attribute}"): cell.text for cell in cells}


def text(browser, part):
    return browser.find_element(By.CSS_SELECTOR, f'[data-part="{part}"]').get_attribute("textContent")


def press(browser, axis, *keys):
    control = browser.find_element(By.CSS_SELECTOR, f'[data-axis="{axis}"]')
    control.send_keys(*keys)
    return control


def words(browser, values):
    return {name: value_words(name, values[name], "USD") for name in shown(browser)}


def day_words(days, horizon):
    return f"not in {horizon}" if days is None else f"day {max(1, ceil(days)):,}"


def number(shown_text):
    """The number in a figure, in bytes or in milliseconds."""
    value, _, unit = shown_text.replace(",", "").partition(" ")
    return float(re.match(r"[0-9.]+", value)[0]) * UNITS.get(unit, 1.0)


def assert_near(browser, figures: Figures, *, rel):
    metrics = ("metadata_bytes_per_day", "wa_metadata", "metadata_json_bytes", "metadata_on_disk_bytes")
    found = shown(browser)
    assert [number(found[name]) for name in metrics] == pytest.approx([figures.values[one] for one in metrics], rel=rel)


def test_the_page_begins_with_the_recommended_setting_of_the_json(browser, plan_page):
    _, document = plan_page
    recommended = document["recommended"]
    assert shown(browser) == words(browser, recommended["figures"])
    passes = recommended["metadata_json_passes_on_day"] | recommended["metadata_json_text_passes_on_day"]
    days = [*passes.values(), recommended["metadata_outweighs_data_on_day"]]
    assert len(days) == len(JSON_MARKS) + 1
    assert sorted(shown(browser, "mark").values()) == sorted(day_words(one, "30d") for one in days)
    assert text(browser, "sql").split("\n\n") == [*document["sql"], *document["statements"][-1]["lines"]]
    assert text(browser, "limits").startswith("The limit holds. Next to break: metadata.json")
    legend = {
        cell.get_attribute("data-metric"): cell.text
        for cell in browser.find_elements(By.CSS_SELECTOR, ".legend span[data-metric]")
    }
    assert legend["written_json"] == format_bytes(recommended["written_bytes"]["metadata_json"])


def test_nothing_is_loaded_and_nothing_goes_wrong(browser, plan_page):
    assert browser.get_log("browser") == []
    assert browser.execute_script("return performance.getEntriesByType('resource').length") == 0
    assert plan_page[0].stat().st_size < 2_000_000


def test_settings_reached_by_keys_show_their_own_figures(browser, plan_page, simulator):
    base = make_plan(simulator.request, simulator).chosen.setting
    intervals = {
        format_duration(one["commit_interval_s"]): one["commit_interval_s"] for one in plan_page[1]["intervals"]
    }
    control = press(browser, "interval", Keys.HOME)
    for rewrite_s, key in ((86400.0, Keys.END), (None, Keys.HOME)):
        press(browser, "rewrite", key)
        press(browser, "interval", Keys.HOME)
        seen = set()
        while (name := control.get_attribute("aria-valuetext")) not in seen:
            kept = replace(base.maintenance, rewrite_every_s=rewrite_s)
            setting = replace(base, interval_s=intervals[name], maintenance=kept)
            assert shown(browser) == words(browser, simulator.figures(setting).values)
            assert text(browser, "setting").startswith(f"Commit every {name}, ")
            seen.add(name)
            control.send_keys(Keys.ARROW_RIGHT)
        assert len(seen) >= 5


def test_without_expiry_the_page_says_when_which_limit_breaks(browser, plan_page, simulator):
    shortest = plan_page[1]["intervals"][0]["commit_interval_s"]
    base = replace(make_plan(simulator.request, simulator).chosen.setting, interval_s=shortest)
    press(browser, "interval", Keys.HOME)
    press(browser, "expire", Keys.HOME)
    assert not browser.find_element(By.CSS_SELECTOR, '[data-axis="keep"]').is_enabled()
    kept = replace(base.maintenance, expire_every_s=None, older_than_s=None)
    figures = simulator.figures(replace(base, maintenance=kept))
    assert shown(browser) == words(browser, figures.values)
    days = figures.milestones.json_passes
    assert shown(browser, "mark")["passes_5mb_days"] == day_words(days[5_000_000], "30d")
    said = re.match(r"First breaks (.*) \(.*\) on day (\d+)", text(browser, "limits"))
    metric, bound = {"metadata.json": ("json", 3), "metadata ÷ data": ("data", 1)}[said[1]]
    passing = days[5_000_000] * bound / 5 if metric == "json" else figures.milestones.metadata_outweighs
    assert int(said[2]) == pytest.approx(passing, rel=0.25, abs=1)
    assert text(browser, "sql").startswith(sql_of(simulator.request, figures.setting)[0])


def test_space_bar_keeps_or_deletes_old_metadata_json(browser, simulator):
    base = make_plan(simulator.request, simulator).chosen.setting
    press(browser, "oldjson", Keys.SPACE)
    assert shown(browser) == words(browser, simulator.figures(replace(base, deletes_json=not base.deletes_json)).values)


@pytest.mark.parametrize(("key", "compact_every_s"), [(Keys.HOME, None), (Keys.END, 3600.0)])
def test_compaction_and_gzip_show_figures_and_sql_of_their_own(browser, simulator, key, compact_every_s):
    base = make_plan(simulator.request, simulator).chosen.setting
    press(browser, "compact", key)
    setting = replace(base, maintenance=replace(base.maintenance, compact_every_s=compact_every_s))
    for changed in (setting, replace(setting, gzips_json=not base.gzips_json)):
        assert_near(browser, simulator.figures(changed), rel=0.01)
        assert text(browser, "sql").split("\n\n")[:-1] == [*sql_of(simulator.request, changed)]
        said = re.sub(r", keep \w+", "", text(browser, "setting"))
        assert said == f"Commit every {changed.words}"
        press(browser, "gzip", Keys.SPACE)


def test_another_horizon_is_within_two_per_cent_of_its_plan(browser):
    base = make_plan(request()).chosen.setting
    control = press(browser, "horizon", Keys.END)
    assert control.get_attribute("aria-valuetext") == "365d"
    assert_near(browser, SettingSimulator(request=request(horizon="365d")).figures(base), rel=0.02)


@pytest.mark.parametrize(
    ("axis", "key", "workload"),
    [
        ("rate", Keys.END, {"rows_per_second": "5000"}),
        ("columns", Keys.END, {"columns": "48"}),
        ("files", Keys.END, {"files_per_commit": "8"}),
    ],
)
def test_a_moved_workload_is_within_three_per_cent(browser, simulator, axis, key, workload):
    base = make_plan(simulator.request, simulator).chosen.setting
    control = press(browser, axis, key)
    assert control.get_attribute("aria-valuetext").replace(",", "") == next(iter(workload.values()))
    assert_near(browser, SettingSimulator(request=request(**workload)).figures(base), rel=0.03)
    assert browser.find_element(By.CSS_SELECTOR, '[data-part="estimated"]').is_displayed()


def test_a_link_keeps_the_setting_and_reset_gives_it_up(browser, plan_page):
    began = shown(browser)
    press(browser, "interval", Keys.HOME)
    press(browser, "rate", Keys.ARROW_RIGHT)
    moved, fragment = shown(browser), browser.execute_script("return location.hash")
    assert moved != began
    link = browser.find_element(By.CSS_SELECTOR, '[data-part="link"]')
    assert link.get_attribute("href").endswith(fragment)
    show(browser, plan_page[0], at=fragment)
    assert shown(browser) == moved
    browser.find_element(By.CSS_SELECTOR, '[data-part="reset"]').send_keys(Keys.ENTER)
    assert shown(browser) == began


def test_the_sql_is_copied(browser):
    grant = {"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]}
    browser.execute_cdp_cmd("Browser.grantPermissions", grant)
    browser.find_element(By.CSS_SELECTOR, '[data-part="copy"]').send_keys(Keys.ENTER)
    copied = browser.execute_async_script(
        "navigator.clipboard.readText().then(arguments[0], fault => arguments[0](String(fault)))"
    )
    assert copied == text(browser, "sql")
    assert text(browser, "said") == "Copied."


def test_the_frontier_marks_one_s_place_and_plots_have_tables(browser):
    rows = browser.find_elements(By.CSS_SELECTOR, '[data-part="frontier-rows"] tr')
    points = browser.find_elements(By.CSS_SELECTOR, '[data-part="frontier"] circle:not(.you)')
    assert len(rows) == len(points) >= 5
    you = browser.find_element(By.CSS_SELECTOR, '[data-part="frontier"] .you')
    place = you.get_attribute("cx")
    press(browser, "interval", Keys.HOME)
    assert browser.find_element(By.CSS_SELECTOR, '[data-part="frontier"] .you').get_attribute("cx") != place
    assert browser.find_elements(By.CSS_SELECTOR, '[data-part="kind-rows"] tr')


def test_on_a_phone_figures_and_sliders_are_both_in_view(browser, plan_page):
    show(browser, plan_page[0], size=PHONE)
    last = browser.find_element(By.CSS_SELECTOR, '[data-axis="horizon"]')
    browser.execute_script("arguments[0].scrollIntoView({block: 'end'})", last)
    box = browser.execute_script("return document.querySelector('.verdict').getBoundingClientRect().toJSON()")
    assert box["top"] >= 0
    assert box["height"] < PHONE[1] / 3
    assert overflow_px(browser) == 0
    show(browser, plan_page[0], size=DESK)
    assert overflow_px(browser) == 0
