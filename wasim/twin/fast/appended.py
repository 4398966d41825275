"""The history of a table whose manifests nothing but its writer touches: a turn for each merge, kept once a cycle."""

import numpy as np

from wasim.model import Appends
from wasim.model.cadence import Cadence
from wasim.model.drivers import appends_cadence
from wasim.twin.fast.history import NO_REPLACEMENTS, TURN_WIDTH, TableHistory, turns_of
from wasim.twin.fast.recurring import Rows
from wasim.twin.fast.sizes import ManifestLaws
from wasim.units import Floats

FIRST_TURN = (1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0)  # one commit, one manifest


def appended_history(appends: Appends, laws: ManifestLaws, commits: int) -> TableHistory:
    """The history of appends alone: a turn for each merge."""
    cadence = appends_cadence(appends, np.array([commits], dtype=np.int64))
    rows, unused = Rows(TURN_WIDTH), 0
    rows.append(FIRST_TURN)
    if len(cadence.offset):
        cycle, of_cycle = _cycle(appends, laws, cadence), np.zeros(TURN_WIDTH)
        of_cycle[:2] = cadence.cycle_commits, cadence.cycle_commits - (cadence.inputs - 1).sum()
        whole = max(0, 1 + (commits - int(cadence.offset[-1])) // cadence.cycle_commits)
        if whole:
            rows.again(cycle, of_cycle.tolist(), whole)
        rest = cadence.offset <= commits - whole * cadence.cycle_commits
        if rest.any():
            rows.again(cycle[rest] + whole * of_cycle, [0.0] * TURN_WIDTH, 1)
        unused = int(whole * cadence.wastes_new.sum() + cadence.wastes_new[rest].sum())
    return TableHistory(
        commits=commits,
        files_per_commit=appends.files_per_commit,
        data_bytes_per_commit=appends.data_bytes_per_commit,
        turns=turns_of(rows),
        replacements=NO_REPLACEMENTS,
        unused=unused,
        unused_bytes=unused * laws.new_bytes,
        data_files_rewritten=0,
        data_bytes_rewritten=0.0,
    )


def _cycle(appends: Appends, laws: ManifestLaws, cadence: Cadence) -> Floats:
    """The turns of the first cycle of merges."""
    inputs, absorbed, wastes_new = cadence.inputs, cadence.absorbed, cadence.wastes_new
    before = np.concatenate([[0], absorbed[:-1]])  # a cycle's first merge finds no tail
    taken = absorbed - before  # small manifests
    tail_bytes = np.where(inputs > taken, laws.merged.at(before * appends.files_per_commit), 0.0)
    nothing = np.zeros(len(inputs))
    return np.column_stack(
        [
            cadence.offset,
            cadence.offset - np.cumsum(inputs - 1),
            nothing + 1,
            laws.merged.at(absorbed * appends.files_per_commit),
            inputs - wastes_new,
            (taken - wastes_new) * laws.new_bytes + tail_bytes,
            nothing,
        ]
    )
