"""Which manifests a merging commit rewrites: Iceberg's bins, packed from the oldest manifest on."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor

SLACK = 1e-12  # of a manifest


@dataclass(frozen=True, slots=True, kw_only=True)
class MergePolicy:
    """Whether manifests merge, how many wait for it at least, and how large they become."""

    enabled: bool
    min_count: int
    target_bytes: int


def fitting(filled_bytes: float, size: float, target_bytes: float) -> int:
    """How many manifests of this size go into the open bin; one that does not closes it and opens the next."""
    return max(0, floor((target_bytes - filled_bytes) / size + SLACK))


def merges(items: float, is_newest: bool, least: int) -> bool:
    """Whether a bin of this many manifests becomes one; that of the newest manifest waits for its `least` number."""
    return items > 1 and (not is_newest or items >= least)


def is_listed(live_entries: float, is_own: bool) -> bool:
    """Whether a merging commit lists a manifest: those that it wrote itself, and all that name a live file."""
    return is_own or live_entries > 0


def pack_from_end(sizes: Sequence[int], target_bytes: int) -> list[range]:
    """Places in `sizes` by bin, newest bin first; sizes stand newest first.

    One bin is open at a time, so the newest bin is the one left under-filled.
    """
    bins: list[range] = []
    end = len(sizes)
    filled = 0
    for place in range(len(sizes) - 1, -1, -1):
        if place + 1 < end and fitting(filled, sizes[place], target_bytes) < 1:
            bins.append(range(place + 1, end))
            end, filled = place + 1, 0
        filled += sizes[place]
    if end:
        bins.append(range(end))
    return bins[::-1]


def bins_to_merge(sizes: Sequence[int], policy: MergePolicy, *, holds_first: bool = True) -> list[range]:
    """The bins that become one manifest each; sizes stand newest first.

    Without `holds_first`, the list's first manifest is among those of another partition spec.
    """
    if not policy.enabled:
        return []
    bins = pack_from_end(sizes, policy.target_bytes)
    return [places for places in bins if merges(len(places), holds_first and 0 in places, policy.min_count)]


def places_by_spec(spec_ids: Sequence[int], policy: MergePolicy) -> list[list[int]]:
    """Places of manifests of each partition spec, in order; the highest id first, as a merging commit lists them.

    Where merging is disabled, the list stays as it is.
    """
    if not policy.enabled:
        return [list(range(len(spec_ids)))] if spec_ids else []
    groups: dict[int, list[int]] = {}
    for place, spec_id in enumerate(spec_ids):
        groups.setdefault(spec_id, []).append(place)
    return [groups[spec_id] for spec_id in sorted(groups, reverse=True)]
