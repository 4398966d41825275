"""Ctrl-C in the middle of a case: one line, exit code 130, no case called failed, and the same command goes on."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow
SCENARIO = """
name: interrupted
question: Does an interrupted run go on?
table: {columns: [{name: reading, type: double}]}
workload: {rows_per_second: 20}
environment: {warm_up_commits: 0}
horizon: 30s
commit_interval: 1s
sweep: {writer: [batch, streaming]}
planning: {rounds: 1, rounds_at_end: 1, cold: false, execution: false, checkpoints: [1.0]}
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_says_so_and_goes_on(number: signal.Signals, tmp_path: Path) -> None:
    scenario = tmp_path / "interrupted.yaml"
    scenario.write_text(SCENARIO)
    command = [sys.executable, "-m", "wasim", "bench", str(scenario), "--out", str(tmp_path), "--json"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    end = time.monotonic() + 300
    while time.monotonic() < end and process.poll() is None and not journals_with_commits(tmp_path):
        time.sleep(0.2)
    process.send_signal(number)
    out, words = process.communicate(timeout=120)
    assert (process.returncode, out) == (130, ""), words
    assert "Traceback" not in words
    assert "failed" not in words
    assert words.rstrip().endswith("Interrupted. The same command continues after the last finished case.")
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=True)
    document = json.loads(done.stdout)
    assert document["failures"] == {}
    assert [case["commits"] for case in document["cases"]] == [30, 30]


def journals_with_commits(results: Path) -> bool:
    """Whether a commit of a case is on disk: its table's second metadata.json."""
    return any(results.glob("interrupted/*/warehouse/*/db/events/metadata/00003-*.metadata.json"))
