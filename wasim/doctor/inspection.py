"""The doctor's whole answer about a table: read → tree → states → history → findings."""

import gc
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np

from wasim.doctor.decoding import Decoder, MapParts
from wasim.doctor.findings import Finding, find, live_data_bytes, thresholds_with
from wasim.doctor.growth import Growth, measure_growth
from wasim.doctor.history import History, rebuild_history
from wasim.doctor.json_parts import JsonParts, measure_parts
from wasim.doctor.opening import Choice, OpenedTable, open_table
from wasim.doctor.remedies import Remedy, find_remedies
from wasim.doctor.table_files import State, StateTotals, total_states
from wasim.doctor.tree import DEFAULT_GRACE_S, Tree, read_tree
from wasim.ledger import DATA_KINDS, METADATA_KINDS, Kind
from wasim.ledger.machine import SHIPPED_MACHINE, Machine
from wasim.storage import S3Options


@dataclass(frozen=True, slots=True, kw_only=True)
class InspectOptions:
    """How a table is inspected.

    `reads_outside` opens metadata outside the table's folder too. `thresholds` replace (warning, critical) by name;
    `table` names it in SQL; `commit_interval_s` stands for the stamps of snapshots that were not written at their own
    pace. `machine` is what table load and planning are estimated for.
    """

    choice: Choice = field(default_factory=Choice)
    s3: S3Options = field(default_factory=S3Options)
    grace_s: float = DEFAULT_GRACE_S
    reads_manifests: bool = True
    reads_outside: bool = False
    thresholds: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    table: str = "catalog.namespace.table"
    commit_interval_s: float | None = None
    machine: Machine = SHIPPED_MACHINE


@dataclass(frozen=True, slots=True, kw_only=True)
class Inspection:
    """The result of inspecting a table."""

    tree: Tree
    totals: StateTotals
    parts: JsonParts
    history: History
    growth: Growth
    remedies: tuple[Remedy, ...]
    findings: tuple[Finding, ...]
    machine: Machine

    @property
    def metadata_bytes(self) -> int:
        """All metadata in the table's folder."""
        return self.totals.of_kinds(METADATA_KINDS).bytes

    @property
    def live_metadata_bytes(self) -> int:
        """What a reader of the current snapshot may read."""
        return self.totals.of_kinds(METADATA_KINDS, State.LIVE).bytes

    @property
    def live_data_bytes(self) -> int | None:
        """Bytes of the current snapshot's data and delete files, as metadata gives them; None if nothing does."""
        return live_data_bytes(self.tree)

    @property
    def full_scan_ms(self) -> tuple[float, float]:
        """Estimated milliseconds of loading the table as it is now, and of planning a scan that nothing is pruned of.

        Without live manifests, or where manifests were not read, data files cost nothing.
        """
        index, content = self.tree.index, self.tree.content
        sizes = [index.manifests[place].manifest_length for place in index.live]
        files = 0 if content is None else int(np.count_nonzero(content.is_live))
        planning_ms = self.machine.scanning_ms(len(sizes), files, sum(sizes))
        return self.machine.loading_ms(len(self.tree.opened.json_text)), planning_ms

    @property
    def metadata_share(self) -> float | None:
        """Metadata on storage ÷ live data; None without live data."""
        return self.metadata_bytes / self.live_data_bytes if self.live_data_bytes else None


def inspect_location(
    location: str, options: InspectOptions | None = None, map_parts: MapParts | None = None
) -> Inspection:
    """The inspection of the table at a location. WasimError if there is none that can be read.

    Where there is `map_parts`, it lists and decodes; the answer is the same.
    """
    options = options or InspectOptions()
    with _uncollected():
        return inspect_table(open_table(location, options.choice, options.s3, map_parts), options, map_parts)


@contextmanager
def _uncollected() -> Iterator[None]:
    """Without Python's cyclic collector: what a tree is made of stays, has no cycles, and costs a sixth to walk."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def read_states(
    opened: OpenedTable, options: InspectOptions, map_parts: MapParts | None = None
) -> tuple[Tree, StateTotals]:
    """Every file of a table already opened with its state, and their totals."""
    decoder = Decoder(
        storage=opened.storage, root=opened.root, reads_outside=options.reads_outside, map_parts=map_parts
    )
    tree = read_tree(opened, decoder, grace_s=options.grace_s, reads_manifests=options.reads_manifests)
    return tree, total_states(tree.files)


def inspect_table(opened: OpenedTable, options: InspectOptions, map_parts: MapParts | None = None) -> Inspection:
    """The inspection of a table already opened."""
    thresholds = thresholds_with(options.thresholds)
    tree, totals = read_states(opened, options, map_parts)
    parts = measure_parts(opened.json_text, opened.metadata)
    history = rebuild_history(tree, options.commit_interval_s)
    metadata_bytes = totals.of_kinds(METADATA_KINDS).bytes
    growth = measure_growth(tree, history, parts, metadata_bytes=metadata_bytes, data_bytes=live_data_bytes(tree))
    return Inspection(
        tree=tree,
        totals=totals,
        parts=parts,
        history=history,
        growth=growth,
        remedies=find_remedies(tree, totals, parts, options.table),
        findings=find(tree, totals, thresholds),
        machine=options.machine,
    )


def live_bytes(inspection: Inspection) -> dict[Kind, int]:
    """Bytes reachable from the current snapshot and its metadata.json by kind; data as manifests give it."""
    totals, content = inspection.totals, inspection.tree.content
    live = {kind: totals.of(kind, State.LIVE).bytes for kind in Kind}
    if content is not None:
        live |= {kind: sum(content.live_sizes(kind)) for kind in DATA_KINDS}
    return live
