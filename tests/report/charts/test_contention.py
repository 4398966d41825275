"""Concurrent writers on the page: what chart and table show is what the cases counted."""

from dataclasses import replace

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from support.pages import page_of
from support.synthetic import Truth, synthetic_case, synthetic_case_run, synthetic_run

from wasim.fit import FitReport, fit_run
from wasim.ledger import Contention, Kind
from wasim.report.charts.chart import Chart, styled
from wasim.report.charts.contention import (
    draw_latency_by_writers,
    draw_lost_attempts,
    draw_medians_by_writers,
    group_by_writers,
    plan_contention,
)
from wasim.report.charts.gallery import plan_charts
from wasim.report.pages.run_page import contention_table
from wasim.runs import CaseRun, Run
from wasim.scenario.parts import Environment

LOST = {1: 0, 2: 3, 8: 30}
NOTHING = FitReport(costs=(), latencies=(), held_out=(), sustainable=())


def contended(catalog: str, writers: int) -> CaseRun:
    """A case of 20 commits, of which with 8 writers two failed."""
    case = synthetic_case(writer="batch", horizon_s=20)
    swept = {"environment.catalog": catalog, "writer.writers": str(writers)}
    case = replace(
        case,
        writer=case.writer.model_copy(update={"writers": writers}),
        environment=Environment(catalog=catalog),  # type: ignore[arg-type]
        swept=swept,
    )
    run = synthetic_case_run(case, Truth(base_ms=100.0 * writers), np.random.default_rng(0))
    failed = {"CommitFailedException": 2} if writers == 8 else {}
    ledger = run.ledger.head(18 if failed else 20)
    bytes_of = dict.fromkeys(Kind, 0) | {Kind.METADATA_JSON: 1024 * LOST[writers]}
    contention = Contention(
        attempts=len(ledger) + LOST[writers],
        lost_attempts=LOST[writers],
        failed=failed,
        lost_bytes=bytes_of,
        orphan_bytes=bytes_of,
        orphan_files=LOST[writers],
    )
    return replace(run, ledger=ledger, contention=contention)


@pytest.fixture(scope="module")
def run() -> Run:
    cases = tuple(contended(catalog, writers) for catalog in ("jdbc", "in_memory") for writers in (1, 2, 8))
    return replace(synthetic_run(), cases=cases)


@pytest.fixture
def ax() -> Axes:
    with styled():
        return Figure().subplots()


def line(ax: Axes, name: str) -> tuple[list[float], list[float]]:
    found = next(line for line in ax.lines if line.get_gid() == name)
    return list(found.get_xdata()), list(found.get_ydata())


def test_cases_that_differ_in_writers_alone_make_one_line(ax: Axes, run: Run) -> None:
    crowds = group_by_writers(run.cases)
    assert [(crowd.name, crowd.writers) for crowd in crowds] == [
        ("batch every 1s catalog=jdbc", [1, 2, 8]),
        ("batch every 1s catalog=in_memory", [1, 2, 8]),
    ]
    assert draw_lost_attempts(ax, crowds) is ax
    assert line(ax, "batch every 1s catalog=jdbc") == ([1, 2, 8], pytest.approx([0, 300 / 23, 3000 / 48]))
    assert [text.get_text() for text in ax.texts] == ["jdbc", "in_memory"]


def test_latency_against_writers_is_the_ledgers(ax: Axes, run: Run) -> None:
    crowd = group_by_writers(run.cases)[0]
    assert draw_latency_by_writers(ax, crowd) is ax
    medians = [float(np.median(case.ledger.commit_ms)) for case in crowd.cases]
    assert line(ax, "median") == ([1, 2, 8], pytest.approx(medians))


def test_medians_of_all_groups_share_a_panel(ax: Axes, run: Run) -> None:
    crowds = group_by_writers(run.cases)
    assert draw_medians_by_writers(ax, crowds) is ax
    for crowd in crowds:
        medians = [float(np.median(case.ledger.commit_ms)) for case in crowd.cases]
        assert line(ax, crowd.name) == ([1, 2, 8], pytest.approx(medians))


def test_contention_comes_first_where_no_interval_is_swept(run: Run) -> None:
    first = plan_charts(run, NOTHING)[0]
    assert isinstance(first, Chart)
    assert first.name == "contention"


def test_the_reading_names_the_worst_case_and_what_failed(run: Run) -> None:
    (chart,) = plan_contention(run)
    assert isinstance(chart, Chart)
    assert len(chart.panels) == 2
    assert "30 of 48 attempts were lost, and 2 of 20 commits failed" in chart.reading
    assert "8×batch every 1s catalog=jdbc" in chart.reading


def test_one_writer_alone_leaves_chart_and_table_out(run: Run) -> None:
    alone = replace(run, cases=run.cases[:1])
    assert plan_contention(alone) == ()
    assert contention_table(alone).rows == ()
    assert 'id="contention-table"' not in page_of(alone, NOTHING, charts=False)
    assert 'id="contention-table"' in page_of(run, NOTHING, charts=False)


def test_the_page_counts_attempts_waste_and_failures(run: Run) -> None:
    table = contention_table(run)
    row = dict(zip(table.head, table.rows[2], strict=True))
    assert (row["commits"], row["failed"], row["attempts"], row["retries"], row["lost"]) == (
        "18",
        "2",
        "48",
        "28",
        "30",
    )
    assert (row["case"], row["wasted"], row["orphan files"]) == ("8×batch catalog=jdbc", "30.0 KiB", "30")
    assert table.caption.endswith("; failed commits ended in CommitFailedException")
    html = page_of(run, fit_run(run), charts=False)
    assert "Contention</h2>" in html
    assert "one writer" in html


def test_a_simulation_shows_what_was_lost_and_no_latency(run: Run) -> None:
    unknown = {"commit_ms": np.nan, "step_ms": np.nan, "reported_at_s": np.nan}
    cases = tuple(
        replace(
            one,
            ledger=replace(one.ledger, **{name: np.full(len(one.ledger), value) for name, value in unknown.items()}),
        )
        for one in run.cases
    )
    untimed = replace(run, cases=cases)
    (chart,) = plan_contention(untimed)
    assert len(chart.panels) == 1
    assert "ms" not in chart.reading.split()
    assert "nan" not in str(contention_table(untimed))
