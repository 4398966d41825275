"""A commit as a value, and as the line of JSON that the JVM's side reads."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from wasim.core.content_files import content_file_json
from wasim.iceberg import DataFileEntry
from wasim.iceberg.manifest_entries import FileKey
from wasim.iceberg.schemas import Type
from wasim.iceberg.updates import Way


@dataclass(frozen=True, slots=True, kw_only=True)
class DescribedCommit:
    """One commit as its writer would have made it: the data files and delete files that it adds, those that it takes
    out by name, the summary keys that are its own, and the operation of Iceberg's that commits it.

    `rows` is the range of row numbers of which `delete_files` drops all files. `planned_before` is how many commits
    were made since the work of `rewrite_files` was planned.
    """

    way: Way = Way.APPEND
    files: Sequence[DataFileEntry] = ()
    deletes: Sequence[DataFileEntry] = ()
    removed: Sequence[FileKey] = ()
    rows: tuple[int, int] = (0, 0)
    summary: Mapping[str, str] = field(default_factory=dict)
    planned_before: int = 0


def commit_line(described: DescribedCommit, partition_types: Sequence[Type], *, spec_id: int) -> str:
    """The commit as one line; its files are of the partition spec with that id."""
    files, deletes = (
        [content_file_json(file, partition_types, spec_id=spec_id) for file in entries]
        for entries in (described.files, described.deletes)
    )
    line = {
        "way": described.way,
        "summary": dict(described.summary),
        "files": files,
        "deletes": deletes,
        "removed": [f"{'-' if offset is None else offset}\t{path}" for path, offset in described.removed],
        "rows": described.rows,
        "planned_before": described.planned_before,
    }
    return json.dumps(line, separators=(",", ":"))
