"""Cases are compared with what is like them, and with nothing else."""

import json
from dataclasses import replace

import pytest
from support.synthetic import Sweep, synthetic_run

from wasim.errors import SavedFileError
from wasim.report.comparison import COMPARED, compare_runs, comparison_document, comparison_records
from wasim.report.gate import parse_gate
from wasim.report.pages.terminal import comparison_notes, comparison_table
from wasim.runs import CaseRun, Run
from wasim.twin import profile_named
from wasim.twin.profile import as_written
from wasim.units import format_figure

SWEEP = Sweep(intervals_s=(5.0, 60.0), writers=("streaming",))


@pytest.fixture(scope="module")
def run() -> Run:
    return synthetic_run(sweep=SWEEP)


def doubled(case: CaseRun) -> CaseRun:
    written = {kind: 2 * size for kind, size in case.totals.written_bytes.items()}
    settled = {**case.settled, "metadata_on_disk_bytes": 2 * case.settled["metadata_on_disk_bytes"]}
    return replace(case, totals=replace(case.totals, written_bytes=written), settled=settled)


def test_a_run_is_equal_to_itself(run: Run) -> None:
    comparison = compare_runs(run, run)
    assert [match.label for match in comparison.matches] == ["streaming every 5s", "streaming every 1m"]
    assert {figure.ratio for match in comparison.matches for figure in match.figures} == {1.0}
    assert (comparison.differences, comparison.unmatched) == ((), ())


def test_other_tables_rates_and_horizons_are_refused_by_name(run: Run) -> None:
    longer = synthetic_run(sweep=replace(SWEEP, horizon_s=480.0))
    with pytest.raises(SavedFileError, match=r"share no case: streaming every 5s differs in horizon \(4m, 8m\)"):
        compare_runs(run, longer)
    wide = synthetic_run(sweep=replace(SWEEP, added_columns=(90,)))
    with pytest.raises(SavedFileError, match=r"is in .* alone"):
        compare_runs(run, wide)
    faster = tuple(
        replace(one, case=replace(one.case, workload=one.case.workload.model_copy(update={"rows_per_second": 7.0})))
        for one in run.cases
    )
    with pytest.raises(SavedFileError, match=r"differs in rows a second \(100, 7\)"):
        compare_runs(run, replace(run, cases=faster))


def test_what_is_not_compared_is_named(run: Run) -> None:
    comparison = compare_runs(run, replace(run, cases=run.cases[:1]))
    assert len(comparison.matches) == 1
    assert comparison.unmatched == ("streaming every 1m is in 1 alone",)


def test_runs_made_differently_say_in_what(run: Run) -> None:
    sim = replace(
        run, provenance={"wasim": "0.2.0"}, cases=tuple(replace(one, engine="sim", probes=()) for one in run.cases)
    )
    comparison = compare_runs(replace(run, provenance={"wasim": "0.1.0"}), sim)
    assert comparison.differences == ("engine: spark → sim", "wasim: 0.1.0 → 0.2.0")
    planning = next(figure for figure in comparison.matches[0].figures if figure.metric == "planning_p50_ms")
    assert (planning.ratio, planning.text) == (None, "–")
    other_way = compare_runs(sim, run).matches[0].figures
    planning = next(figure for figure in other_way if figure.metric == "planning_p50_ms")
    assert (planning.before, planning.text) == (None, f"{format_figure(planning.after or 0.0)} ms")


def of_profile(run: Run, profile: str) -> Run:
    writer = run.cases[0].case.writer.model_copy(update={"kind": "batch", "profile": profile})
    return replace(run, cases=tuple(replace(one, case=replace(one.case, writer=writer)) for one in run.cases))


@pytest.mark.parametrize("profile", ["pyiceberg", "automq"])
def test_a_bench_and_its_simulation_share_their_cases(run: Run, profile: str) -> None:
    bench, known = of_profile(run, profile), profile_named(profile)
    sim = replace(bench, cases=tuple(replace(one, case=as_written(one.case, known)) for one in bench.cases))
    for comparison in (compare_runs(bench, sim), compare_runs(sim, bench)):
        assert len(comparison.matches) == len(run.cases)
        assert comparison.unmatched == ()


def test_cases_whose_profile_is_gone_are_compared_as_kept(run: Run) -> None:
    gone = of_profile(run, "gone.json")
    assert len(compare_runs(gone, gone).matches) == len(run.cases)


def test_growth_above_a_ratio_is_found(run: Run) -> None:
    grown = compare_runs(run, replace(run, cases=(doubled(run.cases[0]), *run.cases[1:])))
    assert grown.judge(parse_gate("2")).passed
    verdict = grown.judge(parse_gate("1.9"))
    assert [one.figure.metric for one in verdict.growths] == ["metadata_bytes", "metadata_on_disk_bytes", "data_bytes"]
    assert verdict.lines[0] == "streaming every 5s: metadata written 3.95 MiB ×2, above ×1.9"


def test_document_table_and_records_hold_every_case(run: Run) -> None:
    comparison = compare_runs(run, replace(run, cases=run.cases[:1]))
    document = comparison_document(comparison, comparison.judge(None))
    assert json.loads(json.dumps(document, allow_nan=False)) == document
    table = comparison_table(comparison)
    assert [row[0] for row in table.rows] == ["streaming every 5s"]
    assert all(cell.endswith("×1") for cell in table.rows[0][1:])
    assert comparison_notes(comparison) == ["Not compared: streaming every 1m is in 1 alone."]
    assert [one["metric"] for one in comparison_records(comparison)] == list(COMPARED)
