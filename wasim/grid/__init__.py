"""A sweep of many settings, each over a long horizon: `plan` makes blocks of them, `work` simulates a block.

Settings with the same table and commits share file sizes, and those that rewrite in the same way share a history,
so ten thousand settings take seconds. A block stands for itself: any process can simulate it.
"""

from collections.abc import Sequence

import pyarrow as pa

from wasim.grid.plan import GridBlock, plan_grid
from wasim.grid.work import grid_schema, simulate_block
from wasim.processes import map_in_processes

__all__ = ["GridBlock", "grid_schema", "plan_grid", "simulate_block", "simulate_grid"]


def simulate_grid(blocks: Sequence[GridBlock], schema: pa.Schema, *, processes: int | None = None) -> pa.Table:
    """The results of all blocks, in the order of their settings, by as many processes as there are cores by default."""
    found = map_in_processes(simulate_block, blocks, processes=processes)
    table = pa.Table.from_pylist([record for part in found for record in part], schema=schema)
    return table.sort_by("setting")
