"""A job that upserts as Flink does, carried out by Iceberg's own Java: its writers of deltas and its RowDelta.

Rows, and which subtask each goes to, are the simulator's; everything that is written comes from the library.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from support.paths import TESTS
from wasim.iceberg.names import staged_manifest_name
from wasim.iceberg.properties import TableProperties
from wasim.iceberg.schemas import schema_json
from wasim.iceberg.specs import spec_json
from wasim.scenario import Case
from wasim.spark import Session
from wasim.twin.data_files import DataFiles, data_files_of
from wasim.twin.flink import Subtasks
from wasim.twin.identifiers import locations_of
from wasim.twin.profile import profile_named
from wasim.twin.row_sets import RowSet

SOURCES = TESTS / "java"
JOB, OPERATOR = "0123456789abcdef0123456789abcdef", "fedcba98765432100123456789abcdef"
QUERY_ID = "8f7d1d2e-30f5-4c5e-9d0f-5f3f7f6f1a2b"


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """The manifests that one staged, as bytes, with their names."""

    staged: dict[str, bytes]


def texts(checkpoint: int) -> dict[str, str]:
    return {"job_hex": JOB, "operator_hex": OPERATOR, "checkpoint": str(checkpoint)}


def subtasks_of(case: Case, files: DataFiles, location: str) -> Subtasks:
    counts = [0] * case.workload.files_per_commit
    locations = locations_of(location, TableProperties.read(case.table.properties))
    return Subtasks(files=files, locations=locations, query_id=QUERY_ID, counts=counts)


_CLASSES = {}


def compiled(session: Session, name: str):
    """The class of that name, compiled once: py4j knows classes by their names."""
    if name not in _CLASSES:
        _CLASSES[name] = _compile(session, name)
    return _CLASSES[name]


def _compile(session: Session, name: str):
    compiler = session.jvm.org.codehaus.janino.SimpleCompiler()
    compiler.setTargetVersion(8)
    compiler.setParentClassLoader(session.jvm.java.lang.Thread.currentThread().getContextClassLoader())
    compiler.cook((SOURCES / f"{name}.java").read_text())
    return compiler.getClassLoader().loadClass(f"wasim.test.{name}")


class UpsertingJob:
    """The job, in the JVM of a session, on a table of its own below `folder`."""

    def __init__(self, session: Session, case: Case, folder: Path) -> None:
        self.case, self.jvm = case, session.jvm
        self.gateway = session.spark.sparkContext._gateway
        self.files = data_files_of(case, profile_named("flink"))
        self.warehouse, self.folder = folder, folder / "db" / "events"
        self.location = f"file:{self.folder}"
        self.table = self._create()
        self.subtasks = subtasks_of(case, self.files, self.location)
        writer = compiled(session, "DeltaWriter")
        self.writers = [self._made(writer, self.table, task) for task in range(case.workload.files_per_commit)]
        self.committer = self._made(compiled(session, "Committer"), self.table)
        self.staged = 0

    def _create(self):
        iceberg = self.jvm.org.apache.iceberg
        catalog = self.jvm.wasim.recorder.MemoryCatalog()
        catalog.setConf(self.jvm.org.apache.hadoop.conf.Configuration())
        catalog.initialize("upserting", self._map({"warehouse": str(self.warehouse)}))
        schema = iceberg.SchemaParser.fromJson(schema_json(self.files.schema))
        spec = iceberg.PartitionSpecParser.fromJson(schema, spec_json(self.files.spec))
        case = self.case
        properties = {
            "format-version": str(case.table.format_version),
            "write.distribution-mode": case.workload.distribution_mode,
            "write.upsert.enabled": "true",
            **case.table.properties,
        }
        name = iceberg.catalog.TableIdentifier.parse("db.events")
        return catalog.createTable(name, schema, spec, self.location, self._map(properties))

    def _map(self, values: dict[str, str]):
        made = self.jvm.java.util.HashMap()
        for key, value in values.items():
            made.put(key, value)
        return made

    def _made(self, of_class, *arguments):
        given = self.gateway.new_array(self.jvm.java.lang.Object, len(arguments))
        for place, argument in enumerate(arguments):
            given[place] = argument
        return of_class.getConstructors()[0].newInstance(given)

    def commit(self, checkpoint: int, rows: RowSet) -> Checkpoint:
        """Carries out one checkpoint, deletes what it staged, as Flink does, and hands that back."""
        places = self.subtasks.places(rows)
        for task, writer in enumerate(self.writers):
            mine = rows.take(places == task)
            columns = [self.files.rows.values(leaf, mine).tolist() for leaf in self.files.leaves]
            self.committer.add(writer.checkpoint(json.dumps(list(zip(*columns, strict=True)))))
        names = [staged_manifest_name(JOB, OPERATOR, checkpoint, self.staged + place) for place in (1, 2)]
        self.staged += len(names)
        summary = {
            "flink.max-committed-checkpoint-id": str(checkpoint),
            "flink.job-id": JOB,
            "flink.operator-id": OPERATOR,
        }
        self.committer.commit(*[f"{self.location}/metadata/{name}" for name in names], json.dumps(summary))
        paths = [self.folder / "metadata" / name for name in names]
        staged = {path.name: path.read_bytes() for path in paths}
        for path in paths:
            path.unlink()
        return Checkpoint(staged=staged)

    @contextmanager
    def by_flink(self) -> Iterator[None]:
        """What the process tells of itself in summaries is what Flink does."""
        context = self.jvm.org.apache.iceberg.EnvironmentContext
        before = dict(context.get())
        summary = {"engine-name": "flink", "engine-version": "2.1.0"}
        try:
            for key in before.keys() - {"iceberg-version"}:
                context.remove(key)
            for key, value in summary.items():
                context.put(key, value)
            yield
        finally:
            for key in summary.keys() - before.keys():
                context.remove(key)
            for key, value in before.items():
                context.put(key, value)
