"""One real Spark session for the whole test run, opened by the first test that asks for it.

A plugin of pytest that tests/conftest.py loads where Spark is installed.
"""

import shutil
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from support.canaries import planted
from support.contexts import context_of
from support.inspected import check_inspected
from wasim.bench.case import carry_out
from wasim.bench.probing import CaseContext
from wasim.runs import CaseRun, RunFolder
from wasim.scenario import Case
from wasim.spark import AWS_BUNDLE, DEFAULT_MASTER, Session, java, open_session
from wasim.spark.servers import Servers, open_servers

# Most of what a JVM does for short jobs is to compile: without its optimising compiler tests take less. The other alone
# has room for 48 MB of code, which is full halfway through: from then on code is thrown away and compiled again.
# Nor are classes of released jars verified, or expressions of a few rows compiled.
FEW_COMPILERS = ["-XX:TieredStopAtLevel=1", "-XX:ReservedCodeCacheSize=256m", "-XX:+UseSerialGC"]
FEW_COMPILERS += ["-XX:+UnlockDiagnosticVMOptions", "-XX:-BytecodeVerificationRemote"]
java.JVM_OPTIONS += FEW_COMPILERS
OF_TESTS = {
    "spark.driver.defaultJavaOptions": " ".join(FEW_COMPILERS),
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}


@pytest.fixture(scope="session")
def spark_log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the one session's JVM prints."""
    return tmp_path_factory.mktemp("spark") / "spark.log"


@pytest.fixture(scope="session")
def session(spark_log: Path) -> Iterator[Session]:
    """The one session."""
    with open_session(OF_TESTS, master=DEFAULT_MASTER, log=spark_log, extra_jars=(AWS_BUNDLE,)) as opened:
        yield opened


@pytest.fixture(scope="session")
def objects(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the S3 endpoint of the whole run keeps its objects."""
    return tmp_path_factory.mktemp("objects")


@pytest.fixture(scope="session")
def servers(objects: Path) -> Iterator[Servers]:
    """Servers for the whole run, each started by the first test that needs it, with credentials that are looked for."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("wasim.spark.servers.random_secret", planted)
        with open_servers(objects) as opened:
            yield opened


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


@pytest.fixture
def run_case(session: Session, servers: Servers, tmp_path: Path) -> Callable[[Case], tuple[CaseRun, CaseContext]]:
    """Carries a case out on the one session; gives what came out and where it is."""
    return partial(run_on_spark, session, servers, tmp_path)


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
