"""What a scenario may say, part by part. Positions and faults are `load`'s; meaning is `workload`'s.

Every part is frozen and refuses unknown keys, so that a typing mistake never becomes a silent default.
"""

from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from wasim.units import parse_bytes, parse_duration_s

SCENARIO_VERSION = 1

def _duration(value: object) -> float:
    if isinstance(value, str):
        return parse_duration_s(value)
    raise ValueError("a duration greater than zero, such as 5s or 2m")


def _bytes(value: object) -> int:
    return parse_bytes(value) if isinstance(value, str) else int(value)  # type: ignore[call-overload, no-any-return]


Duration = Annotated[float, BeforeValidator(_duration, json_schema_input_type=str)]
Bytes = Annotated[int, BeforeValidator(_bytes, json_schema_input_type=str | int), Field(gt=0)]


class Part(BaseModel):
    """A part of a scenario: frozen, and unknown keys are faults."""

    model_config = ConfigDict(extra="forbid", frozen=True)


ColumnType = Annotated[
    str,
    Field(
        pattern=r"^(boolean|int|long|float|double|date|timestamp|timestamptz|string|binary|decimal\(\d{1,2}, ?\d{1,2}\)|struct)$"
    ),
]


class Columns(Part):
    """One column, or `count` columns alike: `name` alone, or `name_0`, `name_1` …"""

    name: Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]
    type: ColumnType
    count: Annotated[int, Field(ge=1, le=2000)] = 1
    length: Annotated[int, Field(ge=1, le=65536)] = 16  # characters of a string, bytes of a binary
    values: Annotated[int, Field(ge=1)] | None = None  # how many different values; None: as many as rows
    fields: tuple["Columns", ...] = ()  # of a struct


class PartitionField(Part):
    """One field of the partition spec, in Iceberg's words."""

    column: str
    transform: Annotated[
        str, Field(pattern=r"^(identity|year|month|day|hour|bucket\[\d+\]|truncate\[\d+\])$")
    ] = "identity"


class Table(Part):
    """The table under test. `event_id` (long) and `event_time` (timestamp) are always its first two columns."""

    columns: tuple[Columns, ...]
    partition_by: tuple[PartitionField, ...] = ()
    format_version: Literal[1, 2, 3] = 2
    properties: dict[str, str] = Field(default_factory=dict)


class Workload(Part):
    """What arrives, in event time."""

    rows_per_second: Annotated[float, Field(gt=0)]
    files_per_commit: Annotated[int, Field(ge=1, le=10_000)] = 1  # tasks that write; per partition touched when partitioned and mode is none
    partitions_per_commit: Annotated[int, Field(ge=1)] | None = None  # values of the first identity partition column per commit
    distribution_mode: Literal["none", "hash", "range"] = "none"


class Writer(Part):
    """Who commits, and how."""

    kind: Literal["streaming", "batch"]
    sink: Literal["table", "foreach_batch"] = "table"  # streaming only
    append: Literal["fast", "merge"] | None = None  # None: what Spark does by default: fast for a streaming table sink, else merge


class Environment(Part):
    """Where it runs: catalog, store and Spark."""

    catalog: Literal["jdbc"] = "jdbc"
    spark: dict[str, str] = Field(default_factory=dict)  # further Spark settings


class Planning(Part):
    """How planning latency is probed."""

    checkpoints: tuple[Annotated[float, Field(gt=0, le=1)], ...] = (0.5, 1.0)  # shares of the commits; 1.0 is always probed
    rounds: Annotated[int, Field(ge=1, le=1000)] = 5
    rounds_at_end: Annotated[int, Field(ge=1, le=1000)] = 20  # a percentile needs 20
    cold: bool = True
    execution: bool = True


class Fit(Part):
    """How the model is checked."""

    held_out: Literal["intervals", "second_half", "none"] = "intervals"


class Scenario(Part):
    """One question, as written; a sweep is not yet taken apart."""

    version: Literal[1] = 1
    name: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_]*$")]
    question: str
    table: Table
    workload: Workload
    writer: Writer
    commit_interval: Duration
    horizon: Duration
    clock: Literal["virtual", "real"] = "virtual"
    environment: Environment = Environment()
    planning: Planning = Planning()
    fit: Fit = Fit()
    repetitions: Annotated[int, Field(ge=1, le=100)] = 1
    seed: Annotated[int, Field(ge=0, lt=2**31)] = 0
    limits: dict[str, str] = Field(default_factory=dict)
