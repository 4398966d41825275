"""Work spread over processes."""

import os
import subprocess
import sys
import threading
import time

import pytest

from wasim.errors import WasimError
from wasim.processes import cached_by_all, map_in_processes, open_processes


def _who(number: int) -> tuple[int, int]:
    return number, os.getpid()


@cached_by_all
def _found_by(number: int, *, times: int = 1) -> tuple[int, int]:
    return number * times, os.getpid()


def _found(part: int) -> tuple[int, int]:
    return _found_by(part % 2, times=3)


def _fails(number: int) -> int:
    if number == 1:
        raise WasimError("no")
    time.sleep(0.01)
    return number


def test_results_of_other_processes_come_in_the_parts_order() -> None:
    results = list(map_in_processes(_who, range(20), processes=3))
    assert [number for number, _ in results] == list(range(20))
    assert os.getpid() not in {process for _, process in results}


def test_what_one_process_found_all_that_share_know() -> None:
    with open_processes(2, shares=True) as mapped:
        first = list(mapped(_found, [0, 1]))
        again = list(mapped(_found, range(20)))
    assert [number for number, _ in first] == [0, 3]
    assert set(again) == set(first)
    assert _found_by(0, times=3)[1] == os.getpid()


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system pins no process to cores")
def test_cores_are_those_that_the_process_may_run_on() -> None:
    pinned = "import os; os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})"
    asked = "from wasim.processes import available_cores; print(available_cores())"
    done = subprocess.run([sys.executable, "-c", f"{pinned}\n{asked}"], capture_output=True, text=True, check=True)
    assert done.stdout == "1\n"


@pytest.mark.parametrize(("parts", "processes"), [(range(3), 1), (range(1), 2)])
def test_one_process_or_one_part_needs_no_other(parts: range, processes: int) -> None:
    assert {process for _, process in map_in_processes(_who, parts, processes=processes)} == {os.getpid()}


def test_an_error_of_a_part_is_raised_here(monkeypatch: pytest.MonkeyPatch) -> None:
    threads_ended_by = list[object]()
    monkeypatch.setattr(threading, "excepthook", threads_ended_by.append)
    results = map_in_processes(_fails, range(300), processes=2)
    assert next(results) == 0
    with pytest.raises(WasimError, match="no"):
        next(results)
    assert threads_ended_by == []  # whose tracebacks would be printed below the error
