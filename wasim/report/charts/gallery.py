"""All charts of a run: planned, drawn into pages, and saved."""

import io
from collections.abc import Iterable, Sequence
from pathlib import Path

from wasim.fit.report import FitReport
from wasim.report.answer import Answer, LimitOutcome, answer_run
from wasim.report.charts.chart import Chart, DrawnChart, LeftOut, cut_panels, draw_figure, title_in
from wasim.report.charts.commits import plan_bytes_per_commit, plan_manifests_and_snapshots
from wasim.report.charts.contention import plan_contention
from wasim.report.charts.lasting import plan_amounts, plan_keeps_up
from wasim.report.charts.latency import plan_commit_latency
from wasim.report.charts.operations import plan_operations
from wasim.report.charts.palette import styled
from wasim.report.charts.planning import plan_planning_latency
from wasim.report.charts.readers import plan_readers
from wasim.report.charts.svg import figure_svg, inline_svg, without_title
from wasim.report.charts.trade_off import plan_trade_off
from wasim.runs import Run, write_atomically

PNG_DOTS_PER_INCH = 200
POINTS_PER_INCH = 72
OF_DETAIL = ("planning_latency", "manifests_and_snapshots", "commit_latency")
"""Charts that a page shows on request only."""


def plan_charts(
    run: Run, fit: FitReport, answer: Answer | None = None, limits: Sequence[LimitOutcome] = ()
) -> tuple[Chart | LeftOut, ...]:
    """Every chart that the run can give, in the page's order, and a reason for every other."""
    answer = answer or answer_run(run, fit, limits)
    trade_off, contention = plan_trade_off(run, fit, answer, limits), plan_contention(run)
    charts: tuple[Chart | LeftOut, ...] = (
        *((*trade_off, *plan_operations(run), *contention) if answer.swept else (*contention, *trade_off)),
        *(() if answer.swept else plan_operations(run)),
        plan_keeps_up(answer),
        plan_amounts(answer),
        plan_bytes_per_commit(run),
        *plan_readers(run),
        plan_planning_latency(run, fit),
        plan_manifests_and_snapshots(run),
        plan_commit_latency(run, fit),
    )
    return tuple(cut_panels(chart) if isinstance(chart, Chart) else chart for chart in charts)


def draw_charts(
    run: Run, fit: FitReport, answer: Answer | None = None, limits: Sequence[LimitOutcome] = ()
) -> tuple[DrawnChart | LeftOut, ...]:
    """The planned charts, each drawn once: for the files that `save_charts` writes, and for the page."""
    planned = plan_charts(run, fit, answer, limits)
    return tuple(draw_chart(chart) if isinstance(chart, Chart) else chart for chart in planned)


def draw_chart(chart: Chart) -> DrawnChart:
    """The chart as a figure, and as a document that stands alone."""
    with styled():
        figure = draw_figure(chart)
        return DrawnChart(chart=chart, figure=figure, svg=figure_svg(figure))


def render_chart(drawn: DrawnChart) -> str:
    """The chart as markup for a page that says its title and defines its colours."""
    chart = drawn.chart
    return inline_svg(
        without_title(drawn.svg, title_in(chart) * POINTS_PER_INCH),
        name=chart.name,
        description=chart.title.replace("\n", " "),  # what it shows is said in the page's caption
    )


def save_charts(charts: Iterable[DrawnChart | LeftOut], folder: Path) -> tuple[Path, ...]:
    """Every chart as `folder`/name.svg and .png; the same bytes for the same run. Pictures of other charts go."""
    folder.mkdir(parents=True, exist_ok=True)
    saved: list[Path] = []
    for drawn in charts:
        if isinstance(drawn, LeftOut):
            continue
        for path, content in (
            (folder / f"{drawn.chart.name}.svg", drawn.svg.encode()),
            (folder / f"{drawn.chart.name}.png", _png(drawn)),
        ):
            write_atomically(path, content)
            saved.append(path)
    for path in folder.iterdir():
        if path.suffix in (".svg", ".png") and path not in saved:
            path.unlink()
    return tuple(saved)


def _png(drawn: DrawnChart) -> bytes:
    png = io.BytesIO()
    with styled():
        drawn.figure.savefig(png, format="png", dpi=PNG_DOTS_PER_INCH, metadata={"Software": None})
    return png.getvalue()
