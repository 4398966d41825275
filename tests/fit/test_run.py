"""The fit of a whole run. `WASIM_UPDATE_GOLDEN=1 pytest tests/fit/test_run.py` writes the golden file anew."""

import json
import os
from collections.abc import Iterator
from dataclasses import replace

import pytest
from support.paths import DATA
from support.synthetic import Sweep, Truth, synthetic_run

from wasim.fit import FitReport, fit_document, fit_run
from wasim.fit.report import Coefficient, CostFit, Estimate, HeldOut, KeepsUp, LatencyFit
from wasim.fit.report import SustainableInterval as Sustainable
from wasim.fit.robust import BOOTSTRAP_DRAWS
from wasim.ledger import Kind
from wasim.runs import Run
from wasim.scenario.changes import Changes

GOLDEN_FIGURES = DATA / "fit" / "figures.json"


def around(best: float, half: float) -> Estimate:
    return Estimate(low=best - half, best=best, high=best + half)


def a_report() -> FitReport:
    snapshot = Coefficient(name="retained_snapshot", unit="B per snapshot", estimate=around(1001.45, 0.1))
    unknown = Coefficient(
        name="log_entry",
        unit="B per metadata-log entry",
        estimate=None,
        note="this run cannot tell; a case with more commits than write.metadata.previous-versions-max would",
    )
    json_cost = CostFit(
        writer="streaming", kind=Kind.METADATA_JSON, coefficients=(snapshot, unknown), r_squared=0.99999876,
        rms_bytes=5.52, commits=320, naive_bytes=110_222.9, naive_rms_bytes=80_610.1,
    )  # fmt: skip
    flat = Coefficient(
        name="snapshot",
        unit="ms per snapshot",
        estimate=Estimate(low=0, best=0, high=0.02),
        note="not distinguishable from zero",
    )
    base = Coefficient(name="base", unit="ms", estimate=Estimate(low=170.2, best=180.4, high=199.9))
    held = HeldOut(
        writer="streaming", quantity="metadata_json", unit="B", fitted_on="1s, 15s", predicted_for="4s, 1m",
        measured=2_240_000.0, predicted=2_240_470.0, naive=8_260_000.0,
    )  # fmt: skip
    return FitReport(
        costs=(json_cost,),
        latencies=(LatencyFit(writer=None, latency="load", coefficients=(base, flat), r_squared=0.91, samples=32),),
        held_out=(held, replace(held, quantity="step", unit="ms", measured=180.0, predicted=190.0, naive=200.0)),
        sustainable=(
            Sustainable(
                writer="streaming",
                case="streaming columns=10",
                horizon_s=86_400.0,
                interval_s=around(3.0, 0.5),
                slope="measured",
                r_squared=0.82,
                commits_seen=240,
            ),
            Sustainable(
                writer="batch",
                case="batch",
                horizon_s=86_400.0,
                interval_s=Estimate(low=9.0, best=9.0, high=float("inf")),
                slope="library",
                r_squared=0.06,
                commits_seen=240,
            ),
        ),
        keeps_up=(
            KeepsUp(
                writer="batch", case="batch", commit_interval_s=5.0, until_s=61_200.0, slope="library", commits_seen=240
            ),
        ),
        notes=("batch: too few commits to hold out the second half.",),
    )


def test_every_table_of_a_shared_fit_gets_its_own_rows():
    report = fit_run(synthetic_run(sweep=Sweep(intervals_s=(2.0, 20.0), writers=("batch",), added_columns=(10, 90))))
    assert {cost.writer for cost in report.costs} == {"batch"}
    cases = ["batch n.count=10", "batch n.count=90"]
    for rows in (report.model_line, report.sustainable):
        assert list(dict.fromkeys(row.case for row in rows)) == cases


def test_the_document_has_no_figure_for_the_unidentified():
    document = fit_document(a_report())
    assert json.loads(json.dumps(document, allow_nan=False)) == document
    assert document["schema_version"] == 1
    assert document["costs"][0]["coefficients"][1]["estimate"] is None
    assert document["costs"][0]["kind"] == "metadata_json"
    assert document["held_out"][0]["error"] == 470.0 / 2_240_000.0
    assert document["sustainable"][1]["interval_s"] == {"low": 9.0, "best": 9.0, "high": None}
    assert [row["slope"] for row in document["sustainable"]] == ["measured", "library"]


@pytest.fixture(scope="module")
def slowing() -> Run:
    """Both writers at three intervals, commits of one file and of three, which slow down as the table ages."""
    truth = Truth(snapshot_ms=0.5, base_ms=120.0, row_ms=0.02)
    return synthetic_run(truth, Sweep(intervals_s=(1.0, 8.0, 30.0), files_per_commit=(1, 3)))


def test_every_figure_of_a_known_run_is_the_golden_one(slowing: Run, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("wasim.fit.latency.BOOTSTRAP_DRAWS", BOOTSTRAP_DRAWS)
    document = fit_document(fit_run(slowing))
    document["model_line"] = document["model_line"][::8]
    if os.environ.get("WASIM_UPDATE_GOLDEN"):
        GOLDEN_FIGURES.write_text(json.dumps(document, default=float).replace('}, {"', '},\n{"') + "\n")
    found, wanted = (dict(figures(one)) for one in (document, json.loads(GOLDEN_FIGURES.read_text())))
    assert list(found) == list(wanted)
    numbers = {place for place, value in wanted.items() if isinstance(value, float)}
    assert {place: found[place] for place in numbers} == pytest.approx(
        {place: wanted[place] for place in numbers}, rel=1e-4, abs=1e-9
    )
    assert {place: found[place] for place in wanted.keys() - numbers} == {
        place: wanted[place] for place in wanted.keys() - numbers
    }


def figures(value: object, place: str = "") -> Iterator[tuple[str, object]]:
    """Each value of a document with its place in it."""
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from figures(inner, f"{place}.{key}")
    else:
        yield place, value


def test_what_no_equation_is_of_is_left_out_and_named(slowing: Run):
    streaming, batch = slowing.cases[0], slowing.cases[-1]
    changes = Changes.model_validate({"delete": {"every": "1m", "rows": 1}})
    deletes = replace(batch, case=replace(batch.case, changes=changes))
    sampled = replace(batch, is_sampled=True)
    for other in (deletes, sampled):
        report = fit_run(replace(slowing, cases=(streaming, other)))
        assert {cost.writer for cost in report.costs} == {"streaming"}
        (note,) = [note for note in report.notes if "nothing is fitted" in note]
        assert note.startswith(f"{other.case.label}: nothing is fitted: ")
        assert ("sums over the whole horizon" in note) == (other is sampled)
    alone = fit_run(replace(slowing, cases=(deletes,)))
    assert alone.costs == ()
    assert alone.notes[0].startswith("Nothing is fitted: the equations are of one writer's appends")
