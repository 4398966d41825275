"""What is said while a bench runs."""

import io
import re

import pytest
from rich.console import Console
from support.paths import SCENARIOS

from wasim.bench.progress import BenchProgress
from wasim.errors import CaseFailed
from wasim.scenario import Case, load_scenario


@pytest.fixture(scope="module")
def cases() -> dict[str, Case]:
    return {str(number): case for number, case in enumerate(load_scenario(SCENARIOS / "smoke.yaml").cases())}


def carry_out(cases: dict[str, Case], console: Console) -> None:
    with BenchProgress(console, cases) as progress:
        for key, case in cases.items():
            with progress.case(key) as on_commits:
                on_commits(case.commits)


def test_a_log_gets_a_line_per_case_with_the_time_left(cases: dict[str, Case]) -> None:
    said = io.StringIO()
    carry_out(cases, Console(file=said))
    lines = said.getvalue().splitlines()
    assert re.fullmatch(r"streaming every 1s: 12 commits in 1s\. 1 of 4 cases done, about 1s left\.", lines[0])
    assert lines[3].endswith("4 of 4 cases done.")
    assert len(lines) == 4


def test_a_terminal_of_80_columns_gets_bars_on_single_lines(cases: dict[str, Case]) -> None:
    said = io.StringIO()
    carry_out(cases, Console(file=said, force_terminal=True, width=80, no_color=True))
    last = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", said.getvalue()).splitlines()[-5:]
    assert [re.split(" +━", line)[0] for line in last] == ["all cases", *(case.label for case in cases.values())]
    assert all("took 1s" in line and len(line.rstrip()) <= 80 for line in last)
    assert "30/30" in last[0]


def test_a_case_that_fails_is_done_but_not_said_to_have_committed(cases: dict[str, Case]) -> None:
    said = io.StringIO()
    with BenchProgress(Console(file=said), cases) as progress:
        with pytest.raises(CaseFailed), progress.case("0"):
            raise CaseFailed("no space")
        with progress.case("1"):
            pass
    assert said.getvalue().startswith("batch every 1s: 12 commits in 1s. 2 of 4 cases done")
