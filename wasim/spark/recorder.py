"""The recorder: a file system, a FileIO for S3, a MetricsReporter, compiled at run time by Janino; and the journal."""

import hashlib
import json
import tempfile
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from wasim.compiled import cache_folder
from wasim.spark.java import SPARK_JARS, short_lived_jvm

_SOURCES = Path(__file__).parent / "java"
_WITHOUT_S3 = ("Journal", "JournalReporter", "RecordingFileSystem", "RecordingStream", "LocalFiles")


def recorder_jar(classpath: Sequence[Path], part: str = "recorder") -> Path:
    """Path of the recorder's jar, compiled against `classpath` unless the cache has it for these very sources.

    `part` is the package: `recorder`, or `s3`, which needs the jar of `recorder` and AWS's on the class path.
    """
    return compiled_jar(part, sorted((_SOURCES / "wasim" / part).glob("*.java")), classpath)


def compiled_jar(name: str, sources: Sequence[Path], classpath: Sequence[Path]) -> Path:
    """Path of the jar of that name, compiled of these sources unless the cache has it."""
    digest = hashlib.sha256()
    for piece in [*(source.read_bytes() for source in sources), *(jar.name.encode() for jar in classpath)]:
        digest.update(piece)
    jar = cache_folder() / f"wasim-{name}-{digest.hexdigest()[:16]}.jar"
    if not jar.exists():
        _compile(sources, classpath, jar)
    return jar


@contextmanager
def recording_jvm(
    engine: str, jars: Sequence[Path], sources: Sequence[Path] = (), options: Sequence[str] = ()
) -> Iterator[Any]:
    """A gateway to a JVM of an engine that is not Spark: its jars, its sources compiled, and the recorder."""
    recorder = [_SOURCES / "wasim" / "recorder" / f"{name}.java" for name in _WITHOUT_S3]
    own = compiled_jar(engine, [*recorder, *sources], jars)
    # the journal asks Spark for the task under way; behind the engine's, of which some are other releases of the same
    behind = [
        next(SPARK_JARS.glob(f"{name}-*.jar")) for name in ("spark-core_*", "scala-library", "spark-common-utils_*")
    ]
    with short_lived_jvm([own, *jars, *behind], with_spark=False, options=options) as gateway:
        yield gateway


def recorded_catalog(warehouse: Path) -> tuple[dict[str, str], dict[str, str]]:
    """A JDBC catalog below the warehouse that records into `journal` there: its properties, and Hadoop's."""
    journal = warehouse / "journal"
    catalog = {
        "warehouse": str(warehouse),
        "uri": f"jdbc:sqlite:file:{warehouse / 'catalog.db'}",
        "jdbc.schema-version": "V1",
        "metrics-reporter-impl": "wasim.recorder.JournalReporter",
        "wasim.journal": str(journal),
    }
    recording = recording_properties(journal, sets_permissions=True, on_s3=False)
    return catalog, {key.removeprefix("hadoop."): text for key, text in recording.items() if key.startswith("hadoop.")}


def java_map(jvm: Any, members: Mapping[str, str]) -> Any:
    """A Java map of these members."""
    made = jvm.java.util.HashMap()
    for key, text in members.items():
        made.put(key, text)
    return made


def _compile(sources: Sequence[Path], classpath: Sequence[Path], jar: Path) -> None:
    with tempfile.TemporaryDirectory(dir=jar.parent) as folder, short_lived_jvm(classpath) as gateway:
        jvm, classes = gateway.jvm, Path(folder, "classes")
        compiler = jvm.org.codehaus.janino.CompilerFactory().newCompiler()
        compiler.setTargetVersion(8)  # else it does not call static methods of interfaces, such as AWS's builders
        compiler.setDestinationDirectory(jvm.java.io.File(str(classes)), False)
        files = gateway.new_array(jvm.java.io.File, len(sources))
        for index, source in enumerate(sources):
            files[index] = jvm.java.io.File(str(source))
        compiler.compile(files)
        packed = Path(folder, "recorder.jar")
        with zipfile.ZipFile(packed, "w") as archive:
            for compiled in sorted(classes.rglob("*.class")):
                archive.write(compiled, compiled.relative_to(classes))
        packed.replace(jar)


def recording_properties(folder: Path, *, sets_permissions: bool, on_s3: bool) -> dict[str, str]:
    """What a catalog needs, in Spark or a REST server, so that its files are entered into the journal in `folder`."""
    if on_s3:
        return {
            "wasim.journal": str(folder),
            "io-impl": "wasim.s3.RecordingS3FileIO",
            "s3.client-factory-impl": "wasim.s3.CountingClients",
        }
    return {
        "wasim.journal": str(folder),
        "hadoop.wasim.journal": str(folder),
        "hadoop.wasim.permissions": str(sets_permissions).lower(),
        "hadoop.fs.file.impl": "wasim.recorder.RecordingFileSystem",
        # else Hadoop hands out the first file system that it made for file:
        "hadoop.fs.file.impl.disable.cache": "true",
    }


class Journal:
    """The journal of one case: a folder of JSON lines, and the JVM's handle that can hold the writer back."""

    def __init__(self, folder: Path, jvm: Any) -> None:
        self.folder = folder
        self._class = jvm.wasim.recorder.Journal
        # found once: py4j asks the JVM for every part of a dotted name, which costs more than a commit's recording
        self._handle = self._class.at(str(folder))

    def catalog_properties(self, *, sets_permissions: bool, on_s3: bool) -> dict[str, str]:
        """What a Spark catalog needs so that all that its tables write or delete is recorded.

        Hadoop sets every new file's permissions, which takes longer than writing it; without, files have the process's.
        """
        reports = {"metrics-reporter-impl": "wasim.recorder.JournalReporter"}
        return reports | recording_properties(self.folder, sets_permissions=sets_permissions, on_s3=on_s3)

    def step(
        self, number: int, operation: str, *, event_time_s: float = 0.0, every_s: float = 0.0, rows: int = 0
    ) -> None:
        """Says which step of the workload begins, and the event time and rows of its commits.

        `event_time_s` is the first commit's, `every_s` what each further one is later, `rows` what each brings.
        """
        self._handle.step(number, operation, round(event_time_s * 1000), round(every_s * 1000), rows)

    def done(self, snapshots: int) -> None:
        """Says that the step under way is done, and how many snapshots the table then has."""
        self._handle.done(snapshots)

    def together(self) -> None:
        """Says that several writers begin to commit, each in a thread of its own, which then says its steps itself."""
        self._handle.together()

    def apart(self) -> None:
        """Says that all of them are done."""
        self._handle.apart()

    def failed(self, error: str) -> None:
        """Says that the commit of this thread's step has failed for good, with this error."""
        self._handle.failed(error)

    def snapshots_since(self, event_time_s: float) -> list[int]:
        """Ids of the snapshots committed at this event time or later, oldest first."""
        return list(self._handle.snapshotsSince(round(event_time_s * 1000)))

    def reported_before_ms(self, event_time_s: float) -> int:
        """Wall time, in milliseconds, at which the last snapshot before this event time was reported; 0 without one."""
        return int(self._handle.reportedBefore(round(event_time_s * 1000)))

    def streamed(self) -> int:
        """Commits that streams have reported so far."""
        return int(self._handle.streamed())

    def run_until(self, commit: int) -> None:
        """Lets a stream go on until it has reported `commit` commits in all; it is held back there."""
        self._handle.runUntil(commit)

    def await_pause(self, timeout_s: float) -> bool:
        """Waits until the writer is held back; False when the time passes first."""
        return bool(self._handle.awaitPause(int(timeout_s * 1000)))

    def close(self) -> None:
        """Closes the journal's file."""
        self._class.close(str(self.folder))

    def lines(self) -> Iterator[dict[str, Any]]:
        """The journal's lines in the order seen. A torn last line (a killed writer's) is left out."""
        return read_journal(self.folder)


def read_journal(folder: Path) -> Iterator[dict[str, Any]]:
    """Lines of a journal folder in the order seen; with several JVMs, merged by time. A torn last line is left out."""
    files = sorted(folder.glob("*.jsonl"))
    lines = [line for file in files for line in file.read_bytes().split(b"\n")[:-1]]
    parsed = [json.loads(line) for line in lines]
    if len(files) > 1:
        parsed.sort(key=lambda line: int(line["at_us"]))
    yield from parsed
