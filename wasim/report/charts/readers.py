"""What each reader needs for the same full scans, a panel each: their times hold different things. None is ranked."""

from collections.abc import Sequence
from functools import partial

import numpy as np
from matplotlib.axes import Axes

from wasim.ledger import FULL_SCAN, PlanningProbe
from wasim.ledger.readers import BOUNDARIES
from wasim.report.charts.axes import key_below, name_panel, note, pad_log_limits, set_count_axis
from wasim.report.charts.chart import NOTE_IN, NOTE_PAD_PT, Chart
from wasim.report.charts.palette import look_of
from wasim.runs import Run

NAME = "readers"
TITLE = "What does a full scan cost\neach reader before it reads a row?"


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
        name=NAME,
        title=TITLE,
        reading="Each panel has its own scale, and its own boundary, said above it: compare how times grow with "
        "manifests, not panel with panel. Whiskers span the quickest and slowest round; opens are of the "
        "largest table.",
        panels=tuple(partial(draw_reader, probes=mine, reader=reader) for reader, mine in by_reader.items()),
        note_in=NOTE_IN,
        key_lines=max(len({(one.temperature, one.variant) for one in mine}) for mine in by_reader.values()),
    )
    return (chart,)
