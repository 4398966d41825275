"""Which manifests a merging commit rewrites: Iceberg's bins, packed from the oldest manifest on."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class MergePolicy:
    """Whether manifests merge, how many wait for it at least, and how large they become."""

    enabled: bool
    min_count: int
    target_bytes: int


ROLLING_FILES = 250  # a writer of new files looks at its manifest's length whenever that has so many more
GROUPED_FILES = 10_000  # new files of a commit for each writer that shares them
MOST_GROUPS = 8  # threads of Iceberg's pool: one a core, 2 at least; taken as 8


def groups_of_new(files: int) -> int:
    """How many writers share the new files of a commit, each a stretch of them: two from 15,000 files on."""
    return max(1, min(MOST_GROUPS, (files + GROUPED_FILES // 2) // GROUPED_FILES))


def rolls_at(closed: Sequence[tuple[int, int]], target_bytes: int) -> int | None:
    """After how many entries a writer of new files begins another manifest; None if it does not.

    `closed` holds entries and bytes of the manifest as each of its blocks is written out.
    """
    least = next((entries for entries, length in closed if length >= target_bytes), None)
    return None if least is None else -(-least // ROLLING_FILES) * ROLLING_FILES


def fits(filled_bytes: float, size: float, target_bytes: float) -> bool:
    """Whether a manifest goes into the open bin; one that does not closes it and opens the next."""
    return filled_bytes + size <= target_bytes


def merges(items: float, is_newest: bool, least: int) -> bool:
    """Whether a bin of this many manifests becomes one; the newest manifest's waits for its `least` number."""
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
        if filled and not fits(filled, sizes[place], target_bytes):
            bins.append(range(place + 1, end))
            end, filled = place + 1, 0
        filled += sizes[place]
    if end:
        bins.append(range(end))
    return bins[::-1]


def bins_to_merge(sizes: Sequence[int], policy: MergePolicy, *, holds_first: bool = True) -> list[range]:
    """The bins that become one manifest each; sizes stand newest first.

    Without `holds_first`, the list's first manifest belongs to another partition spec.
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
