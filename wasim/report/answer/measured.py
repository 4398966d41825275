"""What a run measured, in one line: without its table and workload no figure means anything."""

from collections.abc import Sequence

from wasim.report.series import horizon_words
from wasim.runs import CaseRun, Run
from wasim.scenario import Case
from wasim.scenario.load import UNFINISHED_VERSION


def measured_line(run: Run) -> str:
    """What was measured, in one line: rows, columns, format, properties, writers, engine, location."""
    if not run.cases:
        return ""
    first = run.cases[0]
    case = first.case
    columns = sorted({len(one.case.table.all_columns) for one in run.cases})
    rows = sorted({one.case.workload.rows_per_second for one in run.cases})
    writers = ", ".join(dict.fromkeys(one.case.writer_name for one in run.cases))
    parts = [
        f"{_range(rows)} rows a second in {_range(columns)} columns",
        _format(run.cases),
        _partitioned(case),
        _properties(run.cases),
        f"{writers} for {horizon_words(run)} of event time",
        _place(first, run),
    ]
    tables = sorted({one.case.writer.tables for one in run.cases})
    if tables[-1] > 1:
        parts.append(f"{_range(tables)} tables: what is written, on disk and paid is of all, the rest of each")
    return "; ".join(parts)


def _format(cases: Sequence[CaseRun]) -> str:
    versions = sorted({one.case.table.format_version for one in cases})
    return f"format v{_range(versions)}{', which is unfinished' if versions[-1] == UNFINISHED_VERSION else ''}"


def _range(values: Sequence[float]) -> str:
    low, high = values[0], values[-1]
    return f"{low:,g}" if low == high else f"{low:,g} to {high:,g}"


def _partitioned(case: Case) -> str:
    if not case.table.partition_by:
        return "unpartitioned"
    fields = ", ".join(
        one.column if one.transform == "identity" else f"{one.transform}({one.column})"
        for one in case.table.partition_by
    )
    return f"partitioned by {fields}"


def _properties(cases: tuple[CaseRun, ...]) -> str:
    given = dict.fromkeys(f"{key}={value}" for one in cases for key, value in one.case.table.properties.items())
    return ", ".join(given) if given else "default table properties"


def _place(first: CaseRun, run: Run) -> str:
    environment = first.case.environment
    where = "on local files" if environment.store == "local" else "on S3"
    where = where if first.simulation is None else f"at {first.location}"
    who = {"spark": "real Spark and Iceberg", "core": "Iceberg's library", "sim": "simulated"}.get(
        first.engine, first.engine
    )
    catalogs = ", ".join(dict.fromkeys(one.case.environment.catalog for one in run.cases))
    return f"{who}, {catalogs} catalog, {where}"
