"""The one place that maps work over a Spark DataFrame, when a master is given.

Parts of a piece of work are bytes, one row of a DataFrame each, and a task has several of them. Workers turn a part
into Arrow rows (`mapInArrow`), and the rows land as Parquet. A task that fails is tried again by Spark, as often as its
settings say, not by us.
"""

import pickle
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa

from wasim.errors import CaseFailed, WasimError
from wasim.spark import ENGINE_ERRORS, essential_line, open_plain_session

Part = TypeVar("Part")
TASKS = 4  # for each core: a task costs a worker 0.1 s before its first part, and tasks are not equally long


def map_parts(
    parts: Sequence[Part],
    work: Callable[[Part], list[dict[str, Any]]],
    schema: pa.Schema,
    *,
    master: str,
    out: Path,
    log: Path,
) -> None:
    """Carries out `work` for every part on the Spark at `master`; its records land in `out`, a folder of Parquet files.

    Workers must be able to import wasim and to write to `out`. WasimError if the folder exists; CaseFailed if a part
    fails more often than Spark tries it; EnvironmentFault if Spark does not start.
    """
    if out.exists():
        raise WasimError(f"{out}: is there already. Name a folder that is not, or delete it.")
    with open_plain_session(master=master, log=log) as spark:
        try:
            map_parts_on(spark, parts, work, schema).write.parquet(str(out.absolute()))
        except ENGINE_ERRORS as error:
            raise CaseFailed(f"{out}: the sweep failed: {essential_line(error)} Its log is {log}.") from error


@contextmanager
def open_map(*, master: str, log: Path) -> Iterator[Callable[[Callable[[Any], Any], Sequence[Any]], list[Any]]]:
    """A `map` whose work is done by the Spark at `master`, for the block. Faults as above."""

    def mapped(work: Callable[[Any], Any], parts: Sequence[Any]) -> list[Any]:
        if not parts:
            return []
        numbered = list(enumerate(parts))
        try:
            rows = map_parts_on(spark, numbered, lambda one: _pickled(work, *one), _RESULTS).collect()
        except ENGINE_ERRORS as error:
            raise CaseFailed(
                f"{master}: a part of the work failed: {essential_line(error)} Its log is {log}."
            ) from error
        results = {row["number"]: row["result"] for row in rows}
        return [pickle.loads(results[number]) for number, _ in numbered]  # noqa: S301 - our own workers wrote it

    with open_plain_session(master=master, log=log) as spark:
        yield mapped


_RESULTS = pa.schema([("number", pa.int64()), ("result", pa.binary())])


def _pickled(work: Callable[[Any], Any], number: int, part: Any) -> list[dict[str, Any]]:  # noqa: ANN401
    return [{"number": number, "result": pickle.dumps(work(part))}]


def map_parts_on(
    spark: Any,  # noqa: ANN401 - a session and a DataFrame, whose types only wasim.spark may import
    parts: Sequence[Part],
    work: Callable[[Part], list[dict[str, Any]]],
    schema: pa.Schema,
) -> Any:  # noqa: ANN401
    """The DataFrame of all parts' records, not yet computed; a few tasks for each core, each with as many parts."""

    def carry_out(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for payload in batch.column("part").to_pylist():
                yield from pa.Table.from_pylist(work(pickle.loads(payload)), schema=schema).to_batches()  # noqa: S301

    context = spark.sparkContext
    # Else workers take the first python3 on their path, which knows nothing of wasim.
    context.pythonExec = sys.executable
    context.parallelize([0], 1).count()  # workers register meanwhile: then the cores of all are known
    tasks = min(len(parts), TASKS * int(context.defaultParallelism))
    rows = [(number % tasks, bytearray(pickle.dumps(part))) for number, part in enumerate(parts)]
    frame = spark.createDataFrame(rows, "task int, part binary").repartitionByRange(tasks, "task")
    return frame.mapInArrow(carry_out, _spark_schema(schema))


def _spark_schema(schema: pa.Schema) -> str:
    types = {pa.int64(): "long", pa.float64(): "double", pa.string(): "string", pa.bool_(): "boolean"}
    types |= {pa.binary(): "binary", pa.list_(pa.string()): "array<string>"}
    return ", ".join(f"`{field.name}` {types[field.type]}" for field in schema)
