"""Least squares against numpy's, its correlated errors against the whole matrix, and what assumptions decide."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import toeplitz

from wasim.fit.linear import Assumption, _correlate, _correlation, fit_linear

SEEDS = st.integers(0, 10_000)


def one_case(rows: int) -> np.ndarray:
    return np.zeros(rows, dtype=np.int64)


@given(seed=SEEDS, rows=st.integers(6, 40), columns=st.integers(1, 4))
def test_coefficients_are_those_of_least_squares(seed, rows, columns):
    rng = np.random.default_rng(seed)
    design, noise = rng.normal(size=(rows, columns)) * [1, 1e3, 1e-2, 1e5][:columns], rng.normal(size=rows)
    measured = design @ np.arange(1.0, columns + 1) + noise
    fit = fit_linear(design, measured, one_case(rows))
    wanted, *_ = np.linalg.lstsq(design, measured, rcond=None)
    assert fit.coefficients == pytest.approx(wanted, rel=1e-6, abs=1e-9)
    residuals = measured - design @ wanted
    total = measured - measured.mean()
    assert fit.rms == pytest.approx(np.sqrt(np.mean(residuals**2)))
    assert fit.r_squared == pytest.approx(1 - residuals @ residuals / (total @ total))
    assert fit.identified.all()
    assert fit.decides(design).all()
    correlation, degrees = _correlation(residuals, one_case(rows), columns)
    assert fit.degrees == pytest.approx(degrees, rel=1e-6)
    inverse = np.linalg.inv(design.T @ design)
    dependent = toeplitz(correlation ** np.arange(rows))
    doubt = inverse @ design.T @ dependent @ design @ inverse * (residuals @ residuals) / (rows - columns)
    assert fit.covariance == pytest.approx(doubt, rel=1e-4, abs=1e-12)


def test_rows_without_error_leave_no_doubt():
    design = np.column_stack([np.ones(9), np.arange(9.0)])
    for measured in (np.zeros(9), design @ [3.0, 2.0]):
        fit = fit_linear(design, measured, one_case(9))
        assert fit.predict(design) == pytest.approx(measured, abs=1e-9)
        assert fit.half_widths(design) == pytest.approx(0, abs=1e-9)


@given(seed=SEEDS, share=st.floats(0, 0.95), cases=st.integers(1, 3))
def test_errors_are_correlated_within_a_case_only(seed, share, cases):
    series = np.repeat(np.arange(cases), 5)
    columns = np.random.default_rng(seed).normal(size=(len(series), 2))
    whole = np.kron(np.eye(cases), toeplitz(share ** np.arange(5)))
    assert _correlate(columns, series, share) == pytest.approx(whole @ columns, rel=1e-6, abs=1e-9)


def test_the_correlation_of_successors_costs_degrees_of_freedom():
    residuals = np.array([1.0, 1.0, -1.0, -1.0, 1.0, 1.0])
    apart = np.array([0, 0, 1, 1, 2, 2])
    correlation, degrees = _correlation(residuals, apart, 1)
    assert correlation == 0.5
    assert degrees == pytest.approx(6 / 3 - 1)
    assert _correlation(np.array([1.0, -1.0] * 4), one_case(8), 2) == (0, 6)
    assert _correlation(np.ones(200), one_case(200), 1)[0] == 0.98
    assert _correlation(np.zeros(4), one_case(4), 1) == (0, 3)


@given(seed=SEEDS, mean=st.floats(1, 50), deviation=st.floats(0.1, 9))
def test_what_rows_cannot_tell_apart_an_assumption_does(seed, mean, deviation):
    ones = np.random.default_rng(seed).uniform(1, 2, size=30)
    design = np.column_stack([ones, ones])
    measured = design @ [7.0, 5.0]
    fit = fit_linear(design, measured, one_case(30), {0: Assumption(mean=mean, deviation=deviation, reason="given")})
    assert not fit.identified.any()
    assert fit.coefficients == pytest.approx([mean, 12 - mean], rel=1e-6, abs=1e-6)
    assert np.sqrt(np.diag(fit.covariance)) == pytest.approx([deviation, deviation], rel=1e-6)
    assert list(fit.decides(np.array([[1.0, 1.0], [1.0, 0.0], [2.0, -2.0]]))) == [True, False, False]
    without = fit_linear(design, measured, one_case(30))
    assert without.coefficients == pytest.approx([6, 6])
