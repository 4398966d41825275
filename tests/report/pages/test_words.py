"""The sentence that a run comes down to, the terminal's table, and figures as text."""

from dataclasses import replace

import pytest
from rich.console import Console
from support.synthetic import Sweep, synthetic_run

from wasim.fit import FitReport
from wasim.fit.report import Estimate, Extrapolation, Slope, SustainableInterval
from wasim.ledger import Kind
from wasim.report.pages import conclude, render_headline_table
from wasim.report.pages.cells import format_error, format_estimate, headline_table
from wasim.report.pages.fit_cells import extrapolation_table, r_squared, sustainable_table
from wasim.runs import Run
from wasim.units import format_figure

NOTHING = FitReport(costs=(), latencies=(), held_out=(), sustainable=(), extrapolations=())


@pytest.fixture(scope="module")
def run() -> Run:
    return synthetic_run(sweep=Sweep(intervals_s=(1.0, 60.0)))


def in_a_month(interval_s: float, best: float, case: str = "streaming") -> Extrapolation:
    return Extrapolation(
        writer="streaming",
        case=case,
        commit_interval_s=interval_s,
        horizon_s=30 * 86_400.0,
        written_bytes={},
        metadata_bytes=Estimate(low=best, best=best, high=best),
    )


def test_the_conclusion_of_two_writers_and_two_intervals(run: Run) -> None:
    fit = replace(NOTHING, extrapolations=(in_a_month(1.0, 3.0 * 1024**5), in_a_month(60.0, 900.0 * 1024**3)))
    assert conclude(run, fit) == (
        "Over 4m of event time, streaming with a commit every 1s wrote 562 times the metadata of one every 1m "
        "(batch: 550 times): 35.3 MiB, 89 % of it metadata.json, against 64.3 KiB for the same rows, "
        "a WA_metadata over 4m of 21.6 against 0.0384; "
        "in 30d without maintenance the model expects 3.00 PiB against 900 GiB (streaming)."
    )


def test_without_extrapolation_the_conclusion_stops_at_what_was_measured(run: Run) -> None:
    assert conclude(run, NOTHING).endswith("21.6 against 0.0384.")


def test_a_single_case_concludes_with_its_own_figures(run: Run) -> None:
    alone = replace(run, cases=run.cases[:1])
    assert conclude(alone, NOTHING) == (
        "Over 4m, streaming every 1s wrote 35.3 MiB of metadata, WA_metadata 21.6, 89 % of it metadata.json."
    )


def test_cases_of_one_interval_are_compared_with_each_other(run: Run) -> None:
    pair = replace(run, cases=tuple(case for case in run.cases if case.case.commit_interval_s == 1.0))
    assert conclude(pair, NOTHING).startswith("Over 4m, streaming every 1s wrote the most, 35.3 MiB of metadata")


def test_no_case_is_no_conclusion(run: Run) -> None:
    assert conclude(replace(run, cases=()), NOTHING) == "No case finished, so there is nothing to conclude."


def test_the_outlook_is_about_the_table_that_leads_and_names_it(run: Run) -> None:
    wide = tuple(replace(case, case=replace(case.case, swept={"table.columns": "100"})) for case in run.cases)
    narrow = (in_a_month(1.0, 1e12), in_a_month(60.0, 1e9))
    both = replace(run, cases=(*wide, *run.cases))
    assert "the model expects" not in conclude(both, replace(NOTHING, extrapolations=narrow))
    of_wide = (
        in_a_month(1.0, 2.0 * 1024**4, "streaming columns=100"),
        in_a_month(60.0, 1024.0**3, "streaming columns=100"),
    )
    told = conclude(both, replace(NOTHING, extrapolations=(*narrow, *of_wide)))
    assert told.endswith("the model expects 2.00 TiB against 1.00 GiB (streaming columns=100).")


def test_a_single_group_needs_no_name_in_the_outlook(run: Run) -> None:
    alone = replace(run, cases=tuple(case for case in run.cases if case.case.writer.kind == "streaming"))
    fit = replace(NOTHING, extrapolations=(in_a_month(1.0, 1024.0**4), in_a_month(60.0, 1024.0**3)))
    assert conclude(alone, fit).endswith("the model expects 1.00 TiB against 1.00 GiB.")


def printed(run: Run, width: int = 100) -> list[str]:
    console = Console(width=width, record=True, file=None, quiet=False, force_terminal=False)
    with console.capture() as capture:
        console.print(render_headline_table(run))
    return capture.get().splitlines()


def test_the_terminals_table_fits_a_hundred_columns(run: Run) -> None:
    lines = printed(run)
    assert max(len(line.rstrip()) for line in lines) <= 100
    assert not any("…" in line for line in lines)
    assert lines[0].startswith("Metadata written by kind, and write amplification over 4m")
    assert [line.split()[:3] for line in lines[4:]] == [
        ["1s", "streaming", "240"],
        ["1m", "streaming", "4"],
        ["1s", "batch", "240"],
        ["1m", "batch", "4"],
    ]


@pytest.mark.parametrize("crowded", [False, True])
def test_eighty_columns_hold_every_column_and_the_writer(run: Run, *, crowded: bool) -> None:
    shown = crowd(run) if crowded else run
    lines = printed(shown, width=80)
    assert max(len(line.rstrip()) for line in lines) <= 80
    assert not any("…" in line for line in lines)
    firsts = [line.split() for line in lines if line.startswith(("1s", "1m"))]
    if crowded:
        assert [line.rstrip() for line in lines if "count=98" in line] == [
            "streaming reading.count=98",
            "batch reading.count=98",
        ]
        assert [words[0] for words in firsts] == ["1s", "1m", "1s", "1m"]
    else:
        assert [words[1] for words in firsts] == ["streaming", "streaming", "batch", "batch"]
    table = headline_table(shown)
    assert [words[-1] for words in firsts] == [row[-1] for row in table.rows]
    heads = "".join(" ".join(lines[1:5]).split())
    assert all(word in heads for word in ("every", "com-", "WA_", "plan-"))


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
    [(0, "0"), (0.0384, "0.0384"), (1, "1.00"), (21.62, "21.6"), (1234.5, "1,234"), (float("inf"), "∞")],
)
def test_figures_have_three_significant_digits_and_no_exponent(value: float, text: str) -> None:
    assert format_figure(value) == text


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


def test_extrapolations_carry_their_doubt() -> None:
    month = replace(in_a_month(1.0, 1024.0**3), metadata_bytes=Estimate(low=1.0e9, best=1024.0**3, high=1.08e9))
    table = extrapolation_table(replace(NOTHING, extrapolations=(month,)))
    assert table.head == ("interval", "30d")
    assert table.rows == (("streaming", "1s", "1.00 GiB ± 6.9 %"),)
    assert "only the uncertainty of the coefficients" in table.caption


def test_extrapolations_of_tables_that_share_a_fit_stand_apart() -> None:
    rows = (in_a_month(1.0, 1024.0**3, "streaming columns=10"), in_a_month(1.0, 1024.0**4, "streaming columns=100"))
    table = extrapolation_table(replace(NOTHING, extrapolations=rows))
    assert [row[:2] for row in table.rows] == [("streaming columns=10", "1s"), ("streaming columns=100", "1s")]


@pytest.mark.parametrize(
    ("slope", "interval", "words"),
    [
        ("measured", "3s (2s to 4s)", "commits slowed down measurably"),
        ("reading", "about 3s or more", "no slowing within 48 commits; a lower bound from reading metadata.json"),
        ("unseen", "about 3s or more", "no slowing within 48 commits, and reading metadata.json was not timed"),
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
