"""Saved charts, and markup that a page can hold; their bytes are compared in tests/cli/test_start_up.py."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from support.synthetic import Sweep, synthetic_run

from wasim.fit import FitReport, fit_run
from wasim.report.charts import DrawnChart, LeftOut, draw_charts, render_chart, save_charts
from wasim.report.charts.chart import CSS_NAMES
from wasim.runs import Run


@pytest.fixture(scope="module")
def run() -> Run:
    return synthetic_run(sweep=Sweep(intervals_s=(5.0, 60.0)))


@pytest.fixture(scope="module")
def fit(run: Run) -> FitReport:
    return fit_run(run)


@pytest.fixture(scope="module")
def drawn(run: Run, fit: FitReport) -> tuple[DrawnChart | LeftOut, ...]:
    return draw_charts(run, fit)


@pytest.fixture(scope="module")
def markup(drawn: tuple[DrawnChart | LeftOut, ...]) -> dict[str, str]:
    return {one.chart.name: render_chart(one) for one in drawn if isinstance(one, DrawnChart)}


def test_a_chart_left_out_leaves_no_older_picture_behind(run: Run, tmp_path: Path) -> None:
    stale = tmp_path / "day_month_year.svg"
    stale.write_text("<svg/>")
    nothing = FitReport(costs=(), latencies=(), held_out=(), sustainable=())
    left_out = [one for one in draw_charts(replace(run, cases=()), nothing) if isinstance(one, LeftOut)]
    assert "day_month_year" in {one.name for one in left_out}
    save_charts(left_out, tmp_path)
    assert not stale.exists()


def test_markup_loads_nothing_and_names_no_address(markup: dict[str, str]) -> None:
    assert markup
    for svg in markup.values():
        assert "://" not in svg
        assert svg.startswith('<svg role="img" aria-label="')


def test_markup_takes_all_its_colours_from_the_page(markup: dict[str, str]) -> None:
    for svg in markup.values():
        colours = set(re.findall(r"(?:fill|stroke): ?(#[0-9a-fA-F]{3,6})", svg))
        assert not colours, f"{colours} are not among {sorted(CSS_NAMES)}"


def test_ids_are_unique_over_all_charts_of_a_page(markup: dict[str, str]) -> None:
    ids = re.findall(r'\bid="([^"]+)"', "".join(markup.values()))
    assert len(ids) == len(set(ids))


def test_references_point_to_ids_of_the_same_chart(markup: dict[str, str]) -> None:
    for svg in markup.values():
        ids = set(re.findall(r'\bid="([^"]+)"', svg))
        assert set(re.findall(r"url\(#([^)]+)\)", svg)) | set(re.findall(r'href="#([^"]+)"', svg)) <= ids


def test_text_stays_text(markup: dict[str, str]) -> None:
    assert "commit interval (fresher to the left)" in markup["freshness_and_bytes"]


def test_a_page_says_a_charts_title_itself(drawn: tuple[DrawnChart | LeftOut, ...], markup: dict[str, str]) -> None:
    charts = [one for one in drawn if isinstance(one, DrawnChart)]
    assert len(charts) == len(markup) > 5
    for one in charts:
        title = one.chart.title.partition("\n")[0]
        assert f">{title}<" in one.svg
        assert f">{title}<" not in markup[one.chart.name]
