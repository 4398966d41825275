"""A scenario: one question, in parts."""

from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from wasim.scenario.changes import Changes, Evolution, Maintenance
from wasim.scenario.parts import Environment, Fit, Planning, Table, Workload, Writer
from wasim.scenario.trigger import triggered_s
from wasim.scenario.values import Duration, Interval, NoneOr, Part, ScenarioName, Text, Whole, sentence, whole


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
