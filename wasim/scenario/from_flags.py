"""A scenario's document from a few plain flags, for tables and workloads that nobody has written a file for."""

import json
from collections.abc import Mapping
from typing import Any

from wasim.errors import WasimError, quoted
from wasim.scenario.examine import examine
from wasim.scenario.faults import Fault, format_place
from wasim.scenario.parts import MOST_WRITERS, WRITER_KINDS
from wasim.scenario.table_checks import MOST_PARTITIONS_PER_COMMIT

DEFAULT_WORKLOAD: Mapping[str, str] = {
    "columns": "20",
    "files_per_commit": "1",
    "partitions": "0",
    "writer": "streaming",
    "horizon": "30d",
}
"""What holds where a flag is not given."""

FLAG_OF_FIELD: Mapping[str, str] = {
    "workload.rows_per_second": "--rows-per-second",
    "workload.files_per_commit": "--files-per-commit",
    "table.columns[0].values": "--partitions",
    "table.partition_by": "--partitions",
    "writer": "--writer",
    "writer.writers": "--writers",
    "writer.tables": "--tables",
    "horizon": "--horizon",
    "commit_interval": "--interval",
}
"""The flag that a field of such a document comes from."""

_OWN_COLUMNS = 2  # event_id and event_time, which every table has
_LEAST_COLUMNS, _MOST_COLUMNS = 4, 2000
_MOST_PARTITIONS = 100_000


def document_from_flags(given: Mapping[str, str | None]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The document, without a commit interval, and sentences about what it assumes.

    `given` has the texts of `rows_per_second`, `columns`, `files_per_commit`, `partitions`, `writer`, `writers`,
    `tables` and `horizon`, None where none was given. WasimError names the flag that is missing or makes no sense.
    """
    rows = given.get("rows_per_second")
    if rows is None:
        raise WasimError("--rows-per-second is missing. Give it, or a scenario's file.")
    workload = {**DEFAULT_WORKLOAD, **{name: text for name, text in given.items() if text is not None}}
    columns = _whole("--columns", workload["columns"], least=_LEAST_COLUMNS, most=_MOST_COLUMNS)
    partitions = _whole("--partitions", workload["partitions"], least=0, most=_MOST_PARTITIONS)
    writer: dict[str, Any] = {"kind": workload["writer"]}
    if "writers" in workload and _whole("--writers", workload["writers"], least=1, most=MOST_WRITERS) > 1:
        if given.get("writer") not in (None, "batch"):
            raise WasimError(
                f"--writers is {quoted(workload['writers'])}, but several writers are batches. Take --writer out."
            )
        writer, workload["writer"] = {"kind": "batch", "writers": int(workload["writers"])}, "batch"
    elif workload["writer"] not in WRITER_KINDS:
        writer = {"kind": "batch", "profile": workload["writer"]}
    if "tables" in workload and _whole("--tables", workload["tables"], least=1, most=10_000) > 1:
        writer |= {"tables": int(workload["tables"])}
        if writer["kind"] == "streaming":  # one of Spark's streams reaches several tables only so
            writer, workload["writer"] = writer | {"sink": "foreach_batch"}, "streaming (foreachBatch)"
    if "writers" in writer and "tables" in writer:
        several = f'"{workload["tables"]}", but writer.writers is {workload["writers"]}'
        raise WasimError(f"--tables is {several}. Give one writer, or 1.")
    document = {
        "name": "plan",
        "question": "Which commit interval?",
        "table": table_of_columns(columns, partitions),
        "workload": {name: workload[name] for name in ("rows_per_second", "files_per_commit")},
        "writer": writer if len(writer) > 1 else workload["writer"],
        "horizon": workload["horizon"],
    }
    return document, _assumed(workload, columns, partitions)


def scenario_of_flags(given: Mapping[str, str | None], intervals: str) -> str:
    """A whole scenario as YAML text, of the flags and of commit intervals with commas between them.

    WasimError names the flag that makes no sense.
    """
    document, _ = document_from_flags(given)
    swept = [text.strip() for text in intervals.split(",")]
    for interval in swept:
        _, faults = examine({**document, "commit_interval": interval})
        if faults:
            raise WasimError(*dict.fromkeys(map(explain_flag, faults)))
    whole = {**document, "name": "flags", "sweep": {"commit_interval": swept}}
    return json.dumps(whole, indent=1)  # which is YAML


def explain_flag(fault: Fault) -> str:
    """A fault of such a document as one line, by flag where one gives that field."""
    field = format_place(fault.place)
    remedy = f"Give at most {MOST_PARTITIONS_PER_COMMIT}." if field == "table.partition_by" else fault.remedy
    return f"{FLAG_OF_FIELD.get(field, field)} {fault.problem}. {remedy}"


def table_of_columns(columns: int, partitions: int) -> dict[str, Any]:
    """A table of `columns` columns, partitioned by one of `partitions` values unless that is none."""
    own = columns - _OWN_COLUMNS - (1 if partitions else 0)
    texts = own // 4
    parts = [{"name": "part", "type": "string", "length": 8, "values": str(partitions)}] if partitions else []
    labels = [{"name": "label", "type": "string", "length": 12, "values": 1000, "count": texts}] if texts else []
    values = [{"name": "value", "type": "double", "count": own - texts}]
    fields = {"partition_by": [{"column": "part"}]} if partitions else {}
    return {"columns": [*parts, *labels, *values], **fields}


def _assumed(workload: Mapping[str, str], columns: int, partitions: int) -> tuple[str, ...]:
    texts = (columns - _OWN_COLUMNS - (1 if partitions else 0)) // 4
    tasks = workload["files_per_commit"]
    spread = f"rows spread over {partitions} partitions" if partitions else "no partitions"
    writers = int(workload.get("writers", "1"))
    of = "writer" if writers == 1 else f"writers, {writers} in turn"
    tables = int(workload.get("tables", "1"))
    of += f" to each of {tables:,} tables" if tables > 1 else ""
    return (
        f"{columns} columns: event_id, event_time, {texts + (1 if partitions else 0)} strings, the rest doubles.",
        f"{tasks} writing {'task' if tasks == '1' else 'tasks'} a commit, {spread}.",
        f"{workload['writer'].capitalize()} {of}, horizon {workload['horizon']}.",
    )


def _whole(flag: str, text: str, *, least: int, most: int) -> int:
    if not text.isascii() or not text.isdecimal() or len(text) > 9 or not least <= int(text) <= most:
        raise WasimError(f"{flag} is {quoted(text)}. Give a whole number, at least {least}, at most {most}.")
    return int(text)
