"""How often merges begin with the manifest that they fill, and how large it is then.

It grows from merge to merge until it is full, and the next one begins anew. While there is room, as many new manifests
as are merged at least come between two merges. Near the end fewer fit beside it: each takes a header's bytes there, of
which a merge saves most, so merges follow each other ever closer.
"""

from dataclasses import dataclass
from math import log


@dataclass(frozen=True, slots=True, kw_only=True)
class Filling:
    """Manifests of at most `target_bytes`, merged with `least` new ones of `new_bytes` each, or with those that fit."""

    target_bytes: float
    new_bytes: float
    least: float

    def merges(self, first: float, last: float) -> tuple[float, float]:
        """Merges on the way of one manifest after the other from the size `first` to `last`, which counts full ones
        before it, and the bytes that these merges begin with; both over those that bring as many bytes where there is
        room.
        """
        (number, size), (before, size_before) = self._from_nothing(last), self._from_nothing(first)
        return (number - before) / (last - first), (size - size_before) / (last - first)

    def _from_nothing(self, end: float) -> tuple[float, float]:
        target = self.target_bytes
        whole, part = divmod(end, target)
        full, rest = self._of_one(target), self._of_one(part)
        return whole * full[0] + rest[0], whole * full[1] + rest[1]

    def _of_one(self, size: float) -> tuple[float, float]:
        """∫ w and ∫ w · x over sizes x up to this one, where w is how much oftener than elsewhere merges come."""
        part = self.new_bytes / 2  # on average, what fits is half a new manifest less than there is room for
        end, taken = self.target_bytes - part, self.least * self.new_bytes - part
        narrow = end - taken  # from here on fewer new ones fit
        if size <= narrow:
            return size, size * size / 2
        closer = log(taken / max(end - size, part))
        return narrow + taken * closer, narrow * narrow / 2 + taken * (end * closer - (size - narrow))
