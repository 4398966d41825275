"""The fit as tables of text: coefficients with their uncertainty, held-out errors, latencies, sustainable intervals."""

from wasim.fit.report import Coefficient, CostFit, Estimate, FitReport, HeldOut
from wasim.fit.words import describe_interval, describe_keeping_up, describe_slope
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


def extrapolation_table(fit: FitReport) -> TextTable:
    """Metadata that the model expects over longer horizons, one row per writer, table and interval.

    A horizon that the writer does not reach, because it stops keeping up before, has no figure but says when.
    """
    horizons = sorted({e.horizon_s for e in fit.extrapolations})
    expected = {(e.case, e.commit_interval_s, e.horizon_s): e.metadata_bytes for e in fit.extrapolations}
    named = tuple(format_duration(horizon) for horizon in horizons)
    series = dict.fromkeys((e.case, e.commit_interval_s) for e in fit.extrapolations)
    stops = {(one.case, one.commit_interval_s): one for one in fit.keeps_up}
    rows = []
    for case, interval in series:
        stop = stops.get((case, interval))
        reached = [horizon for horizon in horizons if stop is None or horizon <= stop.until_s]
        cells = [_bytes_of(expected.get((case, interval, horizon))) for horizon in reached]
        missing = len(horizons) - len(reached)
        if stop is not None and missing:
            cells += [describe_keeping_up(stop), *[ABSENT] * (missing - 1)]
        rows.append((case, format_duration(interval), *cells))
    return TextTable(
        caption="Metadata written without maintenance: expected by the model, not measured. ± holds only the "
        "uncertainty of the coefficients, not that of anything else that may change",
        head=("interval", *named),
        rows=tuple(rows),
        figures=named,
        grouped=True,
    )


def _bytes_of(estimate: Estimate | None) -> str:
    if estimate is None:
        return ABSENT
    half_width = max(estimate.high - estimate.best, estimate.best - estimate.low) / max(estimate.best, 1.0)
    return f"{format_bytes(estimate.best)} ± {half_width * 100:.2g} %"


def worked_table(fit: FitReport) -> TextTable:
    """One month of each writer, written out: coefficient × how often = bytes, with the sum last."""
    rows = []
    for one in fit.worked:
        heading = f"{one.case} every {format_duration(one.commit_interval_s)}, {format_duration(one.horizon_s)}"
        for term in one.terms:
            name = f"{KIND_NAMES[term.kind]}: {term.name.replace('_', ' ')}"
            share = format_bytes(term.written_bytes)
            rows.append((heading, name, f"{term.coefficient:,.3f}", term.unit, f"{term.driver:,.0f}", share))
        total = format_bytes(sum(term.written_bytes for term in one.terms))
        rows.append((heading, "sum", "", "", "", total))
    return TextTable(
        caption="One extrapolation added up: coefficient × how often it counts. Digits are the bytes of numbers that "
        "widen as they grow; they need no coefficient",
        head=("term", "coefficient", "unit", "times", "bytes"),
        rows=tuple(rows),
        figures=("coefficient", "times", "bytes"),
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
