"""What a month of a setting costs: requests, bytes kept, bytes moved, and the compute of commits, jobs and planning.

Left out is what all settings share: storage of live data, and the compute of writing rows. Opening a file is charged
as scanning 4 MiB, which is what Iceberg's planner takes it for. Requests of a commit were counted on a REST catalog and
S3 (`scenarios/quickstart_s3.yaml`).
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace

from wasim.ledger.machine import Machine
from wasim.scenario.prices import Prices
from wasim.units import HOUR_S, MONTH_S

GIB = 2.0**30
GETS_OF_COMMIT, HEADS_OF_COMMIT = 6.0, 1.0  # five of them are the catalog's, of metadata.json
COMPACTION_BYTES_PER_CORE_S = 40e6  # Parquet read, decoded, encoded and written
GZIP_BYTES_PER_CORE_S = 80e6
SCANNED_BYTES_PER_CORE_S = 100e6  # Parquet read and decoded
OPENED_FILE_BYTES = 4 << 20  # read.split.open-file-cost: the bytes that opening a file is charged as
GETS_OF_FILE = 2.0  # its footer, and the columns asked for


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """The load of a table on its store and machines in some event time: totals, or means over it."""

    horizon_s: float
    commits: float  # total
    files_written: float  # total, of all kinds
    bytes_written: float  # total, without the data files that rows arrive in
    compacted_bytes: float  # total, of data
    jobs: float  # total, of maintenance
    manifests_read: float  # total, by them
    files_read: float  # total, of data, by them
    metadata_on_disk_bytes: float  # mean
    replaced_data_bytes: float  # mean: no longer live, still on disk
    json_bytes: float  # mean size of metadata.json, uncompressed
    stored_json_bytes: float  # the same as stored
    list_bytes: float  # mean size of a manifest list
    manifests: float  # mean, that a full scan reads
    manifest_bytes: float  # mean, of these manifests together
    files: float  # mean, live data files
    opened_files: float  # mean, by a query

    def with_more(self, *, metadata: float, compacted: float) -> "Load":
        """The same with so many times the bytes of metadata, and of data that is written anew or was replaced."""
        names = ("metadata_on_disk_bytes", "json_bytes", "stored_json_bytes", "list_bytes", "manifest_bytes")
        of_data = {name: getattr(self, name) * compacted for name in ("compacted_bytes", "replaced_data_bytes")}
        written = (self.bytes_written - self.compacted_bytes) * metadata + of_data["compacted_bytes"]
        return replace(
            self, bytes_written=written, **of_data, **{name: getattr(self, name) * metadata for name in names}
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class MonthlyCost:
    """A month's cost by what it is paid for, in the currency of the prices."""

    requests: float
    storage: float
    transfer: float
    commits: float  # compute
    maintenance: float  # compute
    planning: float  # compute, and requests of queries
    opening: float  # compute and requests of opening the data files of a query

    @property
    def total(self) -> float:
        """All of it."""
        return sum(float(getattr(self, one.name)) for one in fields(self))

    def times(self, tables: int) -> "MonthlyCost":
        """The same for so many tables."""
        return MonthlyCost(**{name: part * tables for name, part in asdict(self).items()})

    def parts(self) -> Mapping[str, float]:
        """By what it is paid for, the largest first."""
        return dict(sorted(asdict(self).items(), key=lambda part: -part[1]))


def monthly_cost(
    load: Load, machine: Machine, prices: Prices, queries_per_hour: float, *, gzips_json: bool = False
) -> MonthlyCost:
    """A month's cost at the pace of the load."""
    per_1000, times = prices.per_1000_requests, MONTH_S / load.horizon_s
    core_s = prices.compute_per_core_hour / HOUR_S
    queries = queries_per_hour * MONTH_S / HOUR_S
    gets_of_query = 2 + load.manifests
    read_by_jobs = load.manifests_read + load.files_read
    puts, gets = load.files_written * times, (load.commits * GETS_OF_COMMIT + read_by_jobs) * times
    read = load.commits * times * (GETS_OF_COMMIT - 1) * load.stored_json_bytes
    read += queries * (load.stored_json_bytes + load.list_bytes + load.manifest_bytes) + load.compacted_bytes * times
    commit_s = (machine.commit_ms + machine.loading_ms(load.json_bytes)) / 1000
    if gzips_json:
        commit_s += load.json_bytes / GZIP_BYTES_PER_CORE_S
    planning_s = machine.full_scan_ms(load.json_bytes, load.manifests, load.files, load.manifest_bytes) / 1000
    reading_s = machine.reading_ms(load.manifests_read, 0.0, 0.0) / 1000
    return MonthlyCost(
        requests=(puts * per_1000.put + gets * per_1000.get + load.commits * times * HEADS_OF_COMMIT * per_1000.head)
        / 1000,
        storage=(load.metadata_on_disk_bytes + load.replaced_data_bytes) / GIB * prices.storage_per_gib_month,
        transfer=(load.bytes_written * times * prices.upload_per_gib + read * prices.retrieval_per_gib) / GIB,
        commits=load.commits * times * commit_s * core_s,
        maintenance=(reading_s + load.compacted_bytes / COMPACTION_BYTES_PER_CORE_S) * times * core_s
        + load.jobs * times * prices.per_job,
        planning=queries * (planning_s * core_s + gets_of_query * per_1000.get / 1000),
        opening=opening_cost(load.opened_files, prices, queries_per_hour),
    )


def opening_cost(files: float, prices: Prices, queries_per_hour: float) -> float:
    """What a month of queries pays for opening so many data files each."""
    core_s, get = prices.compute_per_core_hour / HOUR_S, prices.per_1000_requests.get / 1000
    each = OPENED_FILE_BYTES / SCANNED_BYTES_PER_CORE_S * core_s + GETS_OF_FILE * get
    return queries_per_hour * MONTH_S / HOUR_S * files * each


def waiting_for_expiry(replaced: float, *, horizon_s: float, kept_s: float | None, every_s: float | None) -> float:
    """Of bytes replaced over the horizon those on disk, on average: what is replaced in the time that snapshots
    are kept, and in half a period of expiry.
    """
    if kept_s is None or every_s is None:
        return replaced
    return replaced * min(1.0, (kept_s + every_s / 2) / horizon_s)
