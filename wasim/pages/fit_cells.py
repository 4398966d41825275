"""The fit as tables of text: coefficients with their doubt, held-out errors, latencies, sustainable intervals."""

from wasim.charts.latency import interval_words
from wasim.charts.palette import KIND_NAMES
from wasim.fit.report import Coefficient, CostFit, Estimate, FitReport, HeldOut, LatencyFit
from wasim.ledger import Kind
from wasim.pages.cells import ABSENT, TextTable, format_figure
from wasim.units import format_bytes, format_duration

NOT_IDENTIFIED = "not identified"


def coefficient_table(fit: FitReport) -> TextTable:
    """Every coefficient of every cost: value, 95 % interval and unit, or why the run cannot tell."""
    rows = []
    for cost in (*fit.costs, *fit.ingest):
        of = (cost.writer, KIND_NAMES[cost.kind])
        rows += [(*of, *_coefficient_cells(coefficient)) for coefficient in cost.coefficients]
    return TextTable(
        caption="Bytes that one commit writes, as a sum of coefficient × driver",
        head=("writer", "kind", "coefficient", "value", "95 % interval", "unit", "remark"),
        rows=tuple(rows),
        first_figure=3,
    )


def quality_table(fit: FitReport) -> TextTable:
    """How well each cost is fitted, beside the naive model of one constant per commit."""
    return TextTable(
        caption="How far the fitted model, and one constant per commit, are from each commit they were made from",
        head=("writer", "kind", "commits", "R²", "model, rms", "one constant", "one constant, rms"),
        rows=tuple(_quality_row(cost) for cost in (*fit.costs, *fit.ingest)),
        first_figure=2,
    )


def _quality_row(cost: CostFit) -> tuple[str, ...]:
    naive = (
        (format_bytes(cost.naive_bytes), format_bytes(cost.naive_rms_bytes)) if cost.naive_bytes else (ABSENT, ABSENT)
    )
    return (
        cost.writer,
        KIND_NAMES[cost.kind],
        f"{cost.commits:,}",
        r_squared(cost.r_squared),
        format_bytes(cost.rms_bytes),
        *naive,
    )


def held_out_table(fit: FitReport) -> TextTable:
    """What the model said of commits that it never saw, against what was measured."""
    return TextTable(
        caption="Predictions of what the fit never saw; errors are shares of the measured",
        head=(
            "writer",
            "quantity",
            "fitted on",
            "predicted for",
            "measured",
            "model",
            "model's error",
            "one constant's error",
        ),
        rows=tuple(_held_out_row(held_out) for held_out in fit.held_out),
        first_figure=4,
    )


def _held_out_row(held_out: HeldOut) -> tuple[str, ...]:
    amounts = [_amount(value, held_out.unit) for value in (held_out.measured, held_out.predicted)]
    errors = (
        [f"{error:+.2%}" for error in (held_out.error, held_out.naive_error)] if held_out.measured else [ABSENT, ABSENT]
    )
    quantity = _quantity(held_out.quantity)
    return (held_out.writer, quantity, held_out.fitted_on, held_out.predicted_for, *amounts, *errors)


def latency_table(fit: FitReport) -> TextTable:
    """Coefficients of the fitted latencies."""
    rows = []
    for latency in fit.latencies:
        rows += [
            (latency.writer or "all", latency.latency, *_coefficient_cells(coefficient), *_quality(latency))
            for coefficient in latency.coefficients
        ]
    return TextTable(
        caption="Milliseconds as a sum of coefficient × driver",
        head=("writer", "latency", "coefficient", "value", "95 % interval", "unit", "remark", "R²", "samples"),
        rows=tuple(rows),
        first_figure=3,
    )


def _quality(latency: LatencyFit) -> tuple[str, str]:
    return r_squared(latency.r_squared), f"{latency.samples:,}"


def sustainable_table(fit: FitReport) -> TextTable:
    """The smallest interval at which each writer keeps up to the end of the horizon."""
    return TextTable(
        caption="The smallest commit interval at which a commit still fits into its interval at the end of the horizon",
        head=("writer", "horizon", "smallest sustainable interval"),
        rows=tuple((s.writer, format_duration(s.horizon_s), interval_words(s)) for s in fit.sustainable),
    )


def extrapolation_table(fit: FitReport) -> TextTable:
    """Metadata that the model expects over longer horizons, one row per writer and interval."""
    horizons = sorted({e.horizon_s for e in fit.extrapolations})
    expected = {(e.writer, e.commit_interval_s, e.horizon_s): e.metadata_bytes for e in fit.extrapolations}
    series = dict.fromkeys((e.writer, e.commit_interval_s) for e in fit.extrapolations)
    rows = [
        (
            writer,
            format_duration(interval),
            *(_bytes_of(expected.get((writer, interval, horizon))) for horizon in horizons),
        )
        for writer, interval in series
    ]
    return TextTable(
        caption="Metadata written without maintenance: the model's expectation and 95 % interval, not measured",
        head=("writer", "interval", *(format_duration(horizon) for horizon in horizons)),
        rows=tuple(rows),
        first_figure=2,
    )


def _bytes_of(estimate: Estimate | None) -> str:
    if estimate is None:
        return ABSENT
    low, best, high = (format_bytes(value) for value in (estimate.low, estimate.best, estimate.high))
    return best if low == high else f"{best} ({low} to {high})"


def _coefficient_cells(coefficient: Coefficient) -> tuple[str, str, str, str, str]:
    name, estimate = coefficient.name.replace("_", " "), coefficient.estimate
    if estimate is None:
        return name, NOT_IDENTIFIED, ABSENT, coefficient.unit, coefficient.note
    interval = f"{format_figure(estimate.low)} to {format_figure(estimate.high)}"
    return name, format_figure(estimate.best), interval, coefficient.unit, coefficient.note


def r_squared(value: float) -> str:
    """R² with as many nines as tell it from 1: 0.93, 0.9998; never rounded up to 1."""
    text = f"{value:.4f}"
    return "> 0.9999" if text == "1.0000" and value < 1 else text


def _quantity(name: str) -> str:
    return KIND_NAMES[Kind(name)] if name in set(Kind) else name


def _amount(value: float, unit: str) -> str:
    return format_bytes(value) if unit == "B" else f"{format_figure(value)} {unit}"
