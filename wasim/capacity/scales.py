"""The sliders of a workload: its rate, its columns, its files per commit."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from wasim.capacity.figures import SettingSimulator
from wasim.capacity.lattice import Scale
from wasim.capacity.request import FLAGS, PlanRequest
from wasim.capacity.settings import able_intervals
from wasim.scenario.from_flags import table_of_columns

RATES = (0.1, 0.2, 0.5, 1.0, 2.0, 3.0, 5.0, 10.0)
TIMES = (0.25, 0.5, 1.0, 2.0, 4.0)
LEAST_COLUMNS, MOST_COLUMNS, MOST_FILES = 4, 2000, 10_000


def scales_of(request: PlanRequest, simulator: SettingSimulator, intervals_s: tuple[float, ...]) -> Iterator[Scale]:
    """The sliders of a request's workload, as far as it can be written at all these intervals; one for columns only
    where flags describe the table.
    """
    scale = partial(_scale, intervals_s=intervals_s)
    workload = request.document["workload"]
    rate, files = float(workload["rows_per_second"]), int(workload.get("files_per_commit", 1))
    rates = {rate * times: _with_workload(request, rows_per_second=str(rate * times)) for times in RATES}
    yield scale("rate", "Rows a second", rates, own=rate, simulator_of=simulator.of_other_rate)
    if request.source == FLAGS:
        columns, partitions = _columns(request.document["table"])
        counts = sorted({max(LEAST_COLUMNS, min(MOST_COLUMNS, round(columns * times))) for times in TIMES})
        tables = {float(count): _with_table(request, table_of_columns(count, partitions)) for count in counts}
        yield scale("columns", "Columns", tables, own=float(columns), simulator_of=simulator.of_other_table)
    counts = sorted({max(1, min(MOST_FILES, round(files * times))) for times in (*TIMES, 8.0)})
    changed = {float(count): _with_workload(request, files_per_commit=str(count)) for count in counts}
    yield scale("files", "Writing tasks a commit", changed, own=float(files), simulator_of=simulator.of_other_files)


def _scale(
    key: str,
    label: str,
    requests: Mapping[float, PlanRequest],
    *,
    intervals_s: tuple[float, ...],
    own: float,
    simulator_of: Callable[[PlanRequest], SettingSimulator],
) -> Scale:
    """A scale that is simulated at its ends."""
    values = tuple(
        sorted(v for v, one in requests.items() if v == own or able_intervals(intervals_s, one) == intervals_s)
    )
    at = values.index(own)
    changed = {place: simulator_of(requests[values[place]]) for place in {0, len(values) - 1} - {at}}
    return Scale(
        key=key,
        label=label,
        values=values,
        at=at,
        simulated={place: one.figures_over for place, one in changed.items()},
    )


def _with_workload(request: PlanRequest, **changed: str) -> PlanRequest:
    workload = {**request.document["workload"], **changed}
    return replace(request, document={**request.document, "workload": workload})


def _with_table(request: PlanRequest, table: dict[str, Any]) -> PlanRequest:
    return replace(request, document={**request.document, "table": table})


def _columns(table: Mapping[str, Any]) -> tuple[int, int]:
    """Columns and partitions of a table that flags describe."""
    own = 2 + sum(int(column.get("count", 1)) for column in table["columns"])
    partitions = int(table["columns"][0]["values"]) if "partition_by" in table else 0
    return own, partitions
