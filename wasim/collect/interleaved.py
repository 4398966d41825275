"""The interleaved journal of several writers, ordered by step: which line belongs to which.

A writer's own thread and the tasks that it started name their step in each line. What the threads of pools write or
delete is known by its name: manifests and lists carry the UUID of their commit, and a deleted file was written before.
A metadata.json from a catalog's server, which knows no steps, says in itself which snapshot it was written for.
"""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from wasim.collect.kinds import local_path
from wasim.iceberg.names import parse_manifest_list_name, parse_manifest_name

Line = dict[str, Any]


def in_turn(section: Sequence[Line]) -> Iterator[Line]:
    """The section's lines step by step: first those that committed, in the order of the table's snapshots, then the
    failed ones, last what is nobody's. Each line gets its place in the section as `place`.
    """
    owners = _Owners(section)
    by_step: dict[int | None, list[Line]] = {}
    sequence: dict[int | None, int] = {}
    for place, line in enumerate(section):
        step = owners.of(line)
        by_step.setdefault(step, []).append(line | {"place": place})
        if line["do"] == "commit":
            # sequence numbers of format version 1 are all 0, where reports come in order at least
            sequence[step] = line["report"].get("sequence-number", 0)
    committed = sorted(sequence, key=lambda step: sequence[step])
    failed = [step for step in by_step if step is not None and step not in sequence]
    for step in (*committed, *failed, None):
        yield from by_step.get(step, [])


class _Owners:
    """Finds the step of each line of a section."""

    def __init__(self, section: Sequence[Line]) -> None:
        self._of_commit: dict[str, int] = {}  # by the UUID that is in the names of a commit's lists and manifests
        self._of_snapshot: dict[int, int] = {}
        self._of_file: dict[str, int] = {}
        for line in section:
            name = parse_manifest_list_name(_name(line))
            if name is not None and line["do"] == "write" and "by" in line:
                self._of_commit[name.commit_uuid] = self._of_snapshot[name.snapshot_id] = line["by"]

    def of(self, line: Line) -> int | None:
        """The step that the line belongs to, None if nothing tells. Lines must be asked for in order."""
        if line["do"] == "step":
            return int(line["step"])
        step = line.get("by")
        if step is None and "file" in line:
            step = self._by_name(line)
        if step is not None and "file" in line:
            self._of_file[local_path(line["file"])] = step
        return step

    def _by_name(self, line: Line) -> int | None:
        path, name = local_path(line["file"]), _name(line)
        named = parse_manifest_list_name(name) or parse_manifest_name(name)
        if named is not None and named.commit_uuid in self._of_commit:
            return self._of_commit[named.commit_uuid]
        before = local_path(line["from"]) if line["do"] == "rename" else path
        if before in self._of_file:
            return self._of_file[before]
        return self._of_snapshot.get(_snapshot_in(Path(path))) if name.endswith(".metadata.json") else None


def _name(line: Line) -> str:
    return str(line.get("file", "")).rsplit("/", 1)[-1]


def _snapshot_in(metadata_json: Path) -> int:
    """The current snapshot that a metadata.json names, −1 if it is gone or names none."""
    try:
        return int(json.loads(metadata_json.read_bytes())["current-snapshot-id"])
    except (OSError, ValueError, KeyError, TypeError):
        return -1
