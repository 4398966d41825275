"""A sweep of many settings, each over a long horizon: `plan` makes blocks of them, `work` simulates a block.

Settings whose tables and commits are alike share what their files weigh, and those that rewrite alike share a history,
so ten thousand settings take seconds. A block stands for itself: any process can simulate it.
"""

from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pyarrow as pa

from wasim.grid.plan import Block, plan_grid
from wasim.grid.work import grid_schema, simulate_block

__all__ = ["Block", "grid_schema", "plan_grid", "simulate_block", "simulate_grid"]


def simulate_grid(blocks: Sequence[Block], schema: pa.Schema, *, processes: int) -> pa.Table:
    """The results of all blocks, in the order of their settings, by `processes` processes of this machine."""
    if processes < 2 or len(blocks) < 2:
        found = [simulate_block(block) for block in blocks]
    else:
        # Started afresh: a forked child would inherit a JVM's threads and locks.
        with ProcessPoolExecutor(min(processes, len(blocks)), mp_context=get_context("spawn")) as pool:
            found = list(pool.map(simulate_block, blocks))
    table = pa.Table.from_pylist([record for part in found for record in part], schema=schema)
    return table.sort_by("setting")
