"""Which manifests a merging commit rewrites: Iceberg's bins, packed from the oldest manifest on."""

from collections.abc import Sequence
from dataclasses import dataclass

from wasim.iceberg.properties import TableProperties


@dataclass(frozen=True, slots=True, kw_only=True)
class MergePolicy:
    """Whether manifests merge, how many wait for it at least, and how large they become."""

    enabled: bool
    min_count: int
    target_bytes: int


def merge_policy(properties: TableProperties) -> MergePolicy:
    """The policy that a table's properties set for commits that merge."""
    return MergePolicy(
        enabled=properties.manifest_merge_enabled,
        min_count=properties.manifest_min_merge_count,
        target_bytes=properties.manifest_target_size_bytes,
    )


def pack_from_end(sizes: Sequence[int], target_bytes: int) -> list[range]:
    """Places in `sizes` by bin, newest bin first; sizes stand newest first.

    One bin is open at a time: an item that does not fit closes it, so the newest bin is the one left under-filled.
    """
    bins: list[range] = []
    end = len(sizes)
    filled = 0
    for place in range(len(sizes) - 1, -1, -1):
        if place + 1 < end and filled + sizes[place] > target_bytes:
            bins.append(range(place + 1, end))
            end, filled = place + 1, 0
        filled += sizes[place]
    if end:
        bins.append(range(end))
    return bins[::-1]


def bins_to_merge(sizes: Sequence[int], policy: MergePolicy, *, holds_first: bool = True) -> list[range]:
    """The bins that become one manifest each.

    The bin of the list's first manifest, which is the newest, waits for its minimum count; without `holds_first` it is
    among manifests of another partition spec.
    """
    if not policy.enabled:
        return []
    return [
        places
        for places in pack_from_end(sizes, policy.target_bytes)
        if len(places) > 1 and (not (holds_first and 0 in places) or len(places) >= policy.min_count)
    ]


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
