"""The page of a run: self-contained, well-formed, escaped, and complete."""

import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest
from support.pages import page_of
from support.paths import ROOT
from support.synthetic import Sweep, synthetic_run

from wasim.fit import FitReport, fit_run
from wasim.forecast import forecast_run
from wasim.report.pages.rendering import groupwise
from wasim.report.pages.run_page import _words, flatten
from wasim.runs import Run, judge
from wasim.scenario.metrics import parse_limit
from wasim.units import format_bytes, format_figure

VOID = {"meta", "br", "hr", "img", "input", "link"}
HOSTILE = '<script>alert("x")</script><img src=x onerror=alert(1)>&amp; $\\frac{1}$ "quoted" \'single\''
NOTHING = FitReport(costs=(), latencies=(), held_out=(), sustainable=())


class Walk(HTMLParser):
    """Collects tags, attributes and text, and holds every end tag against its start."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        assert self.open
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def walk(html: str) -> Walk:
    walker = Walk()
    walker.feed(html)
    walker.close()
    assert not walker.open
    return walker


@pytest.fixture(scope="module")
def run() -> Run:
    made = synthetic_run(sweep=Sweep(intervals_s=(5.0, 60.0)))
    provenance = {"wasim": "0.1.0", "jars": {"iceberg.jar": "3123c379"}, "java": "17"}
    return replace(made, provenance=provenance, failures={"batch every 1s": "No space left on device"})


@pytest.fixture(scope="module")
def fit(run: Run) -> FitReport:
    return fit_run(run)


@pytest.fixture(scope="module")
def html(run: Run, fit: FitReport) -> str:
    return made(run, fit)


def made(run: Run, fit: FitReport) -> str:
    return page_of(run, fit, tuple(judge([parse_limit("wa_metadata", "< 0.5")], run)), forecast_run(run))


def test_the_page_is_well_formed(html: str) -> None:
    assert html.startswith("<!doctype html>")
    walk(html)


def test_the_page_loads_and_runs_nothing(html: str) -> None:
    page = walk(html)
    assert not {"script", "link", "iframe", "img", "object", "embed"} & set(page.tags)
    assert "http://" not in html
    assert "https://" not in html
    assert "@import" not in html
    assert not [value for name, value in page.attributes if name in ("src", "srcset") or name.startswith("on")]
    links = [value for name, value in page.attributes if name in ("href", "xlink:href")]
    assert not [value for value in links if "//" in value or value.startswith("/")]


def test_links_lead_to_what_is_there(html: str, run: Run) -> None:
    page = walk(html)
    ids = {value for name, value in page.attributes if name == "id"}
    links = [value for name, value in page.attributes if name == "href"]
    assert {link[1:] for link in links if link.startswith("#")} <= ids
    files = {link for link in links if not link.startswith("#")}
    assert {"scenario.yaml", "summary.json", f"cases/{run.cases[0].key}/ledger.parquet"} <= files


def test_the_page_holds_every_cases_figures(html: str, run: Run) -> None:
    text = walk(html).text
    for case in run.cases:
        assert case.case.label in text
        for kind in ("metadata_json", "manifest_list", "data_manifest"):
            assert format_bytes(case.totals.written_bytes[kind]) in text  # type: ignore[index]
        assert format_figure(case.amplification.metadata) in text


def test_sections_are_in_the_readers_order(html: str) -> None:
    order = ["answer", "charts", "results", "failures", "details"]
    assert re.findall(r'<h2 id="([^"]+)"', html) == order


def test_the_page_answers_before_it_explains(html: str) -> None:
    text = walk(html).text
    order = [
        text.index(part) for part in ("Shortest interval within all limits: 1m", "What was run: 100 rows", "Answer\n")
    ]
    assert order == sorted(order)
    assert html.index('id="freshness_and_bytes"') < html.index("<table")
    assert "✓ 0.03" in text


def test_what_is_long_is_closed_until_asked_for(html: str) -> None:
    opened = re.sub(r"<details.*?</details>", "", html, flags=re.DOTALL)
    assert "coefficient" not in opened
    assert opened.count("<table") == 3
    assert html.count("<details") >= 7


def test_every_row_has_a_head(html: str) -> None:
    rows = re.findall(r"<tr[^>]*>\s*(<t[hd][^>]*>)", html.split("<body>")[1])
    assert rows
    assert not [head for head in rows if head.startswith("<td")]
    assert re.search(r'tbody th\[scope="row"\] \{[^}]*position: sticky; left: 0', html)


def test_what_counts_as_neither_is_said(html: str) -> None:
    text = walk(html).text
    assert ".crc twins" in text
    assert "checkpoints of a stream" in text


def test_the_naive_model_is_shown_with_the_fitted_one(html: str, fit: FitReport) -> None:
    text = walk(html).text
    assert "one constant's error" in text
    worst = max(fit.held_out, key=lambda held_out: abs(held_out.naive_error))
    assert f"{abs(worst.naive_error):.2%}".replace("%", " %") in text


def test_unidentified_coefficients_say_why(html: str, fit: FitReport) -> None:
    missing = [c for cost in fit.costs for c in cost.coefficients if c.estimate is None]
    assert missing
    text = walk(html).text
    assert "not identified" in text
    assert all(coefficient.note in text for coefficient in missing)


def test_failures_limits_and_provenance_are_shown(html: str) -> None:
    text = walk(html).text
    assert "No space left on device" in text
    assert "1 limit is not kept by every case" in text
    assert "jars.iceberg.jar" in text
    assert "3123c379" in text


def test_hostile_text_is_escaped_wherever_it_enters(run: Run, fit: FitReport) -> None:
    cases = tuple(
        replace(case, case=replace(case.case, swept={**case.case.swept, HOSTILE: HOSTILE})) for case in run.cases
    )
    hostile = replace(
        run, question=HOSTILE, scenario=HOSTILE, cases=cases, failures={HOSTILE: HOSTILE}, provenance={HOSTILE: HOSTILE}
    )
    costs = tuple(replace(cost, writer=HOSTILE) for cost in fit.costs)
    limits = ({"limit": HOSTILE, "worst": None, "case": HOSTILE, "holds": False},)
    html = page_of(hostile, replace(fit, costs=costs, notes=(HOSTILE,)), limits)
    page = walk(html)
    assert not {"script", "img"} & set(page.tags)
    assert not [name for name, _ in page.attributes if name.startswith("on")]
    assert HOSTILE in page.text


def test_percentiles_need_twenty_rounds(run: Run) -> None:
    def cut(rounds: int) -> Run:
        cases = [
            replace(
                case,
                probes=tuple(
                    replace(probe, load_ms=np.full(rounds, 1000.0), planning_ms=np.full(rounds, 234.0))
                    for probe in case.probes
                ),
            )
            for case in run.cases
        ]
        return replace(run, cases=tuple(cases))

    assert "1,234</td>" in page_of(cut(20), NOTHING, charts=False).split('id="planning"')[1]
    assert "1,234</td>" not in page_of(cut(19), NOTHING, charts=False).split('id="planning"')[1]


def test_charts_are_described_and_tables_captioned(html: str) -> None:
    page = walk(html)
    assert page.tags.count("svg") == page.tags.count("figure") == 8
    assert len([value for name, value in page.attributes if name == "aria-label" and len(value) > 20]) >= 8
    assert page.tags.count("table") == page.tags.count("caption")
    levels = [int(tag[1]) for tag in page.tags if re.fullmatch(r"h\d", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert max(np.diff(levels)) <= 1


def test_the_style_serves_phones_and_dark_screens(html: str) -> None:
    assert "width=device-width" in html
    assert "prefers-color-scheme: dark" in html
    assert re.search(r"\.scroll \{[^}]*overflow-x: auto", html)
    page = walk(html)
    assert page.tags.count("table") == [value for name, value in page.attributes if name == "class"].count("scroll")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_contrast_on_its_paper(html: str, scheme: str) -> None:
    block = html.split("prefers-color-scheme: dark")[scheme == "dark"]
    colours = dict(re.findall(r"--(\w+): (#[0-9a-f]{6})", block.split("}")[0]))
    for ink in ("ink", "muted", "accent", "bad"):
        assert contrast(colours[ink], colours["paper"]) >= 4.5
    for series in ("vermillion", "blue", "green", "purple", "orange", "sky"):
        assert contrast(colours[series], colours["paper"]) >= 3


def contrast(one: str, other: str) -> float:
    """WCAG's contrast ratio of two colours."""
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def luminance(colour: str) -> float:
    channels = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def test_a_page_without_fit_probes_or_cases_is_still_whole(run: Run) -> None:
    bare = replace(run, cases=tuple(replace(case, probes=()) for case in run.cases), failures={}, provenance={})
    for least in (bare, replace(bare, cases=())):
        text = walk(page_of(least, NOTHING)).text
        assert "Left out:" in text
        assert "Planning was not probed" in text


def test_nested_provenance_becomes_dotted_names() -> None:
    assert list(flatten({"a": {"b": 1, "c": [1, 2]}, "d": "x"})) == [("a.b", "1"), ("a.c", "1, 2"), ("d", "x")]


def test_neighbouring_rows_share_a_heading() -> None:
    assert groupwise([("x", "1"), ("x", "2"), ("y", "3")]) == [("x", [("1",), ("2",)]), ("y", [("3",)])]


def test_what_screen_readers_need_is_there(html: str) -> None:
    page = walk(html)
    ids = [value for name, value in page.attributes if name == "id"]
    assert len(ids) == len(set(ids))
    assert page.tags.count("main") == page.tags.count("nav") == page.tags.count("header") == 1
    assert page.tags.count("summary") == page.tags.count("details")
    assert 'lang="en"' in html
    assert not re.findall(r"<a [^>]*>\s*</a>", html)
    labelled = re.findall(r'aria-labelledby="([^"]+)"', html)
    assert labelled
    assert set(labelled) <= set(ids)
    scrollers = re.findall(r'<div class="scroll"([^>]*)>', html)
    assert all('tabindex="0"' in one and 'role="region"' in one and "aria-label=" in one for one in scrollers)
    assert re.search(r'<a class="skip" href="#answer">', html)
    assert "<details id=" not in html  # a link opens the details around its target, not the target itself


def test_the_glossary_of_the_documents_is_that_of_the_reports() -> None:
    text = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    shipped = ROOT / "wasim" / "report" / "pages" / "templates" / "glossary.md"
    assert text == shipped.read_text(encoding="utf-8")
    assert len(_words()) == text.count("\n**")
