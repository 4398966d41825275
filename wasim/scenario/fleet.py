"""A fleet: many tables, under one budget or none, in a small YAML file."""

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from wasim.errors import ScenarioError, quoted
from wasim.scenario.load import FirstVersion, load_part
from wasim.scenario.metrics import METRICS, Limit, parse_limit
from wasim.scenario.values import Duration, Number, Part, Size, Whole

MOST_TABLES = 100_000
_IN_CATALOG = re.compile(r"[\w-]+(\.[\w-]+){2,}")
SOURCES = ("rows_per_second", "scenario", "from_table")
OF_SOURCE = {"rows_per_second": {"columns", "files_per_commit", "partitions", "writer"}, "scenario": {"set"}}


class FleetTable(Part):
    """A table of the fleet, or `count` like it: one that rates describe, one of a scenario, or one that exists."""

    name: str = Field(
        default="", max_length=200, description="What SQL calls it; of one with rates always to be given."
    )
    rows_per_second: Annotated[Number, Field(gt=0, le=1e9)] | None = Field(
        default=None, description="Rows that arrive in a second."
    )
    columns: Annotated[Whole, Field(ge=4, le=2000)] = Field(default=20, description="Its columns.")
    files_per_commit: Annotated[Whole, Field(ge=1, le=100_000)] = Field(default=1, description="Tasks that write.")
    partitions: Annotated[Whole, Field(ge=0, le=100_000)] = Field(default=0, description="Partitions written to.")
    writer: Literal["streaming", "batch", "flink"] = Field(default="streaming", description="What commits.")
    scenario: str | None = Field(default=None, description="A scenario's file, instead of rates.")
    set: dict[str, str] = Field(default_factory=dict, description="Fields of the scenario to replace, as by --set.")
    from_table: str | None = Field(default=None, description="A table that exists, as wasim inspect names it.")
    freshness: Duration | None = Field(default=None, description="The longest interval to consider; 1h.")
    limits: dict[str, str] = Field(default_factory=dict, description="What its figures may not exceed, by metric.")
    now: str | None = Field(default=None, description="How it is written and maintained now, as for --now.")
    weight: Annotated[Number, Field(gt=0, le=1e6)] = Field(default=1.0, description="What its freshness is worth.")
    count: Annotated[Whole, Field(ge=1, le=MOST_TABLES)] = Field(default=1, description="How many tables are like it.")

    @model_validator(mode="after")
    def _check_source(self) -> Self:
        given = [field for field in SOURCES if getattr(self, field) is not None]
        if len(given) != 1:
            raise ValueError(f"one of {', '.join(SOURCES)}")
        for source, fields in OF_SOURCE.items():
            described = sorted(self.model_fields_set & fields)
            if described and source != given[0]:
                raise ValueError(f"{given[0]} without {', '.join(described)}, which it has of its own")
        if not self.called:
            raise ValueError("its name")
        for metric, text in self.limits.items():
            if metric not in METRICS or not METRICS[metric].flag:
                raise ValueError(f"limits on {', '.join(one.name for one in METRICS.values() if one.flag)}")
            try:
                parse_limit(metric, text)
            except ValueError as wanted:
                raise ValueError(f"as limits.{metric} {wanted}") from None
        return self

    @property
    def called(self) -> str:
        """Its name, or what its scenario or table is called in full."""
        return self.name or self.scenario or self.from_table or ""

    @property
    def bounds(self) -> tuple[Limit, ...]:
        """Its limits."""
        return tuple(parse_limit(metric, text) for metric, text in self.limits.items())

    def within(self, folder: Path) -> "FleetTable":
        """The same with paths that start from a folder; a catalog's table and an address stay as they are."""
        paths = {"name": self.called}
        if self.scenario is not None:
            paths["scenario"] = str(folder / self.scenario)
        if self.from_table is not None and "://" not in self.from_table and not _IN_CATALOG.fullmatch(self.from_table):
            paths["from_table"] = str(folder / self.from_table)
        return self.model_copy(update=paths)


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
    """Many tables, under one budget or none."""

    version: FirstVersion = Field(description="Version of this file's form.")
    budget: Budget | None = Field(default=None, description="What all tables together may take.")
    tables: Annotated[list[FleetTable], Field(min_length=1, max_length=MOST_TABLES)] = Field(description="The tables.")


def load_fleet(path: Path) -> Fleet:
    """The fleet in a file. ScenarioError with every fault, each with its position."""
    fleet = load_part(path, Fleet, "a fleet's file")
    fleet = fleet.model_copy(update={"tables": [table.within(path.parent) for table in fleet.tables]})
    names = Counter(table.name for table in fleet.tables)
    if twice := [name for name, count in names.items() if count > 1]:
        remedy = "Give each its own name, or `count`."
        raise ScenarioError(f"{path}: {names[twice[0]]} tables are called {quoted(twice[0])}. {remedy}")
    tables = sum(table.count for table in fleet.tables)
    if tables > MOST_TABLES:
        raise ScenarioError(f"{path}: tables are {tables:,} in all. Give {MOST_TABLES:,} at most.")
    return fleet


def fleet_of(tables: Sequence[str], folder: str, budget: Budget | None) -> Fleet:
    """The fleet of these tables of a warehouse or catalog, called by their places below its folder."""
    most = 200
    names = [one.removeprefix(f"{folder.rstrip('/')}/") for one in tables]
    return Fleet(
        version=1,
        budget=budget,
        tables=[
            FleetTable(name=name if len(name) <= most else f"…{name[1 - most :]}", from_table=table)
            for name, table in zip(names, tables, strict=True)
        ],
    )
