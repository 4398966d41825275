"""A sweep's cases in blocks: those whose tables and commits are alike, so that what their files weigh is read once."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from wasim.iceberg.properties import (
    METADATA_DELETE_AFTER_COMMIT_ENABLED,
    METADATA_PREVIOUS_VERSIONS_MAX,
)
from wasim.scenario import Case
from wasim.twin import Site, WriterProfile, shipped_profile
from wasim.twin.supported import check_answerable

_OF_RETENTION = (METADATA_DELETE_AFTER_COMMIT_ENABLED, METADATA_PREVIOUS_VERSIONS_MAX)  # they change no file's layout


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """Settings of a sweep that share a shape, each with its number, to be simulated by one process."""

    profile: WriterProfile
    site: Site
    settings: tuple[tuple[int, Case], ...]


def plan_grid(cases: Sequence[Case], *, profile: WriterProfile | None = None, site: Site | None = None) -> list[Block]:
    """The cases in blocks that can each be simulated alone. WasimError names what makes no sense."""
    groups: dict[str, list[tuple[int, Case]]] = {}
    for number, case in enumerate(cases):
        check_answerable(case, profile or shipped_profile(case))
        groups.setdefault(_shape_key(case), []).append((number, case))
    return [
        Block(profile=profile or shipped_profile(members[0][1]), site=site or Site(), settings=tuple(members))
        for members in groups.values()
    ]


def _shape_key(case: Case) -> str:
    """What decides the shape of a case's table and commits."""
    table = case.table.model_dump(mode="json")
    table["properties"] = {key: value for key, value in table["properties"].items() if key not in _OF_RETENTION}
    parts = [
        table,
        case.writer.model_dump(mode="json"),
        case.workload.model_dump(mode="json"),
        case.changes.model_dump(mode="json"),
        [one.model_dump(mode="json") for one in case.evolution],
        case.environment.model_dump(mode="json"),
        case.commit_interval_s,
        case.clock,
        case.seed,
    ]
    return json.dumps(parts, sort_keys=True)
