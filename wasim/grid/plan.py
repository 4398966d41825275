"""A sweep's cases in blocks: settings that share laws, and the cases that calibrate them."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import median_low

import numpy as np

from wasim.calibration import CALIBRATION_COMMITS, with_summary
from wasim.errors import WasimError
from wasim.model import Appends, read_appends
from wasim.scenario import Case
from wasim.scenario.changes import Maintenance
from wasim.twin import Site, WriterProfile, shipped_profile
from wasim.twin.fast import Upkeep, read_upkeep
from wasim.twin.supported import check_summable, check_supported

CALIBRATED_FILES = 4  # so many different files per commit tell what maintenance writes for any number of them
SHORT_COMMITS = 16  # tell what one more file costs; the rest is known from a longer history
_DRIVEN = (  # properties for which the equations have drivers
    "write.metadata.previous-versions-max",
    "write.metadata.delete-after-commit.enabled",
    "commit.manifest.min-count-to-merge",
    "commit.manifest.target-size-bytes",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One point of the grid: what the equations need of it."""

    number: int
    swept: dict[str, str]
    appends: Appends
    commits: int
    horizon_s: float
    table: int  # of its block
    drops_metadata: bool
    upkeep: Upkeep | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """Settings that share laws, with the cases that calibrate them and one case for each of their tables.

    `upkept` are the cases that calibrate what maintenance writes, if any of the settings has it, by files per commit.
    """

    profile: WriterProfile
    site: Site
    calibration: tuple[Case, ...]
    tables: tuple[Case, ...]
    upkept: tuple[Case, ...]
    settings: tuple[Setting, ...]


def plan_grid(cases: Sequence[Case], *, profile: WriterProfile | None = None, site: Site | None = None) -> list[Block]:
    """The cases in blocks that can each be worked off alone. WasimError names what the simulator does not model."""
    groups: dict[str, list[tuple[int, Case]]] = {}
    for number, case in enumerate(cases):
        groups.setdefault(_shared(case), []).append((number, case))
    return [_block(members, profile or shipped_profile(members[0][1]), site or Site()) for members in groups.values()]


def _shared(case: Case) -> str:
    table = case.table.model_dump(mode="json")
    table["properties"] = {key: value for key, value in table["properties"].items() if key not in _DRIVEN}
    workload = case.workload
    return json.dumps(
        [
            table,
            case.writer.model_dump(mode="json"),
            workload.partitions_per_commit,
            workload.distribution_mode,
            case.environment.spark,
            case.environment.catalog == "hadoop",
            case.clock,
        ],
        sort_keys=True,
    )


def _block(members: list[tuple[int, Case]], profile: WriterProfile, site: Site) -> Block:
    tables: dict[str, int] = {}
    representatives: list[Case] = []
    settings = []
    for number, case in members:
        check_supported(case, profile)
        check_summable(case)
        if case.key_columns:
            raise WasimError("writer.upsert is not simulated in a --grid. Leave --grid out, and give fewer cases.")
        key = json.dumps(case.table.properties, sort_keys=True)
        if key not in tables:
            tables[key] = len(representatives)
            representatives.append(case)
        settings.append(
            Setting(
                number=number,
                swept=case.swept,
                appends=with_summary(read_appends(case), profile),
                commits=case.commits,
                horizon_s=case.horizon_s,
                table=tables[key],
                drops_metadata=_drops(case),
                upkeep=read_upkeep(case),
            )
        )
    calibration = tuple(_calibration([case for _, case in members]))
    return Block(
        profile=profile,
        site=site,
        calibration=calibration,
        tables=tuple(representatives),
        upkept=tuple(_upkept([case for _, case in members])),
        settings=tuple(settings),
    )


def _drops(case: Case) -> bool:
    return case.table.properties.get("write.metadata.delete-after-commit.enabled", "false").lower() == "true"


def _calibration(cases: list[Case]) -> Iterator[Case]:
    """A long history of few files a commit, the cheapest to simulate, and short ones of the block's other ends."""
    files = sorted({case.workload.files_per_commit for case in cases})
    rows = sorted({case.rows_per_commit for case in cases})
    cases = [replace(case, maintenance=Maintenance()) for case in cases]
    first = _nearest(cases, files[0], median_low(rows))
    # without merges to be seen, half of it tells as much
    commits = CALIBRATION_COMMITS if first.merges else CALIBRATION_COMMITS // 2
    yield replace(first, horizon_s=commits * first.commit_interval_s)
    ends = {(files[0], rows[0]), (files[0], rows[-1]), (files[-1], rows[0]), (files[-1], rows[-1])}
    for case in {
        _nearest(cases, many, most).label: _nearest(cases, many, most) for many, most in sorted(ends)
    }.values():
        if case.label != first.label:
            # With the properties of the first, so that all of them share their constants.
            yield replace(case, table=first.table, horizon_s=SHORT_COMMITS * case.commit_interval_s)


def _nearest(cases: list[Case], files: int, rows: int) -> Case:
    return min(
        cases, key=lambda one: (abs(one.workload.files_per_commit - files), abs(one.rows_per_commit - rows), one.label)
    )


def _upkept(cases: list[Case]) -> Iterator[Case]:
    """Cases with every operation that any of these has, of few and of many files a commit.

    Files of one commit are named alike, so that an entry takes less room the more of them there are.
    """
    kept = [case.maintenance for case in cases if case.has_maintenance]
    if not kept:
        return
    parts = {
        name: next((part for one in kept if (part := getattr(one, name)) is not None), None)
        for name in Maintenance.model_fields
    }
    longest = max(cases, key=lambda case: case.commits * case.rows_per_commit)
    files = sorted({case.workload.files_per_commit for case in cases})
    places = np.unique(np.linspace(0, len(files) - 1, CALIBRATED_FILES).astype(int))
    for number in (files[place] for place in places):
        workload = longest.workload.model_copy(update={"files_per_commit": number})
        case = replace(longest, workload=workload, table=cases[0].table)
        yield replace(case, maintenance=Maintenance.model_construct(**parts))
