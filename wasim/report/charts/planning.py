"""Scan planning against live manifests, table load against the size of metadata.json; and both by reader.

The two are apart because their causes are: a merge takes manifests away and leaves metadata.json as long as before.
"""

from collections.abc import Sequence
from functools import partial

import numpy as np
from matplotlib.axes import Axes

from wasim.fit.latency import Latency, probe_drivers, probe_ms
from wasim.fit.report import FitReport
from wasim.ledger import FULL_SCAN, PlanningProbe
from wasim.ledger.readers import BOUNDARIES
from wasim.report.charts.axes import key_below, name_panel, note, pad_log_limits, set_byte_axis, set_count_axis
from wasim.report.charts.chart import NOTE_IN, NOTE_PAD_PT, Chart, LeftOut
from wasim.report.charts.palette import look_of
from wasim.report.modelled import floor_r_squared, latency_fit, modelled_ms
from wasim.report.series import planning_at_end_ms, warm_full_scans
from wasim.runs import CaseRun, Run
from wasim.units import Floats

NAME = "planning_latency"
Probed = tuple[CaseRun, PlanningProbe]


def draw_scan_planning(ax: Axes, probed: Sequence[Probed], fit: FitReport) -> Axes:
    """Milliseconds of scan planning against live manifests; whiskers from the quickest round to the slowest."""
    name_panel(ax, "scan planning", pad_pt=NOTE_PAD_PT)
    ax.set_xlabel("live manifests")
    _draw_latency(ax, probed, fit, "planning")
    set_count_axis(ax.xaxis)
    return ax


def draw_table_load(ax: Axes, probed: Sequence[Probed], fit: FitReport) -> Axes:
    """Milliseconds of table load against the size of metadata.json; whiskers from the quickest round to the slowest."""
    name_panel(ax, "table load", pad_pt=NOTE_PAD_PT)
    ax.set_xlabel("size of metadata.json")
    _draw_latency(ax, probed, fit, "load")
    set_byte_axis(ax.xaxis)
    return ax


def _draw_latency(ax: Axes, probed: Sequence[Probed], fit: FitReport, part: Latency) -> None:
    values: list[float] = []
    causes: list[float] = []
    key: list[tuple[str, dict[str, object]]] = []
    drawn: dict[str, str] = {}
    writers = list(dict.fromkeys(run.case.writer_name for run, _ in probed))
    for position, writer in enumerate(writers):
        mine = sorted(
            (pair for pair in probed if pair[0].case.writer_name == writer), key=lambda pair: _cause(pair[1], part)
        )
        x, look = [_cause(probe, part) for _, probe in mine], look_of(position)
        rounds = [probe_ms(probe, part) for _, probe in mine]
        low, mid, high = (np.array([figure(times) for times in rounds]) for figure in (np.min, np.median, np.max))
        ax.vlines(x, low, high, color=look.colour, linewidth=0.8, alpha=0.6)
        ax.plot(x, mid, color=look.colour, marker=look.marker, linestyle="none", gid=f"measured {part} {writer}")
        fitted = latency_fit(fit, part, mine[0][0])
        line = modelled_ms(fitted, _drivers([probe for _, probe in mine])) if fitted else None
        if fitted and line is not None and len(set(x)) > 1:
            ax.plot(x, line, color=look.colour, linestyle=look.line, linewidth=1.2, gid=f"fit {part} {writer}")
            drawn[writer] = f"R² {floor_r_squared(fitted.r_squared)}"
        line_style = look.line if writer in drawn else "none"
        key.append((writer, {"color": look.colour, "marker": look.marker, "linestyle": line_style}))
        values, causes = [*values, *low, *high], [*causes, *x]
    ax.set(xscale="log", yscale="log", ylabel="milliseconds (median)")
    ax.set_xlim(*pad_log_limits(min(causes), max(causes)))
    ax.set_ylim(*pad_log_limits(min(values), max(values)))
    set_count_axis(ax.yaxis)
    if drawn:
        note(ax, f"points measured, lines fitted ({', '.join(dict.fromkeys(drawn.values()))})")
    key_below(ax, key)


def _cause(probe: PlanningProbe, part: Latency) -> float:
    return float(probe.manifests_total if part == "planning" else probe.metadata_json_bytes)


def _drivers(probes: Sequence[PlanningProbe]) -> dict[str, Floats]:
    """An element per probe, NaN where its reader does not show the driver."""
    each = [probe_drivers(probe) for probe in probes]
    return {name: np.array([one[name] for one in each], dtype=np.float64) for name in each[0]}


def plan_planning_latency(run: Run, fit: FitReport) -> Chart | LeftOut:
    """The chart of warm full scans over all cases, or why not."""
    title = "How long does planning take\nas metadata piles up?"
    probed = [(case, probe) for case in run.cases for probe in warm_full_scans(case) if _drawable(probe)]
    if not probed:
        return LeftOut(name=NAME, title=title, why="No case probed a full scan in a warm process.")
    if len({probe.metadata_json_bytes for _, probe in probed}) < 2:
        why = "Only one state of a table was probed, so there is no trend to draw."
        return LeftOut(name=NAME, title=title, why=why)
    draws = (draw_scan_planning, draw_table_load)
    return Chart(
        name=NAME,
        title=title,
        reading=_reading(run),
        panels=tuple(partial(draw, probed=probed, fit=fit) for draw in draws),
        note_in=NOTE_IN,
        key_lines=(1 + len({case.case.writer_name for case, _ in probed})) // 2,
    )


def _drawable(probe: PlanningProbe) -> bool:
    """Logarithmic axes take neither an empty table nor an unmeasured round."""
    rounds = [*probe.load_ms, *probe.planning_ms]
    counted = probe.manifests_total > 0 and probe.manifests_scanned is not None and probe.files_planned is not None
    return counted and len(probe.load_ms) > 0 and len(probe.planning_ms) > 0 and min(rounds) > 0


def _reading(run: Run) -> str:
    measured = [(planning_at_end_ms(case), case) for case in run.cases]
    times = [(ms, case) for ms, case in measured if ms is not None]
    (most, slowest), (least, quickest) = max(times, key=lambda t: t[0]), min(times, key=lambda t: t[0])
    return (
        f"Load and planning of a full scan together, warm, at the end: {least:.3g} ms ({quickest.case.label}, "
        f"{int(quickest.ledger.live_manifests[-1]):,} manifests) to {most:.3g} ms ({slowest.case.label}, "
        f"{int(slowest.ledger.live_manifests[-1]):,} manifests). Whiskers span the quickest and slowest round."
    )


def draw_reader(ax: Axes, probes: Sequence[PlanningProbe], reader: str) -> Axes:
    """Load and planning together in milliseconds against live manifests, one series for each variant, cold apart."""
    name_panel(ax, reader, pad_pt=NOTE_PAD_PT)
    note(ax, BOUNDARIES[reader].brief)
    key: list[tuple[str, dict[str, object]]] = []
    series = dict.fromkeys((probe.temperature, probe.variant) for probe in probes)
    for position, (temperature, variant) in enumerate(series):
        mine = sorted(
            (probe for probe in probes if (probe.temperature, probe.variant) == (temperature, variant)),
            key=lambda probe: probe.manifests_total,
        )
        manifests = [probe.manifests_total for probe in mine]
        rounds = [probe.together_ms for probe in mine]
        low, mid, high = (np.array([figure(times) for times in rounds]) for figure in (np.min, np.median, np.max))
        look = look_of(position)
        ax.vlines(manifests, low, high, color=look.colour, linewidth=0.8, alpha=0.6)
        ax.plot(
            manifests, mid, color=look.colour, marker=look.marker, linestyle=look.line, linewidth=1.0,
            gid=f"{reader} {temperature} {variant}".strip(),
        )  # fmt: skip
        name = ", ".join(part for part in (temperature, variant, _opened(mine)) if part)
        key.append((name, {"color": look.colour, "marker": look.marker, "linestyle": look.line}))
    values = np.concatenate([probe.together_ms for probe in probes])
    totals = [probe.manifests_total for probe in probes]
    ax.set(xscale="log", yscale="log", xlabel="live manifests", ylabel="milliseconds (median)")
    ax.set_xlim(*pad_log_limits(min(totals), max(totals)))
    ax.set_ylim(*pad_log_limits(float(values.min()), float(values.max())))
    set_count_axis(ax.xaxis)
    set_count_axis(ax.yaxis)
    key_below(ax, key, columns=1)
    return ax


def _opened(probes: Sequence[PlanningProbe]) -> str:
    """`opens all`, `opens none`, or how many of how many at most; nothing where opens cannot be seen."""
    last = probes[-1]
    if last.manifests_opened is None:
        return ""
    if last.manifests_opened in (0, last.manifests_total):
        return "opens all" if last.manifests_opened else "opens none"
    return f"opens {last.manifests_opened:,} for {last.manifests_total:,}"


def plan_readers(run: Run) -> tuple[Chart, ...]:
    """The chart of full scans by reader; none for a single one, which the chart of planning latency shows."""
    probes = [
        probe for case in run.cases for probe in case.probes if probe.query == FULL_SCAN and probe.manifests_total > 0
    ]
    readers = [reader for reader in dict.fromkeys(probe.reader for probe in probes) if reader in BOUNDARIES]
    if len(readers) < 2:
        return ()
    by_reader = {reader: [probe for probe in probes if probe.reader == reader] for reader in readers}
    chart = Chart(
        name="readers",
        title="What does a full scan cost\neach reader before it reads a row?",
        reading="Each panel has its own scale, and its own boundary, said above it: compare how times grow with "
        "manifests, not panel with panel. Whiskers span the quickest and slowest round; opens are of the "
        "largest table.",
        panels=tuple(partial(draw_reader, probes=mine, reader=reader) for reader, mine in by_reader.items()),
        note_in=NOTE_IN,
        key_lines=max(len({(one.temperature, one.variant) for one in mine}) for mine in by_reader.values()),
    )
    return (chart,)
