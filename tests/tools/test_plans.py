"""What `make validate-plan` says of a figure: within its goal, within its band, or missed."""

from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("pyspark")


from tools.plans import Checked, verdict_of
from wasim.ledger import FULL_SCAN, Kind
from wasim.scenario.metrics import Limit


def checked(
    planned_per_day: float = 100e6, written_per_day: float = 100e6, band: float = 0.05, planned_ms: float = 110.0
) -> Checked:
    written = dict.fromkeys(Kind, 0) | {Kind.METADATA_JSON: 1000, Kind.DATA_MANIFEST: 2000}

    def probe(query: str, ms: float) -> SimpleNamespace:
        return SimpleNamespace(reader="iceberg_java", variant="", query=query, together_ms=np.array([ms, ms, 9 * ms]))

    values = {"metadata_bytes_per_day": planned_per_day, "planning_p50_ms": planned_ms}
    bands = {"metadata_bytes_per_day": band, "planning_p50_ms": 0.15}
    figures = SimpleNamespace(
        values=values,
        spreads={},
        at=lambda metric, shift=0.0: values[metric] * (1 + shift * bands[metric]),
        bands=bands,
        written_bytes={kind: 1.03 * size for kind, size in written.items()},
        written_bands=dict.fromkeys(Kind, 0.01) | {Kind.METADATA_JSON: 0.04},
    )
    run = SimpleNamespace(
        probes=(probe(FULL_SCAN, 50.0), probe(FULL_SCAN, 100.0), probe("statistics", 7.0)),
        totals=SimpleNamespace(written_bytes=written, metadata_bytes=written_per_day),
        case=SimpleNamespace(horizon_s=86400.0),
    )
    return Checked(figures=figures, run=run)


def test_a_figure_meets_its_goal_its_band_or_neither():
    found = [verdict_of(planned, 100.0, 0.02, 0.06) for planned in (98.1, 105.0, 93.0)]
    assert found == ["met", "within band", "missed"]
    assert verdict_of(101.9, 100.0, 0.02, 0.01) == "met"
    assert verdict_of(125.0, 100.0, 0.02, 0.2) == "within band"  # a band is of the planned figure


def test_the_kind_furthest_beyond_its_band_decides_the_verdict():
    assert checked().error_by_kind == pytest.approx({Kind.METADATA_JSON: 0.03, Kind.DATA_MANIFEST: 0.03})
    assert checked().bytes_verdict == "missed"


def test_planning_is_compared_with_the_last_full_scan():
    assert checked().planning_ms == 100.0
    found = [checked(planned_ms=planned_ms).planning_verdict for planned_ms in (110.0, 73.0, 69.0)]
    assert found == ["met", "within band", "missed"]  # known to 30 ms at least


@pytest.mark.parametrize(
    ("planned", "written", "verdict"),
    [
        (90e6, 99e6, "met"),
        (110e6, 101e6, "met"),
        (97e6, 100.4e6, "within band"),
        (103e6, 99e6, "within band"),
        (90e6, 101e6, "missed"),
        (110e6, 99e6, "missed"),
    ],
)
def test_feasibility_is_as_planned_or_within_the_limit_s_band(planned, written, verdict):
    limit = Limit(metric="metadata_bytes_per_day", comparison="<=", bound=100e6, text="<= 100MB")
    assert checked(planned, written).feasibility(limit) == verdict
