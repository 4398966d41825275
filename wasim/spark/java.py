"""The Java runtime that Spark needs, and short-lived JVMs of our own."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pyspark
from py4j.java_gateway import GatewayParameters, JavaGateway, launch_gateway

from wasim.errors import EnvironmentFault

SUPPORTED_MAJORS = (17, 21)  # what Spark 4.1 runs on
SPARK_JARS = Path(pyspark.__file__).parent / "jars"
_REMEDY = "Install Java 17 or 21 (on Debian: apt-get install openjdk-17-jre-headless) or point JAVA_HOME at one."


@dataclass(frozen=True, slots=True, kw_only=True)
class JavaRuntime:
    """A usable Java: its executable, major version and the version line that it prints."""

    executable: Path
    major: int
    version: str


def find_java() -> JavaRuntime:
    """The Java that Spark will use: JAVA_HOME's, else the PATH's. EnvironmentFault if missing, too old or too new."""
    home = os.environ.get("JAVA_HOME")
    found = str(Path(home, "bin", "java")) if home else shutil.which("java")
    if not found or not Path(found).exists():
        where = f"JAVA_HOME is {home}, which has no bin/java" if home else "no java on the PATH"
        raise EnvironmentFault(f"Java not found: {where}. {_REMEDY}")
    said = subprocess.run([found, "-version"], capture_output=True, text=True, check=False)
    match = re.search(r'version "(\d+)(?:\.(\d+))?[^"]*"', said.stderr)
    if not match:
        raise EnvironmentFault(f"{found} -version says no version. {_REMEDY}")
    major = int(match[2] or 0) if match[1] == "1" else int(match[1])
    if major not in SUPPORTED_MAJORS:
        raise EnvironmentFault(f"{found} is Java {major}; Spark 4.1 needs Java 17 or 21. {_REMEDY}")
    return JavaRuntime(executable=Path(found), major=major, version=said.stderr.splitlines()[0].strip())


@contextmanager
def short_lived_jvm(classpath: Sequence[Path]) -> Iterator[JavaGateway]:
    """A gateway to a JVM with pyspark's jars and `classpath`; it ends with the block. Listens on the loopback only."""
    java = find_java()
    port, token = launch_gateway(
        classpath=os.pathsep.join([str(SPARK_JARS / "*"), *map(str, classpath)]),
        jarpath=str(next(SPARK_JARS.glob("py4j-*.jar"))),
        java_path=str(java.executable),
        javaopts=["-Xmx1g"],
        die_on_exit=True,
        enable_auth=True,
        redirect_stderr=subprocess.DEVNULL,
    )
    gateway = JavaGateway(gateway_parameters=GatewayParameters(port=port, auth_token=token))
    try:
        yield gateway
    finally:
        gateway.shutdown()
