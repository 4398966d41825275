"""A sweep of many settings, each over a long horizon: laws are calibrated once for those that share them.

What makes files as large as they are (table, writer, properties) is simulated exactly for a few hundred commits; what
the equations have drivers for (commit interval, horizon, rate, files per commit, the metadata log, when manifests
merge) is not simulated again. So ten thousand settings take seconds, and a part of them stands for itself: it can be
worked off in any process. Metadata comes within 1 % of simulating a setting by itself, each
kind within 3 % (tests/test_grid.py).
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path
from statistics import median_low
from typing import Any

import numpy as np
import pyarrow as pa

from wasim.errors import WasimError
from wasim.calibration import (
    CALIBRATION_COMMITS,
    UpkeepLaws,
    as_profiled,
    calibrate_upkeep,
    exact_case_run,
    first_metadata_bytes,
    maintained_model,
    with_summary,
)
from wasim.fit.cost import WriterFit, fit_group
from wasim.fit.groups import group_cases
from wasim.ledger import METADATA_KINDS, Kind
from wasim.model import Appends, read_appends
from wasim.ledger import Totals
from wasim.runs import Run
from wasim.scenario import Case
from wasim.simulate import Site, WriterProfile, shipped_profile
from wasim.scenario.changes import Maintenance
from wasim.simulate.fast import FastModel, Law, MaintainedModel, Upkeep, fast_totals, read_upkeep
from wasim.simulate.fast.history import TableHistory
from wasim.simulate.fast.maintained import maintain_fast, maintained_totals, table_history
from wasim.simulate.fast.retention import Expiries, expiries_of
from wasim.simulate.honoured import check_honoured, check_summable

CALIBRATED_FILES = 4  # so many different files per commit tell what maintenance writes for any number of them
SHORT_COMMITS = 40  # tell what one more file costs; the rest is known from a longer history
_DRIVEN = (  # properties for which the equations have drivers
    "write.metadata.previous-versions-max",
    "write.metadata.delete-after-commit.enabled",
    "commit.manifest.min-count-to-merge",
    "commit.manifest.target-size-bytes",
)
KINDS = (*METADATA_KINDS, Kind.DATA)


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
            case.clock,
        ],
        sort_keys=True,
    )


def _block(members: list[tuple[int, Case]], profile: WriterProfile, site: Site) -> Block:
    tables: dict[str, int] = {}
    representatives: list[Case] = []
    settings = []
    for number, case in members:
        check_honoured(case, profile)
        check_summable(case)
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
    yield replace(first, horizon_s=CALIBRATION_COMMITS * first.commit_interval_s)
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


def simulate_block(block: Block) -> list[dict[str, Any]]:
    """A record for every setting of a block, in their order: see `SCHEMA` and the swept fields."""
    return _Worked(block).records()


class _Worked:
    """A block with its laws. What settings share beside them is found once: sizes of files, histories of manifests."""

    def __init__(self, block: Block) -> None:
        writer = _fit(block)
        self.block, self.writer = block, writer
        self.created = [first_metadata_bytes(table, block.profile, block.site) for table in block.tables]
        self.laws = {one.kind: Law(terms=one.terms, coefficients=one.fit.coefficients) for one in writer.kinds}
        self.completed: dict[Appends, Appends] = {}
        self.histories: dict[tuple[object, ...], TableHistory] = {}
        self.expiries: dict[tuple[object, ...], Expiries] = {}
        self.upkeep_laws = {case.workload.files_per_commit: self._upkeep_laws(case) for case in block.upkept}

    def records(self) -> list[dict[str, Any]]:
        return [_record(setting, self._totals(setting)) for setting in self.block.settings]

    def _totals(self, setting: Setting) -> Totals:
        model = self._model(setting.appends, setting.table, drops_metadata=setting.drops_metadata)
        if setting.upkeep is None:
            return fast_totals(model, setting.commits)
        case, files = self.block.tables[setting.table], model.appends.files_per_commit
        nearest = min(self.upkeep_laws, key=lambda one: (abs(np.log(one / files)), one))
        kept = maintained_model(model, setting.upkeep, self.upkeep_laws[nearest], case, self.block.profile)
        history = self._history(kept)
        return maintained_totals(maintain_fast(kept, history=history, expiries=self._expiries(setting.upkeep, history)))

    def _model(self, appends: Appends, table: int, *, drops_metadata: bool) -> FastModel:
        if appends not in self.completed:
            self.completed[appends] = self.writer.completed(appends)
        return FastModel(
            appends=self.completed[appends],
            laws=self.laws,
            create_bytes=self.created[table],
            delete_after_commit=drops_metadata,
        )

    def _history(self, model: MaintainedModel) -> TableHistory:
        """The history of the manifests, which no expiry changes."""
        upkeep, kept = model.upkeep, model.upkeep.maintenance
        clock = (upkeep.commit_interval_s, upkeep.horizon_s, model.is_partitioned, model.merge_enabled)
        shared = (model.appends, *clock, kept.rewrite_data_files, kept.rewrite_manifests)
        if shared not in self.histories:
            self.histories[shared] = table_history(model)
        return self.histories[shared]

    def _expiries(self, upkeep: Upkeep, history: TableHistory) -> Expiries:
        """The expiries, which hang on when snapshots were made, and on nothing that is in them."""
        made = history.replacements.event_time_s.tobytes()
        shared = (upkeep.commit_interval_s, upkeep.horizon_s, upkeep.maintenance.expire_snapshots, made)
        if shared not in self.expiries:
            self.expiries[shared] = expiries_of(upkeep, history.replacements)
        return self.expiries[shared]

    def _upkeep_laws(self, case: Case) -> UpkeepLaws:
        block = self.block
        model = self._model(with_summary(read_appends(case), block.profile), 0, drops_metadata=False)
        return calibrate_upkeep(case, model, block.profile, block.site)


def _fit(block: Block) -> WriterFit:
    runs = tuple(exact_case_run(case, block.profile, block.site) for case in block.calibration)
    (group,) = group_cases(Run(folder=Path(), scenario="", question="", provenance={}, cases=runs, failures={}))
    observed = tuple(as_profiled(one, block.profile) for one in group.observed)
    return fit_group(group.restricted(observed))


def _record(setting: Setting, totals: Totals) -> dict[str, Any]:
    on_disk = totals.on_disk_bytes
    return {
        "setting": setting.number,
        **setting.swept,
        "commits": setting.commits,
        "horizon_s": setting.horizon_s,
        **{f"{kind}_written_bytes": totals.written_bytes[kind] for kind in KINDS},
        **{f"{kind}_files": totals.files_written[kind] for kind in KINDS},
        "metadata_written_bytes": totals.metadata_bytes,
        "metadata_on_disk_bytes": sum(on_disk[kind] for kind in METADATA_KINDS),
        "wa_metadata": totals.metadata_bytes / max(totals.data_bytes, 1),
    }


def grid_schema(swept: Iterable[str]) -> pa.Schema:
    """Columns of the results: the setting's number, the swept fields as written, counts and bytes."""
    counts = ["commits", *(f"{kind}_written_bytes" for kind in KINDS), *(f"{kind}_files" for kind in KINDS)]
    return pa.schema(
        [
            ("setting", pa.int64()),
            *((field, pa.string()) for field in swept),
            *((name, pa.int64()) for name in (*counts, "metadata_written_bytes", "metadata_on_disk_bytes")),
            ("horizon_s", pa.float64()),
            ("wa_metadata", pa.float64()),
        ]
    )


def simulate_grid(blocks: Sequence[Block], schema: pa.Schema, *, processes: int) -> pa.Table:
    """The results of all blocks, in the order of their settings, worked off by so many processes of this machine."""
    if processes < 2 or len(blocks) < 2:
        found = [simulate_block(block) for block in blocks]
    else:
        # Started afresh: a forked child would inherit a JVM's threads and locks.
        with ProcessPoolExecutor(min(processes, len(blocks)), mp_context=get_context("spawn")) as pool:
            found = list(pool.map(simulate_block, blocks))
    table = pa.Table.from_pylist([record for part in found for record in part], schema=schema)
    return table.sort_by("setting")
