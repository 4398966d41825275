"""What a history yields: the table after some of the writer's commits."""

from dataclasses import dataclass, fields

import numpy as np

from wasim.units import Floats
from wasim.years.flows import DELETES, Flow

CHECKPOINTS = 200  # of a history at least


@dataclass(frozen=True, slots=True, kw_only=True)
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
        names = [one.name for one in fields(cls) if one.name != "flows"]
        return cls(**dict(zip(names, table.T, strict=True)), flows=flows)

    @property
    def delete_files(self) -> Floats:
        """Live delete files."""
        flows = self.flows
        return np.asarray(flows[:, Flow.WRITTEN_FILES + DELETES] - flows[:, Flow.REMOVED_FILES + DELETES])

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
