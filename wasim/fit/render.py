"""The fit report as plain text, for a terminal or a file."""

import math
import textwrap
from collections.abc import Iterable

from wasim.fit.report import Coefficient, CostFit, Estimate, FitReport, HeldOut, LatencyFit
from wasim.fit.words import describe_interval, describe_keeping_up, describe_slope
from wasim.units import format_bytes, format_duration

_WIDTH = 100


def render_fit(report: FitReport) -> str:
    """Coefficients with intervals, held-out errors with the naive model's, and extrapolations. Ends with a newline."""
    sections = [
        ("Bytes written per commit", [line for cost in report.costs for line in _cost_lines(cost)]),
        ("Data bytes per commit", [line for cost in report.ingest for line in _cost_lines(cost)]),
        ("Latencies", [line for latency in report.latencies for line in _latency_lines(latency)]),
        ("Held out: predicted without having been seen", list(_held_out_lines(report.held_out))),
        ("Smallest interval that a commit still fits into at the horizon's end", list(_sustainable_lines(report))),
        (
            "Metadata written without maintenance; ± is the coefficients' uncertainty alone",
            list(_extrapolation_lines(report)),
        ),
        ("Drivers", list(_check_lines(report))),
        ("Notes", [f"  {note}" for note in report.notes]),
    ]
    return "".join(
        f"[[{title}]]\n" + "".join(f"{line.rstrip()}\n" for line in lines) for title, lines in sections if lines
    )


def render_coefficient_table(report: FitReport) -> str:
    """The cost coefficients as a Markdown table, one row each: for docs/model.md, from any run's fit."""
    lines = ["| writer | file | coefficient | figure |", "|---|---|---|---|"]
    for cost in report.costs:
        for one in cost.coefficients:
            figure = f"{_estimate(one.estimate).strip()} {one.unit}" if one.estimate else f"– ({one.note})"
            lines.append(f"| {cost.writer} | {cost.kind} | {one.name} | {figure} |")
    return "\n".join(lines) + "\n"


def render_held_out_table(report: FitReport) -> str:
    """Errors of held-out bytes as a Markdown table, a row per split and writer; each with one constant's error."""
    held = [row for row in report.held_out if row.unit == "B"]
    kinds = list(dict.fromkeys(row.quantity for row in held))
    head = ["fitted on", "predicted", "writer", *(f"{kind} (one constant)" for kind in kinds)]
    lines = [f"| {' | '.join(head)} |", "|---" * 3 + "|---:" * len(kinds) + "|"]
    cells: dict[tuple[str, str, str], dict[str, str]] = {}
    for row in held:
        errors = f"{_per_cent(row.error, 2)} ({_per_cent(row.naive_error, 1)})"
        cells.setdefault((row.fitted_on, row.predicted_for, row.writer), {})[row.quantity] = errors
    lines += [f"| {' | '.join([*split, *(by.get(kind, '–') for kind in kinds)])} |" for split, by in cells.items()]
    return "\n".join(lines) + "\n"


def _per_cent(share: float, digits: int) -> str:
    """A signed share, `−0.02 %`; nothing has no sign."""
    text = f"{100 * share:+,.{digits}f}"
    return f"{text.replace('-', '−') if float(text.replace(',', '')) else text[1:]} %"


def _cost_lines(cost: CostFit) -> Iterable[str]:
    explained = max(0.0, cost.r_squared)
    yield f"  {cost.writer}, {cost.kind}: {cost.commits} commits, R² = {explained:.6f}, rms {cost.rms_bytes:.1f} B"
    yield from _coefficient_lines(cost.coefficients)
    yield f"    naive: {cost.naive_bytes:,.0f} B every commit, rms {cost.naive_rms_bytes:,.1f} B"


def _latency_lines(latency: LatencyFit) -> Iterable[str]:
    writer = latency.writer or "all writers"
    yield f"  {writer}, {latency.latency}: {latency.samples} samples, R² = {latency.r_squared:.3f}"
    yield from _coefficient_lines(latency.coefficients)


def _coefficient_lines(coefficients: tuple[Coefficient, ...]) -> Iterable[str]:
    width = max((len(one.name) for one in coefficients), default=0)
    for one in coefficients:
        if one.estimate is None:
            text = f"    {one.name:<{width}}  not identified: {one.note}"
            yield from textwrap.wrap(text, _WIDTH, subsequent_indent=" " * (width + 6), drop_whitespace=True)
            continue
        note = f"  ({one.note})" if one.note else ""
        yield f"    {one.name:<{width}}  {_estimate(one.estimate)} {one.unit}{note}"


def _estimate(estimate: Estimate) -> str:
    """`1,001.4 ± 0.1`, or low … high where the interval is lopsided."""
    above, below = estimate.high - estimate.best, estimate.best - estimate.low
    digits = max(0, min(5, 1 - math.floor(math.log10(max(above, below))))) if max(above, below) > 1e-12 else 2
    if math.isclose(above, below, rel_tol=1e-6, abs_tol=1e-9):
        return f"{estimate.best:>12,.{digits}f} ± {above:,.{digits}f}"
    return f"{estimate.best:>12,.{digits}f} ({estimate.low:,.{digits}f} … {estimate.high:,.{digits}f})"


def _held_out_lines(rows: tuple[HeldOut, ...]) -> Iterable[str]:
    if rows:
        columns = f"{'measured':>12}{'predicted':>12}{'error':>9}{'naive':>10}"
        yield f"  {'writer':<24}{'quantity':<15}{columns}  fitted on → predicted"
    for row in rows:
        size = format_bytes if row.unit == "B" else _milliseconds
        yield (
            f"  {row.writer:<24}{row.quantity:<15}{size(row.measured):>12}{size(row.predicted):>12}{row.error:>+9.3%}"
            f"{row.naive_error:>+10.1%}  {row.fitted_on} → {row.predicted_for}"
        )


def _sustainable_lines(report: FitReport) -> Iterable[str]:
    for row in report.sustainable:
        yield f"  {row.case:<24}{format_duration(row.horizon_s):>6}  {describe_interval(row)}: {describe_slope(row)}"
    for one in report.keeps_up:
        yield f"  {one.case:<24}{format_duration(one.commit_interval_s):>6}  {describe_keeping_up(one)}"


def _extrapolation_lines(report: FitReport) -> Iterable[str]:
    for row in report.extrapolations:
        parts = ", ".join(f"{kind} {format_bytes(written.best)}" for kind, written in row.written_bytes.items())
        total = row.metadata_bytes
        yield (
            f"  {row.case:<24}{format_duration(row.commit_interval_s):>6} for {format_duration(row.horizon_s):<5}"
            f"{format_bytes(total.best):>10} ± {_half_width(total):<7} ({parts})"
        )


def _check_lines(report: FitReport) -> Iterable[str]:
    wrong = sum(1 for check in report.checks if check.mismatches)
    if report.checks:
        compared = sum(check.commits for check in report.checks)
        outcome = (
            "all as the model foresaw" if not wrong else f"{wrong} of {len(report.checks)} not as the model foresaw"
        )
        yield f"  {compared:,} values of {len(report.checks)} columns compared with the ledgers: {outcome}"


def _half_width(estimate: Estimate) -> str:
    if estimate.best <= 0:
        return "–"
    return f"{max(estimate.high - estimate.best, estimate.best - estimate.low) / estimate.best:.2%}"


def _milliseconds(value: float) -> str:
    return f"{value:,.0f} ms"
