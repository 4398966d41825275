"""What a scenario may say, part by part; `load` gives it positions, `checks` fits it together, `workload` meaning.

Every part is frozen and refuses unknown keys, so that a typing mistake never becomes a silent default. Descriptions
serve the JSON Schema, the faults and docs/scenarios.md.
"""

from functools import lru_cache
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from wasim.scenario.values import (
    ColumnName,
    ColumnType,
    Duration,
    Number,
    Optionally,
    Part,
    ReaderName,
    Size,
    Switch,
    Text,
    Transform,
    Whole,
    different,
    whole,
)

WRITER_KINDS = ("streaming", "batch", "flink")
MOST_WRITERS = 10_000
Arrivals = Literal["at_random", "at_once", "evenly", "when_free"]
FLINK = "flink"  # a kind of writer, and the profile that says how it writes
EQUALITY_DELETES = "equality-deletes"  # mode of an upsert that is no MERGE INTO
OWN_COLUMNS = {"event_id": "long", "event_time": "timestamptz"}  # of a table that names no others, with their types


class Columns(Part):
    """One column, or `count` such columns: `name` alone, or `name_0`, `name_1` …"""

    newer: ClassVar = ("items",)

    name: ColumnName = Field(description="Name of the column.")
    type: ColumnType = Field(
        description="An Iceberg type, such as string, decimal(10,2), struct, list<string> or map<string,long>."
    )
    count: Annotated[Whole, Field(ge=1, le=2000)] = Field(
        default=1, description="How many such columns; from 2 on they are called `name_0`, `name_1` and so on."
    )
    length: Annotated[Whole, Field(ge=1, le=65536)] = Field(
        default=16, description="Characters of a string, bytes of a binary."
    )
    values: Annotated[Whole, Field(ge=1)] | None = Field(
        default=None, description="How many different values; left out: as many as rows."
    )
    items: Annotated[Whole, Field(ge=1, le=1000)] = Field(
        default=4, description="Elements of a list, or entries of a map, in each row."
    )
    fields: tuple["Columns", ...] = Field(default=(), description="What a struct consists of.")
    required: Switch = Field(default=False, description="Whether the column is NOT NULL.")

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of the table that this entry stands for."""
        return (self.name,) if self.count == 1 else tuple(f"{self.name}_{n}" for n in range(self.count))

    @property
    def container(self) -> str | None:
        """struct, list or map; None for a plain column."""
        kind = self.type.partition("<")[0]
        return kind if kind in ("struct", "list", "map") else None

    @property
    def parts(self) -> tuple["Columns", ...]:
        """What a column consists of: a struct's fields, a list's element, a map's key and value; nothing if plain.

        All rows have the same keys in their maps.
        """
        if self.container == "struct":
            return tuple(one for field in self.fields for one in field.each)
        if self.container is None:
            return ()
        types = [kind.strip() for kind in self.type.partition("<")[2][:-1].split(",", self.container == "map")]
        both = zip(("key", "value") if self.container == "map" else ("element",), types, strict=True)
        return tuple(
            Columns(
                name=name,
                type=kind,
                length=self.length,
                values=self.items if name == "key" else self.values,
                fields=self.fields if kind == "struct" else (),
            )
            for name, kind in both
        )

    @property
    def each(self) -> list["Columns"]:
        """The same columns, each as an entry of its own."""
        return [self.model_copy(update={"name": name, "count": 1}) for name in self.names]


class PartitionField(Part):
    """One field of the partition spec, in Iceberg's words."""

    column: str = Field(description="A column of the table.")
    transform: Transform = Field(
        default="identity", description="identity, year, month, day, hour, bucket[N] or truncate[N]."
    )


class Table(Part):
    """The table under test. Its first columns are `event_id` (long) and `event_time` (timestamp), unless `key_column`
    and `time_column` name others or none.
    """

    newer: ClassVar = ("key_column", "time_column")

    columns: tuple[Columns, ...] = Field(
        min_length=1, description="The columns that follow `event_id` and `event_time`, or all of them."
    )
    key_column: Optionally[ColumnName] = Field(
        default="event_id",
        description="The column that numbers the rows, a long: by it rows are merged, updated and deleted. event_id"
        " comes first in the table unless `columns` has it; none: no column does.",
    )
    time_column: Optionally[ColumnName] = Field(
        default="event_time",
        description="The column that holds event time, a timestamp. event_time comes first in the table, after"
        " event_id, unless `columns` has it; none: no column does.",
    )
    partition_by: tuple[PartitionField, ...] = Field(
        default=(), description="The partition spec, outermost field first; left out: unpartitioned."
    )
    format_version: Annotated[Literal[1, 2, 3, 4], BeforeValidator(whole)] = Field(
        default=2, description="Version of the Iceberg format; 4 is unfinished, as Iceberg 1.12 has it."
    )
    properties: dict[str, Text] = Field(default_factory=dict, description="Iceberg table properties, as written.")

    @property
    def all_columns(self) -> tuple[Columns, ...]:
        """All columns in order, each as an entry of its own: those that `columns` leaves unsaid first."""
        return _each_of(self.columns, self.key_column, self.time_column)

    @property
    def unlisted(self) -> tuple[str, ...]:
        """Names of the columns that the table has without being said: event_id and event_time, unless they are."""
        return _unlisted(self.columns, self.key_column, self.time_column)

    @property
    def rotating_column(self) -> Columns | None:
        """The column that `partitions_per_commit` walks through: the first with `values` that is partitioned by
        identity.
        """
        columns = {column.name: column for column in self.all_columns}
        rotating = (columns.get(field.column) for field in self.partition_by if field.transform == "identity")
        return next((column for column in rotating if column is not None and column.values is not None), None)


@lru_cache(maxsize=64)  # a plan asks for one table's thousands of times
def _each_of(columns: tuple[Columns, ...], *roles: str | None) -> tuple[Columns, ...]:
    own = [Columns(name=name, type=OWN_COLUMNS[name]) for name in _unlisted(columns, *roles)]
    return (*own, *(one for column in columns for one in column.each))


@lru_cache(maxsize=64)
def _unlisted(columns: tuple[Columns, ...], *roles: str | None) -> tuple[str, ...]:
    listed = {name for column in columns for name in column.names}
    return tuple(name for name in OWN_COLUMNS if name in roles and name not in listed)


class Active(Part):
    """When rows come: for the first part of each period, and not for the rest of it."""

    lasts: Annotated[Duration, Field(gt=0)] = Field(description="How long they come, such as 8h.")
    every: Annotated[Duration, Field(gt=0)] = Field(description="From when to when it begins again, such as 1d.")


class Workload(Part):
    """What arrives, in event time."""

    newer: ClassVar = ("active",)

    rows_per_second: Annotated[Number, Field(gt=0, le=1e9)] = Field(
        description="Rows that arrive in a second of event time for one table; rounded to whole rows in each commit."
    )
    files_per_commit: Annotated[Whole, Field(ge=1, le=100_000)] = Field(
        default=1, description="Tasks that write in a commit; each writes one file to every partition that it touches."
    )
    partitions_per_commit: Annotated[Whole, Field(ge=1)] | None = Field(
        default=None,
        description="Values that one commit holds of the first identity partition column with values; left out: all.",
    )
    distribution_mode: Literal["none", "hash", "range"] = Field(
        default="none",
        description="Iceberg's write.distribution-mode: whether rows are shuffled before they are written.",
    )
    active: Optionally[Active] = Field(
        default=None, description="When rows come; left out: always. Of appends by one writer, simulated only."
    )


class Upsert(Part):
    """Rows that replace earlier ones: each commit is one MERGE INTO, or a row delta of Flink's."""

    share: Annotated[Number, Field(gt=0, lt=1)] = Field(
        description="Share of each commit's rows that replace earlier ones; the others are new."
    )
    locality: Literal["scattered", "newest"] = Field(
        default="scattered", description="Which rows are replaced: everywhere in the table, or those that came last."
    )
    mode: Literal["copy-on-write", "merge-on-read", "equality-deletes"] = Field(
        default="copy-on-write",
        description="Iceberg's write.merge.mode; or equality-deletes, for a stream into the table: Flink's upserts,"
        " which delete each row's key before they write it, as kind: flink does.",
    )
    key: Annotated[tuple[Text, ...], Field(min_length=1), AfterValidator(different)] = Field(
        default=("event_id",),
        description="Of equality deletes: columns whose values say which rows are the same; the key_column too.",
    )
    repeats: Annotated[Number, Field(ge=0, lt=1)] = Field(
        default=0.0,
        description="Of equality deletes: share of the replacing rows whose key came before within the same commit.",
    )


class Trigger(Part):
    """What makes a writer commit before the interval is over: whichever comes first."""

    rows: Annotated[Whole, Field(ge=1)] | None = Field(default=None, description="Rows that have arrived.")
    bytes: Annotated[Size, Field(ge=1)] | None = Field(
        default=None, description="Bytes of rows as they arrive, of which each has `row_bytes`."
    )
    files: Annotated[Whole, Field(ge=1)] | None = Field(
        default=None, description="Files' worth of them: each as many bytes as write.target-file-size-bytes."
    )
    row_bytes: Annotated[Number, Field(gt=0)] | None = Field(
        default=None, description="Bytes of a row as it arrives; left out: the widths of the table's columns."
    )


class Writer(Part):
    """Who commits, and how. A kind alone is short for a mapping: `streaming` for `{kind: streaming}`.

    `{kind: flink}` is read as a stream into the table with the profile flink.
    """

    newer: ClassVar = ("profile", "trigger", "idle_commit_every", "tables")

    kind: Literal["streaming", "batch", "flink"] = Field(
        description="What commits: Spark Structured Streaming, one DataFrame append per commit, or Flink."
    )
    profile: str | None = Field(
        default=None,
        min_length=1,
        description="What writes instead of this Spark: a shipped profile, such as kafka_connect, or a file that wasim"
        " profile wrote. Simulated only.",
    )
    sink: Literal["table", "foreach_batch"] = Field(
        default="table", description="Where a stream goes: the Iceberg sink, or a batch append for every micro-batch."
    )
    append: Literal["fast", "merge"] | None = Field(
        default=None,
        description="Iceberg's FastAppend or MergeAppend; left out: the writer's own default, which is fast for Spark's"
        " stream into the table and merge for all else.",
    )
    writers: Annotated[Whole, Field(ge=1, le=MOST_WRITERS)] = Field(
        default=1, description="Batch writers at work on the table at once, which share the commits out among them."
    )
    tables: Annotated[Whole, Field(ge=1, le=10_000)] = Field(
        default=1,
        description="Tables like the one described, each with metadata of its own, to which the job commits in every"
        " interval.",
    )
    trigger: Optionally[Trigger] = Field(
        default=None,
        description="What makes it commit before commit_interval is over; left out: nothing, or in simulations what its"
        " profile ships.",
    )
    idle_commit_every: Annotated[Whole, Field(ge=0)] | None = Field(
        default=None,
        description="Of intervals without rows that follow each other, every how many end in a commit of nothing: 1,"
        " each; 0, none; left out: none, or as the profile has it, 10 for Flink's.",
    )
    arrivals: Optionally[Arrivals] = Field(
        default=None,
        description="When the commits of several writers come: at_random around the interval, evenly, at_once (one of"
        " every writer at the same moment), or each when_free. Left out: when_free, or evenly on a real clock."
        " Simulated only.",
    )
    upsert: Optionally[Upsert] = Field(
        default=None,
        description="Left out: commits append. Given, for batch and foreach_batch: they merge rows; for a stream into"
        " the table they delete by key.",
    )

    @model_validator(mode="before")
    @classmethod
    def _spell_out(cls, value: Any) -> Any:  # noqa: ANN401 - whatever the scenario holds here
        if isinstance(value, str) and value not in WRITER_KINDS:
            raise ValueError(f"{', '.join(WRITER_KINDS)} or a mapping such as {{kind: streaming}}")
        spelt_out = {"kind": value} if isinstance(value, str) else value
        if not isinstance(spelt_out, dict) or spelt_out.get("kind") != FLINK:
            return spelt_out
        upsert = spelt_out.get("upsert")
        by_key = {"upsert": {"mode": EQUALITY_DELETES, **upsert}} if isinstance(upsert, dict) else {}
        return {"profile": FLINK, **spelt_out, **by_key, "kind": "streaming"}

    @property
    def is_stream_into_table(self) -> bool:
        """Whether a stream commits to the table by itself, not by batches."""
        return self.kind == "streaming" and self.sink == "table"

    @property
    def default_append(self) -> Literal["fast", "merge"]:
        """How the writer appends unless the scenario says: Flink by MergeAppend, and Spark except in its streams."""
        return "fast" if self.is_stream_into_table and self.profile != FLINK else "merge"


class Environment(Part):
    """Where it runs: catalog, store and Spark."""

    catalog: Literal["jdbc", "postgresql", "hadoop", "rest", "in_memory"] = Field(
        default="jdbc",
        description="Iceberg's JDBC catalog on SQLite, or on the PostgreSQL that WASIM_JDBC_URI names; HadoopCatalog;"
        " the REST catalog for tests, which wasim starts; or InMemoryCatalog, which ends with the process.",
    )
    store: Literal["local", "s3proxy", "s3"] = Field(
        default="local",
        description="Local files; an S3 endpoint that wasim starts; or the bucket that WASIM_S3_WAREHOUSE names.",
    )
    warm_up_commits: Annotated[Whole, Field(ge=0, le=1000)] = Field(
        default=20, description="Commits to a table thrown away, per writer, before the first case; for a warm JVM."
    )
    spark: dict[str, Text] = Field(default_factory=dict, description="Further Spark settings, as written.")


class Planning(Part):
    """How planning latency is probed."""

    checkpoints: tuple[Annotated[Number, Field(gt=0, le=1)], ...] = Field(
        default=(0.5, 1.0), description="Shares of the commits after which planning is probed; 1.0 always is."
    )
    rounds: Annotated[Whole, Field(ge=1, le=1000)] = Field(
        default=5, description="Times that each query is planned at a checkpoint."
    )
    rounds_at_end: Annotated[Whole, Field(ge=1, le=1000)] = Field(
        default=20, description="The same at the end; a 95th percentile needs 20."
    )
    readers: Annotated[tuple[ReaderName, ...], Field(min_length=1), AfterValidator(different)] = Field(
        default=("iceberg_java",),
        description="What plans: iceberg_java, iceberg_java_distributed, pyiceberg, clickhouse. The first one's figures"
        " are those that limits, fit and headline go by.",
    )
    caches: Switch = Field(
        default=False, description="Whether readers that can keep metadata in a cache are probed with it too."
    )
    cold: Switch = Field(default=True, description="Whether planning is probed once more in a fresh process.")
    listing: Switch = Field(
        default=True, description="Whether the data files are found once more by listing directories, without metadata."
    )
    execution: Switch = Field(default=True, description="Whether each query is run too, and timed apart.")


class Fit(Part):
    """How the model is checked."""

    held_out: Literal["intervals", "second_half", "none"] = Field(
        default="intervals", description="What the fit does not see, and then has to predict."
    )
