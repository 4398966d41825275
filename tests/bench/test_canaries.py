"""Credentials that are planted here appear nowhere: no result, log, page, setting or process list holds them."""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from support.canaries import SECRET, betrayed, planted
from support.on_s3 import check_on_s3

from wasim.bench.probing import CaseContext
from wasim.errors import ExitCode
from wasim.runs import CaseRun
from wasim.scenario import Case
from wasim.spark import Session, read_secrets
from wasim.spark.servers import Servers, open_s3proxy

MakeCase = Callable[..., Case]
RunCase = Callable[[Case], tuple[CaseRun, CaseContext]]


def command_lines() -> Iterator[str]:
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            yield (folder / "cmdline").read_bytes().decode(errors="replace")
        except OSError:  # it has just ended
            continue


class ProcessList:
    """Looks at all command lines until it is asked to stop."""

    def __init__(self) -> None:
        self.seen: list[str] = []
        self.looks = 0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._look)

    def _look(self) -> None:
        while not self._stop.wait(0.2):
            self.looks += 1
            self.seen += [line for line in command_lines() if SECRET in line]

    def __enter__(self) -> "ProcessList":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc").exists(), reason="the process list is read from /proc")
def test_credentials_that_wasim_draws_are_nowhere(
    session: Session, servers: Servers, spark_log: Path, objects: Path, small_case: MakeCase, run_case: RunCase
) -> None:
    planning = "{rounds: 1, rounds_at_end: 1, cold: true, execution: true, checkpoints: [1.0]}"
    environment = "{warm_up_commits: 0, catalog: rest, store: s3proxy}"
    with ProcessList() as processes:
        run, context = run_case(small_case(environment=environment, planning=planning, writer="streaming"))
    check_on_s3(run, context)
    store = servers.store("s3proxy")
    assert store is not None
    assert store.credentials is not None
    assert all(secret.startswith(SECRET) for secret in read_secrets(store.credentials).values())
    assert processes.looks > 3
    assert processes.seen == []
    assert betrayed(context.folder.path, objects) == []
    assert SECRET not in spark_log.read_text(errors="replace")
    settings = [*session.spark.sparkContext.getConf().getAll(), *session.spark.conf.getAll.items()]
    assert any("wasim.secrets" in key for key, _ in settings)
    assert not any(SECRET in value for _, value in settings)


SCENARIO = """
name: canary
question: Who can see them?
table: {columns: [{name: reading, type: double}]}
workload: {rows_per_second: 20}
horizon: 4s
commit_interval: 1s
writer: streaming
environment: {warm_up_commits: 2, catalog: rest, store: s3}
planning: {rounds: 1, rounds_at_end: 1, cold: true, execution: true, checkpoints: [1.0]}
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc").exists(), reason="the process list is read from /proc")
def test_credentials_of_the_user_are_nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wasim.spark.servers.s3proxy.random_secret", planted)
    (tmp_path / "canary.yaml").write_text(SCENARIO)
    (tmp_path / "secrets").mkdir()
    with open_s3proxy(tmp_path / "objects", tmp_path / "secrets") as store, ProcessList() as processes:
        assert store.credentials is not None
        secrets = read_secrets(store.credentials)
        environment = os.environ | {
            "WASIM_S3_WAREHOUSE": "s3://wasim/mine",
            "WASIM_S3_ENDPOINT": str(store.endpoint),
            "AWS_ACCESS_KEY_ID": secrets["access_key_id"],
            "AWS_SECRET_ACCESS_KEY": secrets["secret_access_key"],
        }
        said = subprocess.run(
            [sys.executable, "-m", "wasim", "bench", "canary.yaml"],
            cwd=tmp_path, env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
    assert said.returncode == 0, said.stderr
    assert SECRET not in said.stdout + said.stderr
    assert "requests" in said.stdout.lower()
    assert processes.looks > 10
    assert processes.seen == []
    assert betrayed(tmp_path / "results", tmp_path / "objects") == []
    report = next((tmp_path / "results").glob("canary/*/report.html")).read_text()
    assert "What S3 charges" in report
    assert list((tmp_path / "objects" / "wasim" / "mine" / "canary").rglob("*.metadata.json"))


@contextmanager
def postgresql(password: str) -> Iterator[str]:
    """A PostgreSQL server of the test's own on the loopback; its JDBC URI. The user is called iceberg."""
    # PostgreSQL does not run as root; where the tests do, it runs as the user that its package makes
    user = "postgres" if os.geteuid() == 0 else None
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory(prefix="wasim-pg-") as folder:
        data, word = Path(folder, "data"), Path(folder, "word")
        word.write_text(password)
        if user is not None:
            shutil.chown(folder, user)
            shutil.chown(word, user)

        def run(*command: str) -> None:
            subprocess.run(command, user=user, cwd=folder, check=True, stdout=subprocess.DEVNULL)

        run("initdb", "-D", str(data), "-U", "iceberg", "-A", "scram-sha-256", f"--pwfile={word}")
        listens = f"-c listen_addresses=127.0.0.1 -c port={port} -c unix_socket_directories="
        run("pg_ctl", "start", "-w", "-D", str(data), "-l", str(Path(folder, "log")), "-o", listens)
        try:
            yield f"jdbc:postgresql://127.0.0.1:{port}/postgres"
        finally:
            run("pg_ctl", "stop", "-D", str(data), "-m", "immediate")


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("initdb") is None, reason="no PostgreSQL is installed: apt-get install postgresql")
def test_postgresql_keeps_tables_and_its_password_is_nowhere(tmp_path: Path) -> None:
    password = planted()
    (tmp_path / "canary.yaml").write_text(SCENARIO.replace("catalog: rest, store: s3", "catalog: postgresql"))
    with postgresql(password) as uri, ProcessList() as processes:
        environment = os.environ | {
            "WASIM_JDBC_URI": uri,
            "WASIM_JDBC_USER": "iceberg",
            "WASIM_JDBC_PASSWORD": password,
        }
        command = [sys.executable, "-m", "wasim", "bench", "canary.yaml", "--fresh"]
        for _ in range(2):  # a database outlives a run, and holds the next one's table too
            said = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
            assert said.returncode == 0, said.stderr
            assert SECRET not in said.stdout + said.stderr
        environment["WASIM_JDBC_PASSWORD"] = "wrong"  # noqa: S105 - it is
        refused = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        assert refused.returncode == ExitCode.CASE_FAILED
        assert "password authentication failed" in refused.stderr
    assert processes.seen == []
    assert betrayed(tmp_path / "results") == []
