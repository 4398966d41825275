"""A block worked off: its laws calibrated once, then a record for every setting."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow as pa

from wasim.calibration import (
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
from wasim.grid.plan import Block, Setting
from wasim.ledger import METADATA_KINDS, Kind, Totals
from wasim.model import Appends, read_appends
from wasim.scenario import Case
from wasim.twin.fast import FastModel, Law, MaintainedModel, Upkeep, fast_totals
from wasim.twin.fast.history import TableHistory
from wasim.twin.fast.maintained import maintain_fast, maintained_totals, table_history
from wasim.twin.fast.retention import Expiries

KINDS = (*METADATA_KINDS, Kind.DATA)


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
        clock = (upkeep.commit_interval_s, upkeep.horizon_s)
        shared = (*clock, upkeep.maintenance.expire_snapshots, *history.replacements.times)
        if shared not in self.expiries:
            self.expiries[shared] = Expiries(upkeep, history.replacements)
        return self.expiries[shared]

    def _upkeep_laws(self, case: Case) -> UpkeepLaws:
        block = self.block
        model = self._model(with_summary(read_appends(case), block.profile), 0, drops_metadata=False)
        return calibrate_upkeep(case, model, block.profile, block.site)


def _fit(block: Block) -> WriterFit:
    runs = tuple(exact_case_run(case, block.profile, block.site) for case in block.calibration)
    (group,) = group_cases(runs)
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
