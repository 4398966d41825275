"""The only gate to PySpark and the JVM: pinned jars, the recorder, short-lived JVMs and the session."""

from wasim.spark.catalogs import (
    CATALOG_NAME,
    Catalog,
    HadoopCatalog,
    JdbcCatalog,
    MemoryCatalog,
    PostgresqlCatalog,
    RestCatalog,
    S3Store,
    random_secret,
    read_secrets,
    write_secrets,
)
from wasim.spark.errors import ENGINE_ERRORS, essential_line, failed_commit, raise_interrupt_before
from wasim.spark.jars import fetch_jars, file_sha256
from wasim.spark.java import JavaRuntime, find_java, short_lived_jvm
from wasim.spark.pins import AWS_BUNDLE, PINNED_JARS, POSTGRESQL, REST_SERVER_JARS, S3PROXY, PinnedJar
from wasim.spark.recorder import Journal, recorder_jar, recording_properties
from wasim.spark.session import DEFAULT_MASTER, Session, open_plain_session, open_session, session_jars

__all__ = [
    "AWS_BUNDLE",
    "CATALOG_NAME",
    "DEFAULT_MASTER",
    "ENGINE_ERRORS",
    "PINNED_JARS",
    "POSTGRESQL",
    "REST_SERVER_JARS",
    "S3PROXY",
    "Catalog",
    "HadoopCatalog",
    "JavaRuntime",
    "JdbcCatalog",
    "Journal",
    "MemoryCatalog",
    "PinnedJar",
    "PostgresqlCatalog",
    "RestCatalog",
    "S3Store",
    "Session",
    "essential_line",
    "failed_commit",
    "fetch_jars",
    "file_sha256",
    "find_java",
    "open_plain_session",
    "open_session",
    "raise_interrupt_before",
    "random_secret",
    "read_secrets",
    "recorder_jar",
    "recording_properties",
    "session_jars",
    "short_lived_jvm",
    "write_secrets",
]
