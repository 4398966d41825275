"""How well manifests are clustered by partition: whether a query of one partition may skip most of them."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from operator import itemgetter

from wasim.iceberg import ManifestFile

_LEAST_MANIFESTS = 4
_MOST_MANIFESTS = 5_000


def overlap_of(manifests: Sequence[ManifestFile]) -> float | None:
    """The share of manifests that a query of one partition cannot skip, by the field that skips most.

    For each partition field, the mean over manifests of how many have a range that touches the manifest's own. 1 is no
    pruning at all; 1 ÷ the number of manifests the best there is. None without partition ranges, or for too few
    manifests to say.
    """
    # A manifest of another spec has other fields; of the largest group alone the ranges compare.
    groups: dict[tuple[int, int], list[ManifestFile]] = {}
    for manifest in manifests:
        if manifest.partitions and manifest.content == 0:
            groups.setdefault((manifest.partition_spec_id, len(manifest.partitions)), []).append(manifest)
    group = max(groups.values(), key=len, default=[])
    if not _LEAST_MANIFESTS <= len(group) <= _MOST_MANIFESTS:
        return None
    shares = []
    for place in range(len(group[0].partitions or ())):
        ranges = [
            (_ordered(one.partitions[place].lower_bound), _ordered(one.partitions[place].upper_bound))
            for one in group
            if one.partitions
        ]
        known = [(low, high) for low, high in ranges if low is not None and high is not None]
        if len(known) == len(group):
            shares.append(_mean_overlap(known) / len(group))
    return min(shares, default=None)


def _ordered(bound: bytes | None) -> tuple[int, bytes] | None:
    """A bound as something that sorts as its values do: whole numbers have their least byte first, text has not."""
    if bound is None:
        return None
    if len(bound) in (4, 8):
        # Four letters of text sort wrongly so; overlap is then a guess, as it is for floats.
        return int.from_bytes(bound, "little", signed=True), b""
    return 0, bound


def _mean_overlap(ranges: Sequence[tuple[tuple[int, bytes], tuple[int, bytes]]]) -> float:
    """The mean number of ranges that touch a range, itself included."""
    lows, highs = sorted(map(itemgetter(0), ranges)), sorted(map(itemgetter(1), ranges))
    touching = sum(bisect_right(lows, high) - bisect_left(highs, low) for low, high in ranges)
    return touching / len(ranges)
