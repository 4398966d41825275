"""The terminal's tables, and figures as text."""

import os
from dataclasses import replace

import pytest
from rich.console import Console, RenderableType
from support.paths import DATA
from support.synthetic import Sweep, Truth, synthetic_run

from wasim.contention import commit_slowing
from wasim.fit import FitReport, fit_run
from wasim.fit.report import Estimate, Slope, SustainableInterval
from wasim.forecast import forecast_run
from wasim.ledger import Kind
from wasim.report.answer import answer_run
from wasim.report.pages.cells import format_error, format_estimate, headline_table
from wasim.report.pages.fit_cells import r_squared, sustainable_table
from wasim.report.pages.terminal import render_answer, render_table
from wasim.runs import Run, judge
from wasim.scenario.metrics import parse_limit
from wasim.scenario.prices import load_prices
from wasim.units import format_count, format_figure

NOTHING = FitReport(costs=(), latencies=(), held_out=(), sustainable=())


@pytest.fixture(scope="module")
def run() -> Run:
    return synthetic_run(sweep=Sweep(intervals_s=(1.0, 60.0)))


def printed(text: RenderableType, width: int = 80) -> list[str]:
    console = Console(width=width, force_terminal=False)
    with console.capture() as capture:
        console.print(text)
    return [line.rstrip() for line in capture.get().splitlines()]


def assert_golden(name: str, lines: list[str]) -> None:
    golden = DATA / "report" / name
    if os.environ.get("WASIM_UPDATE_GOLDEN"):
        golden.write_text("\n".join(lines) + "\n")
    assert lines == golden.read_text().splitlines()


def test_the_terminals_table_is_the_golden_one_at_eighty_columns(run: Run) -> None:
    assert_golden("headline.txt", printed(render_table(headline_table(run))))


def test_the_answer_within_limits_at_eighty_columns_is_golden(run: Run) -> None:
    outcomes = tuple(judge([parse_limit("wa_metadata", "< 0.5"), parse_limit("manifests", "<= 100")], run))
    assert_golden("answer_within_limits.txt", printed(render_answer(run, answer_run(run, NOTHING, outcomes))))


def test_a_models_answer_is_the_golden_one() -> None:
    steady = synthetic_run(Truth(snapshot_ms=0.0, noise_share=0.0), Sweep(intervals_s=(1.0, 5.0, 15.0, 30.0, 60.0)))
    answer = answer_run(steady, fit_run(steady), (), load_prices(), forecast_run(steady))
    assert_golden("answer_at_the_knee.txt", printed(render_answer(steady, answer)))


@pytest.mark.parametrize("crowded", [False, True])
def test_eighty_columns_hold_every_figure_and_wrap_no_unit(run: Run, *, crowded: bool) -> None:
    shown = crowd(run) if crowded else run
    lines = printed(render_table(headline_table(shown)))
    assert max(map(len, lines)) <= 80
    assert not any("…" in line for line in lines)
    firsts = [line.split() for line in lines if line.startswith(("1s", "1m"))]
    assert len(firsts) == 4
    table = headline_table(shown)
    assert sorted(words[-1] for words in firsts) == sorted(row[-1] for row in table.rows)
    if crowded:
        headings = [line for line in lines if "count=98" in line]
        assert headings == ["streaming reading.count=98", "batch reading.count=98"]


def crowd(run: Run) -> Run:
    """The run with every column that can be there, and long labels."""
    cases = []
    for number, case in enumerate(run.cases):
        swept = {**case.case.swept, "table.columns.reading.count": "98"}
        written = {**case.totals.written_bytes, Kind.STATISTICS: 1000 * 1024}
        cases.append(
            replace(
                case,
                case=replace(case.case, swept=swept),
                totals=replace(case.totals, written_bytes=written),
                amplification=replace(case.amplification, horizon_s=240.0 + number),
            )
        )
    return replace(run, cases=tuple(cases))


def test_a_labels_brackets_are_no_markup(run: Run) -> None:
    case = run.cases[0]
    marked = replace(case, case=replace(case.case, swept={"x": "[red]y[/red]"}))
    assert "[red]" in "".join(printed(replace(run, cases=(marked,))))


def test_other_metadata_has_a_column_only_where_some_was_written(run: Run) -> None:
    case = run.cases[0]
    written = {**case.totals.written_bytes, Kind.STATISTICS: 2048}
    other = replace(case, totals=replace(case.totals, written_bytes=written))
    assert "other metadata" not in headline_table(run).head
    table = headline_table(replace(run, cases=(other,)))
    assert table.rows[0][table.head.index("other metadata")] == "2.00 KiB"


def test_differing_horizons_get_a_column(run: Run) -> None:
    longer = replace(run.cases[0], amplification=replace(run.cases[0].amplification, horizon_s=480.0))
    table = headline_table(replace(run, cases=(longer, *run.cases[1:])))
    assert [row[table.head.index("horizon")] for row in table.rows] == ["8m", "4m", "4m", "4m"]
    assert "each over its own horizon" in table.caption


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (0.0384, "0.0384"),
        (1, "1.00"),
        (21.62, "21.6"),
        (9.996, "10.0"),
        (0.99996, "1.00"),
        (1234.5, "1,234"),
        (float("inf"), "∞"),
    ],
)
def test_figures_have_three_significant_digits_and_no_exponent(value: float, text: str) -> None:
    assert format_figure(value) == text


def test_one_thing_is_no_things() -> None:
    assert [format_count(count, "commit") for count in (0, 1, 2_016)] == ["0 commits", "1 commit", "2,016 commits"]
    assert format_count(1, "snapshot goes", "snapshots go") == "1 snapshot goes"


@pytest.mark.parametrize(
    ("low", "best", "high", "text"),
    [
        (1001.31, 1001.42, 1001.53, ("1,001.42", "1,001.31 to 1,001.53")),
        (418, 427.2, 437, ("427", "418 to 437")),
        (5, 5, 5, ("5.00", "5.00 to 5.00")),
    ],
)
def test_estimates_have_the_digits_that_their_interval_is_worth(
    low: float, best: float, high: float, text: tuple[str, str]
) -> None:
    assert format_estimate(Estimate(low=low, best=best, high=high)) == text


@pytest.mark.parametrize(("share", "text"), [(0.00123, "+0.12 %"), (-0.5, "−50.00 %"), (-0.00001, "0.00 %")])
def test_errors_are_signed_per_cent(share: float, text: str) -> None:
    assert format_error(share) == text


@pytest.mark.parametrize(
    ("value", "text"), [(1.0, "1.0000"), (0.99999, "> 0.9999"), (0.93, "0.9300"), (-0.001, "0.0000")]
)
def test_r_squared_is_never_rounded_up_to_one(value: float, text: str) -> None:
    assert r_squared(value) == text


LIBRARY = f"Iceberg's library takes {commit_slowing().ms_per_mib:.2g} ms longer with each MiB of metadata.json"


@pytest.mark.parametrize(
    ("slope", "interval", "words"),
    [
        ("measured", "3s (2s to 4s)", "commits slowed down measurably"),
        ("library", "about 3s (2s to 4s)", f"no slowing within 48 commits; {LIBRARY}"),
        ("untimed", "about 3s (2s to 4s)", f"commits were not timed; {LIBRARY}"),
    ],
)
def test_sustainable_intervals_say_what_they_rest_on(slope: Slope, interval: str, words: str) -> None:
    row = SustainableInterval(
        writer="batch",
        case="batch columns=10",
        horizon_s=86_400.0,
        interval_s=Estimate(low=2.0, best=3.0, high=4.0),
        slope=slope,
        r_squared=0.06,
        commits_seen=48,
    )
    table = sustainable_table(replace(NOTHING, sustainable=(row,)))
    assert table.rows == (("batch columns=10", "1d", interval, words),)
