"""The fit as tables of text: coefficients with their uncertainty, held-out errors, latencies, sustainable intervals."""

from wasim.fit.report import Coefficient, CostFit, FitReport, HeldOut
from wasim.fit.sustain import describe_interval, describe_slope
from wasim.ledger import Kind
from wasim.report.pages.cells import format_error, format_estimate
from wasim.report.tables import TextTable
from wasim.report.words import ABSENT, KIND_NAMES
from wasim.units import format_bytes, format_duration, format_figure

NOT_IDENTIFIED = "not identified"
CONSTANT_SHARE = 1e-3  # of the mean: commits that differ by less write the same


def coefficient_table(fit: FitReport) -> TextTable:
    """Every coefficient of every cost: value, 95 % interval and unit, or why the run cannot tell."""
    rows = [
        (f"{cost.writer}, {KIND_NAMES[cost.kind]}", *_coefficient_cells(coefficient))
        for cost in _costs(fit)
        for coefficient in cost.coefficients
    ]
    return TextTable(
        caption="Bytes that one commit writes, as a sum of coefficient × driver",
        head=_COEFFICIENT_HEAD,
        rows=tuple(rows),
        figures=_COEFFICIENT_FIGURES,
        grouped=True,
    )


_COEFFICIENT_HEAD = ("coefficient", "value", "95 % interval", "unit", "remark")
_COEFFICIENT_FIGURES = ("value", "95 % interval")


def latency_table(fit: FitReport) -> TextTable:
    """Coefficients of the fitted latencies."""
    rows = []
    for latency in fit.latencies:
        quality = f"R² {r_squared(latency.r_squared)}, {latency.samples:,} samples"
        heading = f"{latency.writer or 'all writers'}, {latency.latency}: {quality}"
        rows += [(heading, *_coefficient_cells(coefficient)) for coefficient in latency.coefficients]
    return TextTable(
        caption="Milliseconds as a sum of coefficient × driver",
        head=_COEFFICIENT_HEAD,
        rows=tuple(rows),
        figures=_COEFFICIENT_FIGURES,
        grouped=True,
    )


def quality_table(fit: FitReport) -> TextTable:
    """How well each cost is fitted, and the naive model of one constant per commit."""
    figures = ("commits", "R²", "model, rms", "one constant", "one constant, rms")
    return TextTable(
        caption="How far the fitted model, and one constant per commit, are from each commit they were made from",
        head=("kind", *figures),
        rows=tuple(_quality_row(cost) for cost in _costs(fit)),
        figures=figures,
        grouped=True,
    )


def _costs(fit: FitReport) -> list[CostFit]:
    """Metadata's costs and data's, writer by writer."""
    costs = (*fit.costs, *fit.ingest)
    return [cost for writer in dict.fromkeys(cost.writer for cost in costs) for cost in costs if cost.writer == writer]


def _quality_row(cost: CostFit) -> tuple[str, ...]:
    naive = [ABSENT, ABSENT]
    if cost.naive_bytes:
        naive = [format_bytes(cost.naive_bytes), format_bytes(cost.naive_rms_bytes)]
    constant = cost.naive_rms_bytes <= CONSTANT_SHARE * cost.naive_bytes
    explained = "constant" if constant else r_squared(cost.r_squared)
    fitted = (f"{cost.commits:,}", explained, format_bytes(cost.rms_bytes))
    return (cost.writer, KIND_NAMES[cost.kind], *fitted, *naive)


def held_out_table(fit: FitReport) -> TextTable:
    """What the model said of commits that it never saw, against what was measured."""
    figures = ("model's error", "one constant's error", "measured", "model")
    return TextTable(
        caption="Predictions of what the fit never saw; errors are shares of the measured",
        head=("writer", "quantity", *figures),
        rows=tuple(_held_out_row(held_out) for held_out in fit.held_out),
        figures=figures,
        grouped=True,
    )


def _held_out_row(held_out: HeldOut) -> tuple[str, ...]:
    amounts = [_amount(value, held_out.unit) for value in (held_out.measured, held_out.predicted)]
    errors = [ABSENT, ABSENT]
    if held_out.measured:
        errors = [format_error(error) for error in (held_out.error, held_out.naive_error)]
    split = f"fitted on {held_out.fitted_on}; predicted for {held_out.predicted_for}"
    return (split, held_out.writer, _quantity(held_out.quantity), *errors, *amounts)


def sustainable_table(fit: FitReport) -> TextTable:
    """The smallest interval at which each writer keeps up to the end of the horizon, and what that rests on."""
    rows = (
        (row.case, format_duration(row.horizon_s), describe_interval(row), describe_slope(row))
        for row in fit.sustainable
    )
    return TextTable(
        caption="The smallest commit interval at which a commit still fits into its interval at the end of the "
        "horizon, without maintenance; in brackets the 95 % interval, where one can be given",
        head=("horizon", "smallest interval", "because"),
        rows=tuple(rows),
        grouped=True,
    )


def _coefficient_cells(coefficient: Coefficient) -> tuple[str, str, str, str, str]:
    name, estimate = coefficient.name.replace("_", " "), coefficient.estimate
    if estimate is None:
        return name, NOT_IDENTIFIED, ABSENT, coefficient.unit, coefficient.note
    return name, *format_estimate(estimate), coefficient.unit, coefficient.note


def r_squared(value: float) -> str:
    """R² with as many nines as tell it from 1: 0.93, 0.9998; never rounded up to 1."""
    text = f"{max(value, 0.0):.4f}"
    return "> 0.9999" if text == "1.0000" and value < 1 else text


def _quantity(name: str) -> str:
    return KIND_NAMES[Kind(name)] if name in set(Kind) else name


def _amount(value: float, unit: str) -> str:
    return format_bytes(value) if unit == "B" else f"{format_figure(value)} {unit}"
