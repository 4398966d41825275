"""The drivers of a commit's cost: what grows, commit by commit."""

from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from wasim.model.appends import Appends, Cadence, merge_cadence
from wasim.units import Floats, Ints

MAX_DIGITS = 19  # of a Java long


def digits_at(increment: float, commits: Ints) -> Ints:
    """Digits of `increment`·n for each n in `commits`; 1 for n = 0."""
    return np.asarray(1 + np.sum(commits[..., None] >= _first_commits(increment), axis=-1, dtype=np.int64))


def digits_through(increment: float, commits: Ints) -> Ints:
    """Σ over i = 1 … n of the digits of `increment`·i: n + Σ_j (n − t_j + 1)⁺, where t_j = ⌈10ʲ / increment⌉."""
    past = np.maximum(commits[..., None] - _first_commits(increment) + 1, 0)
    return np.asarray(np.maximum(commits, 0) + np.sum(past, axis=-1, dtype=np.int64))


@lru_cache(maxsize=4096)
def _first_commits(increment: float) -> Ints:
    """The first commit whose number has two digits, three digits …"""
    exact = int(increment) if increment == int(increment) else None
    firsts = [-(-(10**j) // exact) if exact else int(np.ceil(10**j / increment)) for j in range(1, MAX_DIGITS)]
    return np.array(firsts, dtype=np.int64)


FIRST_LIST_SAVES_BYTES = 15  # the first snapshot's list names its parent `null` instead of 19 digits

# From sequence number 64 on, a list's entry holds it (twice) in two bytes. Deflate makes about 1 B of that: with 1 B
# known beforehand, lists of 240 appends fit to 11 B rms instead of 20 (fast) and 28 (merge).
NARROW_SEQUENCE_NUMBERS = 63


@dataclass(frozen=True, slots=True, kw_only=True)
class Drivers:
    """Drivers of single commits, as equal-length columns.

    `snapshots`: retained, the new one included. `log_entries`: previous metadata files named in the metadata log.
    `live_manifests`: in the new list. `manifest_files`: written, a merged-away one included. `entries_added`: files
    that the commits add. `entries_merged`: entries of the manifests that merges write. `json_digits` and `list_digits`:
    bytes known beforehand, because numbers widen as they grow. `columns` and `statistics_columns` belong to the table
    and never change.
    """

    commits: Floats
    snapshots: Floats
    log_entries: Floats
    live_manifests: Floats
    manifest_files: Floats
    entries_added: Floats
    entries_merged: Floats
    manifests_replaced: Floats
    json_digits: Floats
    list_digits: Floats
    columns: int
    statistics_columns: int


def drivers_at(appends: Appends, commits: Ints) -> Drivers:
    """The drivers of single commits, numbered from 1."""
    cadence = appends_cadence(appends, commits)
    live = cadence.live_manifests(commits)
    merged = cadence.merges_at(commits, np.ones_like(cadence.offset))
    return Drivers(
        commits=np.ones(len(commits)),
        snapshots=_floats(commits),
        # CREATE TABLE wrote the first metadata file, so commit 1 already logs one
        log_entries=_floats(np.minimum(commits, appends.log_limit)),
        live_manifests=_floats(live),
        manifest_files=_floats(1 + merged),
        entries_added=np.full(len(commits), float(appends.files_per_commit)),
        entries_merged=_floats(cadence.merges_at(commits, cadence.absorbed) * appends.files_per_commit),
        manifests_replaced=_floats(cadence.merges_at(commits, cadence.inputs - cadence.wastes_new)),
        json_digits=_floats(_json_digits(appends, commits)),
        list_digits=_floats(
            digits_at(1, commits) - FIRST_LIST_SAVES_BYTES * (commits == 1) + live - _narrow_manifests(cadence, commits)
        ),
        columns=appends.columns,
        statistics_columns=appends.statistics_columns,
    )


def drivers_of_manifests(appends: Appends, *, added: Floats, merged: Floats) -> Drivers:
    """Drivers of single manifests that hold these numbers of added and of merged entries, and of nothing else."""
    drivers: dict[str, Any] = {one.name: np.zeros(len(added)) for one in fields(Drivers)}
    drivers |= {"manifest_files": np.ones(len(added)), "entries_added": added, "entries_merged": merged}
    return Drivers(**drivers | {"columns": appends.columns, "statistics_columns": appends.statistics_columns})


def appends_cadence(appends: Appends, commits: Ints) -> Cadence:
    """The merges of these appends as far as the last of `commits`; none when the writer does not merge."""
    if not appends.merges:
        return Cadence(offset=_NONE, inputs=_NONE, absorbed=_NONE, wastes_new=_NONE, cycle_commits=2**62)
    return merge_cadence(
        min_count=appends.min_count_to_merge,
        target_bytes=appends.target_manifest_bytes,
        files_per_commit=appends.files_per_commit,
        sizes=appends.sizes,
        commits=int(np.max(commits, initial=1)),
    )


_NONE = np.zeros(0, dtype=np.int64)


class GrowingNumber(NamedTuple):
    """A number in a snapshot's JSON that grows with every commit, and the commits that it lags behind."""

    name: str
    increment: float
    lag: int


def growing_numbers(appends: Appends) -> list[GrowingNumber]:
    """The numbers in a snapshot's JSON that grow with every commit."""
    rows = appends.rows_per_commit
    growing = [
        GrowingNumber("total-records", rows, 0),
        GrowingNumber("total-data-files", appends.files_per_commit, 0),
        GrowingNumber("total-files-size", appends.data_bytes_per_commit, 0),
    ]
    if appends.format_version >= 2:
        growing.append(GrowingNumber("sequence-number", 1, 0))
    if appends.format_version >= 3:
        growing.append(GrowingNumber("first-row-id", rows, 1))
    if not appends.merges:
        # under merges it has one or two digits, left to the fitted constant
        growing.append(GrowingNumber("manifests-kept", 1, 1))
    if appends.repeats_epoch:
        growing.append(GrowingNumber("spark.sql.streaming.epochId", 1, 1))
    return growing


def constant_digits(appends: Appends) -> int:
    """Digits of the numbers that every snapshot of a case repeats, but cases differ in: what the commit added."""
    added = [appends.rows_per_commit, appends.files_per_commit, round(appends.data_bytes_per_commit)]
    if appends.format_version >= 3:
        added.append(appends.rows_per_commit)
    return sum(len(str(number)) for number in added)


def _json_digits(appends: Appends, commits: Ints) -> Ints:
    """Bytes of numbers in metadata.json: of every retained snapshot, and last-sequence-number once.

    Of Hadoop's catalog also those that name the logged files.
    """
    total = constant_digits(appends) * commits + digits_at(1, commits)
    if appends.hadoop_names:
        total = total + digits_through(1, commits) - digits_through(1, commits - appends.log_limit)
    for _, increment, lag in growing_numbers(appends):
        total = total + digits_through(increment, commits - lag) + lag * np.minimum(commits, 1)
    return total


def _narrow_manifests(cadence: Cadence, commits: Ints) -> Ints:
    """Live manifests whose sequence number takes one byte: merges take the oldest first."""
    merged_away = cadence.merges_through(commits, cadence.inputs - 1)
    return np.asarray(np.maximum(np.minimum(commits, NARROW_SEQUENCE_NUMBERS) - merged_away, 0))


def _floats(counts: Ints) -> Floats:
    return counts.astype(np.float64)
