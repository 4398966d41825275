"""What a history yields: the table after some of the writer's commits."""

from dataclasses import dataclass, fields
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray

from wasim.units import Floats, Ints
from wasim.years.flows import DATA, DELETES, Flow
from wasim.years.machine.tables import NEGLIGIBLE

CHECKPOINTS = 200  # of a history at least
BEFORE_MAINTENANCE = 1e-4  # of a commit


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoints:
    """The table at some of the writer's commits, the last one among them: `live_bytes` of content files, and the
    snapshots made by then. Files and their bytes are whole numbers.
    """

    commits: Ints
    manifests: Ints
    entries: Floats
    list_bytes: Ints
    live_bytes: Floats
    snapshots: Floats


@dataclass(frozen=True, kw_only=True)
class Samples:
    """The table after some of the writer's commits, ascending, as columns of equal length.

    `flows` has a row for each sample and a column for each Flow; all else is of the current snapshot, `scanned_…` of
    its manifests with live entries.
    """

    commits: Floats
    data_manifests: Floats
    delete_manifests: Floats
    entries: Floats
    data_manifest_bytes: Floats
    delete_manifest_bytes: Floats
    list_bytes: Floats
    scanned_manifests: Floats
    scanned_bytes: Floats
    flows: Floats

    @classmethod
    def of(cls, table: Floats, flows: Floats) -> "Samples":
        """Samples from columns in the order of the fields."""
        names = [one.name for one in fields(cls) if one.name != "flows"]  # each is read far more often than a row is
        return cls(**dict(zip(names, np.ascontiguousarray(table.T), strict=True)), flows=np.asfortranarray(flows))

    @cached_property
    def delete_files(self) -> Floats:
        """Live delete files, as summaries count them: of several deletion vectors in one file each."""
        flows = self.flows
        data = flows[:, Flow.WRITTEN_FILES + DATA] - flows[:, Flow.REMOVED_FILES + DATA]
        found = self.entries - data
        return np.where(found > NEGLIGIBLE * self.entries, found, 0.0)  # of a difference of sums a rest is none

    @cached_property
    def snapshots(self) -> Floats:
        """Snapshots made."""
        return self.flows[:, Flow.SNAPSHOTS]

    @cached_property
    def metadata_bytes(self) -> Floats:
        """Bytes of lists and manifests written."""
        lists, data, deletes = (self.flows[:, flow] for flow in (Flow.LIST_BYTES, *_bytes_of(Flow.WRITTEN_MANIFESTS)))
        return np.asarray(lists + data + deletes)

    @cached_property
    def kept_bytes(self) -> Floats:
        """Of those, what commits did not delete at once."""
        written, wasted = (self._both(of) for of in (Flow.WRITTEN_MANIFESTS, Flow.WASTED_MANIFESTS))
        return np.asarray(written - wasted + self.flows[:, Flow.LIST_BYTES])

    @cached_property
    def replaced_bytes(self) -> Floats:
        """Bytes of manifests that have left the current snapshot."""
        return self._both(Flow.REPLACED_MANIFESTS)

    def _both(self, group: int) -> Floats:
        data, deletes = (self.flows[:, flow] for flow in _bytes_of(group))
        return np.asarray(data + deletes)

    def after_commits(self, commits: Floats, column: Floats) -> Floats:
        """A column after these commits of the writer and all that follows them; between samples linear."""
        ends, rows = self._ends
        if not len(commits):
            return commits
        first, last = ends.searchsorted([commits.min(), commits.max()]).tolist()
        near = slice(max(0, first - 1), last + 2)
        return np.asarray(np.interp(commits, ends[near], column[rows[near]]))

    def flows_after(self, commits: float) -> Floats:
        """All flows after this many commits and all that follows them; between samples linear."""
        ends, rows = self._ends
        place = int(ends.searchsorted(commits, side="right")) - 1
        low = np.asarray(self.flows[rows[max(place, 0)]])
        if place in (-1, len(ends) - 1):
            return low
        rises = (self.flows[rows[place + 1]] - low) / (ends[place + 1] - ends[place])
        return np.asarray(rises * (commits - ends[place]) + low)

    @cached_property
    def _ends(self) -> tuple[Floats, NDArray[np.intp]]:
        """Commits of the samples that are the first or the last of theirs, before maintenance and after it, and where
        they stand: up to its maintenance, a commit is not quite done.
        """
        later = self.commits[1:] > self.commits[:-1]
        is_last = np.append(later, True)
        rows = np.flatnonzero(np.append(True, later) | is_last)
        return (self.commits - np.where(is_last, 0.0, BEFORE_MAINTENANCE))[rows], rows

    @cached_property
    def checkpoints(self) -> "Checkpoints":
        """The table at some of the writer's commits, before maintenance of the same commit; between samples linear."""
        commits, flows = _evenly(float(self.commits[-1])), self.flows
        place = self._places_of(commits)
        rows = np.stack([place - 1, place])
        low, high = self.commits[rows]
        share = np.where(high > low, (commits - low) / np.maximum(high - low, 1e-9), 1.0)

        def between(values: Floats) -> Floats:
            before, after = values
            return np.asarray(before + (after - before) * share)

        groups = (DATA + 1, DELETES + 1)
        live_bytes = [flows[rows, Flow.WRITTEN_FILES + one] - flows[rows, Flow.REMOVED_FILES + one] for one in groups]
        return Checkpoints(
            commits=commits,
            manifests=np.rint(between(self.data_manifests[rows] + self.delete_manifests[rows])).astype(np.int64),
            entries=np.rint(between(self.entries[rows])),
            list_bytes=np.rint(between(self.list_bytes[rows])).astype(np.int64),
            live_bytes=np.rint(between(np.add(*live_bytes))),
            snapshots=between(self.snapshots[rows]),
        )

    def _places_of(self, commits: Ints) -> NDArray[np.intp]:
        """The first sample after each of these commits; there is one before it."""
        return np.asarray(np.clip(np.searchsorted(self.commits, commits, side="left"), 1, len(self.commits) - 1))

    def by_commit(self, flow: int) -> Ints:
        """What each of the checkpoints' commits brought of a flow: the mean since the sample before it."""
        place = self._places_of(self.checkpoints.commits)
        low, high = self.commits[[place - 1, place]]
        rise = self.flows[place, flow] - self.flows[place - 1, flow]
        return np.asarray(np.rint(rise / np.maximum(high - low, 1.0)), dtype=np.int64)

    def until(self, commits: float) -> "Samples":
        """The history up to this many commits; where none was sampled then, the last sample is drawn between two."""
        place = int(np.searchsorted(self.commits, commits, side="right")) - 1
        following = min(place + 1, len(self.commits) - 1)
        apart = self.commits[following] - self.commits[place]
        share = (commits - self.commits[place]) / apart if apart else 0.0

        def cut(column: Floats) -> Floats:
            if not share:
                return column[: place + 1]
            last = column[place] + share * (column[following] - column[place])
            return np.concatenate([column[: place + 1], np.asarray(last)[np.newaxis]])

        return Samples(**{one.name: cut(getattr(self, one.name)) for one in fields(self)})


@cache
def _evenly(last: float) -> Ints:
    """Commits up to the last one, even in the logarithm."""
    return np.unique(np.rint(np.geomspace(1, last, CHECKPOINTS)).astype(np.int64))


def _bytes_of(group: int) -> tuple[int, int]:
    """The flows of a group that count bytes: of data, then of deletes."""
    return group + DATA + 1, group + DELETES + 1
