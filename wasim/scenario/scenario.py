"""A scenario: one question, in parts; and the interval that its writer's trigger comes to."""

from collections.abc import Iterator
from math import ceil
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from wasim.iceberg.properties import TableProperties
from wasim.rules.trigger import first_s
from wasim.scenario.changes import Changes, Evolution, Maintenance
from wasim.scenario.parts import Columns, Environment, Fit, Planning, Table, Trigger, Workload, Writer
from wasim.scenario.values import Duration, Interval, NoneOr, Part, ScenarioName, Text, Whole, sentence, whole

_WIDTHS = {"boolean": 1, "int": 4, "float": 4, "date": 4}
_WIDEST = 8
_DECIMAL = 16
LEAST_S = 0.001  # intervals are whole milliseconds


def row_bytes(table: Table) -> float:
    """Bytes of a row before it is written: the widths of its columns, a string's or a binary's its length."""
    return float(sum(_width(column) for column in table.all_columns))


def _width(column: Columns) -> int:
    if column.fields:
        return sum(_width(field) for one in column.fields for field in one.each)
    if column.type in ("string", "binary"):
        return column.length
    return _DECIMAL if column.type.startswith("decimal") else _WIDTHS.get(column.type, _WIDEST)


def triggers_s(trigger: Trigger, table: Table, rows_per_second: float) -> Iterator[tuple[str, float]]:
    """After how many seconds each part of a trigger would fire alone, by its name."""
    target = TableProperties.read_leniently(table.properties).write_target_file_size_bytes
    per_second = rows_per_second * (trigger.row_bytes or row_bytes(table))
    counts = {
        "rows": (trigger.rows, rows_per_second),
        "bytes": (trigger.bytes, per_second),
        "files": (trigger.files and trigger.files * target, per_second),
    }
    yield from ((name, count / rate) for name, (count, rate) in counts.items() if count is not None)


def triggered_s(interval_s: float, trigger: Trigger | None, table: Table, rows_per_second: float) -> float:
    """Seconds between two commits, in whole milliseconds: the interval unless a part of the trigger fires first."""
    if trigger is None:
        return interval_s
    parts = [(seconds, 1.0) for _, seconds in triggers_s(trigger, table, rows_per_second)]
    return max(LEAST_S, min(interval_s, ceil(first_s(interval_s, parts) * 1000) / 1000))


class Scenario(Part):
    """One question. A sweep makes several of these; see `sweep`."""

    version: Annotated[Literal[1], BeforeValidator(whole)] = Field(
        default=1, description="Version of the scenario language."
    )
    name: ScenarioName = Field(description="Name of the scenario, which names its results too.")
    question: Annotated[str, AfterValidator(sentence)] = Field(
        min_length=1, max_length=1000, description="What the scenario answers, in a sentence."
    )
    table: Table = Field(description="The table under test.")
    workload: Workload = Field(description="What arrives, in event time.")
    writer: Writer = Field(description="Who commits, and how.")
    commit_interval: Interval = Field(description="Event time between two commits, such as 5s, in whole milliseconds.")
    horizon: Duration = Field(description="Event time that a case covers, such as 4m or 365d; cut to whole commits.")
    clock: Literal["virtual", "real"] = Field(
        default="virtual", description="Whether commits follow each other at once, or wait for event time to pass."
    )
    changes: Annotated[Changes, NoneOr({})] = Field(
        default=Changes(), description="What changes the table's rows apart from the writer."
    )
    maintenance: Annotated[Maintenance, NoneOr({})] = Field(
        default=Maintenance(), description="What keeps the table in order."
    )
    evolution: Annotated[tuple[Evolution, ...], NoneOr(())] = Field(
        default=(), description="What happens once to schema, spec, properties or references."
    )
    environment: Environment = Field(default=Environment(), description="Where it runs: catalog and Spark.")
    planning: Planning = Field(default=Planning(), description="How planning latency is probed.")
    fit: Fit = Field(default=Fit(), description="How the model is checked.")
    repetitions: Annotated[Whole, Field(ge=1, le=100)] = Field(
        default=1, description="How often every case is measured."
    )
    seed: Annotated[Whole, Field(ge=0, lt=2**31)] = Field(default=0, description="Seed of the rows' values.")
    limits: dict[str, Text] = Field(
        default_factory=dict, description='What no case may exceed, such as `wa_metadata: "< 0.5"`.'
    )

    @property
    def interval_s(self) -> float:
        """Event time between two commits: the commit interval, or less where the writer's trigger comes first."""
        return triggered_s(self.commit_interval, self.writer.trigger, self.table, self.workload.rows_per_second)
