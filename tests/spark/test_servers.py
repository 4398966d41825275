"""Servers of our own: on the loopback only, closed to strangers, gone with their block and with their parent."""

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from dataclasses import replace
from pathlib import Path

import pytest
from support.synthetic import synthetic_case

from wasim.errors import EnvironmentFault
from wasim.scenario import Case
from wasim.spark import JdbcCatalog
from wasim.spark.servers import check_environment, check_loopback, open_rest_host, open_s3proxy


def listener(address: str) -> socket.socket:
    found = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET)
    found.bind((address, 0))
    found.listen()
    return found


@pytest.mark.parametrize("address", ["127.0.0.1", "127.0.0.2", "::1"])
def test_a_port_of_the_loopback_is_used(address: str) -> None:
    with listener(address) as server:
        check_loopback(server.getsockname()[1], server="It")


@pytest.mark.parametrize("address", ["0.0.0.0", "::"])  # noqa: S104 - to be refused
def test_a_port_of_every_interface_is_refused(address: str) -> None:
    with (
        listener(address) as server,
        pytest.raises(EnvironmentFault, match=r"It listens on .*others could reach it.*no server") as fault,
    ):
        check_loopback(server.getsockname()[1], server="It")
    assert "\n" not in str(fault.value)


def environment(**fields: str) -> Case:
    case = synthetic_case(horizon_s=1.0)
    return replace(case, environment=case.environment.model_copy(update=fields))


@pytest.mark.parametrize(
    ("fields", "variables", "said"),
    [
        ({"store": "s3"}, {}, "WASIM_S3_WAREHOUSE is not set. Set it to a bucket"),
        ({"store": "s3"}, {"WASIM_S3_WAREHOUSE": "bucket/x"}, "WASIM_S3_WAREHOUSE is 'bucket/x'"),
        (
            {"store": "s3"},
            {"WASIM_S3_WAREHOUSE": "s3://bucket/x", "WASIM_S3_ENDPOINT": "http://me:word@host"},
            "WASIM_S3_ENDPOINT is no address",
        ),
        ({"catalog": "postgresql"}, {}, "WASIM_JDBC_URI is not set. Set it, such as jdbc:postgresql:"),
        ({"catalog": "postgresql"}, {"WASIM_JDBC_URI": "jdbc:mysql://x/y"}, "WASIM_JDBC_URI is no PostgreSQL URI"),
        (
            {"catalog": "postgresql"},
            {"WASIM_JDBC_URI": "jdbc:postgresql://x/y?ssl=true&password=word"},
            "WASIM_JDBC_URI holds a user or a password",
        ),
    ],
)
def test_what_the_environment_lacks_is_reported_before_anything_starts(
    fields: dict[str, str], variables: dict[str, str], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("WASIM_S3_WAREHOUSE", "WASIM_S3_ENDPOINT", "WASIM_JDBC_URI"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(EnvironmentFault) as fault:
        check_environment([environment(**fields)])
    assert said in str(fault.value)
    assert "word@" not in str(fault.value)
    assert "=word" not in str(fault.value)
    assert "\n" not in str(fault.value)


def status_of(uri: str) -> int:
    try:
        with urllib.request.urlopen(uri) as answer:  # noqa: S310 - a server of ours
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code


def test_servers_answer_none_without_credentials_and_end_with_their_block(tmp_path: Path) -> None:
    (tmp_path / "journal").mkdir()
    backend = JdbcCatalog(warehouse=tmp_path)
    with open_s3proxy(tmp_path / "objects", tmp_path) as store:
        assert store.endpoint is not None
        assert store.credentials is not None
        assert store.credentials.stat().st_mode & 0o777 == 0o600
        assert status_of(f"{store.endpoint}/wasim?list-type=2") == 403
    with open_rest_host(tmp_path, on_s3=False) as host, host.serve(backend, tmp_path / "journal") as server:
        assert server.credentials.stat().st_mode & 0o777 == 0o600
        assert status_of(f"{server.uri}/v1/config") == 401
        assert status_of(f"{server.uri}/v1/namespaces") == 401
    for gone in (store.endpoint, server.uri):
        with pytest.raises(urllib.error.URLError):
            status_of(gone)
    assert not store.credentials.exists()
    assert not server.credentials.exists()


STARTS_AND_WAITS = """
import sys, time
from pathlib import Path
from wasim.spark.servers import open_s3proxy
with open_s3proxy(Path(sys.argv[1], "objects"), Path(sys.argv[1])) as store:
    print(store.endpoint, flush=True)
    time.sleep(600)
"""


def test_a_server_ends_when_its_parent_is_killed(tmp_path: Path) -> None:
    parent = subprocess.Popen(
        [sys.executable, "-c", STARTS_AND_WAITS, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    assert parent.stdout is not None
    endpoint = parent.stdout.readline().strip()
    assert status_of(endpoint) == 403
    os.kill(parent.pid, signal.SIGKILL)
    parent.wait()
    parent.stdout.close()
    deadline_s = time.monotonic() + 20
    while time.monotonic() < deadline_s:
        try:
            status_of(endpoint)
        except OSError:  # nobody answers, or no longer
            return
        time.sleep(0.1)
    pytest.fail("s3proxy outlived its parent")
