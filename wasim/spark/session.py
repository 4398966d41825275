"""The Spark session: one per process, with the pinned runtime and the recorder on its class path."""

import logging
import os
import signal
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql.functions import expr

from wasim.errors import EnvironmentFault
from wasim.spark.catalogs import Catalog, MemoryCatalog, S3Store
from wasim.spark.java import essential_line, find_java, keep_names
from wasim.spark.pins import AWS_BUNDLE, PinnedJar, fetch_jars
from wasim.spark.recorder import Journal, java_map, recorder_jar

DEFAULT_MASTER = "local[2]"


@dataclass(frozen=True, slots=True)
class Session:
    """A running Spark with Iceberg and the recorder."""

    spark: SparkSession
    jars: tuple[Path, ...]
    _catalog_settings: list[str] = field(default_factory=list)

    @property
    def jvm(self) -> Any:
        """The JVM's view, for Iceberg's Java API."""
        return self.spark._jvm

    def journal(self, folder: Path) -> Journal:
        """A journal in `folder`, which must exist."""
        return Journal(folder, self.jvm)

    def add_catalog(self, catalog: Catalog, journal: Journal | None, *, sets_permissions: bool = True) -> None:
        """Makes the catalog known to Spark, its tables recorded if a journal is given.

        A catalog that Spark knew by that name is forgotten; so is what one in memory held in this warehouse.
        """
        self.spark._jsparkSession.sessionState().catalogManager().reset()
        prefix = f"spark.sql.catalog.{catalog.name}"
        for setting in [setting for setting in self._catalog_settings if setting.startswith(f"{prefix}.")]:
            self.spark.conf.unset(setting)  # one of another type may leave none of its own
            self._catalog_settings.remove(setting)
        if isinstance(catalog, MemoryCatalog):
            self.jvm.wasim.recorder.MemoryCatalog.forget(catalog.root)
        on_s3 = catalog.store is not None
        recorded = journal.catalog_properties(sets_permissions=sets_permissions, on_s3=on_s3) if journal else {}
        self.spark.conf.set(prefix, "org.apache.iceberg.spark.SparkCatalog")
        for key, value in {**catalog.properties(), **recorded}.items():
            self.spark.conf.set(f"{prefix}.{key}", value)
            self._catalog_settings.append(f"{prefix}.{key}")

    def remove_objects(self, store: S3Store) -> None:
        """Deletes all objects of the store's location."""
        files = self.jvm.org.apache.iceberg.aws.s3.S3FileIO()
        files.initialize(java_map(self.jvm, store.properties()))
        files.deletePrefix(f"{store.location}/")
        files.close()

    def sibling(self) -> "Session":
        """Another session of the same Spark, which knows the same catalogs but opens them, and their tables, anew."""
        spark = self.spark.newSession()
        for key, value in self.spark.conf.getAll.items():
            if key.startswith("spark.sql.catalog."):
                spark.conf.set(key, value)
        return Session(spark, self.jars)

    def works_for(self, step: int) -> None:
        """Tells the tasks that this thread starts from now on which step they work for."""
        self.spark.sparkContext.setLocalProperty("wasim.step", str(step))

    def iceberg_table(self, name: str) -> Any:
        """The table as Iceberg's Java library has it, from Spark's catalog."""
        return self.jvm.org.apache.iceberg.spark.Spark3Util.loadIcebergTable(self.spark._jsparkSession, name)

    def run(self, statement: str) -> None:
        """Runs one SQL statement to its end."""
        self.spark.sql(statement).collect()

    def condition(self, text: str) -> Any:
        """A SQL condition as a column."""
        return expr(text)

    def commit_appends(self, table: Any, commits: str, *, merges: bool, journal: Journal) -> None:
        """Commits one append to an Iceberg table for every line of `commits`, inside the JVM."""
        self.jvm.wasim.recorder.Appends.commit(table, commits, merges, str(journal.folder))

    def live_files(self, table: Any) -> list[list[str]]:
        """An Iceberg table's live files as it now is, in the order of its manifests: content, partition spec, data
        sequence number, first row id, offset of the content, location. What a file does not have is a dash.
        """
        lines = str(self.jvm.wasim.recorder.Changes.live(table)).split("\n")
        return [line.split("\t", 5) for line in lines if line]

    def commit_change(self, table: Any, change: str, *, journal: Journal) -> None:
        """Commits a change of files that nobody wrote to an Iceberg table."""
        self.jvm.wasim.recorder.Changes.commit(table, change, str(journal.folder))

    def metadata_json(self, table: Any) -> str:
        """The text of an Iceberg table's metadata, as it now is."""
        table.refresh()
        return str(self.jvm.org.apache.iceberg.TableMetadataParser.toJson(table.operations().current()))

    @property
    def application_id(self) -> str:
        """Spark's id of this application, which its commits carry."""
        return str(self.spark.sparkContext.applicationId)


@contextmanager
def open_session(
    settings: Mapping[str, str], *, master: str, log: Path, extra_jars: Sequence[PinnedJar] = ()
) -> Iterator[Session]:
    """A session for the block, with everything that the JVM prints in `log`; `settings` go over ours.

    `extra_jars` are on its class path with PINNED_JARS. EnvironmentFault if Java, a jar or a port is missing.
    """
    java = find_java()
    on_class_path = session_jars(extra_jars)
    if os.environ.get("LC_ALL") in ("C", "POSIX"):
        os.environ["LC_ALL"] = "C.UTF-8"  # else the JVM cannot name files that hold other than ASCII letters
    os.environ["JAVA_HOME"] = str(java.executable.resolve().parent.parent)  # the one that was checked
    own = {**_SETTINGS, "spark.jars": ",".join(map(str, on_class_path))}
    with _started({**own, **settings}, master, log) as spark:
        keep_names(spark._jvm, _OFTEN_NAMED)
        yield Session(spark, on_class_path)


def session_jars(extra_jars: Sequence[PinnedJar]) -> tuple[Path, ...]:
    """All jars of a session with `extra_jars`, ours among them."""
    jars, extra = fetch_jars(), fetch_jars(extra_jars)
    ours = [recorder_jar(jars)]
    if AWS_BUNDLE in extra_jars:
        ours.append(recorder_jar((*jars, *fetch_jars((AWS_BUNDLE,)), *ours), "s3"))
    return (*jars, *extra, *ours)


@contextmanager
def open_plain_session(*, master: str, log: Path) -> Iterator[SparkSession]:
    """A session without Iceberg, for the block: one that maps Python over a DataFrame. EnvironmentFault as above, and
    where this process has another one, which would be returned in its place and stopped.
    """
    if SparkSession.getActiveSession() is not None:
        raise EnvironmentFault(
            "This process has a Spark session already. Start one of workers in a process of its own."
        )
    os.environ["JAVA_HOME"] = str(find_java().executable.resolve().parent.parent)
    with _started(_PLAIN_SETTINGS, master, log) as spark:
        yield spark


@contextmanager
def _started(settings: Mapping[str, str], master: str, log: Path) -> Iterator[SparkSession]:
    """The session for the block; an interrupt stays what it was before, and py4j keeps its words on it to itself."""
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")  # else Spark warns and looks for another address
    builder = SparkSession.builder.master(master).appName("wasim")
    for key, value in settings.items():
        builder = builder.config(key, value)
    on_interrupt = signal.getsignal(signal.SIGINT)
    try:
        with _jvm_prints_to(log):
            spark = builder.getOrCreate()
    except (PySparkException, Py4JError, OSError, RuntimeError) as error:
        raise EnvironmentFault(f"Spark did not start: {essential_line(error)} Its log is {log}.") from error
    if threading.current_thread() is threading.main_thread():
        # PySpark's own handler calls the JVM from within the call that is under way, and so makes that fail
        signal.signal(signal.SIGINT, on_interrupt)
    logging.getLogger("py4j").propagate = False
    logging.getLogger().addFilter(_is_not_py4js)  # part of py4j logs there
    try:
        yield spark
    finally:
        spark.stop()


def _is_not_py4js(record: logging.LogRecord) -> bool:
    """Whether another than py4j logs; it prints a traceback of each call that an interrupt ends."""
    return Path(record.pathname).parent.name != "py4j"


@contextmanager
def _jvm_prints_to(log: Path) -> Iterator[None]:
    """A JVM that starts within the block keeps `log` as its standard output and error; this process keeps its own."""
    with log.open("ab") as file:
        kept = [(stream, os.dup(stream)) for stream in (1, 2)]
        try:
            for stream, _ in kept:
                os.dup2(file.fileno(), stream)
            yield
        finally:
            for stream, copy in kept:
                os.dup2(copy, stream)
                os.close(copy)


_PLAIN_SETTINGS = {
    "spark.ui.enabled": "false",  # no port, no memory for a page that nobody opens
    "spark.ui.showConsoleProgress": "false",  # the progress bar is ours
    "spark.driver.host": "127.0.0.1",  # loopback only
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.extraJavaOptions": f"-Dlog4j2.configurationFile={Path(__file__).parent / 'log4j2.properties'}",
}
_SETTINGS = _PLAIN_SETTINGS | {
    "spark.sql.variable.substitute": "false",  # else ${env:HOME} in a table property would not stay as written
    "spark.sql.session.timeZone": "UTC",  # event time is the same on every machine
    "spark.sql.shuffle.partitions": "4",  # 200 tasks for a few hundred rows would time Spark, not Iceberg
    "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
}
# PySpark asks for py4j's TypeUtil a dozen times of each error.
_OFTEN_NAMED = tuple(
    """
    java.util.HashMap org.apache.hadoop.conf.Configuration org.apache.iceberg.CatalogUtil
    org.apache.iceberg.TableMetadataParser org.apache.iceberg.catalog.TableIdentifier
    org.apache.iceberg.expressions.Expressions org.apache.iceberg.metrics.InMemoryMetricsReporter
    org.apache.iceberg.relocated.com.google.common.collect.Iterables org.apache.iceberg.spark.Spark3Util
    org.apache.iceberg.spark.actions.SparkActions py4j.reflection.TypeUtil wasim.recorder.Appends
    wasim.recorder.Changes wasim.recorder.CountingFiles wasim.recorder.Journal wasim.recorder.MemoryCatalog
    """.split()
)
