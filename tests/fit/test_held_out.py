"""Predictions of what the fit never saw."""

from dataclasses import replace

import numpy as np
import pytest
from support.synthetic import Sweep, Truth, synthetic_report, synthetic_run

from wasim.fit import fit_run
from wasim.fit.groups import group_cases
from wasim.fit.held_out import hold_out_intervals, hold_out_second_half
from wasim.ledger import Kind

KINDS = {"metadata_json", "manifest_list", "data_manifest"}


def test_held_out_bytes_are_predicted_to_a_thousandth():
    rows = [row for row in synthetic_report().held_out if row.unit == "B"]
    assert {(row.how, row.quantity) for row in rows} == {
        (how, kind) for how in ("intervals", "second_half") for kind in KINDS
    }
    assert max(abs(row.error) for row in rows) < 1e-3


def test_one_constant_per_commit_misses_by_far():
    rows = {(row.how, row.writer, row.quantity): row for row in synthetic_report().held_out}
    assert rows["intervals", "streaming", "metadata_json"].naive_error > 1.5
    assert rows["second_half", "streaming", "metadata_json"].naive_error < -0.5


def test_alternating_intervals_are_held_out_from_the_second_shortest():
    row = synthetic_report().held_out[0]
    assert (row.how, row.fitted_on, row.predicted_for) == ("intervals", "1s, 15s", "4s, 1m")


def test_the_scenario_chooses_which_comes_first_and_may_want_none():
    run = synthetic_run(sweep=Sweep(intervals_s=(1.0, 4.0), writers=("batch",)))
    assert fit_run(run, held_out="second_half").held_out[0].how == "second_half"
    assert fit_run(run, held_out="none").held_out == ()


def test_the_report_says_that_one_interval_cannot_be_held_out():
    run = synthetic_run(sweep=Sweep(intervals_s=(1.0, 4.0)))
    report = fit_run(replace(run, cases=run.cases[:-1]))
    held = {(row.writer, row.how) for row in report.held_out if row.unit == "B"}
    assert held == {("streaming", "intervals"), ("streaming", "second_half"), ("batch", "second_half")}
    assert report.notes == ("batch: one commit interval only, so none could be held out.",)


def test_the_report_says_that_too_few_commits_cannot_be_halved():
    report = fit_run(synthetic_run(sweep=Sweep(intervals_s=(80.0, 120.0), writers=("batch",))))
    assert {row.how for row in report.held_out if row.unit == "B"} == {"intervals"}
    assert any("too few commits" in note for note in report.notes)


@pytest.mark.parametrize(("interval_s", "halved"), [(60.0, True), (80.0, False)])
def test_four_commits_can_be_halved_and_three_cannot(interval_s: float, halved: bool):
    report = fit_run(synthetic_run(sweep=Sweep(intervals_s=(interval_s,), writers=("batch",))))
    assert any(row.how == "second_half" for row in report.held_out) == halved


def test_planning_of_held_out_intervals_is_predicted():
    rows = {
        row.quantity: row for row in synthetic_report().held_out if row.unit == "ms" and row.writer == "all writers"
    }
    assert rows["load"].error == pytest.approx(0, abs=0.05)
    assert rows["planning"].error == pytest.approx(0, abs=0.05)


def test_steps_of_held_out_intervals_are_predicted():
    truth = Truth(snapshot_ms=1.0)
    rows = [row for row in fit_run(synthetic_run(truth)).held_out if row.quantity == "step"]
    assert {row.writer for row in rows} == {"streaming", "batch"}
    assert all(abs(row.error) < 0.05 < abs(row.naive_error) for row in rows)


def test_what_was_never_written_is_no_prediction():
    run = synthetic_run(sweep=Sweep(intervals_s=(1.0, 4.0), writers=("streaming",)))
    cases = [
        replace(one, ledger=replace(one.ledger, written_bytes={**one.ledger.written_bytes, Kind.MANIFEST_LIST: zeros}))
        for one in run.cases
        for zeros in [np.zeros(len(one.ledger), dtype=np.int64)]
    ]
    (group,) = group_cases(cases)
    for rows in (hold_out_intervals(group), hold_out_second_half(group)):
        assert {row.quantity for row in rows} == {"metadata_json", "data_manifest"}
