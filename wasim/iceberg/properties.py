"""Iceberg's table properties as its Java library 1.12 has them: keys, types, defaults, and what each one changes.

This is the only module that knows a property's key. The fields of `TableProperties` are the properties whose values
wasim uses; `PROPERTIES` is the table of all that it knows about, from which follows what can be simulated.

From `TableProperties`, `PropertyUtil`, `MetricsConfig`, `TableMetadataParser.Codec`, `Avro`, `RowLevelOperationMode`,
`DeleteGranularity` and `SparkWriteConf` of Iceberg 1.12.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from enum import Enum
from functools import lru_cache
from typing import Any, Literal, TypeAlias

from wasim.errors import WasimError
from wasim.iceberg.codecs import LEVELS
from wasim.iceberg.property_values import (
    AT_LEAST_ONE,
    BOOLEAN,
    COUNT,
    DEFAULT_INFERRED_COLUMNS,
    DEFAULT_METRICS,
    DELETE_GRANULARITY_TYPE,
    DISTRIBUTION_MODE,
    FILE_FORMAT,
    INFERRED_COLUMNS,
    INT,
    LONG,
    LONG_RANGE,
    MANIFEST_CODEC,
    METADATA_CODEC,
    METRICS_MODE,
    NO_METRICS,
    ROW_LEVEL_MODE,
    TEXT,
    MetricsMode,
    ValueType,
)

COMMIT_MAX_RETRY_WAIT_MS = "commit.retry.max-wait-ms"
COMMIT_MIN_RETRY_WAIT_MS = "commit.retry.min-wait-ms"
COMMIT_NUM_RETRIES = "commit.retry.num-retries"
COMMIT_TOTAL_RETRY_TIME_MS = "commit.retry.total-timeout-ms"
DEFAULT_FILE_FORMAT = "write.format.default"
DEFAULT_WRITE_METRICS_MODE = "write.metadata.metrics.default"
DELETE_GRANULARITY = "write.delete.granularity"
DELETE_MODE = "write.delete.mode"
FORMAT_VERSION = "format-version"
GC_ENABLED = "gc.enabled"
MANIFEST_COMPRESSION = "write.manifest.compression-codec"
MANIFEST_COMPRESSION_LEVEL = "write.manifest.compression-level"
MANIFEST_MERGE_ENABLED = "commit.manifest-merge.enabled"
MANIFEST_MIN_MERGE_COUNT = "commit.manifest.min-count-to-merge"
MANIFEST_TARGET_SIZE_BYTES = "commit.manifest.target-size-bytes"
MAX_REF_AGE_MS = "history.expire.max-ref-age-ms"
MAX_SNAPSHOT_AGE_MS = "history.expire.max-snapshot-age-ms"
MERGE_MODE = "write.merge.mode"
METADATA_COMPRESSION = "write.metadata.compression-codec"
METADATA_DELETE_AFTER_COMMIT_ENABLED = "write.metadata.delete-after-commit.enabled"
METADATA_PREVIOUS_VERSIONS_MAX = "write.metadata.previous-versions-max"
METRICS_MAX_INFERRED_COLUMN_DEFAULTS = "write.metadata.metrics.max-inferred-column-defaults"
KEY_PREFIXES = ("write.", "commit.", "history.expire.")
"""What keys of table properties begin with."""
METRICS_MODE_COLUMN_CONF_PREFIX = "write.metadata.metrics.column."
MIN_SNAPSHOTS_TO_KEEP = "history.expire.min-snapshots-to-keep"
OBJECT_STORE_ENABLED = "write.object-storage.enabled"
OBJECT_STORE_PATH = "write.object-storage.path"  # Iceberg refuses it now, as it does the folder storage's
SNAPSHOT_ID_INHERITANCE_ENABLED = "compatibility.snapshot-id-inheritance.enabled"
SPARK_WRITE_PARTITIONED_FANOUT_ENABLED = "write.spark.fanout.enabled"
UPDATE_MODE = "write.update.mode"
UPSERT_ENABLED = "write.upsert.enabled"
WRITE_DATA_LOCATION = "write.data.path"
WRITE_DISTRIBUTION_MODE = "write.distribution-mode"
WRITE_FOLDER_STORAGE_LOCATION = "write.folder-storage.path"
WRITE_LOCATION_PROVIDER_IMPL = "write.location-provider.impl"
WRITE_METADATA_LOCATION = "write.metadata.path"
WRITE_OBJECT_STORE_PARTITIONED_PATHS = "write.object-storage.partitioned-paths"
WRITE_PARTITION_SUMMARY_LIMIT = "write.summary.partition-limit"
WRITE_TARGET_FILE_SIZE_BYTES = "write.target-file-size-bytes"

RowLevelOperation: TypeAlias = Literal["delete", "update", "merge"]
MODE_KEYS: Mapping[str, str] = {"delete": DELETE_MODE, "update": UPDATE_MODE, "merge": MERGE_MODE}

FileChanged: TypeAlias = Literal["metadata_json", "manifest_list", "data_manifest", "data", "delete_file"]
_MANIFESTS: tuple[FileChanged, ...] = ("manifest_list", "data_manifest")
_CONTENT: tuple[FileChanged, ...] = ("data", "delete_file")
_MANIFEST: tuple[FileChanged, ...] = ("data_manifest",)
_JSON: tuple[FileChanged, ...] = ("metadata_json",)
_DATA: tuple[FileChanged, ...] = ("data",)
_DELETES: tuple[FileChanged, ...] = ("delete_file",)
_LEVELS = {"gzip": LEVELS["deflate"], "zstd": LEVELS["zstandard"]}


class PropertyError(WasimError):
    """A property whose value Iceberg cannot parse: `table.properties.KEY PROBLEM. REMEDY`."""

    def __init__(self, key: str, problem: str, remedy: str) -> None:
        super().__init__(f"table.properties.{key} {problem}. {remedy}")
        self.key = key
        self.problem = problem
        self.remedy = remedy


class Support(Enum):
    """When the simulator carries a property out. A property that changes no file is carried out always."""

    ALWAYS = "always"
    APPENDS_ONLY = "as long as no statement changes rows"
    NEVER = "never"


@dataclass(frozen=True, slots=True, kw_only=True)
class Property:
    """A table property; where `key` ends with a dot, all whose keys begin with it and that have no row of their own.

    `default` of None means that it is not set, and that the engine decides. `changes` are the kinds of file that it
    changes, as `wasim.ledger.Kind` calls them: their bytes, how many there are, or how long they stay.
    `simulated_values` are what the simulator carries out, where Iceberg takes other values too. A property that
    `places_files` puts files elsewhere. `name` is the field of `TableProperties`, if there is one.
    """

    key: str
    type: ValueType = TEXT
    default: object = None
    changes: tuple[FileChanged, ...] = ()
    support: Support = Support.ALWAYS
    simulated_values: tuple[object, ...] = ()
    places_files: bool = False
    name: str = ""

    def parse(self, text: str, key: str = "") -> Any:  # noqa: ANN401  of the row's own type
        """The value that a text means, or PropertyError, which names the whole `key` if this row's ends with a dot."""
        try:
            return self.type.parse(text)
        except ValueError as error:
            raise PropertyError(key or self.key, f'is "{text}"', str(error)) from None

    def simulates(self, text: str) -> bool:
        """Whether the simulator carries a value out, if nothing else of the case stands against it."""
        if self.support is Support.NEVER:
            return False
        return not self.simulated_values or self.parse(text) in self.simulated_values


def _row(
    default: object, key: str, type_: ValueType = TEXT, changes: tuple[FileChanged, ...] = (), *, places: bool = False
) -> Any:  # noqa: ANN401 - a field of the default's type
    row = Property(key=key, type=type_, default=default, changes=changes, places_files=places)
    return field(default=default, metadata={"row": row})


@dataclass(frozen=True, slots=True, kw_only=True)
class TableProperties:
    """The properties of a table as values. A field of None is not set: the engine decides. Sizes are bytes."""

    # How manifests merge
    manifest_merge_enabled: bool = _row(True, MANIFEST_MERGE_ENABLED, BOOLEAN, _MANIFESTS)
    manifest_min_merge_count: int = _row(100, MANIFEST_MIN_MERGE_COUNT, INT, _MANIFESTS)
    manifest_target_size_bytes: int = _row(8 * 1024 * 1024, MANIFEST_TARGET_SIZE_BYTES, LONG, _MANIFESTS)

    # How commits are tried again
    commit_num_retries: int = _row(4, COMMIT_NUM_RETRIES, COUNT)
    commit_min_retry_wait_ms: int = _row(100, COMMIT_MIN_RETRY_WAIT_MS, COUNT)
    commit_max_retry_wait_ms: int = _row(60 * 1000, COMMIT_MAX_RETRY_WAIT_MS, COUNT)
    commit_total_retry_time_ms: int = _row(30 * 60 * 1000, COMMIT_TOTAL_RETRY_TIME_MS, COUNT)

    # What maintenance removes
    gc_enabled: bool = _row(True, GC_ENABLED, BOOLEAN)
    max_snapshot_age_ms: int = _row(5 * 24 * 60 * 60 * 1000, MAX_SNAPSHOT_AGE_MS, LONG)
    min_snapshots_to_keep: int = _row(1, MIN_SNAPSHOTS_TO_KEEP, INT)
    max_ref_age_ms: int = _row(LONG_RANGE[-1], MAX_REF_AGE_MS, LONG)

    # Where files lie
    write_data_location: str | None = _row(None, WRITE_DATA_LOCATION, changes=_MANIFEST, places=True)
    write_metadata_location: str | None = _row(
        None, WRITE_METADATA_LOCATION, changes=("metadata_json", "manifest_list"), places=True
    )
    object_store_enabled: bool = _row(False, OBJECT_STORE_ENABLED, BOOLEAN, _MANIFEST, places=True)
    object_store_partitioned_paths: bool = _row(True, WRITE_OBJECT_STORE_PARTITIONED_PATHS, BOOLEAN, _MANIFEST)

    # How rows are written
    delete_mode: str = _row("copy-on-write", DELETE_MODE, ROW_LEVEL_MODE, _CONTENT)
    update_mode: str = _row("copy-on-write", UPDATE_MODE, ROW_LEVEL_MODE, _CONTENT)
    merge_mode: str = _row("copy-on-write", MERGE_MODE, ROW_LEVEL_MODE, _CONTENT)
    # unset, Spark's writer takes file; Iceberg's constant, and Flink, partition
    delete_granularity: str | None = _row(None, DELETE_GRANULARITY, DELETE_GRANULARITY_TYPE, _DELETES)
    write_target_file_size_bytes: int = _row(512 * 1024 * 1024, WRITE_TARGET_FILE_SIZE_BYTES, LONG, _DATA)
    write_distribution_mode: str | None = _row(None, WRITE_DISTRIBUTION_MODE, DISTRIBUTION_MODE, _DATA)

    # What manifests hold
    # of format version 1: the later ones always inherit
    snapshot_id_inheritance_enabled: bool = _row(False, SNAPSHOT_ID_INHERITANCE_ENABLED, BOOLEAN, _MANIFEST)
    manifest_compression: str = _row("gzip", MANIFEST_COMPRESSION, MANIFEST_CODEC, _MANIFEST)
    # unset, Iceberg's for the codec: 9 of gzip, 1 of zstd
    manifest_compression_level: int | None = _row(None, MANIFEST_COMPRESSION_LEVEL, INT, _MANIFEST)
    # once set, the mode of all columns, however many there are
    default_write_metrics_mode: MetricsMode | None = _row(None, DEFAULT_WRITE_METRICS_MODE, METRICS_MODE, _MANIFEST)  # noqa: RUF009 - a field
    metrics_max_inferred_column_defaults: int = _row(
        DEFAULT_INFERRED_COLUMNS, METRICS_MAX_INFERRED_COLUMN_DEFAULTS, INFERRED_COLUMNS, _MANIFEST
    )
    # by the column's dotted name
    metrics_mode_by_column: Mapping[str, MetricsMode] = field(
        default_factory=dict,
        metadata={"row": Property(key=METRICS_MODE_COLUMN_CONF_PREFIX, type=METRICS_MODE, changes=_MANIFEST)},
    )

    # What metadata.json holds, and how long it stays
    metadata_compression: str = _row("none", METADATA_COMPRESSION, METADATA_CODEC, _JSON)
    metadata_delete_after_commit_enabled: bool = _row(False, METADATA_DELETE_AFTER_COMMIT_ENABLED, BOOLEAN, _JSON)
    metadata_previous_versions_max: int = _row(100, METADATA_PREVIOUS_VERSIONS_MAX, AT_LEAST_ONE, _JSON)
    write_partition_summary_limit: int = _row(0, WRITE_PARTITION_SUMMARY_LIMIT, INT, _JSON)

    @property
    def packed_to_bytes(self) -> int:
        """The size that manifests are packed and rolled to: Iceberg does at a target of 0 or less as at 1."""
        return max(1, self.manifest_target_size_bytes)

    @property
    def merged_from(self) -> int:
        """From how many manifests on the newest bin merges: Iceberg merges no manifest alone, so that 1, 0 and less are
        as 2.
        """
        return max(2, self.manifest_min_merge_count)

    @classmethod
    def read(cls, properties: Mapping[str, str]) -> "TableProperties":
        """The values of a table's properties. PropertyError names the first that Iceberg could not parse.

        Keys without a field are ignored, whatever their values.
        """
        return _read(tuple(properties.items()))

    @classmethod
    def read_leniently(cls, properties: Mapping[str, str]) -> "TableProperties":
        """The properties of a table that others made: what Iceberg could not parse is left at its default."""
        given = dict(properties)
        while True:
            try:
                return cls.read(given)
            except PropertyError as error:
                del given[error.key]

    def _with_level_of_codec(self) -> "TableProperties":
        level, levels = self.manifest_compression_level, _LEVELS.get(self.manifest_compression)
        if level is None or (levels is not None and level in levels):
            return self
        if levels is None:  # such a codec leaves the level alone
            return replace(self, manifest_compression_level=None)
        problem = f'is "{level}", which is no level of {self.manifest_compression}'
        raise PropertyError(MANIFEST_COMPRESSION_LEVEL, problem, f"Give one from {levels[0]} to {levels[-1]}.")

    def is_merge_on_read(self, operation: RowLevelOperation) -> bool:
        """Whether Spark's operation of that name writes delete files, rather than the files it touches anew."""
        modes = {"delete": self.delete_mode, "update": self.update_mode, "merge": self.merge_mode}
        return modes[operation] == "merge-on-read"

    def metrics_modes(self, columns: Sequence[str]) -> list[MetricsMode]:
        """The mode of each primitive column of a table; `columns` are their dotted names.

        They stand in the order in which Iceberg counts them: a struct's before the fields of structs within it.
        """
        default = self.default_write_metrics_mode
        counted = len(columns) if default else self.metrics_max_inferred_column_defaults
        modes = [default or DEFAULT_METRICS if place < counted else NO_METRICS for place in range(len(columns))]
        return [self.metrics_mode_by_column.get(name, mode) for name, mode in zip(columns, modes, strict=True)]

    def metrics_mode_of_others(self, columns: int) -> MetricsMode:
        """The mode of a column that no schema lists, such as a row's lineage, in a table of so many primitive ones."""
        is_limited = columns > self.metrics_max_inferred_column_defaults
        return self.default_write_metrics_mode or (NO_METRICS if is_limited else DEFAULT_METRICS)


@lru_cache(maxsize=256)
def _read(properties: tuple[tuple[str, str], ...]) -> TableProperties:
    values: dict[str, Any] = {}
    modes: dict[str, MetricsMode] = {}
    for key, text in properties:
        row = property_of(key)
        if row is None or not row.name:
            continue
        if row.key == METRICS_MODE_COLUMN_CONF_PREFIX:
            modes[key.removeprefix(row.key)] = row.parse(text, key)
        else:
            values[row.name] = row.parse(text)
    return TableProperties(**values, metrics_mode_by_column=modes)._with_level_of_codec()


PROPERTIES: tuple[Property, ...] = (
    *(replace(one.metadata["row"], name=one.name) for one in fields(TableProperties)),
    Property(key=FORMAT_VERSION, type=INT, support=Support.NEVER),
    Property(
        key=DEFAULT_FILE_FORMAT, type=FILE_FORMAT, default="parquet", changes=_CONTENT, simulated_values=("parquet",)
    ),
    # Unset, Spark's writer takes true; Iceberg's constant says false.
    Property(key=SPARK_WRITE_PARTITIONED_FANOUT_ENABLED, type=BOOLEAN, changes=("data",), simulated_values=(True,)),
    Property(key=UPSERT_ENABLED, type=BOOLEAN, default=False, changes=("delete_file",), support=Support.NEVER),
    Property(key=WRITE_LOCATION_PROVIDER_IMPL, changes=("data_manifest",), support=Support.NEVER),
    *(Property(key=f"write.{name}.isolation-level", default="serializable") for name in MODE_KEYS),
    *(Property(key=f"write.{name}.", changes=_CONTENT, support=Support.APPENDS_ONLY) for name in MODE_KEYS),
    Property(key="write.parquet.", changes=("data",), support=Support.NEVER),
    Property(key="write.spark.advisory-partition-size-bytes", changes=("data",), support=Support.NEVER),
    # No file is in these formats, no other reader is simulated, and maintenance is called with ages of its own.
    *(
        Property(key=key)
        for key in ("write.avro.", "write.orc.", "read.", "gc.", "history.expire.", "commit.status-check.")
    ),
    Property(key="write.spark.accept-any-schema", type=BOOLEAN, default=False),
    Property(key="write.spark.auto-schema-evolution.enabled", type=BOOLEAN, default=True),
    # What is not known by name may change anything.
    *(
        Property(key=key, support=Support.NEVER)
        for key in ("write.", "commit.", "compatibility.", "encryption.", "schema.")
    ),
)
"""Iceberg's table properties. Of the rows that match a key, the longest applies."""

_BY_KEY = {row.key: row for row in PROPERTIES}
_PREFIXES = sorted((key for key in _BY_KEY if key.endswith(".")), key=len, reverse=True)
PLACING_KEYS = frozenset(row.key for row in PROPERTIES if row.places_files)


def property_of(key: str) -> Property | None:
    """What wasim knows of the property with this key; None if it is none of Iceberg's, such as a comment."""
    return _BY_KEY.get(key) or next((_BY_KEY[prefix] for prefix in _PREFIXES if key.startswith(prefix)), None)
