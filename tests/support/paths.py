"""Where things are that tests read."""

from pathlib import Path

import pytest

TESTS = Path(__file__).parent.parent
ROOT = TESTS.parent
DATA = TESTS / "data"
SCENARIOS = ROOT / "scenarios"


def sample_run() -> Path:
    """The run that the repository ships; where results/ is not there, the test that asks is skipped."""
    runs = sorted((ROOT / "results" / "sample" / "smoke").glob("*/run.json"))
    if not runs:
        pytest.skip("results/sample is not there")
    return runs[-1].parent
