"""A sweep of many settings, each over a long horizon: laws are calibrated once for those that share them.

What makes files as large as they are (table, writer, properties) is simulated exactly for a few hundred commits; what
the equations have drivers for (commit interval, horizon, rate, files per commit, the metadata log, when manifests
merge) is not simulated again. So ten thousand settings take seconds, and a part of them stands for itself: it can be
worked off in any process. Metadata comes within 1 % of simulating a setting by itself, each kind within 3 %
(tests/test_grid.py). `plan` makes the blocks, `work` works them off.
"""

from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pyarrow as pa

from wasim.grid.plan import Block, plan_grid
from wasim.grid.work import grid_schema, simulate_block

__all__ = ["Block", "grid_schema", "plan_grid", "simulate_block", "simulate_grid"]


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
