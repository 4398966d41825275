"""Data files for engine `core`: what Spark would have written of the scenario's rows, described by a writer profile."""

from collections.abc import Sequence

import numpy as np

from wasim.drive import Described
from wasim.errors import WasimError
from wasim.iceberg.schemas import Type
from wasim.iceberg.specs import partition_type
from wasim.scenario import Case
from wasim.simulate import shipped_profile
from wasim.simulate.data_files import FileNumbers, data_files_of
from wasim.simulate.identifiers import draw_uuid

_FIXED_VALUES = {"write.format.default": "parquet", "write.object-storage.enabled": "false"}
_REFUSED_PREFIXES = ("write.parquet.", "write.data.path", "write.folder-storage.", "write.location-provider.")
_REFUSED_SETTINGS = "spark.sql.iceberg."
_SPARKS_OWN = "spark."  # what Spark adds to a summary; all other keys are the library's


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

    @property
    def partition_types(self) -> Sequence[Type]:
        """Types of the partition tuple's fields."""
        return [field.type for field in partition_type(self._files.spec, self._files.schema).fields]

    def describe(self, commit: int, location: str) -> Described:
        """The commit with this number. A stream is one query; a batch is a query of its own."""
        if not self._streams:
            self._query_id = str(draw_uuid(self._rng))
        numbers = FileNumbers(
            location=location,
            query_id=self._query_id,
            epoch=commit - 1 if self._streams else 0,
            first_task_id=(commit - 1) * self._case.workload.files_per_commit,
        )
        return Described(files=self._files.draw(commit, numbers, self._rng), summary=self._summary(commit))

    def _summary(self, commit: int) -> dict[str, str]:
        texts = {"query_id": self._query_id, "epoch": str(commit - 1)}
        own = {key: value for key, value in self._profile.summary.items() if key.startswith(_SPARKS_OWN)}
        return {
            key: self._application_id if key == "spark.app.id" else value.format_map(texts)
            for key, value in own.items()
        }


def check_describable(case: Case) -> None:
    """Raises WasimError naming the first setting that changes data files in a way that no profile describes."""
    if not case.only_appends:
        raise WasimError(
            "Engine core only appends. Take changes, maintenance, evolution and upsert out, or use engine spark."
        )
    if case.writer.writers > 1:
        raise WasimError(
            f"Engine core is one writer, not {case.writer.writers}. Give writer.writers 1, or use engine spark."
        )
    for key, value in case.table.properties.items():
        expected = _FIXED_VALUES.get(key, value)
        if value.lower() != expected.lower() or key.startswith(_REFUSED_PREFIXES):
            raise WasimError(
                f"table.properties.{key} is {value!r}; engine core does not model what it does to data files."
                " Take it out, or use engine spark."
            )
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
