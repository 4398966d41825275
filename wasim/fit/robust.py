"""Non-negative least squares for latencies, with Huber weights and intervals from a block bootstrap.

A commit now and then waits for a disk or a garbage collection, and no part of a latency can be negative. So rows far
from the line count less (Huber's weights), coefficients are kept at zero or above, and intervals come from resampling
blocks of neighbouring rows, because slow moments last for several commits.

Cases also differ as a whole: another process, another load on the machine. A slope that describes ageing must not come
from that, so it is fitted within cases (`within`), with a level for each, and the other coefficients to the remainder.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy  # its parts are imported when they are first used
from numpy.typing import NDArray

from wasim.fit.report import Estimate
from wasim.units import Floats

_HUBER = 1.345  # standard deviations beyond which a row counts less; 95 % efficient on normal errors
_ROUNDS = 12
_CLOSE_ENOUGH = 1e-3  # relative, and far below any latency's noise
BOOTSTRAP_DRAWS = 200
_BLOCK_ROWS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class RobustFit:
    """Coefficients, best and of each bootstrap draw. A column that depends on those before it is not `identified`."""

    coefficients: Floats
    draws: Floats
    identified: NDArray[np.bool_]
    r_squared: float
    rows: int

    def predict(self, design: Floats) -> Floats:
        """The fitted value of each row of `design`."""
        return np.asarray(design @ self.coefficients)

    def estimates(self) -> list[Estimate]:
        """Each coefficient with its 95 % interval."""
        low, high = np.percentile(self.draws, [2.5, 97.5], axis=0)
        return [
            Estimate(low=float(min(lo, best)), best=float(best), high=float(max(hi, best)))
            for lo, best, hi in zip(low, self.coefficients, high, strict=True)
        ]


def fit_robust(
    design: Floats,
    measured: Floats,
    series: NDArray[np.int64],
    rng: np.random.Generator,
    *,
    draws: int = BOOTSTRAP_DRAWS,
    within: tuple[int, ...] = (),
) -> RobustFit:
    """Fit measured ≈ design · coefficients ≥ 0. `series` numbers the case of each row; rows of a case are in order.

    The columns `within` get the slope that they have within cases, whatever the cases' levels are.
    """
    identified = _independent(design)
    for position, column in enumerate(within):
        joined = np.hstack([_levels(series), design[:, within[: position + 1]]])
        identified[column] &= _independent(joined)[-1]
    scale = np.where(np.linalg.norm(design, axis=0) > 0, np.linalg.norm(design, axis=0), 1.0)
    columns, ageing = (design / scale)[:, identified], np.isin(np.flatnonzero(identified), within)

    def spread(found: Floats) -> Floats:
        full = np.zeros(design.shape[1])
        full[identified] = found
        return full / scale

    found, weights = _solve(columns, measured, series, ageing)
    best = spread(found)
    cases = [np.flatnonzero(series == number) for number in np.unique(series)]
    drawn = (_draw_blocks(cases, rng) for _ in range(draws))
    others = [spread(_solve(columns[rows], measured[rows], series[rows], ageing)[0]) for rows in drawn]
    return RobustFit(
        coefficients=best,
        draws=np.array(others).reshape(draws, design.shape[1]),
        identified=identified,
        r_squared=_explained(measured, measured - design @ best, weights),
        rows=len(measured),
    )


def _solve(
    columns: Floats, measured: Floats, series: NDArray[np.int64], ageing: NDArray[np.bool_]
) -> tuple[Floats, Floats]:
    """Coefficients and the last weights: the `ageing` ones fitted with a level per case, then the others."""
    if not ageing.any():
        return _huber(columns, measured)
    levels, found = _levels(series), np.zeros(columns.shape[1])
    found[ageing] = _huber(np.hstack([levels, columns[:, ageing]]), measured)[0][levels.shape[1] :]
    found[~ageing], weights = _huber(columns[:, ~ageing], measured - columns[:, ageing] @ found[ageing])
    return found, weights


def _levels(series: NDArray[np.int64]) -> Floats:
    return np.asarray(series[:, None] == np.unique(series), dtype=np.float64)


def _huber(columns: Floats, measured: Floats) -> tuple[Floats, Floats]:
    """Non-negative least squares, repeated with weights that shrink as residuals grow; and the last weights.

    The scale of the residuals is estimated anew each time. `scipy.optimize.least_squares` takes it as given, and pauses
    in 5 % of the rows make its intervals twice as wide, in four times the processor time.
    """
    found: Floats = scipy.optimize.nnls(columns, measured)[0]
    weights = np.ones(len(measured))
    for _ in range(_ROUNDS):
        residuals = np.abs(measured - columns @ found)
        deviation = 1.4826 * _median(residuals)
        if deviation <= 1e-9 * float(np.abs(measured).max(initial=1.0)):
            break
        weights = np.minimum(1.0, _HUBER * deviation / np.maximum(residuals, 1e-300))
        root = np.sqrt(weights)
        before, found = found, scipy.optimize.nnls(columns * root[:, None], measured * root)[0]
        if np.all(np.abs(found - before) <= _CLOSE_ENOUGH * before):
            break
    return found, weights


def _median(values: Floats) -> float:
    """What `np.median` gives, without the looks at shapes and NaNs that take it ten times as long as the median."""
    half, is_odd = divmod(len(values), 2)
    middle = np.partition(values, [half - 1 + is_odd, half])
    return float(middle[half] if is_odd else (middle[half - 1] + middle[half]) / 2)


def _explained(measured: Floats, residuals: Floats, weights: Floats) -> float:
    """R² under the weights, so that a pause far from the line does not hide what the line explains."""
    total = measured - np.average(measured, weights=weights)
    return max(0.0, 1 - float(weights @ residuals**2) / max(float(weights @ total**2), 1e-12))


def _independent(design: Floats) -> NDArray[np.bool_]:
    kept: list[int] = []
    for column in range(design.shape[1]):
        chosen = design[:, [*kept, column]]
        lengths = np.linalg.norm(chosen, axis=0)
        if lengths[-1] > 0 and np.linalg.matrix_rank(chosen / lengths, tol=1e-6) == len(kept) + 1:
            kept.append(column)
    return np.isin(np.arange(design.shape[1]), kept)


def _draw_blocks(cases: Sequence[NDArray[np.int64]], rng: np.random.Generator) -> NDArray[np.int64]:
    """Row numbers: as many of each case, whose rows these are, as it has, in blocks of neighbours."""
    drawn = []
    for rows in cases:
        size = min(_BLOCK_ROWS, max(1, len(rows) // 3))
        starts = rng.integers(0, len(rows) - size + 1, -(-len(rows) // size))
        drawn.append(rows[(starts[:, None] + np.arange(size)).ravel()[: len(rows)]])
    return np.concatenate(drawn)
