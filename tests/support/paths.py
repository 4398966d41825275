"""Where things are that tests read."""

from pathlib import Path

TESTS = Path(__file__).parent.parent
ROOT = TESTS.parent
DATA = TESTS / "data"
SCENARIOS = ROOT / "scenarios"
RESULTS = ROOT / "results"
SAMPLE = sorted((RESULTS / "sample" / "smoke").iterdir())[-1]
