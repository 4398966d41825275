"""A block simulated: one shape, one history for each way to maintain its manifests, a record for every setting."""

from collections.abc import Iterable
from typing import Any

import pyarrow as pa

from wasim.grid.plan import Block
from wasim.ledger import METADATA_KINDS, Kind, Summed
from wasim.scenario import Case
from wasim.years import YearsOf

KINDS = (*METADATA_KINDS, Kind.DATA, Kind.DELETE_FILE)


def simulate_block(block: Block) -> list[dict[str, Any]]:
    """A record for every setting of a block, in their order: see `grid_schema`."""
    years = YearsOf(profile=block.profile, site=block.site)
    return [_record(number, case, years.simulate(case)) for number, case in block.settings]


def _record(number: int, case: Case, summed: Summed) -> dict[str, Any]:
    totals, on_disk = summed.totals, summed.totals.on_disk_bytes
    return {
        "setting": number,
        **case.swept,
        "commits": case.commits,
        "commit_interval_s": case.commit_interval_s,
        "horizon_s": case.horizon_s,
        **{f"{kind}_written_bytes": totals.written_bytes[kind] for kind in KINDS},
        **{f"{kind}_files": totals.files_written[kind] for kind in KINDS},
        "metadata_written_bytes": totals.metadata_bytes,
        "metadata_on_disk_bytes": sum(on_disk[kind] for kind in METADATA_KINDS),
        "metadata_json_bytes": summed.live_bytes[Kind.METADATA_JSON],
        "manifests": int(summed.ledger.live_manifests[-1]),
        "snapshots": int(summed.ledger.snapshots_retained[-1]),
        "wa_metadata": totals.metadata_bytes / max(totals.data_bytes, 1),
    }


def grid_schema(swept: Iterable[str]) -> pa.Schema:
    """Columns of the results: the setting's number, the swept fields as written, counts, bytes and seconds."""
    counts = ["commits", *(f"{kind}_written_bytes" for kind in KINDS), *(f"{kind}_files" for kind in KINDS)]
    ends = ("metadata_written_bytes", "metadata_on_disk_bytes", "metadata_json_bytes", "manifests", "snapshots")
    return pa.schema(
        [
            ("setting", pa.int64()),
            *((field, pa.string()) for field in swept),
            *((name, pa.int64()) for name in (*counts, *ends)),
            *((name, pa.float64()) for name in ("commit_interval_s", "horizon_s", "wa_metadata")),
        ]
    )
