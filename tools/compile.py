"""Compiles the machine of long horizons ahead, once on a computer: `python -m tools.compile`."""

from pathlib import Path

from wasim.scenario import load_scenario
from wasim.twin import Site, shipped_profile
from wasim.years import history_of, read_shape, stepped

SCENARIO = Path(__file__).parents[1] / "scenarios" / "compaction.yaml"


def main() -> None:
    """Steps a table through a commit, compiled."""
    stepped.BEFORE_LOADING = stepped.BEFORE_COMPILING = 0
    case = load_scenario(SCENARIO).cases()[1]  # with a job: tables without events are not compiled for
    history_of(case, read_shape(case, shipped_profile(case), Site())).go_on_to(1)


if __name__ == "__main__":
    main()
