"""What the cost of metadata depends on, read from a case; and when its appends merge manifests.

`merge_cadence` is of commits that each add one manifest of the same size. Iceberg packs manifests into bins of the
target size, walking from the oldest (ManifestMergeManager, lookback 1). The bin that holds the new manifest waits until
it counts `min_count_to_merge`; any other bin of two or more is rewritten at once. So a table keeps one growing tail and
up to `min_count_to_merge` − 1 small manifests (merges at commits 100, 199, 298, …: measured over 400 commits, no
mismatch), until the tail nears the target. There a few small manifests overflow its bin, and each commit or two
rewrites the whole tail, because a merge sheds the small ones' headers and makes room for the next: Iceberg's near-
target thrash. Then the tail is sealed, and a new one starts exactly as the first did, which makes the cadence periodic:
one cycle is simulated merge by merge, and any commit number follows from it. (A merged manifest must not be smaller
than a new one, which holds for all that Iceberg writes.)
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from wasim.iceberg.properties import TableProperties
from wasim.scenario.case import Case
from wasim.scenario.parts import Columns, Table
from wasim.units import Ints

ENDLESS = 2**62  # commits of a cycle that no commit number reaches
# Constants of a manifest's header by format version; measured: 2,245 of 2,245 headers rebuilt to the byte
_HEADER_BYTES = {1: 5447, 2: 6691, 3: 7504, 4: 11_100}


@dataclass(frozen=True, slots=True, kw_only=True)
class ManifestSizes:
    """Bytes of the manifests of one writer: a new one, and a merged one as `header_bytes` + `entry_bytes` × entries."""

    new_bytes: float
    header_bytes: float
    entry_bytes: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Cadence:
    """The merges of one cycle, and its length in commits.

    A merge at `offset` (commits since the cycle began, from 1) turns `inputs` manifests into one that holds what
    `absorbed` commits added. `wastes_new` where the new commit's own manifest is among the inputs: it was written for
    nothing. An offset may be one past the cycle: the commit that starts the next one triggers it.
    """

    offset: Ints
    inputs: Ints
    absorbed: Ints
    wastes_new: Ints
    cycle_commits: int

    def _cycles(self, commits: Ints) -> tuple[Ints, Ints, Ints]:
        """For each commit: whole cycles before it, commits into its own, merges of its own cycle so far."""
        cycles = (commits - 1) // self.cycle_commits
        into = commits - cycles * self.cycle_commits
        return cycles, into, np.searchsorted(self.offset, into, side="right")

    def merges_through(self, commits: Ints, of_merge: Ints) -> Ints:
        """Σ of `of_merge` over the merges at commits 1 … n, for each n in `commits`."""
        cycles, _, count = self._cycles(commits)
        running = np.concatenate([[0], np.cumsum(of_merge)])
        return np.asarray(np.where(commits > 0, cycles * running[-1] + running[count], 0))

    def merges_at(self, commits: Ints, of_merge: Ints) -> Ints:
        """`of_merge` at each commit that merges, zero elsewhere."""
        return self.merges_through(commits, of_merge) - self.merges_through(commits - 1, of_merge)

    def live_manifests(self, commits: Ints) -> Ints:
        """Manifests in the list of each commit: one more per commit, and a merge makes one of its inputs."""
        return commits - self.merges_through(commits, self.inputs - 1)


@lru_cache(maxsize=256)
def merge_cadence(
    *, min_count: int, target_bytes: int, files_per_commit: int, sizes: ManifestSizes, commits: int
) -> Cadence:
    """The cadence of merges as far as `commits` needs it; an unfinished cycle is endless."""
    # of the oldest unsealed bin: commits that are in one manifest (0: none yet), and the last merge's offset
    absorbed, offset, is_sealed, merges = 0, 0, False, list[tuple[int, int, int, int]]()
    while offset <= commits:
        held, pending = int(absorbed > 0), offset - absorbed  # pending: the small one that the last overflow left
        tail_bytes = held * (sizes.header_bytes + sizes.entry_bytes * files_per_commit * absorbed)
        fitting = max(0, int((target_bytes - tail_bytes) // sizes.new_bytes))  # small ones in the tail's bin
        wanted = max(max(2, min_count) - held, pending + 1)
        overflows = fitting < wanted  # then the next small one closes the bin, and it no longer waits
        taken = fitting if overflows else wanted
        if taken + held < 2:
            is_sealed, absorbed = True, max(absorbed, 1)  # a manifest that fits no bin stays alone
            break
        absorbed += taken
        offset = absorbed + overflows
        merges.append((offset, taken + held, absorbed, int(not overflows)))
    columns = np.array(merges, dtype=np.int64).reshape(-1, 4)
    return Cadence(
        offset=columns[:, 0],
        inputs=columns[:, 1],
        absorbed=columns[:, 2],
        wastes_new=columns[:, 3],
        cycle_commits=absorbed if is_sealed else ENDLESS,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Appends:
    """Like appends, one after the other, without maintenance.

    `log_limit` is the most entries that the metadata log keeps. `statistics_columns` are those whose bounds an entry
    carries. `repeats_epoch` says whether each summary holds the streaming epoch, `hadoop_names` whether metadata.json
    files bear their version alone, as in Hadoop's catalog. `data_bytes_per_commit` is known only from a ledger; it
    moves nothing but the digits of total-files-size.
    """

    merges: bool
    repeats_epoch: bool
    files_per_commit: int
    rows_per_commit: int
    data_bytes_per_commit: float
    columns: int
    statistics_columns: int
    format_version: int
    log_limit: int
    min_count_to_merge: int
    target_manifest_bytes: int
    gzip_json: bool
    sizes: ManifestSizes
    hadoop_names: bool = False


def read_appends(case: Case, *, data_bytes_per_commit: float | None = None) -> Appends:
    """The appends of a case. Without a ledger, data is taken as 100 B a row, and manifests as the format gives them."""
    properties = TableProperties.read(case.table.properties)
    leaves = [name for column in case.table.all_columns for name in _leaves(column)]
    partitions = case.workload.partitions_per_commit or 1 if case.table.partition_by else 1
    files = min(case.workload.files_per_commit * partitions, case.rows_per_commit)
    statistics = sum(mode.bound_length is not None for mode in properties.metrics_modes(leaves))
    header = manifest_header_bytes(case.table)
    return Appends(
        merges=properties.manifest_merge_enabled and (case.merges or bool(case.key_columns)),
        repeats_epoch=case.writer.kind == "streaming" and case.writer.sink == "table",
        files_per_commit=files,
        rows_per_commit=case.rows_per_commit,
        data_bytes_per_commit=data_bytes_per_commit or 100.0 * case.rows_per_commit,
        columns=len(leaves),
        statistics_columns=statistics,
        format_version=case.table.format_version,
        log_limit=properties.metadata_previous_versions_max,
        min_count_to_merge=properties.merged_from,
        target_manifest_bytes=properties.packed_to_bytes,
        gzip_json=properties.metadata_compression == "gzip",
        hadoop_names=case.environment.catalog == "hadoop",
        sizes=ManifestSizes(
            new_bytes=header + entry_bytes(statistics) * files, header_bytes=header, entry_bytes=entry_bytes(statistics)
        ),
    )


def manifest_header_bytes(table: Table) -> float:
    """Bytes of a manifest before its entries: the schema as JSON between constants.

    K_v + |J_s| + vl(|J_s|) − 1 + partition fields, with J_s = 43 + Σ(44 + digits(id) + |name| + |type|) + (C − 1).
    Exact for flat columns of an unpartitioned table (7,282 B for ten columns, v2); within tens of bytes for the others.
    """
    columns = table.all_columns
    schema = 43 + len(columns) - 1
    schema += sum(44 + len(str(number)) + len(c.name) + len(c.type) for number, c in enumerate(columns, 1))
    per_field = (112 + 2 * len(field.column) + len(field.transform) + 12 + 55 for field in table.partition_by)
    length_digits = (schema >= 64) + (schema >= 8192)
    return float(_HEADER_BYTES[table.format_version] + schema + length_digits + sum(per_field))


def entry_bytes(statistics_columns: int) -> float:
    """Bytes of one deflated entry among many, before any is measured: 40, and 14 a column (84 … 1,480 for 6 … 100)."""
    return 40.0 + 14.0 * statistics_columns


def _leaves(column: Columns) -> Iterator[str]:
    for name in column.names:
        if column.parts:
            yield from (f"{name}.{inner}" for part in column.parts for inner in _leaves(part))
        else:
            yield name
