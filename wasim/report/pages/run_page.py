"""The report of one run: one HTML file that loads nothing, for light and dark, desk and phone."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from wasim.fit.report import FitReport
from wasim.report.charts import DrawnChart, LeftOut, render_chart
from wasim.report.pages import fit_cells
from wasim.report.pages.bill_cells import bill_table
from wasim.report.pages.cells import (
    ABSENT,
    TextTable,
    boundaries,
    headline_table,
    listing_table,
    planning_table,
)  # fmt: skip
from wasim.report.pages.conclusion import conclude
from wasim.report.pages.contention_cells import contention_table
from wasim.report.pages.glossary import GLOSSARY
from wasim.report.pages.operation_cells import operations_table, remains_table
from wasim.runs import Run
from wasim.scenario.prices import Prices
from wasim.units import format_figure

LimitOutcome = Mapping[str, str | float | bool | None]
"""One limit, judged: `limit` as written, the `worst` value, its `case`, and whether it `holds` (None: not judged)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A chart in the page: `svg` is trusted markup, or absent with `text` saying why."""

    name: str
    title: str
    text: str
    svg: Markup | None


def render_run_page(
    run: Run,
    fit: FitReport,
    charts: Sequence[DrawnChart | LeftOut],
    limits_outcome: Sequence[LimitOutcome] = (),
    prices: Prices | None = None,
) -> str:
    """The whole page as HTML. Everything that a scenario, a machine or an error wrote is escaped.

    `charts` are the run's, as `draw_charts` gives them; `prices` are for cases on S3.
    """
    page = _environment().get_template("run.html.jinja")
    return page.render(
        run=run,
        conclusion=conclude(run, fit),
        headline=headline_table(run),
        pictures=tuple(_picture(chart) for chart in charts),
        limits=_limits_table(limits_outcome) if limits_outcome else None,
        breached=sum(1 for limit in limits_outcome if limit["holds"] is False),
        tables=_tables(run, fit),
        boundaries=boundaries(run),
        bill=bill_table(run, fit, prices) if prices is not None else None,
        notes=fit.notes,
        provenance=tuple(flatten(run.provenance)),
        glossary=GLOSSARY,
    )


def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("wasim.report.pages"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["groupwise"] = groupwise
    return environment


def groupwise(rows: Sequence[tuple[str, ...]]) -> list[tuple[str, list[tuple[str, ...]]]]:
    """Neighbouring rows that share their first cell, as (that cell, the rows without it)."""
    return [(heading, [row[1:] for row in group]) for heading, group in groupby(rows, key=itemgetter(0))]


def _picture(drawn: DrawnChart | LeftOut) -> Picture:
    if isinstance(drawn, LeftOut):
        return Picture(name=drawn.name, title=drawn.title.replace("\n", " "), text=drawn.why, svg=None)
    chart = drawn.chart
    # matplotlib escapes every text that it writes into an SVG
    svg = Markup(render_chart(drawn))  # noqa: S704
    return Picture(name=chart.name, title=chart.title.replace("\n", " "), text=chart.reading, svg=svg)


def _tables(run: Run, fit: FitReport) -> dict[str, TextTable]:
    """The page's further tables by name; those without rows are left to the template's sentence."""
    return {
        "coefficients": fit_cells.coefficient_table(fit),
        "quality": fit_cells.quality_table(fit),
        "held_out": fit_cells.held_out_table(fit),
        "latencies": fit_cells.latency_table(fit),
        "sustainable": fit_cells.sustainable_table(fit),
        "extrapolation": fit_cells.extrapolation_table(fit),
        "operations": operations_table(run),
        "contention": contention_table(run),
        "remains": remains_table(run),
        "planning": planning_table(run, at_end=True),
        "earlier_planning": planning_table(run, at_end=False),
        "listings": listing_table(run),
    }


def _limits_table(outcomes: Sequence[LimitOutcome]) -> TextTable:
    return TextTable(
        caption="Limits of the scenario; the worst case counts",
        head=("limit", "holds", "worst", "in case"),
        rows=tuple(_limit_row(outcome) for outcome in outcomes),
    )


def _limit_row(outcome: LimitOutcome) -> tuple[str, ...]:
    worst = outcome["worst"]
    measured = format_figure(float(worst)) if isinstance(worst, int | float) else "not measured"
    holds = ABSENT if outcome["holds"] is None else "yes" if outcome["holds"] else "no"
    return str(outcome["limit"]), holds, measured, str(outcome["case"] or ABSENT)


def flatten(document: Mapping[str, Any], prefix: str = "") -> Iterable[tuple[str, str]]:
    """Nested values as (dotted name, text), in their order: `jars.sqlite-jdbc` …"""
    for name, value in document.items():
        if isinstance(value, Mapping):
            yield from flatten(value, f"{prefix}{name}.")
        elif isinstance(value, list | tuple):
            yield f"{prefix}{name}", ", ".join(str(item) for item in value)
        else:
            yield f"{prefix}{name}", str(value)
