"""A small case, and its run on the one session."""

from pathlib import Path

from support.inspected import check_inspected
from wasim.bench.case import carry_out
from wasim.bench.context import CaseContext
from wasim.runs import CaseRun, RunFolder
from wasim.scenario import Case, load_scenario
from wasim.spark import Session
from wasim.spark.servers import Servers

SMALL_SCENARIO = """
name: small
question: Does it work?
table: {columns: [{name: reading, type: double}, {name: sensor, type: string, values: 5}]}
workload: {rows_per_second: 20}
horizon: 4s
commit_interval: 1s
writer: batch
environment: {warm_up_commits: 0}
planning: {rounds: 1, rounds_at_end: 1, cold: false, execution: false, checkpoints: [1.0]}
"""


def small_case_in(folder: Path, **lines: str) -> Case:
    """The first case of the small scenario, written into the folder with lines of it replaced."""
    text = SMALL_SCENARIO
    for key, value in lines.items():
        kept = [line for line in text.splitlines() if not line.startswith(f"{key}:")]
        text = "\n".join([*kept, f"{key}: {value}"])
    path = folder / "small.yaml"
    path.write_text(text)
    return load_scenario(path).cases()[0]


def run_on_spark(session: Session, servers: Servers, folder: Path, case: Case) -> tuple[CaseRun, CaseContext]:
    """Carries a case out below the folder; gives what came out and where it is. Fails if the doctor sees otherwise."""
    run = RunFolder(folder / "run")
    key = case.key({})
    (run.path / "cases").mkdir(parents=True, exist_ok=True)
    context = CaseContext(
        session=session, folder=run, key=key, machine={}, on_commits=lambda commits: None, servers=servers
    )
    done = carry_out(case, context)
    check_inspected(done, context)
    return done, context
