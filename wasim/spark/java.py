"""The Java runtime that Spark needs, short-lived JVMs of our own, and the one line of what went wrong in one."""

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyspark
from py4j.java_gateway import GatewayParameters, JavaGateway, launch_gateway
from py4j.protocol import Py4JError, Py4JJavaError
from pyspark.errors import PySparkException

from wasim.errors import CaseFailed, EnvironmentFault
from wasim.ledger.vocabulary import COMMIT_FAILED

SUPPORTED_MAJORS = (17, 21)  # what Spark 4.1 runs on
INSTALLED = (Path("/usr/lib/jvm"),)  # where Linux distributions put them
SPARK_JARS = Path(pyspark.__file__).parent / "jars"
JVM_OPTIONS = ["-Xmx1g", "-XX:-UsePerfData"]  # of the short-lived ones
_REMEDY = "Install Java 17 or 21 (on Debian: apt-get install openjdk-17-jre-headless) or point JAVA_HOME at one."
# what carrying out a case may end with that is the case's fault, or its table's, and not a bug of ours
ENGINE_ERRORS = (CaseFailed, Py4JError, PySparkException, OSError)
# how Iceberg says that a commit did not come about, or that it cannot tell; the last is a catalog's database
_FAILED_COMMITS = (COMMIT_FAILED, "CommitStateUnknownException", "UncheckedSQLException")


@dataclass(frozen=True, slots=True, kw_only=True)
class JavaRuntime:
    """A usable Java: its executable and the version line that it prints."""

    executable: Path
    version: str


def find_java() -> JavaRuntime:
    """The Java that Spark will use: JAVA_HOME's, else the PATH's, else any that is installed in the usual places.

    EnvironmentFault, with the next step, if none of them is of a major version that Spark runs on.
    """
    unfit = []
    for executable in _candidates():
        try:
            said = subprocess.run([executable, "-version"], capture_output=True, text=True, check=False).stderr
        except OSError as error:
            said = error.strerror or ""
        match = re.search(r'version "(\d+)', said)
        if match and int(match[1]) in SUPPORTED_MAJORS:
            return JavaRuntime(executable=executable, version=said.splitlines()[0].strip())
        unfit.append(f"{executable} is {said.splitlines()[0].strip() if said else 'no Java'}")
    found = "; ".join(unfit) or "no java in JAVA_HOME, on the PATH or under /usr/lib/jvm"
    raise EnvironmentFault(f"Spark 4.1 needs Java 17 or 21: {found}. {_REMEDY}")


def _candidates() -> Iterator[Path]:
    home, on_path = os.environ.get("JAVA_HOME"), shutil.which("java")
    named = [Path(home, "bin", "java")] if home else []
    named += [Path(on_path)] if on_path else []
    yield from (
        path
        for path in [*named, *(java for folder in INSTALLED for java in sorted(folder.glob("*/bin/java")))]
        if path.exists()
    )


def keep_names(jvm: Any, names: Sequence[str]) -> None:
    """Looks these classes up once: py4j asks the JVM for each part of a name whenever it is used, and for a class
    `org` or `org.apache` the JVM searches every jar.
    """
    for name in names:
        place = jvm
        for part in name.split("."):
            found = getattr(place, part)
            setattr(place, part, found)
            place = found


@contextmanager
def short_lived_jvm(
    classpath: Sequence[Path], *, with_spark: bool = True, options: Sequence[str] = ()
) -> Iterator[JavaGateway]:
    """A gateway to a JVM with `classpath`, pyspark's jars if `with_spark`, and further `options`.

    It ends with the block, or when this process dies. Listens on the loopback only.
    """
    java = find_java()
    jars = [str(SPARK_JARS / "*")] if with_spark else []
    # its own folder for what libraries unpack: a JVM that is killed leaves theirs behind
    with (
        tempfile.TemporaryDirectory(prefix="wasim-") as folder,
        _launched(java, os.pathsep.join([*jars, *map(str, classpath)]), folder, options) as gateway,
    ):
        yield gateway


@contextmanager
def _launched(java: JavaRuntime, classpath: str, folder: str, options: Sequence[str]) -> Iterator[JavaGateway]:
    port, token, process = launch_gateway(
        classpath=classpath,
        jarpath=str(next(SPARK_JARS.glob("py4j-*.jar"))),
        java_path=str(java.executable),
        javaopts=[*JVM_OPTIONS, *options, f"-Djava.io.tmpdir={folder}"],
        die_on_exit=True,
        enable_auth=True,
        redirect_stderr=subprocess.DEVNULL,
        daemonize_redirect=True,
        return_proc=True,
    )
    # no memory management: py4j would tell a JVM that has gone, from whichever thread drops the last reference,
    # and wait for its answer for ever
    parameters = GatewayParameters(port=port, auth_token=token, enable_memory_management=False)
    gateway = JavaGateway(gateway_parameters=parameters)
    try:
        yield gateway
    finally:
        gateway.close()
        process.kill()
        process.wait()


def raise_interrupt_before(error: BaseException) -> None:
    """KeyboardInterrupt if one came before the error, which is then what leaving a call of the JVM half done led to."""
    before: BaseException | None = error
    while before is not None:
        if isinstance(before, KeyboardInterrupt):
            raise KeyboardInterrupt from error
        before = before.__context__


def failed_commit(error: BaseException) -> str | None:
    """Iceberg's word for the way in which a commit failed; None when `error` is something else."""
    cause = error.java_exception if isinstance(error, Py4JJavaError) else getattr(error, "_origin", None)
    while cause is not None:
        name = str(cause.getClass().getSimpleName())
        if name in _FAILED_COMMITS:
            return name
        cause = cause.getCause()
    return None


def essential_line(error: BaseException) -> str:
    """The innermost cause of `error`, in one line of at most 300 characters."""
    if isinstance(error, CaseFailed):
        text = str(error)
    elif isinstance(error, Py4JJavaError):
        cause = error.java_exception
        while cause.getCause() is not None:
            cause = cause.getCause()
        text = str(cause.toString())
    else:
        deepest = error
        while deepest.__cause__ is not None:
            deepest = deepest.__cause__
        text = f"{type(deepest).__name__}: {deepest}"
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return (lines[0] if lines else type(error).__name__)[:300]
