"""The fit as text and as JSON. `WASIM_UPDATE_GOLDEN=1 pytest tests/test_fit_report.py` writes the golden file anew."""

import json
import os
from dataclasses import replace
from pathlib import Path

from synthetic import synthetic_report

from wasim.fit import FitReport, fit_document, render_coefficient_table, render_fit
from wasim.fit.report import Coefficient, CostFit, DriverCheck, Estimate, Extrapolation, HeldOut, LatencyFit
from wasim.fit.report import SustainableInterval as Sustainable
from wasim.ledger import Kind

GOLDEN = Path(__file__).parent / "data" / "fit" / "report.txt"


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
    extrapolated = Extrapolation(
        writer="streaming", commit_interval_s=1.0, horizon_s=86_400.0,
        written_bytes={Kind.METADATA_JSON: around(3.9e12, 3e8)}, metadata_bytes=around(3.9e12, 3e8),
    )  # fmt: skip
    return FitReport(
        costs=(json_cost,),
        latencies=(LatencyFit(writer=None, latency="load", coefficients=(base, flat), r_squared=0.91, samples=32),),
        held_out=(held, replace(held, quantity="step", unit="ms", measured=180.0, predicted=190.0, naive=200.0)),
        sustainable=(
            Sustainable(writer="streaming", horizon_s=86_400.0, interval_s=around(3.0, 0.5)),
            Sustainable(writer="batch", horizon_s=86_400.0, interval_s=Estimate(low=4.0, best=9.0, high=float("inf"))),
        ),
        extrapolations=(extrapolated,),
        checks=(
            DriverCheck(writer="streaming", case="streaming every 1s", driver="snapshots", commits=240, mismatches=0),
        ),
        notes=("batch: too few commits to hold out the second half.",),
    )


def test_the_text_is_the_golden_one():
    text = render_fit(a_report())
    if os.environ.get("WASIM_UPDATE_GOLDEN"):
        GOLDEN.write_text(text)
    assert text == GOLDEN.read_text()


def test_a_whole_run_renders_every_section():
    text = render_fit(synthetic_report())
    assert all(title in text for title in ("Bytes written", "Latencies", "Held out", "Smallest interval", "Drivers"))
    assert "not identified" in text
    assert not [line for line in text.splitlines() if line != line.rstrip()]


def test_the_coefficient_table_is_markdown_with_a_row_per_coefficient():
    lines = render_coefficient_table(a_report()).splitlines()
    assert lines[2] == "| streaming | metadata_json | retained_snapshot | 1,001.45 ± 0.10 B per snapshot |"
    assert lines[3].endswith("previous-versions-max would) |")
    assert len(lines) == 4


def test_the_document_is_plain_json_and_has_no_figure_for_the_unidentified():
    document = fit_document(a_report())
    assert json.loads(json.dumps(document, allow_nan=False)) == document
    assert document["schema_version"] == 1
    assert document["costs"][0]["coefficients"][1]["estimate"] is None
    assert document["costs"][0]["kind"] == "metadata_json"
    assert document["held_out"][0]["error"] == 470.0 / 2_240_000.0
    assert document["sustainable"][1]["interval_s"] == {"low": 4.0, "best": 9.0, "high": None}
    assert document["extrapolations"][0]["written_bytes"]["metadata_json"]["best"] == 3.9e12
