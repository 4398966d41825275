"""What simulating a case file by file takes, estimated from the case alone: time, memory, disk.

Rates are processor time of one core of 2026: 5,000 plain appends took 9 s and 85 MB, 1,500 written to disk 15 s; a
commit of 50,000 rows of 40 columns 0.6 s; 300 commits with copy-on-write updates of 750,000 rows 2.3 GB; 300 upserts of
the newest rows 2.0 s, of scattered ones that a fifth of all files held 3.8 s.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import prod

from wasim.iceberg.properties import TableProperties
from wasim.model import read_appends
from wasim.scenario import Case
from wasim.units import DURATION_UNITS_S, format_bytes

COMMIT_S, FURTHER_FILE_S = 0.0016, 0.0015
VALUE_S = 3e-7  # of a row's column that is computed
LIVE_FILE_S, HIT_FILE_S = 3e-5, 4e-4  # of a data file that a statement looks at; of one that has rows of it
LIST_BYTES_PER_S = 450e6  # of which few are deflated
EMITTED_BYTES_PER_S = 95e6
SNAPSHOT_BYTES = 1_040.0  # in metadata.json, its summary and its entry in the log
LIST_ENTRY_BYTES = 43.0
COMMIT_MEMORY_BYTES = 20e3
PROCESS_MEMORY_BYTES = 150e6
CHANGED_VALUE_BYTES, COMPACTED_VALUE_BYTES = 600.0, 100.0  # of the rows that a statement, or a compaction, may take
MOST_ROWS_COMPUTED = 4_096  # of a file of an unpartitioned table


@dataclass(frozen=True, slots=True, kw_only=True)
class Needs:
    """What an exact simulation takes, within a factor of two or three. `disk_bytes` are of emitted metadata."""

    seconds: float
    memory_bytes: float
    disk_bytes: float

    @property
    def words(self) -> str:
        """In words: `about 12s, 190 MiB of memory, 2.10 GiB on disk`."""
        on_disk = f", {format_bytes(self.disk_bytes)} on disk" if self.disk_bytes else ""
        return f"about {_rounded(self.seconds)}, {format_bytes(self.memory_bytes)} of memory{on_disk}"

    def within(self, most: "Needs") -> bool:
        """Whether nothing is more than `most` allows."""
        return (
            self.seconds <= most.seconds
            and self.memory_bytes <= most.memory_bytes
            and self.disk_bytes <= most.disk_bytes
        )


AUTO_BUDGET = Needs(seconds=20.0, memory_bytes=2 * 2**30, disk_bytes=0.0)
"""The most that `--mode auto` simulates exactly, per case."""

EMIT_BUDGET = Needs(seconds=300.0, memory_bytes=4 * 2**30, disk_bytes=2 * 2**30)
"""The most that `--emit` writes, all cases together, unless `--mode exact` is given."""


def exact_needs(case: Case, *, emits: bool = False) -> Needs:
    """What simulating the case exactly takes; with `emits`, its metadata is written to disk."""
    commits, appends = case.commits, read_appends(case)
    manifests, snapshots = _most_manifests(case), _most_snapshots(case)
    lists = LIST_ENTRY_BYTES * _summed_up_to(commits, manifests)
    documents = SNAPSHOT_BYTES * _summed_up_to(commits, snapshots)
    kept = min(lists, LIST_ENTRY_BYTES * manifests * snapshots) + min(documents, SNAPSHOT_BYTES * _most_named(case))
    emitted = lists + documents if emits else 0.0
    computed = case.rows_per_commit
    if not case.table.partition_by:
        computed = min(computed, MOST_ROWS_COMPUTED * appends.files_per_commit)
    per_commit = COMMIT_S + FURTHER_FILE_S * (appends.files_per_commit - 1) + VALUE_S * computed * appends.columns
    return Needs(
        seconds=commits * per_commit
        + lists / LIST_BYTES_PER_S
        + emitted / EMITTED_BYTES_PER_S
        + _statements_s(case, appends.files_per_commit),
        memory_bytes=PROCESS_MEMORY_BYTES + COMMIT_MEMORY_BYTES * commits + _rows_kept_bytes(case, appends.columns),
        disk_bytes=kept if emits else 0.0,
    )


def add_up(needs: Iterable[Needs]) -> Needs:
    """What several cases take, one after the other."""
    each = list(needs)
    return Needs(
        seconds=sum(one.seconds for one in each),
        memory_bytes=max((one.memory_bytes for one in each), default=0.0),
        disk_bytes=sum(one.disk_bytes for one in each),
    )


def _summed_up_to(commits: int, most: float) -> float:
    """The sum over the commits of a count that grows by one per commit up to `most`."""
    growing = min(float(commits), most)
    return growing * growing / 2 + (commits - growing) * most


def _most_snapshots(case: Case) -> float:
    expiry = case.maintenance.expire_snapshots
    if expiry is None:
        return float(case.commits)
    if expiry.when_snapshots is not None:
        return float(expiry.when_snapshots)
    kept_s = expiry.older_than + (expiry.every or 0.0)
    return min(float(case.commits), max(float(expiry.retain_last), kept_s / case.commit_interval_s))


def _most_manifests(case: Case) -> float:
    """Live manifests at most; where they are merged or rewritten, a few hundred."""
    bounded = case.merges or case.maintenance.rewrite_manifests is not None
    return min(float(case.commits), 200.0) if bounded else float(case.commits)


def _most_named(case: Case) -> float:
    """Snapshots named by all metadata.json on disk together, at most."""
    properties = TableProperties.read(case.table.properties)
    if not properties.metadata_delete_after_commit_enabled:
        return float("inf")
    return properties.metadata_previous_versions_max * _most_snapshots(case)


def _statements_s(case: Case, files_per_commit: float) -> float:
    """Seconds that statements take, each of which looks at all live data files."""
    files = case.commits * files_per_commit
    compaction = case.maintenance.rewrite_data_files
    if compaction is not None:
        arriving = (compaction.every or 0.0) / case.commit_interval_s * files_per_commit
        files = min(files, max(arriving, float(compaction.when_small_files or 0)))
    live, seconds = files / 2, 0.0  # on average, as they grow in number
    for runs, rows, is_scattered in _statements(case):
        hit = min(live, rows) if is_scattered else 1.0
        seconds += runs * (LIVE_FILE_S * live + HIT_FILE_S * hit)
    return seconds


def _statements(case: Case) -> Iterator[tuple[float, float, bool]]:
    """How often each kind of statement runs, how many rows it touches, and whether they are scattered."""
    upsert = case.writer.upsert
    if upsert is not None and not case.key_columns:
        yield float(case.commits), float(case.replaced_rows_per_commit), upsert.locality == "scattered"
    for _, change in case.changes:
        if change is not None:
            rows = change.rows or (change.share or 0.0) * case.rows_through(case.commits) / 2
            yield case.horizon_s / change.every, rows, getattr(change, "locality", "") == "scattered"


def _rows_kept_bytes(case: Case, columns: int) -> float:
    """Rows that are kept because a later step may write them again."""
    if case.has_changes or (case.writer.upsert is not None and not case.key_columns):
        return CHANGED_VALUE_BYTES * prod((case.rows_per_commit, case.commits, columns))
    compaction = case.maintenance.rewrite_data_files
    if compaction is None:
        return 0.0
    at_once_s = min(compaction.every or case.horizon_s, case.horizon_s)
    return COMPACTED_VALUE_BYTES * case.workload.rows_per_second * at_once_s * columns


def _rounded(seconds: float) -> str:
    """A time in the largest unit of which there are two: `90s`, `12m`, `47h`, `12d`, `384y`."""
    for unit, unit_s in reversed(DURATION_UNITS_S.items()):
        if seconds >= 2 * unit_s:
            return f"{seconds / unit_s:.0f}{unit}"
    return "1s"
