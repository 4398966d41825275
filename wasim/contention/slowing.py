"""How commits slow down as metadata.json grows, which each reads and writes whole: one writer, local files.

`python -m wasim.benchmarks.slowing` measured it with Iceberg's own library, to 10,000 snapshots.
"""

from dataclasses import dataclass

from wasim.contention.providers import LOCAL, load_providers
from wasim.units import MIB, Floats, Ints


@dataclass(frozen=True, slots=True, kw_only=True)
class Slowing:
    """Milliseconds of a commit to a new table, and those that each MiB of metadata.json adds to it.

    `width` is the relative half-width of the band that holds the latter.
    """

    base_ms: float
    ms_per_mib: float
    width: float

    def commit_s(self, metadata_json_bytes: Floats | Ints) -> Floats:
        """Seconds of each commit that writes a metadata.json of that size."""
        return (self.base_ms + self.ms_per_mib * metadata_json_bytes / MIB) / 1000


def commit_slowing() -> Slowing:
    """The slowing on local files: what the engine, the reading and the writing take together."""
    found = load_providers()
    engine, store = found.engine, found.store(LOCAL)
    return Slowing(
        base_ms=engine.p50_ms,
        ms_per_mib=engine.ms_per_mib + store.get.ms_per_mib + store.put.ms_per_mib,
        width=engine.width,
    )
