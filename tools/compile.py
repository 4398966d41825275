"""Compiles long horizons and the race of writers ahead, once on a computer: `python -m tools.compile`."""

from pathlib import Path

from wasim.contention import Footprint, LatencyRequest, commit_latency, races
from wasim.scenario import load_scenario
from wasim.twin import Site, shipped_profile
from wasim.years import History, history, read_shape

SCENARIO = Path(__file__).parents[1] / "scenarios" / "compaction.yaml"


def main() -> None:
    """Steps a table through a commit, and races some, compiled."""
    history.BEFORE_LOADING = history.BEFORE_COMPILING = 0
    case = load_scenario(SCENARIO).cases()[1]  # with a job: tables without events are not compiled for
    History(case=case, shape=read_shape(case, shipped_profile(case), Site())).go_on_to(1)
    races.BEFORE_LOADING = races.BEFORE_COMPILING = 0
    size = Footprint(metadata_json_bytes=1, manifest_list_bytes=1, manifest_bytes=1)
    commit_latency(LatencyRequest(provider="local", footprint=size, commit_interval_s=1, commits=100))


if __name__ == "__main__":
    main()
