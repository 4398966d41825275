"""kill -9 at random moments: the same command goes on, nothing is torn, nothing is doubled."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from wasim import collect
from wasim.ledger import FileEvents
from wasim.ledger.parquet import read_columns
from wasim.runs import read_run

pytestmark = pytest.mark.soak
KILLS = 20
LIVES_S = (1.0, 30.0)  # from before the session's start to well into the cases; a whole run takes about 40 s
SCENARIO = """
name: soak
question: Does a killed run go on?
table: {columns: [{name: reading, type: double, count: 3}]}
workload: {rows_per_second: 20}
environment: {warm_up_commits: 2}
horizon: 8s
sweep:
  commit_interval: [1s, 2s, 4s]
  writer: [streaming, batch, {kind: streaming, sink: foreach_batch}]
planning: {rounds: 1, rounds_at_end: 2, cold: false, execution: false, checkpoints: [0.5]}
"""
COMMITS = [8, 8, 8, 4, 4, 4, 2, 2, 2]


def start(results: Path) -> subprocess.Popen[bytes]:
    scenario = results / "soak.yaml"
    scenario.write_text(SCENARIO)
    command = [sys.executable, "-m", "wasim", "bench", str(scenario), "--out", str(results), "--json"]
    words = (results / "words.txt").open("wb")
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=words, start_new_session=True)


def finished_cases(results: Path) -> dict[str, int]:
    return {str(path.parent): path.stat().st_mtime_ns for path in results.glob("soak/*/cases/*/case.json")}


def test_a_run_killed_at_random_ends_the_same(tmp_path: Path) -> None:
    rng, kills, seen = random.Random(20), 0, dict[str, int]()  # noqa: S311 (moments, not secrets)
    while kills < KILLS:
        process = start(tmp_path)
        try:
            out, _ = process.communicate(timeout=rng.uniform(*LIVES_S))
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL) if kills % 2 else process.kill()  # with its JVM, or leaving it alone
            process.communicate()
            kills += 1
        else:
            check_complete(process, out, tmp_path)
            seen = {}
        check_words(tmp_path)
        now = finished_cases(tmp_path)
        assert seen.items() <= now.items(), "a finished case was lost, or measured again"
        seen = now
        print(f"kill {kills}: {len(now)} finished cases, {len(list((tmp_path / 'soak').glob('*')))} runs", flush=True)
        time.sleep(1)
    process = start(tmp_path)
    out, _ = process.communicate(timeout=600)
    check_complete(process, out, tmp_path)


def check_words(results: Path) -> None:
    """What is on stderr is progress; no case failed, no warm-up was skipped, nothing broke."""
    words = (results / "words.txt").read_text()
    assert not [word for word in ("Warm-up", "failed", "Traceback", "Error") if word in words], words


def check_complete(process: subprocess.Popen[bytes], out: bytes, results: Path) -> None:
    check_words(results)
    assert process.returncode == 0, (results / "words.txt").read_text()
    folder = results / "soak" / str(json.loads(out)["folder"])
    run = read_run(folder)
    assert [len(case.ledger) for case in run.cases] == COMMITS
    for case in run.cases:
        events = read_columns(folder / "cases" / case.key / "events.parquet", FileEvents)
        collect.audit(events, collect.list_table(folder / "warehouse" / case.key / "db" / "events"))
    assert not list(folder.rglob(".unfinished-*"))
    assert (folder / "report.html").read_text().rstrip().endswith("</html>")
