"""The cost fit against coefficients that are known, and against runs that cannot tell."""

from dataclasses import replace

import numpy as np
import pytest
from support.synthetic import (
    TEN_COLUMNS,
    Sweep,
    Truth,
    synthetic_case,
    synthetic_case_run,
    synthetic_report,
    synthetic_run,
)

from wasim.fit import fit_run
from wasim.fit.cost import fit_group
from wasim.fit.groups import group_cases
from wasim.fit.linear import Assumption, fit_linear
from wasim.fit.report import Coefficient, CostFit, Estimate, FitReport
from wasim.ledger import Kind
from wasim.runs import Run
from wasim.scenario.parts import Columns, Table


def cost(report: FitReport, kind: Kind, writer: str = "batch") -> CostFit:
    return next(one for one in report.costs if one.kind is kind and one.writer == writer)


def coefficient(report: FitReport, kind: Kind, name: str, writer: str = "batch") -> Coefficient:
    return next(one for one in cost(report, kind, writer).coefficients if one.name == name)


def best(report: FitReport, kind: Kind, name: str, writer: str = "batch") -> float:
    estimate = coefficient(report, kind, name, writer).estimate
    assert estimate is not None
    return estimate.best


def covers(estimate: Estimate | None, truth: float) -> bool:
    return estimate is not None and estimate.low <= truth <= estimate.high


def test_known_coefficients_are_recovered():
    report, truth = synthetic_report(), Truth()
    assert best(report, Kind.METADATA_JSON, "retained_snapshot") == pytest.approx(truth.json[1], rel=1e-4)
    assert best(report, Kind.METADATA_JSON, "log_entry") == pytest.approx(truth.json[2], rel=1e-2)
    assert best(report, Kind.MANIFEST_LIST, "live_manifest") == pytest.approx(truth.list[1], rel=1e-2)
    assert best(report, Kind.DATA_MANIFEST, "manifest") == pytest.approx(truth.manifest[0], rel=1e-2)
    assert best(report, Kind.DATA_MANIFEST, "entry_merged") == pytest.approx(truth.merged, rel=1e-2)


@pytest.mark.parametrize("carry", [0.0, 0.9], ids=["independent", "carried over"])
def test_nineteen_in_twenty_intervals_hold_the_truth(carry: float):
    truth, rng, held = np.array([1_000.0, 50.0]), np.random.default_rng(1), np.zeros(2)
    series = np.repeat(np.arange(4), [240, 60, 24, 12])
    design = np.column_stack([np.ones(len(series)), np.concatenate([np.arange(count) for count in (240, 60, 24, 12)])])
    trials = 400
    for _ in range(trials):
        noise = rng.normal(0, 3, len(series))
        for row in range(1, len(series)):
            if series[row] == series[row - 1]:
                noise[row] += carry * noise[row - 1]
        estimates = fit_linear(design, design @ truth + noise, series).estimates(np.eye(2))
        held += [covers(estimate, value) for estimate, value in zip(estimates, truth, strict=True)]
    assert np.all(held / trials > 0.9)
    assert np.all(held / trials <= 1.0)


def test_snapshots_and_log_are_inseparable_before_the_log_is_full():
    report = fit_run(synthetic_run(sweep=Sweep(intervals_s=(4.0, 15.0))))
    lone = coefficient(report, Kind.METADATA_JSON, "retained_snapshot")
    assert lone.estimate is None
    assert "previous-versions-max" in lone.note
    both = coefficient(report, Kind.METADATA_JSON, "retained_snapshot + log_entry")
    assert covers(both.estimate, sum(Truth().json[1:]))


def test_without_merges_a_run_cannot_tell_merged_entries_cost():
    report = fit_run(synthetic_run(sweep=Sweep(intervals_s=(4.0, 15.0), writers=("batch",))))
    merged = coefficient(report, Kind.DATA_MANIFEST, "entry_merged")
    assert merged.estimate is None
    assert "two merges" in merged.note


def test_two_numbers_of_files_tell_header_from_entry():
    report = fit_run(
        synthetic_run(sweep=Sweep(writers=("streaming",), intervals_s=(1.0, 4.0), files_per_commit=(1, 4)))
    )
    assert best(report, Kind.DATA_MANIFEST, "manifest", "streaming") == pytest.approx(7_330, rel=1e-3)
    assert best(report, Kind.DATA_MANIFEST, "entry_added", "streaming") == pytest.approx(425, rel=1e-2)


def test_varied_columns_gain_coefficients_of_their_own():
    cases = []
    for extra in (0, 10, 40):
        columns = (*TEN_COLUMNS, Columns(name="x", type="long", count=extra)) if extra else TEN_COLUMNS
        for files in (1, 3):
            truth = Truth(json=(1_000.0 + 61.0 * (10 + extra), 1_001.0, 147.0),
                          manifest=(6_500.0 + 82.0 * (10 + extra), 50.0 + 37.0 * (10 + extra)))  # fmt: skip
            case = synthetic_case(files_per_commit=files)
            case = replace(case, table=Table(columns=columns), swept={**case.swept, "columns": str(extra)})
            cases.append(synthetic_case_run(case, truth, np.random.default_rng(extra + files)))
    # a column more is the same kind of column: only counts may differ within a group
    cases = [replace(one, case=replace(one.case, table=_counted(one.case.table))) for one in cases]
    report = fit_run(replace(synthetic_run(), cases=tuple(cases)))
    assert {one.writer for one in report.costs} == {"streaming"}
    assert best(report, Kind.METADATA_JSON, "column", "streaming") == pytest.approx(61, rel=1e-2)
    assert best(report, Kind.DATA_MANIFEST, "manifest_column", "streaming") == pytest.approx(82, rel=1e-2)
    assert best(report, Kind.DATA_MANIFEST, "entry_added_column", "streaming") == pytest.approx(37, rel=1e-2)


def _counted(table: Table) -> Table:
    total = sum(column.count for column in table.columns)
    return Table(columns=(Columns(name="x", type="long", count=total),))


def test_cases_with_other_properties_get_coefficients_of_their_own():
    plain, limited = (
        synthetic_run(sweep=Sweep(properties=p)) for p in ({}, {"write.metadata.previous-versions-max": "5"})
    )
    limited_cases = [
        replace(one, case=replace(one.case, swept={**one.case.swept, "table.properties": "5"})) for one in limited.cases
    ]
    report = fit_run(replace(plain, cases=(*plain.cases, *limited_cases)))
    assert {one.writer for one in report.costs} == {
        "streaming", "batch", "streaming table.properties=5", "batch table.properties=5",
    }  # fmt: skip


def test_an_assumption_fills_only_what_the_rows_leave_open():
    counts = np.arange(1.0, 30.0)
    design = np.column_stack([np.ones(29), counts, counts])
    fit = fit_linear(design, 7 + 100 * counts, np.zeros(29, dtype=int), {0: Assumption(mean=0, deviation=1, reason="")})
    assert list(fit.identified) == [True, False, False]
    assert fit.coefficients == pytest.approx([7, 50, 50])
    fit = fit_linear(
        design, 7 + 100 * counts, np.zeros(29, dtype=int), {2: Assumption(mean=30, deviation=5, reason="")}
    )
    assert fit.coefficients == pytest.approx([7, 70, 30])
    beyond = np.array([[1.0, 100.0, 29.0]])
    assert not fit.decides(beyond)[0]
    assert fit.half_widths(beyond)[0] == pytest.approx(fit.half_widths(np.array([[0, 71.0, 0]]))[0], rel=1e-3)


@pytest.mark.parametrize("intervals", [(240.0,), (60.0, 120.0), (1.0,)])
def test_a_small_run_is_fitted_without_complaint(intervals: tuple[float, ...]):
    report = fit_run(synthetic_run(sweep=Sweep(intervals_s=intervals)))
    assert len(report.costs) == 6
    assert all(point.metadata_bytes > 0 for point in report.model_line)


def test_files_the_scenario_did_not_mean_are_reported_and_fitted():
    run = synthetic_run(sweep=Sweep(intervals_s=(4.0, 15.0), writers=("streaming",), files_per_commit=(3,)))
    claimed = tuple(
        replace(one, case=replace(one.case, workload=one.case.workload.model_copy(update={"files_per_commit": 1})))
        for one in run.cases
    )
    report = fit_run(replace(run, cases=claimed))
    assert "streaming every 4s: a commit adds 3 data files, where the scenario means 1." in report.notes
    assert all(abs(row.error) < 1e-3 for row in report.held_out if row.unit == "B")


def test_gzipped_metadata_has_no_known_digits():
    gzip = {"write.metadata.compression-codec": "gzip"}
    run = synthetic_run(Truth(json=(800.0, 101.0, 15.0)), Sweep(writers=("streaming",), properties=gzip))
    report = fit_run(run)
    assert best(report, Kind.METADATA_JSON, "retained_snapshot", "streaming") == pytest.approx(101, rel=1e-3)
    assert any("gzipped" in note for note in report.notes)


def test_a_run_without_cases_has_an_empty_fit():
    empty: Run = replace(synthetic_run(), cases=())
    assert fit_run(empty) == FitReport(costs=(), latencies=(), held_out=(), sustainable=())


def test_the_ingest_law_is_recovered():
    report = synthetic_report()
    law = {one.name: one.estimate for one in report.ingest[0].coefficients}
    assert law["file"] is not None
    assert law["file"].best == pytest.approx(2_900, rel=1e-2)
    assert law["row"] is not None
    assert law["row"].best == pytest.approx(71, rel=1e-3)


def test_the_model_line_passes_through_what_was_measured():
    run, report, compared = synthetic_run(), synthetic_report(), 0
    for case_run in run.cases:
        line = [row for row in report.model_line if row.writer == case_run.case.writer_name]
        near = min(line, key=lambda row: abs(row.commit_interval_s - case_run.case.commit_interval_s))
        if near.commit_interval_s == pytest.approx(case_run.case.commit_interval_s):
            assert near.metadata_bytes == pytest.approx(case_run.totals.metadata_bytes, rel=0.05)
            compared += 1
    assert compared == 4  # both ends of the line of each of two writers


def test_one_file_a_commit_shows_columns_by_manifest_only():
    cases = []
    for columns in (10, 40, 100):
        truth = Truth(manifest=(6_500.0 + 60.0 * columns, 50.0 + 37.0 * columns))
        case = synthetic_case(interval_s=4.0)
        case = replace(case, table=Table(columns=(Columns(name="x", type="long", count=columns - 2),)))
        cases.append(synthetic_case_run(case, truth, np.random.default_rng(columns)))
    report = fit_run(replace(synthetic_run(), cases=tuple(cases)))
    assert coefficient(report, Kind.DATA_MANIFEST, "manifest_column", "streaming").estimate is None
    both = coefficient(report, Kind.DATA_MANIFEST, "manifest_column + entry_added_column", "streaming")
    assert both.estimate is not None
    assert both.estimate.best == pytest.approx(97.0, rel=1e-3)


def test_manifests_are_as_large_as_fitted_within_reason():
    (group,) = group_cases(synthetic_run(sweep=Sweep(intervals_s=(1.0, 4.0), writers=("batch",))).cases)
    writer, appends = fit_group(group), group.observed[0].appends
    fitted = writer.completed(appends).sizes
    assert fitted != appends.sizes
    assert fitted.new_bytes == pytest.approx(7_330 + 425, rel=1e-3)
    (manifests,) = [one for one in writer.kinds if one.kind is Kind.DATA_MANIFEST]
    for coefficients in ([-7_330.0, 425.0, 241.0], [7_330.0, 425.0, -9.0], [7_330.0, -425.0, 241.0]):
        changed = replace(manifests, fit=replace(manifests.fit, coefficients=np.array(coefficients)))
        assert replace(writer, kinds=(changed,)).completed(appends).sizes == appends.sizes
