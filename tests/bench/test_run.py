"""The whole road on real Spark: scenario ─► run folder, report, exit code; failures, resuming, limits."""

import io
import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console
from support.paths import SCENARIOS

from wasim.bench import BenchOptions, bench
from wasim.bench.run import BenchProgress
from wasim.errors import CaseFailed, ExitCode
from wasim.ledger import FULL_SCAN, Kind
from wasim.runner import Outcome
from wasim.runs import read_run
from wasim.runs.documents import DOCUMENT_VERSION
from wasim.scenario import Case, LoadedScenario, load_scenario
from wasim.spark import Session

SMOKE = SCENARIOS / "smoke.yaml"


def bench_on(session: Session, scenario: LoadedScenario, results: Path, said: io.StringIO) -> Outcome:
    @contextmanager
    def the_one_session(settings: Mapping[str, str], **opening: object) -> Iterator[Session]:
        yield session

    return bench(scenario, BenchOptions(results=results), Console(file=said), the_one_session)


SMOKE_SAID, FAILING_SAID = io.StringIO(), io.StringIO()


@pytest.fixture(scope="module")
def smoke(session: Session, tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    # what planning takes in a fresh process is in test_canaries.py and test_readers.py: four processes less
    # how batches differ from a stream is in tests/spark/test_drive.py
    overrides = {"writer": "streaming", "planning.cold": "false", "limits.wa_metadata": "< 0.0001"}
    scenario = load_scenario(SMOKE, overrides)
    return bench_on(session, scenario, tmp_path_factory.mktemp("smoke"), SMOKE_SAID)


def test_a_run_says_nothing_but_its_progress(smoke: Outcome) -> None:
    assert "failed" not in SMOKE_SAID.getvalue()
    assert "Warm-up skipped" not in SMOKE_SAID.getvalue()


def test_a_run_ends_with_all_that_a_reader_needs(smoke: Outcome) -> None:
    folder = smoke.run.folder
    assert not (folder / "warehouse" / "warm-up").exists()
    names = {"scenario.yaml", "provenance.json", "summary.json", "benchmark.json", "report.html", "charts"}
    assert names <= {path.name for path in folder.iterdir()}
    assert {path.suffix for path in (folder / "charts").iterdir()} == {".svg", ".png"}
    assert (folder / "scenario.yaml").read_text() == SMOKE.read_text()


def test_the_document_holds_every_case_by_kind(smoke: Outcome) -> None:
    document = json.loads((smoke.run.folder / "summary.json").read_text())
    assert document["schema_version"] == DOCUMENT_VERSION
    assert [case["commits"] for case in document["cases"]] == [12, 3]
    for case in document["cases"]:
        for kind in Kind:
            balance = case["written_bytes"][kind] - case["deleted_bytes"][kind]
            assert case["on_disk_bytes"][kind] == balance >= case["live_bytes"][kind] >= 0
        assert case["wa"]["total"] == pytest.approx(case["wa"]["data"] + case["wa"]["metadata"])
        assert case["wa"]["horizon_s"] == 12


def test_halving_the_commits_lowers_the_metadata(smoke: Outcome) -> None:
    by_label = {case.case.label: case.totals.metadata_bytes for case in smoke.run.cases}
    assert by_label["streaming every 1s"] > 3 * by_label["streaming every 4s"]


def test_planning_is_probed_with_the_counts_of_the_table(smoke: Outcome) -> None:
    for case in smoke.run.cases:
        final = [probe for probe in case.probes if probe.after_commit == len(case.ledger)]
        assert {probe.temperature for probe in final} == {"warm"}
        for probe in final:
            assert probe.manifests_scanned + probe.manifests_skipped == probe.manifests_total
            assert probe.manifests_total == case.ledger.live_manifests[-1]
            assert probe.snapshots == case.ledger.snapshots_retained[-1]
            assert np.all(probe.planning_ms > 0)
            assert np.all(probe.load_ms > 0)
        scans = {probe.query: probe for probe in final}
        assert scans[FULL_SCAN].files_planned == case.ledger.live_entries[-1]
        assert scans["statistics"].files_planned == 1  # bounds of event_id prune all but the last commit's file
        assert len(scans[FULL_SCAN].execution_ms) > 0


def test_the_benchmarks_are_pytest_benchmarks_own_document(smoke: Outcome) -> None:
    document = json.loads((smoke.run.folder / "benchmark.json").read_text())
    names = [bench["fullname"] for bench in document["benchmarks"]]
    # a load and two plans at each checkpoint, and a listing at the end
    assert len(names) == len(set(names)) == sum(1 + 2 for case in smoke.run.cases for _ in (0.5, 1.0)) + 2
    assert document["machine_info"]["packages"]["pyspark"]
    assert {bench["params"]["case"] for bench in document["benchmarks"]} == {c.case.label for c in smoke.run.cases}
    assert str(smoke.run.folder) not in json.dumps(document)


def test_a_saved_run_reads_back(smoke: Outcome) -> None:
    run = read_run(smoke.run.folder)
    assert [case.key for case in run.cases] == [case.key for case in smoke.run.cases]


def test_provenance_names_versions_and_jars_but_no_user(smoke: Outcome) -> None:
    provenance = smoke.run.provenance
    assert provenance["packages"]["pyspark"] == "4.1.4"
    assert all(len(digest) == 64 for digest in provenance["jars"].values())
    assert any("iceberg-spark-runtime" in name for name in provenance["jars"])
    assert str(Path.home()) not in json.dumps(provenance)


FAILING = """
name: failing
question: What if one case fails?
table: {columns: [{name: n, type: int}]}
workload: {rows_per_second: 5}
writer: batch
environment: {warm_up_commits: 2}
horizon: 2s
commit_interval: 1s
sweep: {table.properties.write.parquet.compression-codec: [zstd, nonsense]}
planning: {rounds: 1, rounds_at_end: 1, cold: false, execution: false, checkpoints: [1.0]}
"""


class Interrupting(io.StringIO):
    """Interrupts as soon as a case is said to be done."""

    def write(self, text: str) -> int:
        if "cases done" in text:
            raise KeyboardInterrupt
        return super().write(text)


@pytest.fixture(scope="module")
def interrupted(session: Session, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The only finished case of a run that was interrupted after it."""
    scenario = tmp_path_factory.mktemp("failing") / "failing.yaml"
    scenario.write_text(FAILING)
    with pytest.raises(KeyboardInterrupt):
        bench_on(session, load_scenario(scenario), scenario.parent, Interrupting())
    (finished,) = scenario.parent.glob("failing/*/cases/*/case.json")
    os.utime(finished, (1, 1))
    return finished


@pytest.fixture(scope="module")
def half_failed(session: Session, interrupted: Path) -> Outcome:
    """The first of its two cases was finished before, the second failed."""
    results = interrupted.parents[4]
    return bench_on(session, load_scenario(results / "failing.yaml"), results, FAILING_SAID)


def test_a_failing_case_is_named_and_the_others_go_on(half_failed: Outcome) -> None:
    assert half_failed.exit_code == ExitCode.CASE_FAILED
    (case,) = half_failed.run.cases
    assert case.case.swept["table.properties.write.parquet.compression-codec"] == "zstd"
    ((label, line),) = half_failed.run.failures.items()
    assert "nonsense" in label
    assert "nonsense" in line.lower()
    assert "\n" not in line
    assert label in FAILING_SAID.getvalue()


def test_when_every_case_fails_the_lines_say_why(session: Session, tmp_path: Path) -> None:
    scenario = tmp_path / "failing.yaml"
    scenario.write_text(FAILING.replace("[zstd, nonsense]", "[nonsense]"))
    with pytest.raises(CaseFailed, match="nonsense"):
        bench_on(session, load_scenario(scenario), tmp_path, io.StringIO())


def test_the_same_command_runs_only_what_is_left(interrupted: Path, half_failed: Outcome) -> None:
    (case,) = half_failed.run.cases
    assert interrupted == half_failed.run.folder / "cases" / case.key / "case.json"
    assert interrupted.stat().st_mtime == 1
    assert "1 of 2 cases are finished already" in " ".join(FAILING_SAID.getvalue().split())


def test_a_breached_limit_exits_with_1(smoke: Outcome) -> None:
    assert smoke.exit_code == ExitCode.FINDINGS
    (limit,) = smoke.limits
    assert not limit["holds"]
    assert limit["worst"] == pytest.approx(max(case.amplification.metadata for case in smoke.run.cases))


@pytest.fixture(scope="module")
def cases() -> dict[str, Case]:
    return {str(number): case for number, case in enumerate(load_scenario(SCENARIOS / "smoke.yaml").cases())}


def carry_out(cases: dict[str, Case], console: Console) -> None:
    with BenchProgress(console, cases) as progress:
        for key, case in cases.items():
            with progress.case(key) as on_commits:
                on_commits(case.commits)


def test_a_log_gets_a_line_per_case_with_time_left(cases: dict[str, Case]) -> None:
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


def test_a_failed_case_is_done_but_committed_nothing(cases: dict[str, Case]) -> None:
    said = io.StringIO()
    with BenchProgress(Console(file=said), cases) as progress:
        with pytest.raises(CaseFailed), progress.case("0"):
            raise CaseFailed("no space")
        with progress.case("1"):
            pass
    assert said.getvalue().startswith("batch every 1s: 12 commits in 1s. 2 of 4 cases done")
