"""Reader ClickHouse, through chDB: a whole `count()` over `icebergLocal`, for its EXPLAIN may read no manifest."""

import json
import os
import select
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from wasim.errors import CaseFailed
from wasim.iceberg.sql import literal
from wasim.ledger.readers import CLICKHOUSE
from wasim.spark.probe.reader import SIGNS, Predicate, Query, Reader, ScanPlan

_CACHE, _PRUNING = "use_iceberg_metadata_files_cache", "use_iceberg_partition_pruning"
_RETURNED = "IcebergMetadataReturnedObjectInfos"
_PRUNED = ("IcebergPartitionPrunedFiles", "IcebergMinMaxIndexPrunedFiles")
_PRUNED_MANIFESTS = "IcebergPartitionPrunedManifestFiles"
_LONGEST_S = 600


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What ClickHouse answered: rows of text, how long it took, its own events, and what it opened in `metadata`."""

    rows: list[list[str]]
    ms: float
    events: dict[str, int]
    opened: list[str] | None  # None where nobody could watch


class Clickhouse:
    """A ClickHouse that sees one table's folder and nothing else."""

    def __init__(self, table_root: Path, said: IO[bytes]) -> None:
        self.table = f"icebergLocal({literal(str(table_root.resolve()))})"
        self._said = said
        self._scratch = tempfile.TemporaryDirectory(prefix="wasim-")  # what ClickHouse keeps, which it leaves behind
        command = [sys.executable, "-m", "wasim.spark.probe.clickhouse_process"]
        self._process = subprocess.Popen(
            command,
            cwd=table_root,
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join(map(os.path.abspath, sys.path)),  # ours, from elsewhere
                "TMPDIR": self._scratch.name,
            },
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=said,
            text=True,
        )

    def ask(self, sql: str) -> Reply:
        """The answer to a query. CaseFailed with what ClickHouse says when it refuses or ends."""
        given, taken = self._process.stdin, self._process.stdout
        if given is None or taken is None:
            raise ValueError("both were asked for as pipes")
        try:
            given.write(json.dumps(sql) + "\n")
            given.flush()
            ready, _, _ = select.select([taken], [], [], _LONGEST_S)
            line = taken.readline() if ready else ""
        except BrokenPipeError:
            line = ""
        if not line:
            raise CaseFailed(f"ClickHouse gave no answer: {self._last_words()}")
        found = json.loads(line)
        if "error" in found:
            raise CaseFailed(f"ClickHouse: {found['error'][:250]}")
        return Reply(**found)

    def close(self) -> None:
        """Ends the process."""
        self._process.kill()
        self._process.communicate()
        self._scratch.cleanup()

    def _last_words(self) -> str:
        self._said.seek(0)
        lines = self._said.read().decode(errors="replace").strip().splitlines()
        return lines[-1][:200] if lines else f"nothing within {_LONGEST_S} s"


class ClickhouseTable(Reader):
    """A table by its folder: ClickHouse looks for the newest metadata.json itself, at every query."""

    name = CLICKHOUSE
    loads_apart = False

    def __init__(self, clickhouse: Clickhouse, *, caches: bool, prunes: bool) -> None:
        self.variant = f"metadata cache {'on' if caches else 'off'}{'' if prunes else ', pruning off'}"
        self._prunes, self._clickhouse = prunes, clickhouse
        self._settings = f"{_CACHE} = {int(caches)}, {_PRUNING} = {int(prunes)}"

    def asks(self, query: Query) -> bool:
        """Every query; without pruning, those that could be pruned."""
        return self._prunes or query.predicate is not None

    def load(self) -> Clickhouse:
        """Nothing yet: every query loads the table itself."""
        return self._clickhouse

    def plan(self, table: Clickhouse, query: Query) -> ScanPlan:
        """Counts the query's rows; what a full count knows of files it has from the metadata, and it names none."""
        sql = f"SELECT count() FROM {table.table}{_where(query.predicate)} SETTINGS {self._settings}"  # noqa: S608
        seen = table.ask(sql)
        avro = None if seen.opened is None else [name for name in seen.opened if name.endswith(".avro")]
        manifests = None if avro is None else [name for name in avro if not name.startswith("snap-")]
        filtered = query.predicate is not None
        return ScanPlan(
            planning_ms=seen.ms,
            manifests_opened=None if manifests is None else len(manifests),
            manifests_skipped=seen.events.get(_PRUNED_MANIFESTS, 0),
            files=seen.events.get(_RETURNED, 0) if filtered else None,
            # other than Iceberg's own, it counts the files of manifests that it skipped, too
            files_skipped=sum(seen.events.get(name, 0) for name in _PRUNED) if filtered else None,
        )


@contextmanager
def open_clickhouse(table_root: Path) -> Iterator[Clickhouse]:
    """A ClickHouse on that folder for the block."""
    with tempfile.TemporaryFile() as said:
        clickhouse = Clickhouse(table_root, said)
        try:
            yield clickhouse
        finally:
            clickhouse.close()


def clickhouse_tables(clickhouse: Clickhouse, *, caches: bool) -> Sequence[ClickhouseTable]:
    """The table in all variants: metadata cache off, without and with pruning, and on if `caches`."""
    variants = [(False, True), (False, False), *([(True, True)] if caches else [])]
    return tuple(ClickhouseTable(clickhouse, caches=cached, prunes=prunes) for cached, prunes in variants)


def _where(predicate: Predicate | None) -> str:
    if predicate is None:
        return ""
    value = literal(str(predicate.value))  # ClickHouse reads a text as what the column holds
    if predicate.sql_type.startswith("timestamp"):
        value = f"toDateTime64({literal(str(predicate.value)[:26].replace('T', ' '))}, 6, 'UTC')"
    return f" WHERE `{predicate.column}` {SIGNS[predicate.comparison]} {value}"
