"""A fleet: many tables under one budget, in a small YAML file."""

from collections import Counter
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from wasim.errors import ScenarioError, quoted
from wasim.scenario.part_files import FirstVersion, load_part
from wasim.scenario.values import Duration, Number, Part, Size, Whole

MOST_TABLES = 100_000


class FleetTable(Part):
    """A table of the fleet, or `count` like it."""

    name: str = Field(min_length=1, max_length=200, description="What SQL calls it.")
    rows_per_second: Annotated[Number, Field(gt=0, le=1e9)] = Field(description="Rows that arrive in a second.")
    columns: Annotated[Whole, Field(ge=4, le=2000)] = Field(default=20, description="Its columns.")
    files_per_commit: Annotated[Whole, Field(ge=1, le=10_000)] = Field(default=1, description="Tasks that write.")
    partitions: Annotated[Whole, Field(ge=0, le=100_000)] = Field(default=0, description="Partitions written to.")
    writer: Literal["streaming", "batch", "flink"] = Field(default="streaming", description="What commits.")
    freshness: Duration = Field(default=3600.0, description="The longest interval to consider.")
    weight: Annotated[Number, Field(gt=0, le=1e6)] = Field(default=1.0, description="What its freshness is worth.")
    count: Annotated[Whole, Field(ge=1, le=MOST_TABLES)] = Field(default=1, description="How many tables are like it.")


class Budget(Part):
    """What all tables together may take."""

    metadata_per_day: Size | None = Field(default=None, description="Metadata written in a day.")
    monthly_cost: Annotated[Number, Field(gt=0)] | None = Field(default=None, description="Money a month.")

    @model_validator(mode="after")
    def _check_given(self) -> Self:
        if self.metadata_per_day is None and self.monthly_cost is None:
            raise ValueError("metadata_per_day, monthly_cost or both")
        return self


class Fleet(Part):
    """Many tables under one budget."""

    version: FirstVersion = Field(description="Version of this file's form.")
    budget: Budget = Field(description="What all tables together may take.")
    tables: Annotated[list[FleetTable], Field(min_length=1, max_length=MOST_TABLES)] = Field(description="The tables.")


def load_fleet(path: Path) -> Fleet:
    """The fleet in a file. ScenarioError with every fault, each with its position."""
    fleet = load_part(path, Fleet, "a fleet's file")
    names = Counter(table.name for table in fleet.tables)
    if twice := [name for name, count in names.items() if count > 1]:
        remedy = "Give each its own name, or `count`."
        raise ScenarioError([f"{path}: {names[twice[0]]} tables are called {quoted(twice[0])}. {remedy}"])
    tables = sum(table.count for table in fleet.tables)
    if tables > MOST_TABLES:
        raise ScenarioError([f"{path}: tables are {tables:,} in all. Give {MOST_TABLES:,} at most."])
    return fleet
