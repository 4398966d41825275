"""A reader: what plans queries over a table. One module each; this one says what they have in common."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from wasim.ledger import PlanningProbe
from wasim.spark.probe.queries import Query


@dataclass(frozen=True, slots=True, kw_only=True)
class TableState:
    """What a table is while it is probed, as Iceberg's own library says. Manifests are of data."""

    metadata_location: str
    metadata_json_bytes: int
    snapshots: int
    manifests: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ScanPlan:
    """What a reader says of one planned scan; None where it lets nobody see."""

    planning_ms: float
    manifests_opened: int | None
    manifests_scanned: int | None = None
    manifests_skipped: int | None = None
    files: int | None = None
    files_skipped: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """One table load and the plan made on what it loaded; no time of loading where the two are one."""

    load_ms: float | None
    plan: ScanPlan


class Reader(Protocol):
    """A table seen by one reader, in one variant of it. `wasim.ledger.readers` says what its times hold."""

    name: str
    variant: str
    loads_apart: bool

    def asks(self, query: Query) -> bool:
        """Whether this variant can differ from the others on the query."""

    def load(self) -> Any:
        """The table, loaded afresh: what `plan` takes."""

    def plan(self, table: Any, query: Query) -> ScanPlan:
        """Plans the query over a loaded table to its last task."""


def timed_load(reader: Reader) -> tuple[Any, float | None]:
    """A loaded table and the milliseconds that it took, if the reader loads apart from planning."""
    started_s = time.perf_counter()
    table = reader.load()
    spent_ms = (time.perf_counter() - started_s) * 1e3
    return table, spent_ms if reader.loads_apart else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Occasion:
    """When a table was probed, in what state, and whether the process was warm."""

    state: TableState
    after_commit: int
    temperature: str


def probe_of(reader: Reader, query: Query, rounds: Sequence[Round], occasion: Occasion) -> PlanningProbe:
    """The record of a query's rounds; counts are the last round's."""
    plan, state = rounds[-1].plan, occasion.state
    return PlanningProbe(
        after_commit=occasion.after_commit,
        query=query.name,
        temperature=occasion.temperature,
        reader=reader.name,
        variant=reader.variant,
        load_ms=np.array([each.load_ms for each in rounds if each.load_ms is not None]),
        planning_ms=np.array([each.plan.planning_ms for each in rounds]),
        execution_ms=np.empty(0),
        manifests_total=state.manifests,
        manifests_scanned=plan.manifests_scanned,
        manifests_skipped=plan.manifests_skipped,
        manifests_opened=plan.manifests_opened,
        files_planned=plan.files,
        files_skipped=plan.files_skipped,
        snapshots=state.snapshots,
        metadata_json_bytes=state.metadata_json_bytes,
    )
