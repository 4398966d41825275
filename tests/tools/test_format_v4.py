"""What docs/v4.md says of format version 4, announced parts among it."""

from dataclasses import replace

import pytest
from support.paths import ROOT

from tools import format_v4
from wasim.ledger import Kind
from wasim.scenario import load_scenario


@pytest.fixture(scope="module")
def narrow() -> format_v4.Measured:
    """The narrow table of one file a commit, a day of commits every ten minutes."""
    cases = {case.table.format_version: case for case in load_scenario(format_v4.SCENARIO).cases()[::12]}
    day = {"commit_interval_s": 600.0, "horizon_s": format_v4.DAY_S, "maintenance": format_v4.KEPT}
    return format_v4.measured({version: replace(case, **day) for version, case in cases.items()})


def figures(row: str) -> list[float]:
    return [float(cell.split()[0]) for cell in row.split("|")[4:-1]]


def test_the_page_has_the_figures_of_its_command(narrow):
    page = (ROOT / "docs" / "v4.md").read_text()
    rows = [line for line in page.splitlines() if line.startswith("| 10m | 7 | 1 |")]
    for row, printed in zip(rows, format_v4.rows([narrow]), strict=True):
        assert figures(row) == pytest.approx(figures(printed), rel=0.03), "make v4 prints them anew"


def test_inlining_pays_for_root_manifests_and_most_is_metadata_json(narrow):
    announced = format_v4.announced(narrow)
    assert narrow.metadata_bytes(4) < announced.root
    assert announced.without_json < announced.inline < announced.root
    assert announced.inline - announced.without_json == pytest.approx(narrow.written(4, Kind.METADATA_JSON))
    assert narrow.written(4, Kind.DATA_MANIFEST) > 1.3 * narrow.written(3, Kind.DATA_MANIFEST)
