"""The rest of a history that has more events than anyone waits for: it follows the trend of those stepped through.

Nothing is carried on before the trend of one half of what was stepped told the other half. How far it was off is part
of the band.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from wasim.ledger import Kind
from wasim.machine.columns import (
    LIST_BYTES,
    REMOVED_FILES,
    REPLACED_MANIFESTS,
    ROWS,
    SAMPLE_STATE,
    SNAPSHOTS,
    WASTED_MANIFESTS,
    WRITTEN_FILES,
    WRITTEN_MANIFESTS,
)
from wasim.units import Floats

CLOSE = 0.01  # by which the trend of a half may be off in what the other half wrote
LEAST_SAMPLES = 30  # of each half
ADDED = 64  # samples of what follows the trend
MOST_AHEAD = 10.0  # times the error within what was stepped, that the band is widened by
_BYTES_OF = {
    Kind.MANIFEST_LIST: LIST_BYTES,
    Kind.DATA_MANIFEST: WRITTEN_MANIFESTS + 1,
    Kind.DELETE_MANIFEST: WRITTEN_MANIFESTS + 3,
    Kind.DATA: WRITTEN_FILES + 1,
    Kind.DELETE_FILE: WRITTEN_FILES + 3,
}
_PEAKS = slice(9, SAMPLE_STATE)  # columns of a sample
_OF_FILES = SAMPLE_STATE + np.arange(4)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trend:
    """How samples go on: `stepped` commits are known; `errors` say how far the trend of one half was off in the other,
    relative to what that wrote, by kind.
    """

    stepped: float
    errors: Mapping[Kind, float]

    @property
    def is_close(self) -> bool:
        """Whether it may be followed."""
        return all(error <= CLOSE for error in self.errors.values())

    def widths(self, commits: float) -> dict[Kind, float]:
        """What the band is to be widened by, by kind."""
        ahead = min(MOST_AHEAD, commits / self.stepped)
        return {kind: error * ahead for kind, error in self.errors.items()}


def trend_of(table: Floats) -> Trend | None:
    """The trend of these samples, as the machine takes them; None where there are too few."""
    table = _ends(table)
    stepped = table[-1, 0]
    first, second = _between(table, stepped / 4, stepped / 2), _between(table, stepped / 2, stepped)
    if min(len(first), len(second)) < LEAST_SAMPLES:
        return None
    told = _carried_on(first, table[-1:, 0])[0]
    errors = {}
    for kind, flow in _BYTES_OF.items():
        since = table[-1, SAMPLE_STATE + flow] - first[-1, SAMPLE_STATE + flow]
        off = told[SAMPLE_STATE + flow] - table[-1, SAMPLE_STATE + flow]
        errors[kind] = float(abs(off) / since) if since > 0 else 0.0
    return Trend(stepped=float(stepped), errors=errors)


def carried_on(table: Floats, commits: float, at: Floats) -> Floats:
    """The samples, and those that follow their trend up to this commit, `at` some commits among them."""
    known = _ends(table)
    stepped = known[-1, 0]
    places = np.unique(np.concatenate([np.linspace(stepped, commits, ADDED + 1)[1:], at[at > stepped]]))
    return np.concatenate([table, _carried_on(_between(known, stepped / 2, stepped), places)])


def _ends(table: Floats) -> Floats:
    """The samples after all maintenance of their commit."""
    return np.asarray(table[np.append(table[1:, 0] > table[:-1, 0], True)])


def _between(table: Floats, low: float, high: float) -> Floats:
    return table[(table[:, 0] >= low) & (table[:, 0] <= high)]


def _carried_on(window: Floats, commits: Floats) -> Floats:
    """Samples at later commits: what there is grows evenly, and what is written by an amount that grows evenly."""
    end = window[-1, 0]
    known, wanted = window[:, 0] / end, commits / end
    found = np.zeros((len(commits), window.shape[1]))
    found[:, 0] = commits
    live = _live(window)
    even = np.maximum(0.0, np.column_stack([np.polyval(np.polyfit(known, column, 1), wanted) for column in live.T]))
    found[:, 1 : _PEAKS.start] = even[:, : _PEAKS.start - 1]
    found[:, _PEAKS] = window[:, _PEAKS].max(axis=0)
    for column in range(SAMPLE_STATE, window.shape[1]):
        law = np.polyfit(known, window[:, column], 2)
        more = np.polyval(law, wanted) - np.polyval(law, 1.0)
        found[:, column] = window[-1, column] + np.maximum.accumulate(np.maximum(0.0, more))
    written, removed = WRITTEN_FILES + _OF_FILES, REMOVED_FILES + _OF_FILES
    found[:, removed] = found[:, written] - even[:, -5:-1]
    found[:, SAMPLE_STATE + ROWS] = even[:, -1]
    manifests = WRITTEN_MANIFESTS + _OF_FILES, WASTED_MANIFESTS + _OF_FILES, REPLACED_MANIFESTS + _OF_FILES
    listed = found[:, [1, 4, 2, 5]]
    found[:, manifests[2]] = found[:, manifests[0]] - found[:, manifests[1]] - listed
    found[:, SAMPLE_STATE + SNAPSHOTS] = np.rint(found[:, SAMPLE_STATE + SNAPSHOTS])
    return found


def _live(window: Floats) -> Floats:
    """What there is in a table: its samples' columns, files of data and of deletes with their bytes, and rows."""
    files = window[:, WRITTEN_FILES + _OF_FILES] - window[:, REMOVED_FILES + _OF_FILES]
    return np.column_stack([window[:, 1 : _PEAKS.start], files, window[:, SAMPLE_STATE + ROWS]])
