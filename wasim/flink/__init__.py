"""Engine `flink`: real tables that a Flink in a JVM of its own appends to, recorded and audited as Spark's are."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from wasim.errors import CaseFailed, WasimError
from wasim.iceberg.properties import UPSERT_ENABLED, WRITE_DISTRIBUTION_MODE
from wasim.iceberg.schemas import PrimitiveType, StructType, Type, decimal_digits, parts_of, schema_json
from wasim.iceberg.specs import spec_json
from wasim.ledger.vocabulary import CREATE_TABLE
from wasim.runner.written import Lines, Writer, unwritten
from wasim.scenario import Case
from wasim.scenario.settings import TABLE_NAME, whole_paths
from wasim.spark import ENGINE_ERRORS, PinnedJar, essential_line, fetch_jars
from wasim.spark.pins import SQLITE, listed_jars
from wasim.spark.recorder import java_map, read_journal, recorded_catalog, recording_jvm
from wasim.twin import shipped_profile
from wasim.twin.row_sets import RowSet, all_rows, new_rows
from wasim.twin.rows import Rows, rows_of
from wasim.twin.schema import Leaf, iceberg_schema, leaves, partition_spec
from wasim.twin.statements import upserted_rows
from wasim.workload import Append, plan_steps

MOST_ROWS = 2_000_000  # they are made ahead, and held in the JVM
_OPENED = [f"--add-opens=java.base/java.{name}=ALL-UNNAMED" for name in ("util", "lang")]  # to Flink's serializers


def check_sink(case: Case) -> None:
    """Raises WasimError naming the first setting of the case that the engine does not carry out."""
    rows, files, appends = case.rows_per_commit, case.workload.files_per_commit, not case.key_columns
    for refused, what in (
        (shipped_profile(case).name != "flink", "writer is none of Flink's. Give writer: {kind: flink, append: merge}"),
        (not case.merges, "writer.append is fast. Give merge, as the sink does"),
        (case.clock == "real", "clock is real. Give virtual"),
        (
            case.has_changes or case.has_maintenance or bool(case.evolution),
            "changes, maintenance and evolution are Spark's. Take them out, or use engine spark",
        ),
        (
            appends and case.workload.distribution_mode != "none",
            f"workload.distribution_mode is {case.workload.distribution_mode}. Give none, or upsert",
        ),
        (
            appends and rows % files != 0,
            f"workload.files_per_commit is {files}, which does not divide {rows} rows. Give a divisor",
        ),
        (rows * case.commits > MOST_ROWS, f"there are {rows * case.commits:,} rows. Give {MOST_ROWS:,} at most"),
        *unwritten(case, versions=(2, 3)),
    ):
        if refused:
            raise WasimError(f"Engine flink is one job of Flink's sink: {what}.")


def rows_text(case: Case) -> str:
    """A line for each row, commit by commit, its values between tabs; how many a list or a map holds comes first."""
    schema, given = iceberg_schema(case.table), all_rows(list(_rows_of_commits(case)))
    texts = _Texts(rows=rows_of(case), given=given, leaves={one.field_id: one for one in leaves(case.table, schema)})
    columns = [column for one in schema.columns for column in texts.of(one.field_id, one.type)]
    return "\n".join("\t".join(row) for row in zip(*columns, strict=True)) + "\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Texts:
    """Columns of texts that spell these rows."""

    rows: Rows
    given: RowSet
    leaves: Mapping[int, Leaf]

    def of(self, field_id: int, kind: Type) -> list[list[str]]:
        """The columns that spell one of the table: several if it is nested."""
        parts = [self.of(number, part) for number, _, part in parts_of(kind)]
        if isinstance(kind, StructType):
            return [column for part in parts for column in part]
        if not isinstance(kind, PrimitiveType):  # item by item: an element, or a key and its value
            return [[str(len(parts[0]))] * len(self.given), *chain.from_iterable(zip(*parts, strict=True))]
        leaf = self.leaves[field_id]
        if leaf.items is None:
            values = [self.rows.values(leaf, self.given)]
        else:
            values = list(self.rows.items(leaf, self.given).T)
        return [list(map(_text_of(leaf.column.type), one.tolist())) for one in values]


def _rows_of_commits(case: Case) -> Iterator[RowSet]:
    step = next(one for one in plan_steps(case) if isinstance(one, Append))
    for commit in range(1, case.commits + 1):
        if case.key_columns:
            yield upserted_rows(case, step, commit)
            continue
        # Flink gives rows to its tasks in turn: the first of each task's stretch, then the second …
        numbers = np.arange((commit - 1) * case.rows_per_commit, commit * case.rows_per_commit, dtype=np.int64)
        yield new_rows(numbers.reshape(case.workload.files_per_commit, -1).T.ravel())


def _text_of(kind: str) -> Callable[[Any], str]:
    if digits := decimal_digits(kind):
        return lambda value: str(Decimal(value).scaleb(-digits[1]))
    return {"binary": bytes.hex, "boolean": lambda value: str(value).lower()}.get(kind, str)


_HERE = Path(__file__).parent


@cache
def flink_jars() -> tuple[PinnedJar, ...]:
    """Flink 2.1.1, the sink of Iceberg 1.11.0 (no newer one is published for it), and what they need."""
    return listed_jars(_HERE / "jars.txt")


def write_table(case: Case, warehouse: Path) -> Lines:
    """The journal of the case's table, written from nothing below the warehouse. CaseFailed with the job's cause."""
    (warehouse / "rows.txt").write_text(rows_text(case))
    journal = warehouse / "journal"
    journal.mkdir()
    try:
        with _flink() as jvm:
            _write(jvm, case, warehouse)
    except ENGINE_ERRORS as error:
        raise CaseFailed(essential_line(error)) from error
    finally:
        (warehouse / "rows.txt").unlink()
    return list(read_journal(journal))


@contextmanager
def _flink() -> Iterator[Any]:
    jars = fetch_jars((*flink_jars(), SQLITE))
    sources = sorted((_HERE / "java" / "wasim" / "flink").glob("*.java"))
    with recording_jvm("flink", jars, sources, _OPENED) as gateway:
        yield gateway.jvm


def _write(jvm: Any, case: Case, warehouse: Path) -> None:
    folder, location = str(warehouse / "journal"), str(warehouse.joinpath(*TABLE_NAME.split(".")))
    catalog, hadoop = recorded_catalog(warehouse)
    job = jvm.wasim.flink.Job(java_map(jvm, catalog), java_map(jvm, hadoop), *TABLE_NAME.split("."))
    journal = jvm.wasim.recorder.Journal.at(folder)
    schema = iceberg_schema(case.table, case.key_columns)
    spec = spec_json(partition_spec(case.table, schema))
    properties = {
        "format-version": str(case.table.format_version),
        WRITE_DISTRIBUTION_MODE: case.workload.distribution_mode,
        **({UPSERT_ENABLED: "true"} if case.key_columns else {}),
        **whole_paths(case.table.properties, location),
    }
    journal.step(0, CREATE_TABLE, 0, 0, 0)
    job.create(schema_json(schema), spec, location, java_map(jvm, properties))
    journal.done(0)
    first = next(step for step in plan_steps(case) if isinstance(step, Append))
    interval_ms = round(case.commit_interval_s * 1000)
    journal.step(first.number, first.operation(first.commits), interval_ms, interval_ms, case.rows_per_commit)
    rows, tasks = str(warehouse / "rows.txt"), case.workload.files_per_commit
    job.write(rows, case.rows_per_commit, case.commits, tasks, folder)


def versions() -> dict[str, str]:
    """What decides a case's bytes beyond wasim: the jars, by their SHA-256."""
    return {jar.name: jar.sha256 for jar in flink_jars()}


FLINK = Writer(name="flink", versions=versions, check=check_sink, write=write_table)
