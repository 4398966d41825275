"""Latency laws against known ones, under noise and outliers, and the interval that a writer can sustain."""

import math
from dataclasses import replace
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from support.synthetic import Sweep, Truth, synthetic_report, synthetic_run

from wasim.contention import commit_slowing
from wasim.contention.attempt_times import MIB
from wasim.fit import fit_run
from wasim.fit.latency import Samples, fit_latency
from wasim.fit.report import Estimate, FitReport
from wasim.fit.robust import fit_robust
from wasim.fit.sustain import describe_interval, describe_keeping_up, describe_slope, round_duration

NO_ROWS = np.zeros(0)


@cache
def fit_of(truth: Truth, *writers: str) -> FitReport:
    return fit_run(synthetic_run(truth, Sweep(writers=writers) if writers else None))


def estimate(report: FitReport, latency: str, name: str, writer: str | None = "batch") -> Estimate | None:
    law = next(one for one in report.latencies if one.latency == latency and one.writer == writer)
    return next(one.estimate for one in law.coefficients if one.name == name)


def test_known_latencies_are_recovered_despite_a_cold_start():
    truth = Truth(snapshot_ms=0.5)
    report = fit_of(truth)
    step = estimate(report, "step", "retained_snapshot", "streaming")
    assert step is not None
    assert step.best == pytest.approx(0.5, rel=0.15)
    base = estimate(report, "step", "base", "streaming")
    assert base is not None
    assert base.best == pytest.approx(truth.base_ms, rel=0.05)


def test_planning_and_load_are_recovered():
    report = synthetic_report()
    manifest = estimate(report, "planning", "manifest_scanned", None)
    megabyte = estimate(report, "load", "metadata_megabyte", None)
    assert manifest is not None
    assert manifest.best == pytest.approx(0.4, rel=0.1)
    assert megabyte is not None
    assert megabyte.best == pytest.approx(20, rel=0.1)


def test_one_hanging_commit_in_twenty_does_not_move_the_line():
    rng = np.random.default_rng(0)
    design = np.column_stack([np.ones(300), np.arange(300.0)])
    measured = design @ [100.0, 0.5] * rng.lognormal(0, 0.02, 300)
    measured[::20] *= 10
    fit = fit_robust(design, measured, np.zeros(300, dtype=int), rng)
    assert fit.coefficients == pytest.approx([100, 0.5], rel=0.03)
    slope = fit.estimates()[1]
    assert slope.low < slope.best < slope.high < 0.52


def test_a_latency_that_falls_is_not_distinguishable_from_constant():
    rng = np.random.default_rng(0)
    design = np.column_stack([np.ones(200), np.arange(200.0)])
    fit = fit_robust(design, 100 - 0.05 * np.arange(200) + rng.normal(0, 5, 200), np.zeros(200, dtype=int), rng)
    assert fit.coefficients[1] == 0
    assert fit.estimates()[1].low == 0


def test_what_never_happened_costs_nothing_and_leaves_predictions_finite():
    design = np.column_stack([np.ones(20), np.arange(20.0), np.zeros(20)])
    fit = fit_robust(design, design @ [100.0, 0.5, 7.0], np.zeros(20, dtype=int), np.random.default_rng(0), within=(2,))
    assert fit.coefficients == pytest.approx([100, 0.5, 0], rel=1e-3)
    assert list(fit.identified) == [True, True, False]
    assert fit.predict(design) == pytest.approx(design @ [100.0, 0.5, 0.0], rel=1e-3)


def test_ageing_is_told_apart_by_what_differs_within_cases():
    series, commits = np.repeat([0, 1], 20), np.tile(np.arange(20.0), 2)
    for live_manifests, told_apart in ((5.0 * series, False), (commits + 5 * series, False), (commits**2, True)):
        design = np.column_stack([np.ones(40), commits, live_manifests])
        fit = fit_robust(design, design @ [100.0, 0.5, 2.0], series, np.random.default_rng(0), draws=1, within=(1, 2))
        assert list(fit.identified) == [True, True, told_apart]


def test_the_interval_widens_with_the_noise():
    widths = []
    for noise in (0.02, 0.3):
        step = estimate(fit_of(Truth(noise_share=noise, snapshot_ms=0.5), "batch"), "step", "base")
        assert step is not None
        widths.append(step.high - step.low)
    assert widths[1] > 4 * widths[0]


def test_under_fast_append_manifests_are_part_of_snapshots():
    report = synthetic_report()
    law = next(one for one in report.latencies if one.latency == "commit" and one.writer == "streaming")
    manifests = next(one for one in law.coefficients if one.name == "live_manifest")
    assert manifests.estimate is None
    assert "retained_snapshot" in manifests.note
    assert estimate(report, "commit", "live_manifest", "batch") is not None


def test_the_sustainable_interval_grows_with_the_horizon_around_the_truth():
    report = fit_of(Truth(snapshot_ms=0.5, row_ms=0.0))
    mine = [row for row in report.sustainable if row.writer == "streaming"]
    assert [row.horizon_s for row in mine] == [86_400.0 * days for days in (1, 7, 30, 365)]
    for row in mine:
        exact = (0.18 + math.sqrt(0.18**2 + 4 * 0.0005 * row.horizon_s)) / 2
        assert row.interval_s.best == pytest.approx(exact, rel=0.1)
        assert row.interval_s.low <= row.interval_s.best <= row.interval_s.high
    assert all(a.interval_s.best < b.interval_s.best for a, b in pairwise(mine))


def test_a_quicker_machine_for_one_case_is_no_slowing():
    truth = Truth(snapshot_ms=0.0, case_levels_ms=(80.0, 0.0, 0.0, 0.0))
    report = fit_run(synthetic_run(truth, Sweep(writers=("streaming",))))
    law = next(one for one in report.latencies if one.latency == "step")
    slope = next(one for one in law.coefficients if one.name == "retained_snapshot")
    assert slope.estimate is not None
    assert slope.estimate.best < 0.05
    assert slope.note == "not distinguishable from zero"


def test_a_slope_within_cases_is_found_whatever_their_levels():
    truth = Truth(snapshot_ms=0.5, case_levels_ms=(-60.0, 40.0, 0.0, 10.0))
    step = estimate(fit_of(truth, "streaming"), "step", "retained_snapshot", "streaming")
    assert step is not None
    assert step.best == pytest.approx(0.5, rel=0.2)


def test_commits_that_slow_down_give_a_measured_sustainable_interval():
    report = fit_of(Truth(snapshot_ms=0.5))
    law = next(one for one in report.latencies if one.latency == "step" and one.writer == "streaming")
    rows = [row for row in report.sustainable if row.case == "streaming"]
    assert {row.slope for row in rows} == {"measured"}
    assert {row.r_squared for row in rows} == {law.r_squared}


def test_steady_commits_are_taken_to_slow_as_the_librarys():
    truth = Truth(snapshot_ms=0.0, row_ms=0.0, noise_share=0.0)
    report = fit_run(synthetic_run(truth, Sweep(writers=("streaming",))))
    slowing = commit_slowing()
    snapshot_s = slowing.ms_per_mib * truth.json[1] / MIB / 1000  # by a snapshot's bytes but for their growing digits
    for row in report.sustainable:
        exact = (0.18 + math.sqrt(0.18**2 + 4 * snapshot_s * row.horizon_s)) / 2
        assert row.slope == "library"
        assert row.interval_s.best == pytest.approx(exact, rel=0.03)
        assert row.interval_s.low < row.interval_s.best < row.interval_s.high < 1.1 * row.interval_s.best
        assert describe_interval(row).startswith("about ")
        assert describe_slope(row).startswith("no slowing within 240 commits; Iceberg's library takes ")


def test_a_law_no_better_than_a_constant_bounds_nothing():
    truth = Truth(snapshot_ms=0.5, noise_share=0.0)
    report = fit_of(truth, "streaming")
    assert {row.slope for row in report.sustainable} == {"measured"}
    without_skill = fit_of(replace(truth, case_levels_ms=(0.0, 900.0)), "streaming")
    step = [row for row in without_skill.held_out if row.quantity == "step" and row.writer == "streaming"]
    assert all(abs(row.error) >= abs(row.naive_error) for row in step)
    mine = [row for row in without_skill.sustainable if row.writer == "streaming"]
    assert {row.slope for row in mine} == {"library"}


def test_an_interval_keeps_up_until_its_step_fills_it():
    report = fit_of(Truth(snapshot_ms=0.5, row_ms=0.0))
    mine = {row.commit_interval_s: row for row in report.keeps_up if row.case == "streaming"}
    for interval_s, row in mine.items():
        exact = interval_s * (interval_s - 0.18) / 0.0005
        assert row.until_s == pytest.approx(exact, rel=0.1)
    smallest = next(row for row in report.sustainable if row.case == "streaming" and row.horizon_s == 86_400.0)
    assert [row.until_s >= 86_400 for row in mine.values()] == [
        interval_s >= smallest.interval_s.best for interval_s in mine
    ]
    assert describe_keeping_up(mine[1.0]) == f"stops after {mine[1.0].until_s / 60:.0f}m"


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.31, "310ms"), (5.923, "5.9s"), (60.0, "1m"), (61_200.0, "17h"), (21.4 * 86_400, "21d")]
)
def test_durations_are_rounded_to_their_figures(seconds: float, text: str):
    assert round_duration(seconds, figures=2) == text


def test_durations_have_three_figures_unless_asked():
    assert round_duration(59.236) == "59.2s"


def test_commits_that_nobody_timed_slow_down_as_the_library_does():
    run = synthetic_run(Truth(snapshot_ms=0.0, noise_share=0.0), Sweep(writers=("streaming",)))
    cases = tuple(
        replace(one, ledger=replace(one.ledger, step_ms=one.ledger.step_ms * math.nan), probes=()) for one in run.cases
    )
    keeps_up = {row.commit_interval_s: row for row in fit_run(replace(run, cases=cases)).keeps_up}
    slowing = commit_slowing()
    assert {row.slope for row in keeps_up.values()} == {"untimed"}
    snapshot_s = slowing.ms_per_mib * Truth().json[1] / MIB / 1000
    assert keeps_up[1.0].until_s == pytest.approx((1.0 - slowing.base_ms / 1000) / snapshot_s, rel=0.06)


def test_short_cases_say_nothing_of_latency():
    report = fit_run(synthetic_run(sweep=Sweep(intervals_s=(60.0, 120.0))))
    assert {one.latency for one in report.latencies} <= {"load", "planning"}
    assert report.sustainable == ()


def test_the_same_seed_gives_the_same_report():
    run = synthetic_run(sweep=Sweep(writers=("streaming",)))
    assert fit_run(run, rng=np.random.default_rng(3)) == fit_run(run, rng=np.random.default_rng(3))


@pytest.mark.parametrize(("rows", "is_fitted"), [(4, True), (3, False)])
def test_a_law_wants_two_rows_more_than_it_has_coefficients(rows: int, is_fitted: bool):
    design = np.column_stack([np.ones(rows), np.arange(float(rows))])
    samples = Samples(design=design, measured_ms=design @ [3.0, 2.0], series=np.zeros(rows, dtype=np.int64))
    fit = fit_latency(samples, "load")
    assert (fit is not None) == is_fitted
    if fit is not None:
        assert fit.coefficients == pytest.approx([3.0, 2.0], rel=1e-3)
