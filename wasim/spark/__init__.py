"""The only gate to PySpark and the JVM: pinned jars, the recorder, short-lived JVMs and the session."""

from wasim.spark.catalogs import CATALOG_NAME, Catalog, JdbcCatalog, MemoryCatalog
from wasim.spark.errors import ENGINE_ERRORS, essential_line
from wasim.spark.jars import PINNED_JARS, PinnedJar, fetch_jars, file_sha256
from wasim.spark.java import JavaRuntime, find_java, short_lived_jvm
from wasim.spark.recorder import Journal, recorder_jar
from wasim.spark.session import DEFAULT_MASTER, Session, open_session

__all__ = [
    "CATALOG_NAME",
    "DEFAULT_MASTER",
    "ENGINE_ERRORS",
    "PINNED_JARS",
    "Catalog",
    "JavaRuntime",
    "JdbcCatalog",
    "Journal",
    "MemoryCatalog",
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
