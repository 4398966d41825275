"""Cases and runs as they are saved: what is read again is what was saved, and runs of before stay readable."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from support.paths import DATA
from support.synthetic import Sweep, Truth, synthetic_case, synthetic_ledger, synthetic_run
from typer.testing import CliRunner

from wasim.cli import app
from wasim.errors import ExitCode, SavedFileError
from wasim.ledger import Kind, Ledger, OperationTotals, Summed, Totals
from wasim.runner import conclude_run
from wasim.runs import CaseRun, read_run, save_case
from wasim.runs.saved import read_case, share_denominator

BEFORE = DATA / "runs" / "version_3"  # saved before there were simulated runs, bands and values of the command line


def summed_case() -> CaseRun:
    """A case of 240 commits of which an engine returned sums and every tenth commit, without some columns."""
    case = synthetic_case()
    whole = synthetic_ledger(case, Truth(), np.random.default_rng(0))
    unknown = np.full(24, np.nan)
    ledger = replace(
        sampled(whole), wasted_bytes=unknown, commit_ms=unknown, deleted_bytes=dict.fromkeys(Kind, unknown)
    )
    totals = Totals(
        written_bytes={kind: int(written.sum()) for kind, written in whole.written_bytes.items()},
        deleted_bytes=dict.fromkeys(Kind, 7),
        files_written=dict.fromkeys(Kind, 240),
        files_deleted=dict.fromkeys(Kind, 1),
    )
    summed = Summed(
        totals=totals,
        live_bytes=dict.fromkeys(Kind, 3),
        ledger=ledger,
        ingested_bytes=totals.data_bytes,
        operations=(OperationTotals(operation="append", steps=1, commits=240, totals=totals, wall_s=np.nan),),
        band={Kind.DATA_MANIFEST: 0.01},
        approximated=("Which files a statement touches is taken at its mean.",),
    )
    return CaseRun.of_summed(case, summed, key="a" * 12, engine="sim", wall_s=1.5)


def sampled(ledger: Ledger) -> Ledger:
    def every_tenth(column: object) -> object:
        if isinstance(column, dict):
            return {kind: values[9::10] for kind, values in column.items()}
        return column[9::10]  # type: ignore[index]

    return Ledger(**{name: every_tenth(getattr(ledger, name)) for name in Ledger.__slots__})


def test_a_case_of_sums_comes_back_as_it_was_saved(tmp_path: Path) -> None:
    case = summed_case()
    save_case(case, None, tmp_path)
    again = read_case(tmp_path)
    assert (again.totals, again.live_bytes, again.band) == (case.totals, case.live_bytes, case.band)
    assert (again.approximated, again.amplification, again.commits) == (case.approximated, case.amplification, 240)
    assert again.is_sampled
    (operation,) = again.operations
    assert operation.totals == case.totals
    assert np.isnan(operation.wall_s)
    assert json.loads((tmp_path / "case.json").read_text())["operations"][0]["wall_s"] is None


def test_unknown_values_are_missing_in_the_saved_ledger(tmp_path: Path) -> None:
    save_case(summed_case(), None, tmp_path)
    ledger = pq.read_table(tmp_path / "ledger.parquet")
    nulls = {name: ledger[name].null_count for name in ledger.column_names if ledger[name].null_count}
    assert nulls == {"wasted_bytes": 24, "commit_ms": 24, **{f"deleted_bytes.{kind}": 24 for kind in Kind}}
    again = read_case(tmp_path).ledger
    assert np.isnan(again.wasted_bytes).all()
    assert not np.isnan(again.files_written[Kind.DATA]).any()


def test_a_run_saved_before_bands_is_read_as_exact() -> None:
    run = read_run(BEFORE)
    saved = json.loads((BEFORE / "summary.json").read_text())
    assert [case.totals.written_bytes for case in run.cases] == [case["written_bytes"] for case in saved["cases"]]
    assert [(case.band, case.approximated, case.is_sampled) for case in run.cases] == [({}, (), False)] * 4


def test_a_ledger_that_lacks_commits_is_refused(tmp_path: Path) -> None:
    case = summed_case()
    save_case(replace(case, ledger=case.ledger.head(20)), None, tmp_path)
    with pytest.raises(SavedFileError, match=r"holds 200 commits, the case has 240"):
        read_case(tmp_path)


def test_a_run_saved_before_is_reported_and_compared(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    shutil.copytree(BEFORE, folder)
    for case in read_run(BEFORE).cases:
        if case.case.writer.kind == "batch":
            shutil.rmtree(folder / "cases" / case.key)
    outcome = conclude_run(folder)
    assert outcome.exit_code == ExitCode.DONE
    assert (folder / "report.html").exists()
    assert [case["key"] for case in outcome.document["cases"]] == [case.key for case in read_run(folder).cases]
    compared = CliRunner().invoke(app, ["compare", str(folder), str(BEFORE)])
    assert compared.exit_code == 0
    assert compared.stdout.count("×1") >= 4


def test_all_intervals_divide_by_the_data_bytes_of_the_longest():
    run = synthetic_run(sweep=Sweep(intervals_s=(1.0, 60.0), writers=("streaming",)))
    short, long = share_denominator(run.cases)
    assert long.amplification.data == 1
    assert short.amplification.data == short.totals.data_bytes / long.ingested_bytes > 1
    assert short.amplification.metadata == short.totals.metadata_bytes / long.ingested_bytes


def test_other_tables_and_other_horizons_share_nothing():
    run = synthetic_run(sweep=Sweep(intervals_s=(1.0, 60.0), writers=("streaming",)))
    wide = synthetic_run(sweep=Sweep(intervals_s=(1.0,), writers=("streaming",), added_columns=(90,))).cases[0]
    later = synthetic_run(sweep=Sweep(intervals_s=(1.0,), writers=("streaming",), horizon_s=480.0)).cases[0]
    *_, alone, longer = share_denominator((*run.cases, wide, later))
    assert (alone.amplification.data, longer.amplification.data) == (1, 1)


def test_several_writers_keep_their_own():
    one = synthetic_run(sweep=Sweep(intervals_s=(1.0,), writers=("batch",))).cases[0]
    writer = one.case.writer.model_copy(update={"writers": 4})
    crowd = replace(one, case=replace(one.case, writer=writer), ingested_bytes=one.ingested_bytes // 2)
    assert [case.amplification.data for case in share_denominator((one, crowd))] == [
        1,
        crowd.totals.data_bytes / crowd.ingested_bytes,
    ]
