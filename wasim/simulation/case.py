"""A case simulated: in its mode, with its writer's profile and its table's location, as engine `simulator`.

What that takes file by file, time, memory and disk, is estimated from the case alone. Rates are processor time of one
core of 2026: 5,000 plain appends took 9 s and 85 MB, 1,500 written to disk 15 s; a commit of 50,000 rows of 40 columns
0.6 s; 300 commits with copy-on-write updates of 750,000 rows 2.3 GB; 300 upserts of the newest rows 2.0 s, of scattered
ones that a fifth of all files held 3.8 s.
"""

import hashlib
import json
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from math import prod
from pathlib import Path

import numpy as np

from wasim import __version__
from wasim.contention import Setup, model_latency
from wasim.iceberg.properties import TableProperties
from wasim.ledger import Recording
from wasim.ledger.vocabulary import SCHEMA_VERSION
from wasim.model import read_appends
from wasim.runs import CaseRun, Simulation
from wasim.scenario import Case
from wasim.twin import Site, WriterProfile, render_profile, simulate_table
from wasim.twin.profile import tables_in_turn
from wasim.twin.supported import check_answerable, check_supported
from wasim.units import DURATION_UNITS_S, format_bytes, format_count
from wasim.years import read_shape, simulate_years

COMMIT_S, FURTHER_FILE_S = 0.0016, 0.0015
VALUE_S = 3e-7  # of a row's column that is computed
LIVE_FILE_S, HIT_FILE_S = 3e-5, 4e-4  # of a data file that a statement looks at; of one that has rows of it
LIST_BYTES_PER_S = 450e6  # of which few are deflated
EMITTED_BYTES_PER_S = 95e6
SNAPSHOT_BYTES = 1_040.0  # in metadata.json, its summary and its entry in the log
LIST_ENTRY_BYTES = 43.0
COMMIT_MEMORY_BYTES = 20e3
PROCESS_MEMORY_BYTES = 150e6
LIVE_ROW_BYTES = 26.0  # of each row that is there, where compaction may read it
CHANGED_VALUE_BYTES, COMPACTED_VALUE_BYTES = 600.0, 100.0  # of the rows that a statement, or a compaction, may take
MOST_ROWS_OF_FILE = 4_096  # of a file of an unpartitioned table
EXACT_AT_MOST_COMMITS = 2_000  # encoding grows with the square of the commits
ENGINE_NAME = "sim"
ANNOUNCED_FROM_S = 3.0


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
        computed = min(computed, MOST_ROWS_OF_FILE * appends.files_per_commit)
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
    properties = TableProperties.read(case.table.properties)
    if not properties.metadata_delete_after_commit_enabled:
        return float("inf")
    return properties.metadata_previous_versions_max * _most_snapshots(case)


def _statements_s(case: Case, files_per_commit: float) -> float:
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
    live = LIVE_ROW_BYTES * case.rows_per_commit * case.commits
    return live + COMPACTED_VALUE_BYTES * case.workload.rows_per_second * at_once_s * columns


def _rounded(seconds: float) -> str:
    """A time in the largest unit of which there are two: `90s`, `12m`, `47h`, `12d`, `384y`."""
    for unit, unit_s in reversed(DURATION_UNITS_S.items()):
        if seconds >= 2 * unit_s:
            return f"{seconds / unit_s:.0f}{unit}"
    return "1s"


class Mode(StrEnum):
    """How sizes are computed: `exact` encodes every file, `fast` sums a recurrence over any horizon, `auto` takes
    `exact` for short histories.
    """

    AUTO = "auto"
    EXACT = "exact"
    FAST = "fast"


def mode_for(case: Case, mode: Mode, *, emits: bool) -> Mode:
    """How the case is simulated where a mode is asked for; only exactly can files be emitted."""
    if mode is not Mode.AUTO:
        return mode
    waves = case.writer.arrivals == "at_once"  # which steps of a case would cut
    short = case.commits <= EXACT_AT_MOST_COMMITS and not waves and exact_needs(case).within(AUTO_BUDGET)
    return Mode.EXACT if short or emits else Mode.FAST


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedCase:
    """A case and everything that decides its simulated bytes and latencies."""

    case: Case
    mode: Mode
    profile: WriterProfile
    site: Site
    emit: Path | None

    @property
    def simulation(self) -> Simulation:
        """What is saved of how the case was simulated."""
        return Simulation(mode=str(self.mode), profile=dict(self.profile.described))

    @property
    def key(self) -> str:
        """What names the case: a hash of all that decides its bytes."""
        profile = json.dumps(json.loads(render_profile(self.profile)), indent=1) + "\n"  # however a file lays it out
        decides = {
            "wasim": __version__,
            "ledger_schema": str(SCHEMA_VERSION),
            "engine": ENGINE_NAME,
            "mode": str(self.mode),
            "profile": hashlib.sha256(profile.encode()).hexdigest(),
            "site": json.dumps(asdict(self.site)),
        }
        return self.case.key(decides)

    @property
    def announced(self) -> str:
        """The line to print before the case is simulated."""
        profile = f"profile {self.profile.name} ({self.profile.origin})"
        needs, commits = self.needs, format_count(self.case.commits_made, "commit")
        is_said = needs is not None and (needs.seconds > ANNOUNCED_FROM_S or needs.disk_bytes)
        takes = f", {needs.words}" if needs is not None and is_said else ""
        return f"{self.case.label}: {self.mode}, {commits}, {profile}{takes}"

    @property
    def needs(self) -> Needs | None:
        """What simulating the case takes, where that is done exactly; else None."""
        exact = self.mode is Mode.EXACT
        return exact_needs(self.case, emits=self.emit is not None) if exact else None

    def check(self) -> None:
        """WasimError for a case that its mode does not model."""
        (check_supported if self.mode is Mode.EXACT else check_answerable)(self.case, self.profile)

    def simulate(self) -> tuple[CaseRun, Recording | None]:
        """The finished case, with its recording if it was simulated exactly. WasimError for what it does not model."""
        named, case, started_s = {"key": self.key, "engine": ENGINE_NAME}, self.case, time.monotonic()
        if self.mode is not Mode.EXACT:
            summed = simulate_years(case, self.profile, self.site)
            wall_s = time.monotonic() - started_s
            return self._described(CaseRun.of_summed(case, summed, wall_s=wall_s, **named)), None
        rng = np.random.default_rng(case.seed)
        table = simulate_table(case, self.profile, rng, site=self.site, emit=self.emit)
        wall_s, recording = time.monotonic() - started_s, table.recording
        made = CaseRun.of_recording(case, recording, live_bytes=table.live_bytes, wall_s=wall_s, **named)
        return self._described(made), recording

    def _described(self, made: CaseRun) -> CaseRun:
        """The finished case with its provenance and its modelled commit latency."""
        setup = Setup(provider=self.site.provider, measured=self.profile.together, plain=self._plain_json())
        latency = model_latency(self.case, made.ledger, setup)
        if latency is not None:
            interval_s = latency.sustainable_interval_s * tables_in_turn(self.case)
            latency = replace(latency, sustainable_interval_s=interval_s)
        return replace(made, simulation=self.simulation, location=self.site.location, latency=latency)

    def _plain_json(self) -> Callable[[float, float], float] | None:
        """Bytes of metadata.json before compression, of those stored after so many commits; None where it is plain."""
        properties = TableProperties.read(self.case.table.properties)
        if properties.metadata_compression == "none":
            return None
        json_sizes = read_shape(self.case, self.profile, self.site).sizes.json.over(self.case)
        most = properties.metadata_previous_versions_max
        return lambda stored, commits: float(json_sizes.plain(np.array(stored), np.array(min(commits, most))))
