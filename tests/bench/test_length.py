"""A bench that takes days is not begun unless that is asked for."""

import io
from pathlib import Path

import pytest
from rich.console import Console
from support.paths import SCENARIOS

from wasim.bench import BenchOptions, bench, engine_named
from wasim.errors import WasimError
from wasim.scenario import load_scenario


@pytest.mark.parametrize(("engine", "hours"), [("spark", "3,777"), ("core", "361")])
def test_over_a_hundred_thousand_commits_are_refused_with_their_hours(engine: str, hours: str, tmp_path: Path) -> None:
    scenario = load_scenario(SCENARIOS / "smoke.yaml", {"horizon": "365d"})
    options = BenchOptions(results=tmp_path, engine=engine_named(engine))
    said = rf"31,536,000 commits, which take engine {engine} {hours} hours or more.*--long"
    with pytest.raises(WasimError, match=said):
        bench(scenario, options, Console(file=io.StringIO()))
    assert not list(tmp_path.iterdir())
