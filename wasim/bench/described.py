"""Data files for engine `core`: what Spark would have written of the scenario's rows, described by a writer profile."""

import time
from collections.abc import Mapping, Sequence

import numpy as np

from wasim.drive import Described
from wasim.errors import WasimError
from wasim.iceberg import DataFileEntry, TableMetadata
from wasim.iceberg.schemas import Type
from wasim.iceberg.specs import partition_type
from wasim.scenario import Case
from wasim.scenario.parts import Table
from wasim.simulate import shipped_profile
from wasim.simulate.compaction import draw_compacted, groups_to_rewrite
from wasim.simulate.data_files import FileNumbers, data_files_of, evolved_files
from wasim.simulate.honoured import check_rewriting
from wasim.simulate.identifiers import draw_uuid
from wasim.simulate.live_manifests import LiveEntry
from wasim.simulate.row_changes import files_of_rows
from wasim.simulate.scanning import ScannedFile
from wasim.workload import ChangeRows, Maintain

_FIXED_VALUES = {"write.format.default": "parquet", "write.object-storage.enabled": "false"}
_REFUSED_PREFIXES = ("write.parquet.", "write.data.path", "write.folder-storage.", "write.location-provider.")
_REFUSED_SETTINGS = "spark.sql.iceberg."
_SPARKS_OWN = "spark."  # what Spark adds to a summary; all other keys are the library's
_APPLICATION_KEY = "spark.app.id"


class DescribedData:
    """The files and summary keys of a case's commits, as the profile of its writer has them; drawn from its seed."""

    def __init__(self, case: Case, application_id: str) -> None:
        self._case = case
        self._profile = shipped_profile(case)
        self._files = data_files_of(case, self._profile)
        self._rng = np.random.default_rng(case.seed)
        self._streams = "{epoch}" in self._profile.data_file
        self._query_id = str(draw_uuid(self._rng))
        self._application_id = application_id
        self._task_id = 0
        # what is taken up later, and the partition spec of each; a long history of appends keeps none
        self._keeps = case.has_changes or case.maintenance.rewrite_data_files is not None
        self._known: dict[str, tuple[DataFileEntry, int]] = {}

    @property
    def partition_types(self) -> Sequence[Type]:
        """Types of the partition tuple's fields."""
        return [field.type for field in partition_type(self._files.spec, self._files.schema).fields]

    @property
    def spec_id(self) -> int:
        """Id of the partition spec that new files have."""
        return self._files.spec.spec_id

    def describe(self, commit: int, location: str) -> Described:
        """The commit with this number. A stream is one query; a batch is a query of its own."""
        if not self._streams:
            self._query_id = str(draw_uuid(self._rng))
        numbers = FileNumbers(
            location=location,
            query_id=self._query_id,
            epoch=commit - 1 if self._streams else 0,
            first_task_id=self._task_id,
        )
        self._task_id += self._case.workload.files_per_commit
        files = self._files.draw(commit, numbers, self._rng)
        self._keep(files)
        return Described(files=files, summary=self._summary(commit))

    def describe_compaction(self, step: Maintain, live: Sequence[str], location: str) -> Described | None:
        """The compaction of a table with these live files; None where nothing is to be done. WasimError as sim's."""
        groups = groups_to_rewrite((self._scanned(path) for path in live), step)
        if not groups:
            return None
        wall_ms = round(time.time() * 1000)
        added = draw_compacted(
            self._files, groups, location=location, first_task_id=self._task_id, wall_ms=wall_ms, rng=self._rng
        )
        self._task_id += len(added)
        self._keep(added)
        removed = [file.entry.file.file_path for group in groups for file in group]
        return Described(files=added, summary={}, removed=removed)

    def describe_change(self, step: ChangeRows, live: Sequence[str]) -> Described:
        """The delete of whole files of a table with these live ones. WasimError where it would be of parts of files."""
        removed = files_of_rows((self._known[path][0] for path in live), step.rows)
        if removed is None:
            raise WasimError(
                "A delete that touches a part of a file, which Spark would write again, is not described by engine"
                " core. Delete whole commits that no compaction has taken up and whose files have bounds of event_id,"
                " or use engine spark."
            )
        return Described(files=(), summary={_APPLICATION_KEY: self._application_id}, removed=sorted(removed))

    def reshape(self, table: Table, metadata: TableMetadata) -> None:
        """New files are those of the table as it has become."""
        self._files = evolved_files(self._files, table, metadata.current_schema(), metadata.default_spec())

    def _keep(self, files: Sequence[DataFileEntry]) -> None:
        if self._keeps:
            self._known |= {file.file_path: (file, self.spec_id) for file in files}

    def _scanned(self, path: str) -> ScannedFile:
        """A file of which no row was deleted; what Iceberg numbers, rows do not carry along."""
        file, spec_id = self._known[path]
        entry = LiveEntry(file=file, snapshot_id=0, sequence_number=0)
        rows = self._files.rows_in[path]
        return ScannedFile(entry=entry, spec_id=spec_id, rows=rows, deleted=np.arange(0), own_deletes=())

    def _summary(self, commit: int) -> dict[str, str]:
        texts = {"query_id": self._query_id, "epoch": str(commit - 1)}
        own = {key: value for key, value in self._profile.summary.items() if key.startswith(_SPARKS_OWN)}
        return {
            key: self._application_id if key == _APPLICATION_KEY else value.format_map(texts)
            for key, value in own.items()
        }


def refuse_flinks(case: Case) -> None:
    """Raises WasimError for upserts by equality deletes, which are Flink's."""
    if case.key_columns:
        raise WasimError(
            "writer.upsert of mode equality-deletes is Flink's, and no engine here runs Flink. Simulate it (wasim"
            " simulate), or give mode copy-on-write or merge-on-read."
        )


def check_describable(case: Case) -> None:
    """Raises WasimError naming the first setting that changes data files in a way that no profile describes."""
    for name, change in case.changes:
        if change is not None and getattr(change, "locality", None) != "oldest_commits":
            by = " but by locality oldest_commits" if name == "delete" else ""
            raise WasimError(f"changes.{name}{by} is not described by engine core. Take it out, or use engine spark.")
    refuse_flinks(case)
    if case.writer.upsert is not None:
        raise WasimError("writer.upsert is not described by engine core. Take it out, or use engine spark.")
    if case.writer.writers > 1:
        raise WasimError(
            f"Engine core is one writer, not {case.writer.writers}. Give writer.writers 1, or use engine spark."
        )
    check_rewriting(case)
    if case.maintenance.rewrite_data_files is not None and case.table.format_version > 2:
        raise WasimError(
            "maintenance.rewrite_data_files of format version 3 is not described by engine core: rows carry along ids"
            " that Iceberg gives. Give table.format_version 2, or use engine spark."
        )
    _check_properties("table.properties", case.table.properties)
    for evolution in case.evolution:
        _check_properties("set_properties", evolution.set_properties or {})
    for key in case.environment.spark:
        if key.startswith(_REFUSED_SETTINGS):
            raise WasimError(
                f"environment.spark.{key} is not modelled by engine core. Take it out or use engine spark."
            )
    if case.table.partition_by and case.workload.distribution_mode == "range":
        raise WasimError(
            "workload.distribution_mode range is not modelled by engine core: its cuts depend on a sample of the rows."
            " Give none or hash, or use engine spark."
        )


def _check_properties(where: str, properties: Mapping[str, str]) -> None:
    for key, value in properties.items():
        expected = _FIXED_VALUES.get(key, value)
        if value.lower() != expected.lower() or key.startswith(_REFUSED_PREFIXES):
            raise WasimError(
                f"{where}.{key} is {value!r}; engine core does not model what it does to data files."
                " Take it out, or use engine spark."
            )
