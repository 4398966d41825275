"""Gates: the most specific name decides, and growth from nothing is growth."""

import pytest

from wasim.report.gate import Figure, judge_growth, parse_gate


@pytest.mark.parametrize(
    ("metric", "ratio"),
    [
        ("data_bytes", 1.5),
        ("metadata_bytes", 1.1),
        ("metadata_on_disk_bytes", 1.1),
        ("metadata_json_bytes", 3.0),
        ("planning_p50_ms", None),
        ("manifests", 2.0),
        ("manifest_bytes", 1.5),
    ],
)
def test_the_most_specific_name_decides(metric: str, ratio: float | None) -> None:
    assert parse_gate("1.5,metadata=1.1,metadata_json=3,manifests=2").ratio_for(metric) == ratio


def test_growth_from_nothing_is_above_any_ratio() -> None:
    figure = Figure(metric="manifests", before=0.0, after=1.0)
    verdict = judge_growth([("", figure)], parse_gate("manifests=100"), fails_on_missing=False)
    assert (verdict.passed, verdict.lines) == (False, ("manifests 1, above ×100",))


def test_a_gated_figure_that_vanished_is_missing() -> None:
    figures = [("a", Figure(metric="planning_p50_ms", before=1.0, after=None))]
    gate = parse_gate("planning=2")
    assert judge_growth(figures, gate, fails_on_missing=False).passed
    assert judge_growth(figures, gate, fails_on_missing=True).lines == ("a: planning is missing",)
    assert judge_growth(figures, parse_gate("2"), fails_on_missing=True).passed
