"""What concurrent writers cost each other: attempts lost, and commit latency, against their number."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Literal

from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, NullLocator

from wasim.ledger import Contention
from wasim.report.charts.axes import EndLabel, name_line_ends, name_panel, pad_log_limits, set_count_axis
from wasim.report.charts.chart import LOOKS, Chart, Look, Panel, look_of
from wasim.report.series import Series, short_names
from wasim.runs import CaseRun, Run

NAME, TITLE = "contention", "What do writers on one table\ncost each other?"
Percent = Literal[50, 95]
LATENCIES: tuple[tuple[str, Percent, Look], ...] = (("95th percentile", 95, LOOKS[0]), ("median", 50, LOOKS[1]))


def group_by_writers(runs: Iterable[CaseRun]) -> tuple[Series, ...]:
    """Cases that differ in their writers alone, where some have several, fewest first; in the sweep's order."""
    crowds: dict[str, list[CaseRun]] = {}
    for run in runs:
        if run.contention is not None and len(run.ledger):
            alone = replace(run.case, writer=run.case.writer.model_copy(update={"writers": 1}), repetition=0)
            crowds.setdefault(alone.label, []).append(run)
    return tuple(
        Series(name=name, cases=tuple(sorted(cases, key=lambda one: (one.case.writer.writers, one.case.repetition))))
        for name, cases in crowds.items()
        if any(one.case.writer.writers > 1 for one in cases)
    )


def plan_contention(run: Run) -> tuple[Chart, ...]:
    """A panel of lost attempts and one of latencies; no chart unless numbers of writers differ."""
    crowds = [crowd for crowd in group_by_writers(run.cases) if len(set(crowd.writers)) > 1]
    if not crowds:
        return ()
    timed = tuple(crowd for crowd in crowds if _is_timed(crowd))
    latency: tuple[Panel, ...] = ()
    if len(timed) == 1:
        latency = (partial(draw_latency_by_writers, crowd=timed[0]),)
    elif timed:
        latency = (partial(draw_medians_by_writers, crowds=timed),)
    lost = partial(draw_lost_attempts, crowds=tuple(crowds))
    return (Chart(name=NAME, title=TITLE, reading=_reading(crowds), panels=(lost, *latency), right_in=1.22),)


def _is_timed(crowd: Series) -> bool:
    return all(run.commit_ms(50) is not None for run in crowd.cases)


def _is_modelled(crowd: Series) -> bool:
    return any(run.latency is not None for run in crowd.cases)


def draw_lost_attempts(ax: Axes, crowds: tuple[Series, ...]) -> Axes:
    """Share of all attempts that another writer beat, against the number of writers; one line per group."""
    ends = []
    for position, crowd in enumerate(crowds):
        look, shares = look_of(position), [100 * _of(run).lost_share for run in crowd.cases]
        ax.plot(crowd.writers, shares, **look.lines, gid=crowd.name)
        ends.append(EndLabel(text=_short(crowd, crowds), y=shares[-1], look=look))
    ax.set(ylabel="attempts lost, in per cent", ylim=(-2, 102))
    name_panel(ax, "Attempts that another writer beat")
    _set_writers_axis(ax, [writers for crowd in crowds for writers in crowd.writers])
    name_line_ends(ax, ends)
    return ax


def draw_latency_by_writers(ax: Axes, crowd: Series) -> Axes:
    """Milliseconds that a commit takes, retries and their waits included, against the number of writers."""
    lines = [(name, name, crowd, percent, look) for name, percent, look in LATENCIES]
    return _draw_times(ax, lines, panel=crowd.name, label="milliseconds of a commit")


def draw_medians_by_writers(ax: Axes, crowds: tuple[Series, ...]) -> Axes:
    """Median milliseconds of a commit against the number of writers; one line per group."""
    median: Percent = 50
    lines = [(crowd.name, _short(crowd, crowds), crowd, median, look_of(n)) for n, crowd in enumerate(crowds)]
    return _draw_times(ax, lines, panel="A commit, retries included", label="median milliseconds")


def _draw_times(ax: Axes, lines: Sequence[tuple[str, str, Series, Percent, Look]], *, panel: str, label: str) -> Axes:
    """A line each: its id, its name, whose times, which percentile of them, and how it looks."""
    ends = []
    for gid, name, crowd, percent, look in lines:
        times = [run.commit_ms(percent) or 0.0 for run in crowd.cases]
        ax.plot(crowd.writers, times, **look.lines, gid=gid)
        ends.append(EndLabel(text=name, y=times[-1], look=look))
    how = ", modelled" if any(_is_modelled(crowd) for _, _, crowd, _, _ in lines) else ""
    ax.set(yscale="log", ylabel=f"{label}{how}")
    name_panel(ax, panel)
    _set_writers_axis(ax, [writers for _, _, crowd, _, _ in lines for writers in crowd.writers])
    ax.set_ylim(*pad_log_limits(*ax.dataLim.intervaly))
    set_count_axis(ax.yaxis)
    name_line_ends(ax, ends)
    return ax


def _set_writers_axis(ax: Axes, writers: list[int]) -> None:
    ax.set(xscale="log", xlabel="writers at once")
    ax.set_xlim(*pad_log_limits(min(writers), max(writers)))
    ax.xaxis.set_major_locator(FixedLocator(sorted(set(writers))))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_formatter(lambda value, _: f"{value:g}")


def _of(run: CaseRun) -> Contention:
    if run.contention is None:
        raise ValueError(f"{run.case.label}: no contention was recorded")
    return run.contention


def _short(crowd: Series, crowds: tuple[Series, ...]) -> str:
    """What tells a group from the others, without the names of fields."""
    named = short_names([one.name for one in crowds])[crowd.name]
    return " ".join(word.rsplit("=", 1)[-1] for word in named.split())


def _reading(crowds: list[Series]) -> str:
    worst = max((run for crowd in crowds for run in crowd.cases), key=lambda run: _of(run).lost_share)
    crowd = next(crowd for crowd in crowds if worst in crowd.cases)
    few, cost = crowd.cases[0], _of(worst)
    tried = worst.commits + cost.failed_commits
    said = (
        f"At worst ({worst.case.label}) {cost.lost_attempts:,} of {cost.attempts:,} attempts were lost, and "
        f"{cost.failed_commits:,} of {tried:,} commits failed."
    )
    if not _is_timed(crowd):
        return said
    slow_ms, quick_ms = worst.commit_ms(50) or 0.0, few.commit_ms(50) or 0.0
    return (
        f"{said} A commit there {'would take' if _is_modelled(crowd) else 'took'} {slow_ms:,.0f} ms (median), and "
        f"{quick_ms:,.0f} ms with {few.case.writer.writers} writer{'s' if few.case.writer.writers > 1 else ''}."
    )
