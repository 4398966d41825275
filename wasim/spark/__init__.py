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
from wasim.spark.java import (
    ENGINE_ERRORS,
    essential_line,
    failed_commit,
    find_java,
    raise_interrupt_before,
    short_lived_jvm,
)
from wasim.spark.pins import (
    AWS_BUNDLE,
    PINNED_JARS,
    POSTGRESQL,
    REST_SERVER_JARS,
    S3PROXY,
    PinnedJar,
    fetch_jars,
    file_sha256,
)
from wasim.spark.recorder import Journal, recorder_jar, recording_properties
from wasim.spark.session import DEFAULT_MASTER, Session, open_plain_session, open_session
