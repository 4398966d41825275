"""Latencies of requests to stores and catalogs, from a YAML file in which each has its source and its date."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from wasim.errors import WasimError, quoted
from wasim.scenario.load import Day, FirstVersion, load_part
from wasim.scenario.values import Number, Part
from wasim.units import MIB, Floats, Ints

SHIPPED_PROVIDERS = Path(__file__).parent / "providers.yaml"
LOCAL = "local"
WITHOUT_RENAME = ("s3", "s3-express", "gcs")  # in one step, which of two writers one alone succeeds with
STORAGE = "storage"  # a catalog whose pointer is an object of the store
WIDTHS = {"measured": 0.15, "derived": 0.3, "estimated": 0.5}
"""Relative half-widths of a figure, by its origin: independent benchmarks of S3's GET agree within 3 %, benchmarks of
its PUT and of the same operation on other days and machines differ by some 15 %."""

Milliseconds = Annotated[Number, Field(ge=0)]


class Latency(Part):
    """How long one kind of request takes, with the source of the figures and their date."""

    p50_ms: Milliseconds = Field(description="Median of a small request.")
    p99_ms: Milliseconds = Field(description="99th percentile of a small request.")
    ms_per_mib: Milliseconds = Field(default=0.0, description="What each MiB adds.")
    known: Literal["measured", "derived", "estimated"] = Field(description="How the figures came about.")
    source: str = Field(min_length=1, max_length=300, description="Whose figures these are.")
    as_of: Day = Field(description="When they were published or measured.")

    @model_validator(mode="after")
    def _check_order(self) -> Self:
        if self.p99_ms < self.p50_ms:
            raise ValueError("a p99_ms that is not below p50_ms")
        return self

    @property
    def width(self) -> float:
        """The relative half-width of the band that holds the true figures."""
        return WIDTHS[self.known]


class Store(Part):
    """What the requests of a commit take in one store."""

    title: str = Field(min_length=1, max_length=100, description="The store's name.")
    get: Latency = Field(description="Reading an object.")
    put: Latency = Field(description="Writing an object.")
    swap: Latency = Field(description="Replacing an object only if it is unchanged.")


class Providers(Part):
    """Stores and catalogs by name."""

    version: FirstVersion = Field(description="Version of this file's form.")
    engine: Latency = Field(description="What an attempt takes apart from requests.")
    stores: dict[str, Store] = Field(description="Stores by name.")
    catalogs: dict[str, Latency] = Field(description="How long catalogs take to move a table's pointer, by name.")

    def store(self, name: str) -> Store:
        """The store of that name. WasimError if there is none."""
        if name not in self.stores:
            raise WasimError(f"--provider {quoted(name)} is unknown. Give {', '.join(self.stores)}.")
        return self.stores[name]

    def swap(self, store: str, catalog: str) -> Latency:
        """How long a catalog takes to move the pointer of a table in a store. WasimError for an unknown name."""
        self.check_catalog(catalog)
        return self.store(store).swap if catalog == STORAGE else self.catalogs[catalog]

    def check_catalog(self, name: str) -> None:
        """WasimError if there is no catalog of that name."""
        if name not in (names := [*self.catalogs, STORAGE]):
            raise WasimError(f"--catalog {quoted(name)} is unknown. Give {', '.join(names)}.")


@lru_cache(maxsize=8)
def load_providers(path: Path = SHIPPED_PROVIDERS) -> Providers:
    """The providers in a file. ScenarioError with every fault, each with its position."""
    return load_part(path, Providers, "a file of providers")


def provider_named(text: str) -> tuple[Providers, str]:
    """The providers and the store's name that `--provider` gives: `s3`, or `FILE#NAME` for a file of the user's.

    WasimError for an unknown name, ScenarioError for a file that is not one of providers.
    """
    file, separator, name = text.rpartition("#")
    providers = load_providers(Path(file)) if separator else load_providers()
    providers.store(name)
    return providers, name


def catalog_named(name: str | None, provider: str | None) -> str | None:
    """The value of `--catalog`, which the file of the provider, by default wasim's own, must have. WasimError else, and
    for Iceberg's HadoopCatalog on a store that does not rename.
    """
    if name is not None:
        providers, store = provider_named(provider or LOCAL)
        providers.check_catalog(name)
        if name == "hadoop" and store in WITHOUT_RENAME:
            raise WasimError(f"--catalog hadoop commits by renaming: {store} cannot. Give another catalog.")
    return name


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

    def first_late(self, metadata_json_bytes: Floats | Ints, interval_s: float) -> int | None:
        """The place of the first of these commits that takes longer than its interval; None if none does."""
        late = self.commit_s(metadata_json_bytes) > interval_s
        return int(np.argmax(late)) if np.any(late) else None


def commit_slowing() -> Slowing:
    """How commits slow down as metadata.json grows, which each reads and writes whole: one writer, local files.

    It is what the engine, the reading and the writing take together. `python -m tools.slowing` measured it
    with Iceberg's own library, to 10,000 snapshots.
    """
    found = load_providers()
    engine, store = found.engine, found.store(LOCAL)
    return Slowing(
        base_ms=engine.p50_ms,
        ms_per_mib=engine.ms_per_mib + store.get.ms_per_mib + store.put.ms_per_mib,
        width=engine.width,
    )
