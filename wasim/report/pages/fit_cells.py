"""The fit as tables of text: coefficients with their doubt, held-out errors, latencies, sustainable intervals."""

from wasim.fit.render import describe_slope
from wasim.fit.report import Coefficient, CostFit, Estimate, FitReport, HeldOut
from wasim.ledger import Kind
from wasim.report.charts.latency import interval_words
from wasim.report.charts.palette import KIND_NAMES
from wasim.report.pages.cells import ABSENT, TextTable, format_error, format_estimate, format_figure
from wasim.units import format_bytes, format_duration

NOT_IDENTIFIED = "not identified"


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
    """How well each cost is fitted, beside the naive model of one constant per commit."""
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
    fitted = (f"{cost.commits:,}", r_squared(cost.r_squared), format_bytes(cost.rms_bytes))
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
        (s.case, format_duration(s.horizon_s), interval_words(s), describe_slope(s), r_squared(s.r_squared))
        for s in fit.sustainable
    )
    return TextTable(
        caption="The smallest commit interval at which a commit still fits into its interval at the end of the "
        "horizon, with its 95 % interval in brackets",
        head=("horizon", "smallest sustainable interval", "slowing down per snapshot", "R² of steps"),
        rows=tuple(rows),
        figures=("R² of steps",),
        grouped=True,
    )


def extrapolation_table(fit: FitReport) -> TextTable:
    """Metadata that the model expects over longer horizons, one row per writer, table and interval."""
    horizons = sorted({e.horizon_s for e in fit.extrapolations})
    expected = {(e.case, e.commit_interval_s, e.horizon_s): e.metadata_bytes for e in fit.extrapolations}
    named = tuple(format_duration(horizon) for horizon in horizons)
    series = dict.fromkeys((e.case, e.commit_interval_s) for e in fit.extrapolations)
    rows = [
        (case, format_duration(interval), *(_bytes_of(expected.get((case, interval, horizon))) for horizon in horizons))
        for case, interval in series
    ]
    return TextTable(
        caption="Metadata written without maintenance: expected by the model, not measured. ± is the coefficients' "
        "95 % doubt alone: nothing of what else may change",
        head=("interval", *named),
        rows=tuple(rows),
        figures=named,
        grouped=True,
    )


def _bytes_of(estimate: Estimate | None) -> str:
    if estimate is None:
        return ABSENT
    doubt = max(estimate.high - estimate.best, estimate.best - estimate.low) / max(estimate.best, 1.0)
    return f"{format_bytes(estimate.best)} ± {doubt * 100:.2g} %"


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
