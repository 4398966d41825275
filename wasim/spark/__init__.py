"""The only gate to PySpark and the JVM: pinned jars, the recorder, short-lived JVMs and the session."""

from wasim.spark.errors import ENGINE_ERRORS, essential_line
from wasim.spark.jars import PINNED_JARS, PinnedJar, fetch_jars, file_sha256
from wasim.spark.java import JavaRuntime, find_java, short_lived_jvm
from wasim.spark.recorder import Journal, recorder_jar
from wasim.spark.session import DEFAULT_MASTER, JdbcCatalog, Session, open_session

__all__ = [
    "DEFAULT_MASTER",
    "ENGINE_ERRORS",
    "PINNED_JARS",
    "JavaRuntime",
    "JdbcCatalog",
    "Journal",
    "PinnedJar",
    "Session",
    "essential_line",
    "fetch_jars",
    "file_sha256",
    "find_java",
    "open_session",
    "recorder_jar",
    "short_lived_jvm",
]
