"""The report of one run: one HTML file that loads nothing, for light and dark, desk and phone."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import numpy as np
from markupsafe import Markup

from wasim.fit.groups import name_without_interval
from wasim.fit.report import FitReport
from wasim.ledger import DATA_KINDS, METADATA_KINDS, Contention, Kind
from wasim.ledger.readers import LEAST_FOR_A_PERCENTILE
from wasim.ledger.totals import OperationTotals
from wasim.report.answer import Answer, Conclusion, conclude, measured_line, state_facts
from wasim.report.charts import OF_DETAIL, DrawnChart, LeftOut, render_chart
from wasim.report.pages import fit_cells
from wasim.report.pages.answer_cells import horizons_table, matrix_table, options_remarks, options_table
from wasim.report.pages.cells import bill_table, boundaries, headline_table, listing_table, planning_table
from wasim.report.pages.rendering import page_environment
from wasim.report.series import operation_words
from wasim.report.simulated import simulation_notes
from wasim.report.tables import TextTable, table_of
from wasim.report.words import ABSENT, leaves
from wasim.runs import CaseRun, Run
from wasim.units import format_bytes, format_figure


def operations_table(run: Run) -> TextTable:
    """What each operation wrote, deleted and took, by case; empty where every case only appends."""
    more = any(not case.case.only_appends for case in run.cases)
    return table_of(
        "By operation: bytes written by kind, bytes and files deleted, and seconds that it took",
        (_operation(case, one) for case in run.cases for one in case.operations) if more else (),
        words=("operation",),
        grouped=True,
    )


def _operation(case: CaseRun, one: OperationTotals) -> dict[str, str]:
    totals = one.totals.times(case.case.writer.tables)
    written, deleted = totals.written_bytes, totals.deleted_bytes
    return {
        "": case.case.label,
        "operation": operation_words(one.operation),
        "times": f"{one.steps if one.operation not in _RUNS else one.commits:,}",
        "snapshots": f"{one.commits:,}",
        "metadata.json": format_bytes(written[Kind.METADATA_JSON]),
        "manifest lists": format_bytes(written[Kind.MANIFEST_LIST]),
        "manifests": format_bytes(written[Kind.DATA_MANIFEST] + written[Kind.DELETE_MANIFEST]),
        "data": format_bytes(totals.data_bytes),
        "deleted": format_bytes(sum(deleted.values())),
        "files deleted": f"{sum(totals.files_deleted.values()):,}",
        "seconds": ABSENT if np.isnan(one.wall_s) else format_figure(one.wall_s),
    }


_RUNS = ("append", "upsert")  # of which a stream carries out many as one step


def remains_table(run: Run) -> TextTable:
    """What was written, what of it is on disk at the end, and what the current snapshot reaches."""
    caption = "What is left at the end: written, still on disk, and live; metadata on disk ÷ live data"
    return table_of(caption, map(_remains, run.cases))


def _remains(case: CaseRun) -> dict[str, str]:
    totals, tables = case.of_all_tables, case.case.writer.tables
    live = {kind: size * tables for kind, size in case.live_bytes.items()}
    on_disk = totals.on_disk_bytes
    metadata_on_disk = sum(on_disk[kind] for kind in METADATA_KINDS)
    live_data = sum(live[kind] for kind in DATA_KINDS)
    return {
        "case": case.case.label,
        "metadata written": format_bytes(totals.metadata_bytes),
        "on disk": format_bytes(metadata_on_disk),
        "live": format_bytes(sum(live[kind] for kind in METADATA_KINDS)),
        "÷ live data": format_figure(metadata_on_disk / live_data) if live_data else ABSENT,
        "data written": format_bytes(totals.data_bytes),
        "data on disk": format_bytes(sum(on_disk[kind] for kind in DATA_KINDS)),
        "live data": format_bytes(live_data),
    }


def contention_table(run: Run) -> TextTable:
    """Attempts, what was lost, and latency by case; empty where no case has several writers."""
    several = any(one.case.writer.writers > 1 for one in run.cases)
    one_interval = len({one.case.commit_interval_s for one in run.cases}) == 1
    kinds = dict.fromkeys(kind for one in run.cases if one.contention is not None for kind in one.contention.failed)
    ended = f"; failed commits ended in {', '.join(kinds)}" if kinds else ""
    modelled = " (modelled)" if any(one.latency is not None for one in run.cases) else ""
    return table_of(
        "Concurrent writers: commits made and failed, attempts, bytes of lost attempts, and commit latency"
        f"{modelled}{ended}",
        (
            {"case": name_without_interval(one.case) if one_interval else one.case.label, **_contended(one, cost)}
            for one in run.cases
            if several and (cost := one.contention) is not None and len(one.ledger)
        ),
    )


def _contended(run: CaseRun, cost: Contention) -> dict[str, str]:
    return {
        "commits": f"{run.commits:,}",
        "failed": f"{cost.failed_commits:,}",
        "attempts": f"{cost.attempts:,}",
        "retries": f"{cost.attempts - run.commits - cost.failed_commits:,}",
        "lost": f"{cost.lost_attempts:,}",
        "wasted": format_bytes(sum(cost.lost_bytes.values())),
        "orphans": format_bytes(sum(cost.orphan_bytes.values())),
        "orphan files": f"{cost.orphan_files:,}",
        "median ms": _figure(run.commit_ms(50)),
        "p95 ms": _figure(run.commit_ms(95)) if run.commits >= LEAST_FOR_A_PERCENTILE else ABSENT,
        "commits/s": _figure(_landed_per_s(run)),
    }


def _landed_per_s(run: CaseRun) -> float | None:
    """Commits a second: as measured, else as modelled of writers that commit as fast as they can."""
    if run.latency is not None:
        return run.latency.landed_per_s if run.latency.arrivals == "when_free" else None
    took_s = float(run.ledger.reported_at_s.max() - run.ledger.reported_at_s.min())
    return (len(run.ledger) - 1) / took_s if took_s > 0 else None


def _figure(value: float | None) -> str:
    return ABSENT if value is None else format_figure(value)


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


def render_run_page(
    concluded: Conclusion,
    charts: Sequence[DrawnChart | LeftOut],
    *,
    remedies: TextTable | None = None,
    sliders: Sliders | None = None,
) -> str:
    """The whole page as HTML. Everything that a scenario, a machine or an error wrote is escaped.

    `charts` are the run's, as `draw_charts` gives them; `remedies` are what maintenance would save.
    """
    run, fit, answer, prices = concluded.run, concluded.fit, concluded.answer, concluded.prices
    pictures = [picture_of(chart) for chart in charts]
    page = page_environment().get_template("run.html.jinja")
    return page.render(
        run=run,
        conclusion=conclude(answer, run),
        facts=state_facts(answer, run),
        measured=measured_line(run),
        headline=headline_table(run),
        MANY=MANY_CASES,
        options=options_table(answer, run),
        options_remarks=[*options_remarks(answer), *concluded.ahead],
        matrix=matrix_table(answer),
        remedies=remedies,
        remedies_line=concluded.remedies_line,
        sliders=sliders,
        pictures=[one for one in pictures if one.name not in OF_DETAIL],
        details=[one for one in pictures if one.name in OF_DETAIL],
        breached=sum(1 for limit in concluded.limits if limit["holds"] is False),
        tables=_tables(run, fit, answer),
        boundaries=boundaries(run),
        bill=bill_table(run, answer, prices) if prices is not None else None,
        prices=prices,
        notes=fit.notes,
        simulated=simulation_notes(run),
        provenance=tuple(flatten(run.provenance)),
        glossary=_words(),
        real=any(case.engine == "spark" for case in run.cases),
        files=tuple(_files(run)),
    )


def _words() -> list[tuple[str, str]]:
    """The words of a report, each with what it means: the text that docs/glossary.md repeats."""
    text = files("wasim.report.pages").joinpath("templates", "glossary.md").read_text(encoding="utf-8")
    return re.findall(r"^\*\*(.+)\*\*: (.+)$", text, flags=re.MULTILINE)


def _files(run: Run) -> Iterable[tuple[str, str]]:
    yield "scenario.yaml", "the scenario as run"
    yield "summary.json", "everything on this page, for programs"
    yield "provenance.json", "versions, jars and machine"
    if any(case.probes for case in run.cases):
        yield "benchmark.json", "timings, for pytest-benchmark compare"
    for case in run.cases:
        yield f"cases/{case.key}/ledger.parquet", f"{case.case.label}: a row per commit"


def picture_of(drawn: DrawnChart | LeftOut) -> Picture:
    """The chart as a page has it, or why it was left out."""
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


def flatten(document: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    """Nested values as (dotted name, text), in their order: `jars.sqlite-jdbc` …"""
    for name, value in leaves(document):
        yield name, ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
