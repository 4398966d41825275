"""One real Spark session for the whole test run, opened by the first test that asks for it."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import settings
from support.contexts import context_of
from support.inspected import check_inspected

from wasim.bench.case import carry_out
from wasim.bench.context import CaseContext
from wasim.runs import CaseRun, RunFolder
from wasim.scenario import Case, load_scenario
from wasim.spark import AWS_BUNDLE, DEFAULT_MASTER, Session, open_session
from wasim.spark.servers import Servers, open_servers

settings.register_profile("unhurried", deadline=None)  # the machine may have other work
settings.load_profile("unhurried")

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


@pytest.hookimpl(tryfirst=True)  # before -m selects
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks the tests on Spark, and puts those that look at what the others left behind at the end."""
    for item in items:
        if isinstance(item, pytest.Function) and {"session", "servers"} & set(item.fixturenames):
            item.add_marker("spark")
    items.sort(key=lambda item: item.get_closest_marker("last") is not None)


@pytest.fixture(scope="session")
def spark_log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the one session's JVM prints."""
    return tmp_path_factory.mktemp("spark") / "spark.log"


@pytest.fixture(scope="session")
def session(spark_log: Path) -> Iterator[Session]:
    """The one session."""
    with open_session({}, master=DEFAULT_MASTER, log=spark_log, extra_jars=(AWS_BUNDLE,)) as opened:
        yield opened


@pytest.fixture(scope="session")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    """Servers for the whole run, each started by the first test that needs it."""
    with open_servers(tmp_path_factory.mktemp("objects")) as opened:
        yield opened


@pytest.fixture
def small_case(tmp_path: Path) -> Callable[..., Case]:
    """The first case of the small scenario, with lines of it replaced: `small_case(horizon="9s")`."""

    def make(**lines: str) -> Case:
        text = SMALL_SCENARIO
        for key, value in lines.items():
            kept = [line for line in text.splitlines() if not line.startswith(f"{key}:")]
            text = "\n".join([*kept, f"{key}: {value}"])
        path = tmp_path / "small.yaml"
        path.write_text(text)
        return load_scenario(path).cases()[0]

    return make


@pytest.fixture
def run_case(session: Session, servers: Servers, tmp_path: Path) -> Callable[[Case], tuple[CaseRun, CaseContext]]:
    """Carries a case out on the one session; gives what came out and where it is."""

    def run(case: Case) -> tuple[CaseRun, CaseContext]:
        folder = RunFolder(tmp_path / "run")
        key = case.key({})
        (folder.path / "cases").mkdir(parents=True, exist_ok=True)
        context = CaseContext(
            session=session, folder=folder, key=key, machine={}, on_commits=lambda commits: None, servers=servers
        )
        done = carry_out(case, context)
        check_inspected(done, context)
        return done, context

    return run


@pytest.fixture
def run_on(session: Session, servers: Servers, tmp_path: Path) -> Callable[[str, Case], tuple[CaseRun, CaseContext]]:
    """Carries a case out on the engine of that name."""

    def run(engine: str, case: Case) -> tuple[CaseRun, CaseContext]:
        context = context_of(engine, case, session, servers, tmp_path)
        shutil.rmtree(context.folder.case(context.key), ignore_errors=True)
        done = carry_out(case, context)
        check_inspected(done, context)
        return done, context

    return run
