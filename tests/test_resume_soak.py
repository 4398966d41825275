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
SCENARIO = Path(__file__).parent.parent / "scenarios" / "smoke.yaml"
KILLS = 20
LONGEST_LIFE_S = 30.0  # past the session's start and into the cases; a run takes longer


def start(results: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "wasim", "bench", str(SCENARIO), "--out", str(results), "--json"]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True)


def finished_cases(results: Path) -> dict[str, int]:
    return {path.parent.name: path.stat().st_mtime_ns for path in results.glob("smoke/*/cases/*/case.json")}


def test_a_run_killed_at_random_moments_goes_on_to_the_same_end(tmp_path: Path) -> None:
    rng, kills, seen = random.Random(20), 0, dict[str, int]()  # noqa: S311 (moments, not secrets)
    while kills < KILLS:
        process = start(tmp_path)
        try:
            out, _ = process.communicate(timeout=rng.uniform(0.5, LONGEST_LIFE_S))
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL) if kills % 2 else process.kill()  # with its JVM, or leaving it alone
            process.communicate()
            kills += 1
        else:
            assert process.returncode == 0
            check_complete(json.loads(out), tmp_path)
            seen = {}
        now = finished_cases(tmp_path)
        kept = {key: mtime for key, mtime in now.items() if key in seen}
        assert kept.items() <= {**now, **seen}.items()
        assert all(now[key] == seen[key] for key in kept), "a finished case was measured again"
        seen = now
        print(f"kill {kills}: {len(now)} finished cases, {len(list((tmp_path / 'smoke').glob('*')))} runs", flush=True)
        time.sleep(1)
    out, _ = start(tmp_path).communicate(timeout=600)
    check_complete(json.loads(out), tmp_path)


def check_complete(document: dict[str, object], results: Path) -> None:
    folder = results / "smoke" / str(document["folder"])
    run = read_run(folder)
    assert [len(case.ledger) for case in run.cases] == [12, 12, 3, 3]
    for case in run.cases:
        events = read_columns(folder / "cases" / case.key / "events.parquet", FileEvents)
        collect.audit(events, collect.list_table(folder / "warehouse" / case.key / "db" / "events"))
    assert not list(folder.rglob(".unfinished-*"))
    assert (folder / "report.html").read_text().rstrip().endswith("</html>")
