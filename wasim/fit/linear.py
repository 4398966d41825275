"""Least squares that reports which coefficients its rows identify.

Sizes of metadata files are all but deterministic: what is left is digit widths and how deflate packs random names, a
few bytes that carry over from commit to commit because each file repeats its predecessor's content. So the estimator is
ordinary least squares, which predicts totals without bias, with a covariance that allows for errors correlated from row
to row (AR(1)).
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import scipy  # its parts are imported when they are first used: a run without a fit needs none
from numpy.typing import NDArray

from wasim.fit.report import Estimate
from wasim.units import Floats

CONFIDENCE = 0.95
_RANK_TOLERANCE = 1e-9  # of the largest singular value, columns scaled to unit length
_MAX_CORRELATION = 0.98


@dataclass(frozen=True, slots=True, kw_only=True)
class Assumption:
    """A coefficient as the format implies it, used where the rows do not identify it: mean and standard deviation."""

    mean: float
    deviation: float
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LinearFit:
    """Coefficients and their covariance. Those not `identified` by the rows alone come from an assumption.

    `row_space` spans the combinations of (scaled) drivers that the rows decide.
    """

    coefficients: Floats
    covariance: Floats
    identified: NDArray[np.bool_]
    row_space: Floats
    scale: Floats
    degrees: float
    r_squared: float
    rms: float
    rows: int

    def predict(self, design: Floats) -> Floats:
        """The fitted value of each row of `design`."""
        return np.asarray(design @ self.coefficients)

    def half_widths(self, design: Floats) -> Floats:
        """Half of the 95 % interval of each predicted value: uncertainty of the coefficients, not of single files."""
        variance = np.einsum("ij,jk,ik->i", design, self.covariance, design)
        quantile = float(scipy.special.stdtrit(self.degrees, 0.5 + CONFIDENCE / 2))
        return np.asarray(quantile * np.sqrt(np.maximum(variance, 0)))

    def estimates(self, design: Floats) -> list[Estimate]:
        """The fitted value of each row of `design`, with its uncertainty."""
        pairs = zip(self.predict(design), self.half_widths(design), strict=True)
        return [Estimate(low=float(best - half), best=float(best), high=float(best + half)) for best, half in pairs]

    def decides(self, design: Floats) -> NDArray[np.bool_]:
        """Whether the rows alone decide the prediction of each row of `design`, without any assumption."""
        scaled = design * self.scale
        outside = scaled - scaled @ self.row_space.T @ self.row_space
        length = np.linalg.norm(scaled, axis=1)
        return np.asarray(np.linalg.norm(outside, axis=1) <= 1e-6 * np.maximum(length, 1e-300))


def fit_linear(
    design: Floats, measured: Floats, series: NDArray[np.int64], assumptions: Mapping[int, Assumption] | None = None
) -> LinearFit:
    """Fit measured ≈ design · coefficients. `series` numbers the case that each row belongs to; its rows are in order.

    `design` has a row per measurement and a column per coefficient. `assumptions` are by column: one that the rows
    cannot tell apart from others takes the value of its assumption, or else of the smallest norm, and is not
    `identified`.
    """
    lengths = np.linalg.norm(design, axis=0)
    scale = np.where(lengths > 0, 1 / np.where(lengths > 0, lengths, 1), 1.0)
    # rows of zeros, so that few rows, too, yield every direction that they do not see
    padded = np.vstack([design * scale, np.zeros((max(0, design.shape[1] - len(design)), design.shape[1]))])
    left, singular, right = np.linalg.svd(padded, full_matrices=False)
    left = left[: len(design)]
    rank = int(np.sum(singular > _RANK_TOLERANCE * singular[0]))
    seen, unseen = right[:rank], right[rank:]
    within = (left[:, :rank].T @ measured) / singular[:rank]
    residuals = measured - (design * scale) @ seen.T @ within
    correlation, degrees = _correlation(residuals, series, rank)
    spread = left[:, :rank] / singular[:rank]
    noise = float(residuals @ residuals) / max(len(measured) - rank, 1)
    covariance = noise * spread.T @ _correlate(spread, series, correlation)
    identified = np.linalg.norm(unseen, axis=0) < 1e-6
    to_scaled, offset, extra = _fill(seen, unseen, identified, scale, assumptions or {})
    total = measured - measured.mean()
    return LinearFit(
        coefficients=scale * (to_scaled @ within + offset),
        covariance=scale[:, None] * (to_scaled @ covariance @ to_scaled.T + extra) * scale[None, :],
        identified=identified,
        row_space=seen,
        scale=scale,
        degrees=degrees,
        r_squared=1 - float(residuals @ residuals) / max(float(total @ total), 1e-12),
        rms=float(np.sqrt(np.mean(residuals**2))),
        rows=len(measured),
    )


def _fill(
    seen: Floats, unseen: Floats, identified: NDArray[np.bool_], scale: Floats, assumptions: Mapping[int, Assumption]
) -> tuple[Floats, Floats, Floats]:
    """Scaled coefficients as a function of those measured: matrix, offset, and the covariance that assumptions add."""
    used = [column for column in assumptions if not identified[column]]
    means = np.array([assumptions[column].mean for column in used]) / scale[used]
    deviations = np.array([assumptions[column].deviation for column in used]) / scale[used]
    gain = np.linalg.pinv(unseen.T[used] / deviations[:, None]) / deviations[None, :]
    matrix = seen.T - unseen.T @ gain @ seen.T[used]
    extra = unseen.T @ gain @ np.diag(deviations**2) @ gain.T @ unseen
    return matrix, unseen.T @ gain @ means, extra


def _correlation(residuals: Floats, series: NDArray[np.int64], rank: int) -> tuple[float, float]:
    """Correlation of a residual with its successor in the same case, and the degrees of freedom that it leaves."""
    together = series[1:] == series[:-1]
    square = float(residuals @ residuals)
    pairs = float(residuals[1:][together] @ residuals[:-1][together])
    correlation = float(np.clip(pairs / square if square > 0 else 0.0, 0, _MAX_CORRELATION))
    effective = len(residuals) * (1 - correlation) / (1 + correlation)
    return correlation, max(1.0, effective - rank)


def _correlate(columns: Floats, series: NDArray[np.int64], correlation: float) -> Floats:
    """The AR(1) correlation matrix of the rows, times `columns`, without the matrix."""
    result = np.empty_like(columns)
    for number in np.unique(series):
        mine = series == number
        result[mine] = scipy.linalg.matmul_toeplitz(correlation ** np.arange(mine.sum()), columns[mine])
    return result
