"""How long commits and planning take: commits as the table ages, planning by manifests, table load by metadata.json.

The last two are apart, as their causes are: a merge takes manifests away and leaves metadata.json as long as before.
"""

from collections.abc import Sequence
from functools import partial

import numpy as np
from matplotlib.axes import Axes

from wasim.fit.latency import Latency, probe_drivers, probe_ms
from wasim.fit.report import FitReport
from wasim.fit.sustain import describe_interval, describe_slope
from wasim.ledger import FULL_SCAN, PlanningProbe, warm_full_scans
from wasim.ledger.readers import BOUNDARIES
from wasim.report.charts.axes import key_below, name_panel, note, pad_log_limits, set_byte_axis, set_count_axis
from wasim.report.charts.chart import LOOKS, NOTE_IN, NOTE_PAD_PT, Chart, LeftOut, Look, look_of
from wasim.report.modelled import floor_r_squared, latency_fit, modelled_ms, parts_for_table
from wasim.report.series import group_cases
from wasim.runs import CaseRun, Run, measure
from wasim.units import Floats, format_duration

COMMIT_NAME = "commit_latency"
PARTS = (("step", "whole step", LOOKS[1]), ("commit", "Iceberg's commit", LOOKS[0]))


def draw_commit_latency(ax: Axes, run: CaseRun, fit: FitReport) -> Axes:
    """Milliseconds of each commit of one case, of the whole step and of Iceberg's own part, with their fits."""
    values: list[float] = []
    key: list[tuple[str, dict[str, object]]] = []
    for part, name, look in PARTS:
        times = run.ledger.step_ms if part == "step" else run.ledger.commit_ms
        shown = times > 0
        if not np.any(shown):
            continue
        ax.plot(
            run.ledger.commit[shown], times[shown], **look.points,
            markersize=5.0 if shown.sum() < 50 else 2.6, alpha=0.55, markeredgewidth=0, gid=f"measured {part}",
        )  # fmt: skip
        values += [float(times[shown].min()), float(times[shown].max())]
        key.append((name, look.points))
        fitted = latency_fit(fit, part, run)
        line = modelled_ms(fitted, commit_drivers(run)) if fitted else None
        if fitted and line is not None:
            ax.plot(run.ledger.commit, line, color=look.colour, linestyle=look.line, gid=f"fit {part}")
            key.append(
                (f"its fit (R² {floor_r_squared(fitted.r_squared)})", {"color": look.colour, "linestyle": look.line})
            )
    ax.set(yscale="log", xlabel="commit number", ylabel="milliseconds")
    name_panel(ax, run.case.label, pad_pt=NOTE_PAD_PT)
    ax.set_xlim(0, len(run.ledger) * 1.02 + 1)
    ax.set_ylim(*pad_log_limits(min(values), max(values)))
    ax.locator_params(axis="x", nbins=6, integer=True)
    set_count_axis(ax.yaxis)
    sustainable = min(parts_for_table(fit.sustainable, run), key=lambda one: one.horizon_s, default=None)
    if sustainable:
        note(ax, f"sustainable over {format_duration(sustainable.horizon_s)}: {describe_interval(sustainable)}")
    key_below(ax, key)
    return ax


def commit_drivers(run: CaseRun) -> dict[str, Floats]:
    """What a commit's latency may depend on, by the names that coefficients have; one element per commit."""
    ledger = run.ledger
    columns = {
        "base": np.ones(len(ledger)),
        "retained_snapshot": ledger.snapshots_retained,
        "live_manifest": ledger.live_manifests,
        "row": ledger.records_added,
    }
    return {name: column.astype(np.float64) for name, column in columns.items()}


def plan_commit_latency(run: Run, fit: FitReport) -> Chart | LeftOut:
    """The chart for the shortest interval of each group, or why not."""
    title = "Do commits get slower as the table ages?"
    timed = [
        group.shortest
        for group in group_cases(run)
        if len(group.shortest.ledger) > 1 and np.any(group.shortest.ledger.step_ms > 0)
    ]
    if not timed:
        return LeftOut(name=COMMIT_NAME, title=title, why="No case timed two commits or more.")
    said = dict.fromkeys(describe_slope(row) for run in timed for row in parts_for_table(fit.sustainable, run))
    footing = f" Sustainable intervals: {'; '.join(said)}." if said else ""
    return Chart(
        name=COMMIT_NAME,
        title=title,
        reading=f"{_reading_of_commits(timed[0])}{footing}",
        panels=tuple(partial(draw_commit_latency, run=case, fit=fit) for case in timed),
        note_in=NOTE_IN,
        key_lines=2,
    )


def _reading_of_commits(run: CaseRun) -> str:
    steps = run.ledger.step_ms
    share = max(1, len(steps) // 10)
    first, last = float(np.median(steps[:share])), float(np.median(steps[-share:]))
    return (
        f"In {run.case.label}, a step took {first:,.0f} ms in the first tenth of the commits and {last:,.0f} ms in the "
        "last (medians). An interval is sustainable while a step is shorter than it."
    )


PLANNING_NAME = "planning_latency"
Probed = tuple[CaseRun, PlanningProbe]


def draw_probed(ax: Axes, probed: Sequence[Probed], fit: FitReport, part: Latency) -> Axes:
    """Milliseconds of scan planning against live manifests, or of table load against the size of metadata.json;
    whiskers from the quickest round to the slowest.
    """
    is_load = part == "load"
    name_panel(ax, "table load" if is_load else "scan planning", pad_pt=NOTE_PAD_PT)
    ax.set_xlabel("size of metadata.json" if is_load else "live manifests")
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
        low, mid, high = _draw_whiskers(ax, x, [probe_ms(probe, part) for _, probe in mine], look)
        ax.plot(x, mid, **look.points, gid=f"measured {part} {writer}")
        fitted = latency_fit(fit, part, mine[0][0])
        each = [probe_drivers(probe) for _, probe in mine]  # NaN where its reader does not show the driver
        drivers = {name: np.array([one[name] for one in each], dtype=np.float64) for name in each[0]}
        line = modelled_ms(fitted, drivers) if fitted else None
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
    (set_byte_axis if is_load else set_count_axis)(ax.xaxis)
    return ax


def _draw_whiskers(ax: Axes, x: Sequence[float], rounds: Sequence[Floats], look: Look) -> list[Floats]:
    """The quickest round, the median and the slowest at each place, the ends joined by a line."""
    low, mid, high = (np.array([figure(times) for times in rounds]) for figure in (np.min, np.median, np.max))
    ax.vlines(x, low, high, color=look.colour, linewidth=0.8, alpha=0.6)
    return [low, mid, high]


def _cause(probe: PlanningProbe, part: Latency) -> float:
    return float(probe.manifests_total if part == "planning" else probe.metadata_json_bytes)


def plan_planning_latency(run: Run, fit: FitReport) -> Chart | LeftOut:
    """The chart of warm full scans over all cases, or why not."""
    title = "How long does planning take\nas metadata piles up?"
    probed = [(case, probe) for case in run.cases for probe in warm_full_scans(case.probes) if _drawable(probe)]
    if not probed:
        return LeftOut(name=PLANNING_NAME, title=title, why="No case probed a full scan in a warm process.")
    if len({probe.metadata_json_bytes for _, probe in probed}) < 2:
        why = "Only one state of a table was probed, so there is no trend to draw."
        return LeftOut(name=PLANNING_NAME, title=title, why=why)
    parts: tuple[Latency, ...] = ("planning", "load")
    return Chart(
        name=PLANNING_NAME,
        title=title,
        reading=_reading_of_planning(run),
        panels=tuple(partial(draw_probed, probed=probed, fit=fit, part=part) for part in parts),
        note_in=NOTE_IN,
        key_lines=(1 + len({case.case.writer_name for case, _ in probed})) // 2,
    )


def _drawable(probe: PlanningProbe) -> bool:
    """Logarithmic axes take neither an empty table nor an unmeasured round."""
    rounds = [*probe.load_ms, *probe.planning_ms]
    counted = probe.manifests_total > 0 and probe.manifests_scanned is not None and probe.files_planned is not None
    return counted and len(probe.load_ms) > 0 and len(probe.planning_ms) > 0 and min(rounds) > 0


def _reading_of_planning(run: Run) -> str:
    measured = [(measure(case, "planning_p50_ms"), case) for case in run.cases]
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
        look = look_of(position)
        _, mid, _ = _draw_whiskers(ax, manifests, [probe.together_ms for probe in mine], look)
        ax.plot(
            manifests, mid, **look.lines, linewidth=1.0,
            gid=f"{reader} {temperature} {variant}".strip(),
        )  # fmt: skip
        name = ", ".join(part for part in (temperature, variant, _opened(mine)) if part)
        key.append((name, look.lines))
    ax.set(xscale="log", yscale="log", xlabel="live manifests", ylabel="milliseconds (median)")
    ax.set_xlim(*pad_log_limits(*ax.dataLim.intervalx))
    ax.set_ylim(*pad_log_limits(*ax.dataLim.intervaly))
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
