"""What a month of a setting costs: requests, bytes kept, bytes moved, and the compute of commits, jobs and planning.

What settings share is left out: live data, and the compute that rows take. The constants are stated where they stand;
those of requests were counted on a REST catalog and S3 (`scenarios/quickstart_s3.yaml`).
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields

from wasim.capacity.latency import Machine
from wasim.capacity.settings import DAY_S, HOUR_S, Setting
from wasim.scenario.prices import Prices

MONTH_S = 30 * DAY_S
GIB = 2.0**30
GETS_OF_COMMIT, HEADS_OF_COMMIT = 6.0, 1.0  # five of them are the catalog's, of metadata.json
JOB_CORE_S = 20.0  # until a job on a cluster that stands ready has planned and ended
COMPACTION_BYTES_PER_CORE_S = 40e6  # Parquet read, decoded, encoded and written
GZIP_BYTES_PER_CORE_S = 80e6


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """What a table under a setting asks of store and machines; means over the horizon unless they say otherwise."""

    horizon_s: float
    commits: float
    files_written: float  # over the horizon, of all kinds
    bytes_written: float  # the same, without the data that rows first take
    compacted_bytes: float
    metadata_on_disk_bytes: float  # at the end
    replaced_data_bytes: float  # at the end: no longer live, still on disk
    json_bytes: float  # uncompressed
    stored_json_bytes: float
    list_bytes: float
    manifests: float
    manifest_bytes: float  # of all live ones together
    files: float  # live data files


@dataclass(frozen=True, slots=True, kw_only=True)
class MonthlyCost:
    """A month's cost by what it is paid for, in the currency of the prices."""

    requests: float
    storage: float
    transfer: float
    commits: float  # compute
    maintenance: float  # compute
    planning: float  # compute, and requests of queries

    @property
    def total(self) -> float:
        """All of it."""
        return sum(float(getattr(self, one.name)) for one in fields(self))

    def parts(self) -> Mapping[str, float]:
        """By what it is paid for, the largest first."""
        return dict(sorted(asdict(self).items(), key=lambda part: -part[1]))


def monthly_cost(
    load: Load, setting: Setting, machine: Machine, prices: Prices, queries_per_hour: float
) -> MonthlyCost:
    """What a month costs at the mean of the horizon, and what is on disk at its end kept for a month."""
    of_thousand, times = prices.per_1000_requests, MONTH_S / load.horizon_s
    core_s = prices.compute_per_core_hour / HOUR_S
    queries = queries_per_hour * MONTH_S / HOUR_S
    gets_of_query = 2 + load.manifests
    jobs_gets = _manifests_read(load, setting) + (load.files_written if setting.maintenance.compact_every_s else 0.0)
    puts, gets = load.files_written * times, (load.commits * GETS_OF_COMMIT + jobs_gets) * times
    read = load.commits * times * (GETS_OF_COMMIT - 1) * load.stored_json_bytes
    read += queries * (load.stored_json_bytes + load.list_bytes + load.manifest_bytes) + load.compacted_bytes * times
    commit_s = (machine.commit_ms + machine.loading(load.json_bytes)) / 1000
    if setting.gzips_json:
        commit_s += load.json_bytes / GZIP_BYTES_PER_CORE_S
    planning_s = machine.planning(load.json_bytes, load.manifests, load.files) / 1000
    return MonthlyCost(
        requests=(
            puts * of_thousand.put + gets * of_thousand.get + load.commits * times * HEADS_OF_COMMIT * of_thousand.head
        )
        / 1000,
        storage=(load.metadata_on_disk_bytes + load.replaced_data_bytes) / GIB * prices.storage_per_gib_month,
        transfer=(load.bytes_written * times * prices.upload_per_gib + read * prices.retrieval_per_gib) / GIB,
        commits=load.commits * times * commit_s * core_s,
        maintenance=_maintenance_core_s(load, setting, machine) * times * core_s,
        planning=queries * (planning_s * core_s + gets_of_query * of_thousand.get / 1000),
    )


def _manifests_read(load: Load, setting: Setting) -> float:
    """Manifests that jobs read over the horizon: each run of rewriting and of compaction reads all live ones."""
    kept = setting.maintenance
    runs = sum(load.horizon_s / every_s for every_s in (kept.rewrite_every_s, kept.compact_every_s) if every_s)
    return runs * load.manifests


def _maintenance_core_s(load: Load, setting: Setting, machine: Machine) -> float:
    runs = load.horizon_s / DAY_S * setting.maintenance.runs_per_day
    reading = _manifests_read(load, setting) * machine.ms_per_manifest / 1000
    return runs * JOB_CORE_S + reading + load.compacted_bytes / COMPACTION_BYTES_PER_CORE_S
