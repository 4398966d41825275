"""All charts of a run: planned, drawn as SVG into pages, and saved."""

import io
import re
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

from matplotlib.figure import Figure

from wasim.fit.report import FitReport
from wasim.report.answer import Answer, LimitOutcome, answer_run
from wasim.report.charts.chart import (
    CSS_NAMES,
    PAPER_ID,
    TITLE_ID,
    Chart,
    DrawnChart,
    LeftOut,
    cut_panels,
    draw_figure,
    styled,
    title_in,
)
from wasim.report.charts.commits import plan_bytes_per_commit, plan_manifests_and_snapshots, plan_operations
from wasim.report.charts.contention import plan_contention
from wasim.report.charts.lasting import plan_amounts, plan_keeps_up
from wasim.report.charts.latency import plan_commit_latency, plan_planning_latency, plan_readers
from wasim.report.charts.trade_off import plan_trade_off
from wasim.runs import Run, write_atomically

_NO_METADATA = {"Date": None, "Creator": None, "Format": None, "Type": None}  # nothing that differs from run to run


def figure_svg(figure: Figure) -> str:
    """A whole SVG document, the same text for the same figure."""
    text = io.StringIO()
    figure.savefig(text, format="svg", metadata=_NO_METADATA)
    coordinates = re.compile(r' (?:d|x|y)="[^"]*"')
    svg = coordinates.sub(
        lambda one: re.sub(r"\d+\.\d{3,}", lambda number: f"{float(number[0]):.2f}", one[0]), text.getvalue()
    )
    # consecutive markers of one style are grouped under it
    repeated = re.compile(r'\s*<use [^>]*? style="([^"]*)"/>(?:\s*<use [^>]*? style="\1"/>)+')

    def shared(markers: re.Match[str]) -> str:
        own = f' style="{markers[1]}"'
        return f"\n<g{own}>{markers[0].replace(own, '')}\n</g>"

    return repeated.sub(shared, svg)


def without_title(svg: str, title_pt: float) -> str:
    """The document without its title and the height that it took, for a page whose heading says it."""
    svg = _without_group(svg, TITLE_ID)
    return re.sub(
        r'viewBox="0 0 (\S+) (\S+)"', lambda box: f'viewBox="0 {title_pt:g} {box[1]} {float(box[2]) - title_pt:g}"', svg
    )


def _without_group(svg: str, group: str) -> str:
    return re.sub(rf'\s*<g id="{group}">.*?</g>', "", svg, count=1, flags=re.DOTALL)


def inline_svg(svg: str, *, name: str, description: str) -> str:
    """The document as markup for a page: transparent, colours as custom properties, unique ids, described in words.

    The result is trusted markup: matplotlib escapes every text that it writes.
    """
    svg = _without_group(svg[svg.index("<svg") :], PAPER_ID)
    svg = re.sub(r"<metadata>.*?</metadata>\s*", "", svg, flags=re.DOTALL)
    svg = re.sub(r' xmlns(:\w+)?="[^"]*"', "", svg)  # HTML knows; without them the page holds no address at all
    svg = re.sub(r'(<svg[^>]*?) width="[^"]*"', r"\1", svg, count=1)
    svg = re.sub(r'(<svg[^>]*?) height="[^"]*"', r"\1", svg, count=1)
    # ids that something refers to are made the chart's own; the others, which only name parts, go
    referred = {one or other for one, other in re.findall(r'url\(#([^)]+)\)|href="#([^"]+)"', svg)}
    svg = re.sub(r' id="([^"]*)"', lambda match: f' id="{name}-{match[1]}"' if match[1] in referred else "", svg)
    svg = svg.replace("url(#", f"url(#{name}-").replace('href="#', f'href="#{name}-')
    svg = re.sub(r"font: ([\d.]+)px [^;\"]*", r"font-size: \1px", svg)
    for colour, css in CSS_NAMES.items():
        svg = svg.replace(colour, f"var(--{css})")
    return svg.replace("<svg ", f'<svg role="img" aria-label="{escape(description, quote=True)}" ', 1)


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
