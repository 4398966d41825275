"""Tables of what each operation cost, and of what is left of what was written."""

import numpy as np

from wasim.ledger import DATA_KINDS, METADATA_KINDS, Kind
from wasim.ledger.operations import OperationTotals
from wasim.report.series import operation_words
from wasim.report.tables import TextTable
from wasim.report.words import ABSENT
from wasim.runs import CaseRun, Run
from wasim.units import format_bytes, format_figure

_PAID = (
    "times", "snapshots", "metadata.json", "manifest lists", "manifests", "data", "deleted", "files deleted", "seconds",
)  # fmt: skip
_LEFT = ("metadata written", "on disk", "live", "÷ live data", "data written", "data on disk", "live data")


def operations_table(run: Run) -> TextTable:
    """What each operation wrote, deleted and took, by case; empty where every case only appends."""
    more = any(not case.case.only_appends for case in run.cases)
    return TextTable(
        caption="By operation: bytes written by kind, bytes and files deleted, and seconds that it took",
        head=("operation", *_PAID),
        rows=tuple(_operation_row(case, one) for case in run.cases for one in case.operations) if more else (),
        figures=_PAID,
        grouped=True,
    )


def _operation_row(case: CaseRun, one: OperationTotals) -> tuple[str, ...]:
    written, deleted = one.totals.written_bytes, one.totals.deleted_bytes
    return (
        case.case.label,
        operation_words(one.operation),
        f"{one.steps if one.operation not in _RUNS else one.commits:,}",
        f"{one.commits:,}",
        format_bytes(written[Kind.METADATA_JSON]),
        format_bytes(written[Kind.MANIFEST_LIST]),
        format_bytes(written[Kind.DATA_MANIFEST] + written[Kind.DELETE_MANIFEST]),
        format_bytes(one.totals.data_bytes),
        format_bytes(sum(deleted.values())),
        f"{sum(one.totals.files_deleted.values()):,}",
        ABSENT if np.isnan(one.wall_s) else format_figure(one.wall_s),
    )


_RUNS = ("append", "upsert")  # of which a stream carries out many as one step


def remains_table(run: Run) -> TextTable:
    """What was written, what of it is on disk at the end, and what the current snapshot reaches."""
    return TextTable(
        caption="What is left at the end: written, still on disk, and live; metadata on disk ÷ live data",
        head=("case", *_LEFT),
        rows=tuple(_remains_row(case) for case in run.cases),
        figures=_LEFT,
    )


def _remains_row(case: CaseRun) -> tuple[str, ...]:
    totals, on_disk, live = case.totals, case.totals.on_disk_bytes, case.live_bytes
    metadata_on_disk = sum(on_disk[kind] for kind in METADATA_KINDS)
    live_data = sum(live[kind] for kind in DATA_KINDS)
    return (
        case.case.label,
        format_bytes(totals.metadata_bytes),
        format_bytes(metadata_on_disk),
        format_bytes(sum(live[kind] for kind in METADATA_KINDS)),
        format_figure(metadata_on_disk / live_data) if live_data else ABSENT,
        format_bytes(totals.data_bytes),
        format_bytes(sum(on_disk[kind] for kind in DATA_KINDS)),
        format_bytes(live_data),
    )
