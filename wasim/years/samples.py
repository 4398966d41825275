"""What a history yields: the table after some of the writer's commits."""

from dataclasses import dataclass, fields, replace

import numpy as np

from wasim.units import Floats

CHECKPOINTS = 200  # of a history at least


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """Commits that a leap passed over, from the end of one cycle to that of another, `period` commits each."""

    first: float
    last: float
    period: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Samples:
    """The table after some of the writer's commits, ascending, as columns of equal length.

    `flows` has a row for each sample and a column for each Flow; all else is of the current snapshot, `scanned_…` of
    its manifests with live entries. Within the `spans` of leaps, samples are those of ends of cycles.
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
    spans: tuple[Span, ...]

    @classmethod
    def of(cls, table: Floats, flows: Floats, spans: tuple[Span, ...] = ()) -> "Samples":
        """Samples from columns in the order of the fields."""
        names = [one.name for one in fields(cls) if one.name not in ("flows", "spans")]
        return cls(**dict(zip(names, table.T, strict=True)), flows=flows, spans=spans)

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

        columns: dict[str, Floats] = {
            one.name: cut(getattr(self, one.name)) for one in fields(self) if one.name != "spans"
        }
        spans = [replace(span, last=min(span.last, commits)) for span in self.spans if span.first < commits]
        return Samples(**columns, spans=tuple(spans))
