"""Planning in a fresh process: no class, no module, no table, no connection is warm (the page cache may be)."""

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from wasim.errors import CaseFailed
from wasim.ledger import FULL_SCAN, PlanningProbe
from wasim.ledger.readers import CLICKHOUSE, ICEBERG_JAVA, PYICEBERG
from wasim.spark import Catalog, MemoryCatalog, short_lived_jvm
from wasim.spark.probe.clickhouse import clickhouse_tables, open_clickhouse
from wasim.spark.probe.iceberg_java import open_planning_table
from wasim.spark.probe.reader import Occasion, Query, Reader, Round, ScanPlan, probe_of, timed_load

_QUERY = Query(name=FULL_SCAN)
_LONGEST_S = 600


@dataclass(frozen=True, slots=True, kw_only=True)
class ColdTable:
    """A table that nobody writes any more, and what a fresh process needs to plan it."""

    jars: Sequence[Path]
    catalog: Catalog
    table_name: str
    table_root: Path
    occasion: Occasion


def probe_cold(readers: Sequence[str], table: ColdTable) -> Iterator[PlanningProbe]:
    """The full scan planned once by each reader; none of distributed planning, which is Spark's own process."""
    for name in readers:
        if name == ICEBERG_JAVA:
            yield _in_fresh_jvm(table)
        elif name == PYICEBERG:
            yield _in_fresh_python(table)
        elif name == CLICKHOUSE:
            yield _by_fresh_clickhouse(table)


def _in_fresh_jvm(table: ColdTable) -> PlanningProbe:
    with (
        short_lived_jvm(table.jars) as gateway,
        open_planning_table(gateway.jvm, table.catalog, table.table_name) as planning,
    ):
        if isinstance(table.catalog, MemoryCatalog):
            planning.register(table.occasion.state.metadata_location)
        return probe_of(planning, _QUERY, [_once(planning)], table.occasion)


def _by_fresh_clickhouse(table: ColdTable) -> PlanningProbe:
    with open_clickhouse(table.table_root) as clickhouse:
        clickhouse.ask("SELECT 1")  # its process starts and imports before the clock does
        first = clickhouse_tables(clickhouse, caches=False)[0]
        return probe_of(first, _QUERY, [_once(first)], table.occasion)


def _in_fresh_python(table: ColdTable) -> PlanningProbe:
    """By pyiceberg, in a Python of its own that has imported it before the clock starts."""
    from wasim.spark.probe.pyiceberg import PyicebergTable  # noqa: PLC0415 - an extra: only who asks for it needs it

    location = table.occasion.state.metadata_location
    command = [sys.executable, "-m", "wasim.spark.probe.cold", location]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_LONGEST_S)
    if done.returncode:
        said = (done.stderr.strip() or f"it ended with {done.returncode}").splitlines()[-1]
        raise CaseFailed(f"pyiceberg could not plan the table in a fresh process: {said[:200]}")
    seen = json.loads(done.stdout)
    only = Round(load_ms=seen["load_ms"], plan=ScanPlan(**seen["plan"]))
    return probe_of(PyicebergTable(location), _QUERY, [only], table.occasion)


def _once(reader: Reader) -> Round:
    table, load_ms = timed_load(reader)
    return Round(load_ms=load_ms, plan=reader.plan(table, _QUERY))


def _plan_here(location: str) -> None:
    """Writes the round of a pyiceberg that has just been started."""
    from wasim.spark.probe.pyiceberg import PyicebergTable  # noqa: PLC0415 - likewise

    sys.stdout.write(json.dumps(asdict(_once(PyicebergTable(location)))))


if __name__ == "__main__":
    _plan_here(sys.argv[1])
