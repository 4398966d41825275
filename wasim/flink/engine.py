"""One case written by Flink's sink, at a checkpoint for each commit, in a JVM that lives as long as the case."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from wasim.errors import CaseFailed
from wasim.flink.checks import check_sink
from wasim.flink.rows import rows_text
from wasim.iceberg.properties import UPSERT_ENABLED, WRITE_DISTRIBUTION_MODE
from wasim.iceberg.schemas import schema_json
from wasim.iceberg.specs import spec_json
from wasim.ledger.vocabulary import CREATE_TABLE
from wasim.runner.written import Lines, Writer
from wasim.scenario import Case
from wasim.scenario.paths import TABLE_NAME, whole_paths
from wasim.spark import ENGINE_ERRORS, PinnedJar, essential_line, fetch_jars, recording_properties, short_lived_jvm
from wasim.spark.java import SPARK_JARS
from wasim.spark.pins import SQLITE
from wasim.spark.recorder import RECORDER, compiled_jar, read_journal
from wasim.twin.schema import iceberg_schema, partition_spec
from wasim.workload import Append, plan_steps

_HERE = Path(__file__).parent
_RECORDING = ("Journal", "JournalReporter", "RecordingFileSystem", "RecordingStream", "LocalFiles")
_OPENED = [f"--add-opens=java.base/java.{name}=ALL-UNNAMED" for name in ("util", "lang")]  # to Flink's serializers


@cache
def flink_jars() -> tuple[PinnedJar, ...]:
    """Flink 2.1.1, the sink of Iceberg 1.11.0 (no newer one is published for it), and what they need."""
    lines = (line.split() for line in (_HERE / "jars.txt").read_text().splitlines())
    return tuple(
        PinnedJar(organisation=organisation, name=name, version=version, sha256=sha256)
        for organisation, name, version, sha256 in lines
    )


def write_table(case: Case, warehouse: Path) -> Lines:
    """The journal of the case's table, written from nothing below the warehouse. CaseFailed with the job's cause."""
    (warehouse / "rows.txt").write_text(rows_text(case))
    journal = warehouse / "journal"
    journal.mkdir()
    try:
        with _flink() as jvm:
            _write(jvm, case, warehouse)
    except ENGINE_ERRORS as error:
        raise CaseFailed(essential_line(error)) from error
    finally:
        (warehouse / "rows.txt").unlink()
    return list(read_journal(journal))


@contextmanager
def _flink() -> Iterator[Any]:
    jars = fetch_jars((*flink_jars(), SQLITE))
    sources = [RECORDER / f"{name}.java" for name in _RECORDING]
    own = compiled_jar("flink", [*sources, *sorted((_HERE / "java" / "wasim" / "flink").glob("*.java"))], jars)
    # the journal asks Spark for the task under way; behind Flink's, of which some are other releases of the same
    behind = [
        next(SPARK_JARS.glob(f"{name}-*.jar")) for name in ("spark-core_*", "scala-library", "spark-common-utils_*")
    ]
    with short_lived_jvm([own, *jars, *behind], with_spark=False, options=_OPENED) as gateway:
        yield gateway.jvm


def _write(jvm: Any, case: Case, warehouse: Path) -> None:
    folder, location = str(warehouse / "journal"), str(warehouse.joinpath(*TABLE_NAME.split(".")))
    catalog = {
        "warehouse": str(warehouse),
        "uri": f"jdbc:sqlite:file:{warehouse / 'catalog.db'}",
        "jdbc.schema-version": "V1",
        "metrics-reporter-impl": "wasim.recorder.JournalReporter",
        "wasim.journal": folder,
    }
    recording = recording_properties(warehouse / "journal", sets_permissions=True, on_s3=False)
    hadoop = {key.removeprefix("hadoop."): text for key, text in recording.items() if key.startswith("hadoop.")}
    job = jvm.wasim.flink.Job(_java_map(jvm, catalog), _java_map(jvm, hadoop), *TABLE_NAME.split("."))
    journal = jvm.wasim.recorder.Journal.at(folder)
    schema = iceberg_schema(case.table, case.key_columns)
    spec = spec_json(partition_spec(case.table, schema))
    properties = {
        "format-version": str(case.table.format_version),
        WRITE_DISTRIBUTION_MODE: case.workload.distribution_mode,
        **({UPSERT_ENABLED: "true"} if case.key_columns else {}),
        **whole_paths(case.table.properties, location),
    }
    journal.step(0, CREATE_TABLE, 0, 0, 0)
    job.create(schema_json(schema), spec, location, _java_map(jvm, properties))
    journal.done(0)
    first = next(step for step in plan_steps(case) if isinstance(step, Append))
    interval_ms = round(case.commit_interval_s * 1000)
    journal.step(first.number, first.operation(first.commits), interval_ms, interval_ms, case.rows_per_commit)
    rows, tasks = str(warehouse / "rows.txt"), case.workload.files_per_commit
    job.write(rows, case.rows_per_commit, case.commits, tasks, folder)


def _java_map(jvm: Any, members: dict[str, str]) -> Any:
    made = jvm.java.util.HashMap()
    for key, text in members.items():
        made.put(key, text)
    return made


def versions() -> dict[str, str]:
    """What decides a case's bytes beyond wasim: the jars, by their SHA-256."""
    return {jar.name: jar.sha256 for jar in flink_jars()}


FLINK = Writer(name="flink", versions=versions, check=check_sink, write=write_table)
