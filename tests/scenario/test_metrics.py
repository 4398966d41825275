"""One list of metrics: whatever limits or judges a figure calls it by the same name."""

from support.paths import ROOT

from wasim.cli.options import LIMITS
from wasim.doctor.findings import THRESHOLDS
from wasim.ledger.trouble import MARKS
from wasim.runs.limits import PERIODS_S
from wasim.scenario.metrics import METRICS

OF_A_TABLE = {  # shares of what a table holds, which no run has
    *("metadata_share", "small_file_share", "delete_file_share", "partition_skew", "orphan_share", "manifest_overlap")
}


def test_every_flag_of_a_plan_is_a_metric():
    assert {one.name: one.flag for one in LIMITS} == {one.name: one.flag for one in METRICS.values() if one.flag}


def test_thresholds_and_marks_of_inspect_are_metrics():
    assert set(THRESHOLDS) - OF_A_TABLE <= set(METRICS)
    assert {mark.quantity for mark in MARKS} - OF_A_TABLE <= set(METRICS)


def test_periods_are_metrics():
    assert set(PERIODS_S) <= set(METRICS)


def test_docs_list_every_metric():
    text = (ROOT / "docs" / "scenarios.md").read_text()
    assert [name for name in METRICS if f"| `{name}` | {METRICS[name].meaning}" not in text] == []
