"""The report of one run: one HTML file that loads nothing, for light and dark, desk and phone."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from wasim.fit.report import FitReport
from wasim.report.answer import Answer, LimitOutcome, conclude, measured_line, state_facts
from wasim.report.charts import OF_DETAIL, DrawnChart, LeftOut, render_chart
from wasim.report.pages import fit_cells
from wasim.report.pages.answer_cells import horizons_table, matrix_table, options_remarks, options_table
from wasim.report.pages.bill_cells import bill_table
from wasim.report.pages.cells import boundaries, headline_table, listing_table, planning_table
from wasim.report.pages.contention_cells import contention_table
from wasim.report.pages.glossary import GLOSSARY
from wasim.report.pages.operation_cells import operations_table, remains_table
from wasim.report.pages.rendering import page_environment
from wasim.report.simulated import simulation_notes
from wasim.report.tables import TextTable
from wasim.runs import Run
from wasim.scenario.prices import Prices

MANY_CASES = 8  # more of them fold the table of kinds away, as the table by interval has their sums


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A chart in the page: `svg` is trusted markup, or absent with `text` saying why."""

    name: str
    title: str
    text: str
    svg: Markup | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Sliders:
    """The section with the run's settings under sliders, as trusted markup, and its style."""

    style: Markup
    body: Markup


@dataclass(frozen=True, slots=True, kw_only=True)
class PageParts:
    """What a page says, apart from its charts. `prices` are for money; `remedies` is what maintenance would save,
    `remedies_line` the same in a sentence. `ahead` are sentences on the forecasts.
    """

    run: Run
    fit: FitReport
    answer: Answer
    limits: Sequence[LimitOutcome] = ()
    prices: Prices | None = None
    remedies: TextTable | None = None
    remedies_line: str = ""
    ahead: tuple[str, ...] = ()
    sliders: Sliders | None = None


def render_run_page(parts: PageParts, charts: Sequence[DrawnChart | LeftOut]) -> str:
    """The whole page as HTML. Everything that a scenario, a machine or an error wrote is escaped.

    `charts` are the run's, as `draw_charts` gives them.
    """
    run, fit, answer, prices = parts.run, parts.fit, parts.answer, parts.prices
    pictures = [_picture(chart) for chart in charts]
    page = page_environment().get_template("run.html.jinja")
    return page.render(
        run=run,
        conclusion=conclude(answer, run),
        facts=state_facts(answer, run),
        measured=measured_line(run),
        headline=headline_table(run),
        MANY=MANY_CASES,
        options=options_table(answer, run),
        options_remarks=[*options_remarks(answer), *parts.ahead],
        matrix=matrix_table(answer),
        remedies=parts.remedies,
        remedies_line=parts.remedies_line,
        sliders=parts.sliders,
        pictures=[one for one in pictures if one.name not in OF_DETAIL],
        details=[one for one in pictures if one.name in OF_DETAIL],
        breached=sum(1 for limit in parts.limits if limit["holds"] is False),
        tables=_tables(run, fit, answer),
        boundaries=boundaries(run),
        bill=bill_table(run, answer, prices) if prices is not None else None,
        prices=prices,
        notes=fit.notes,
        simulated=simulation_notes(run),
        provenance=tuple(flatten(run.provenance)),
        glossary=GLOSSARY,
        real=any(case.engine == "spark" for case in run.cases),
        files=tuple(_files(run)),
    )


def _files(run: Run) -> Iterable[tuple[str, str]]:
    """(path from the page, what is in it) of the files that a run leaves, its cases' ledgers among them."""
    yield "scenario.yaml", "the scenario as run"
    yield "summary.json", "everything on this page, for programs"
    yield "provenance.json", "versions, jars and machine"
    if any(case.probes for case in run.cases):
        yield "benchmark.json", "timings, for pytest-benchmark compare"
    for case in run.cases:
        yield f"cases/{case.key}/ledger.parquet", f"{case.case.label}: a row per commit"


def _picture(drawn: DrawnChart | LeftOut) -> Picture:
    if isinstance(drawn, LeftOut):
        return Picture(name=drawn.name, title=drawn.title.replace("\n", " "), text=drawn.why, svg=None)
    chart = drawn.chart
    # matplotlib escapes every text that it writes into an SVG
    svg = Markup(render_chart(drawn))  # noqa: S704
    return Picture(name=chart.name, title=chart.title.replace("\n", " "), text=chart.reading, svg=svg)


def _tables(run: Run, fit: FitReport, answer: Answer) -> dict[str, TextTable]:
    """The page's further tables by name; those without rows are left to the template's sentence."""
    return {
        "coefficients": fit_cells.coefficient_table(fit),
        "quality": fit_cells.quality_table(fit),
        "held_out": fit_cells.held_out_table(fit),
        "latencies": fit_cells.latency_table(fit),
        "sustainable": fit_cells.sustainable_table(fit),
        "horizons": horizons_table(answer),
        "operations": operations_table(run),
        "contention": contention_table(run),
        "remains": remains_table(run),
        "planning": planning_table(run, at_end=True),
        "earlier_planning": planning_table(run, at_end=False),
        "listings": listing_table(run),
    }


def flatten(document: Mapping[str, Any], prefix: str = "") -> Iterable[tuple[str, str]]:
    """Nested values as (dotted name, text), in their order: `jars.sqlite-jdbc` …"""
    for name, value in document.items():
        if isinstance(value, Mapping):
            yield from flatten(value, f"{prefix}{name}.")
        elif isinstance(value, list | tuple):
            yield f"{prefix}{name}", ", ".join(str(item) for item in value)
        else:
            yield f"{prefix}{name}", str(value)
