"""The fit as tables of text: coefficients with their uncertainty, held-out errors, latencies, sustainable intervals."""

from collections.abc import Iterable, Sequence

from wasim.fit.report import Coefficient, CostFit, FitReport, HeldOut
from wasim.fit.sustain import describe_interval, describe_slope
from wasim.ledger import Kind
from wasim.report.pages.cells import format_error, format_estimate
from wasim.report.tables import TextTable, table_of
from wasim.report.words import ABSENT, KIND_NAMES
from wasim.units import format_bytes, format_duration, format_figure

NOT_IDENTIFIED = "not identified"
CONSTANT_SHARE = 1e-3  # of the mean: commits that differ by less write the same


def coefficient_table(fit: FitReport) -> TextTable:
    """Every coefficient of every cost: value, 95 % interval and unit, or why the run cannot tell."""
    named = ((f"{cost.writer}, {KIND_NAMES[cost.kind]}", cost.coefficients) for cost in _costs(fit))
    return _coefficients("Bytes that one commit writes, as a sum of coefficient × driver", named)


def latency_table(fit: FitReport) -> TextTable:
    """Coefficients of the fitted latencies."""
    named = (
        (
            f"{one.writer or 'all writers'}, {one.latency}: R² {r_squared(one.r_squared)}, {one.samples:,} samples",
            one.coefficients,
        )
        for one in fit.latencies
    )
    return _coefficients("Milliseconds as a sum of coefficient × driver", named)


def _coefficients(caption: str, named: Iterable[tuple[str, Sequence[Coefficient]]]) -> TextTable:
    rows = []
    for heading, coefficients in named:
        for one in coefficients:
            value, interval = (NOT_IDENTIFIED, ABSENT) if one.estimate is None else format_estimate(one.estimate)
            row = {"": heading, "coefficient": one.name.replace("_", " "), "value": value, "95 % interval": interval}
            rows.append(row | {"unit": one.unit, "remark": one.note})
    return table_of(caption, rows, words=("coefficient", "unit", "remark"), grouped=True)


def quality_table(fit: FitReport) -> TextTable:
    """How well each cost is fitted, and the naive model of one constant per commit."""
    caption = "How far the fitted model, and one constant per commit, are from each commit they were made from"
    return table_of(caption, map(_quality, _costs(fit)), words=("kind",), grouped=True)


def _quality(cost: CostFit) -> dict[str, str]:
    constant = cost.naive_rms_bytes <= CONSTANT_SHARE * cost.naive_bytes
    return {
        "": cost.writer,
        "kind": KIND_NAMES[cost.kind],
        "commits": f"{cost.commits:,}",
        "R²": "constant" if constant else r_squared(cost.r_squared),
        "model, rms": format_bytes(cost.rms_bytes),
        "one constant": format_bytes(cost.naive_bytes) if cost.naive_bytes else ABSENT,
        "one constant, rms": format_bytes(cost.naive_rms_bytes) if cost.naive_bytes else ABSENT,
    }


def _costs(fit: FitReport) -> list[CostFit]:
    """Metadata's costs and data's, writer by writer."""
    costs = (*fit.costs, *fit.ingest)
    return [cost for writer in dict.fromkeys(cost.writer for cost in costs) for cost in costs if cost.writer == writer]


def held_out_table(fit: FitReport) -> TextTable:
    """What the model said of commits that it never saw, against what was measured."""
    caption = "Predictions of what the fit never saw; errors are shares of the measured"
    return table_of(caption, map(_held_out, fit.held_out), words=("writer", "quantity"), grouped=True)


def _held_out(one: HeldOut) -> dict[str, str]:
    def amount(value: float) -> str:
        return format_bytes(value) if one.unit == "B" else f"{format_figure(value)} {one.unit}"

    return {
        "": f"fitted on {one.fitted_on}; predicted for {one.predicted_for}",
        "writer": one.writer,
        "quantity": KIND_NAMES[Kind(one.quantity)] if one.quantity in set(Kind) else one.quantity,
        "model's error": format_error(one.error) if one.measured else ABSENT,
        "one constant's error": format_error(one.naive_error) if one.measured else ABSENT,
        "measured": amount(one.measured),
        "model": amount(one.predicted),
    }


def sustainable_table(fit: FitReport) -> TextTable:
    """The smallest interval at which each writer keeps up to the end of the horizon, and what that rests on."""
    caption = (
        "The smallest commit interval at which a commit still fits into its interval at the end of the horizon, without"
        " maintenance; in brackets the 95 % interval, where one can be given"
    )
    rows = [
        {
            "": row.case,
            "horizon": format_duration(row.horizon_s),
            "smallest interval": describe_interval(row),
            "because": describe_slope(row),
        }
        for row in fit.sustainable
    ]
    return table_of(caption, rows, words=("horizon", "smallest interval", "because"), grouped=True)


def r_squared(value: float) -> str:
    """R² with as many nines as tell it from 1: 0.93, 0.9998; never rounded up to 1."""
    text = f"{max(value, 0.0):.4f}"
    return "> 0.9999" if text == "1.0000" and value < 1 else text
