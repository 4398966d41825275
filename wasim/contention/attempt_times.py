"""How long a commit attempt takes in a store that wasim has not measured: its requests' published latencies, summed.

A fast append's attempt, as Iceberg 1.12 makes it: look the table up and GET its metadata.json; PUT the new manifests
(the first attempt alone: later ones keep them); GET the parent's manifest list, PUT a new one; PUT the metadata.json;
swap. Merging reads and writes manifests again. Requests of a commit run one after another; each is drawn from a
lognormal distribution with the published median and 99th percentile, whose median grows with the bytes.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np

from wasim.contention.providers import Latency, Providers, Store
from wasim.contention.writer_times import Quantiles, WriterTimes
from wasim.units import MIB, Floats

SAMPLES = 4096
LEVELS = np.linspace(0, 1, 201)
_Z99 = 2.326  # of the normal distribution


@dataclass(frozen=True, slots=True, kw_only=True)
class Footprint:
    """What one commit reads and writes of metadata: bytes of each file, and how many manifests.

    `json_text_bytes` is the size of metadata.json before compression, which the engine parses and writes; 0: it is not
    compressed.
    """

    metadata_json_bytes: float
    manifest_list_bytes: float
    manifest_bytes: float
    manifests_written: float = 1.0
    json_text_bytes: float = 0.0

    @property
    def parsed_bytes(self) -> float:
        """Bytes of metadata.json that the engine reads and writes itself."""
        return max(self.json_text_bytes, self.metadata_json_bytes)


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptRequests:
    """The latencies of an attempt's requests, and of the engine's own work."""

    store: Store
    swap: Latency
    engine: Latency

    @classmethod
    def of(cls, providers: Providers, provider: str, catalog: str) -> "AttemptRequests":
        """The times of a provider's store and a catalog. WasimError for an unknown name."""
        return cls(store=providers.store(provider), swap=providers.swap(provider, catalog), engine=providers.engine)


def attempt_times(footprint: Footprint, requests: AttemptRequests, work_s: Quantiles) -> WriterTimes:
    """The times of a commit with that footprint; `work_s` are quantiles of its job before it reads the table."""
    draw, store = partial(_drawn_ms, np.random.default_rng(0)), requests.store
    size = footprint.metadata_json_bytes
    read = draw(store.get, size)
    lists = draw(store.get, footprint.manifest_list_bytes) + draw(store.put, footprint.manifest_list_bytes)
    json = draw(store.put, size)
    later = draw(requests.engine, footprint.parsed_bytes) + read + lists + json
    first = later + footprint.manifests_written * draw(store.put, footprint.manifest_bytes)
    return WriterTimes(
        catalog="",
        writers=1,
        work_s=work_s,
        first_attempt_s=_quantiles_s(first),
        later_attempt_s=_quantiles_s(later),
        write_s=_quantiles_s(json),
        finish_s=_quantiles_s(draw(requests.swap)),
        ms_per_mib=requests.engine.ms_per_mib + store.get.ms_per_mib + store.put.ms_per_mib,
    )


def reading_s(footprint: Footprint, store: Store, manifests: float) -> float:
    """Mean seconds to read that many manifests one after another, and to write their entries as one."""
    if not manifests:
        return 0.0
    draw = partial(_drawn_ms, np.random.default_rng(0))
    put = draw(store.put, manifests * footprint.manifest_bytes)
    return float((manifests * draw(store.get, footprint.manifest_bytes) + put).mean()) / 1000


def validation_s(footprint: Footprint, store: Store) -> float:
    """Mean seconds to validate a statement against one landed commit: its manifest list and manifest are read."""
    draw = partial(_drawn_ms, np.random.default_rng(0))
    read = draw(store.get, footprint.manifest_list_bytes) + draw(store.get, footprint.manifest_bytes)
    return float(read.mean()) / 1000


def width_of(footprint: Footprint, requests: AttemptRequests) -> float:
    """Relative half-width of an attempt's time: its latencies' half-widths, each by its share of the time."""
    size, lists = footprint.metadata_json_bytes / MIB, footprint.manifest_list_bytes / MIB
    store, manifest = requests.store, footprint.manifest_bytes / MIB
    puts = 2 + footprint.manifests_written
    spent = (
        (requests.engine, requests.engine.p50_ms + requests.engine.ms_per_mib * footprint.parsed_bytes / MIB),
        (store.get, 2 * store.get.p50_ms + store.get.ms_per_mib * (size + lists)),
        (store.put, puts * store.put.p50_ms + store.put.ms_per_mib * (size + lists + manifest)),
        (requests.swap, requests.swap.p50_ms),
    )
    return sum(one.width * ms for one, ms in spent) / sum(ms for _, ms in spent)


def _drawn_ms(rng: np.random.Generator, latency: Latency, size_bytes: float = 0.0) -> Floats:
    """Milliseconds of SAMPLES requests of that size."""
    median = latency.p50_ms + latency.ms_per_mib * size_bytes / MIB
    spread = np.log(latency.p99_ms / latency.p50_ms) / _Z99 if latency.p50_ms else 0.0
    return np.asarray(median * np.exp(spread * rng.standard_normal(SAMPLES)))


def _quantiles_s(times_ms: Floats) -> Quantiles:
    return tuple((np.quantile(times_ms, LEVELS) / 1000).tolist())
