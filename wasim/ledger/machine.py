"""Latency of loading, planning and committing: the law of each, and the machine its coefficients were measured on."""

import json
from dataclasses import dataclass, replace
from math import ceil
from pathlib import Path
from statistics import median
from typing import Any, TypeVar

from wasim.errors import SavedFileError
from wasim.ledger import FULL_SCAN, Kind
from wasim.ledger.readers import ICEBERG_JAVA
from wasim.storage.access import read_regular
from wasim.units import MEGABYTE, MIB, Floats, format_bytes

Size = TypeVar("Size", float, Floats)
FEWEST_THREADS = 2  # of Iceberg's worker pool, on any number of cores


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """Latency coefficients of one machine, in milliseconds; `most_…` are the largest table that they were measured on.

    A load reads metadata.json whole; planning reads every manifest, as for a query that nothing is pruned for; a commit
    loads metadata.json and takes `commit_ms` more. Times per manifest, file and megabyte of manifests are one thread's;
    `threads` read at once. `slowness` is the ratio of a run's measured planning times to the law's. `get_ms` and
    `get_ms_per_mebibyte` are what the store adds to each object that is read.
    """

    words: str
    load_ms: float
    load_ms_per_megabyte: float
    planning_ms: float
    wait_ms: float
    ms_per_manifest: float
    ms_per_file: float
    ms_per_manifest_megabyte: float
    threads: int
    commit_ms: float
    most_json_bytes: float
    most_manifests: float
    most_files: float
    slowness: float = 1.0
    get_ms: float = 0.0
    get_ms_per_mebibyte: float = 0.0
    measured_commit_ms: float | None = None  # the median of a run's commits, where it is a run's machine

    def loading_ms(self, json_bytes: Size) -> Size:
        """Milliseconds of one table load; bytes of metadata.json, uncompressed, one or an array of them."""
        return self.load_ms + self.load_ms_per_megabyte * json_bytes / MEGABYTE

    def scanning_ms(self, manifests: float, files: float, manifest_bytes: float) -> float:
        """Milliseconds of planning a full scan, once the table is loaded.

            base + max(wait · ⌈M / 2T⌉, (a · M + b · files + c · bytes + GETs) / T)

        Iceberg's `ParallelIterable` gives each of its T threads two manifests at a time and polls every 10 ms whether
        they are read: small manifests cost waiting, large ones reading. A single manifest is read without a wait.
        """
        reading_ms = self.reading_ms(manifests, files, manifest_bytes) + self.fetching_ms(manifests, manifest_bytes)
        if manifests <= 1:
            return self.slowness * (self.planning_ms + reading_ms)
        waiting_ms = self.wait_ms * ceil(manifests / (2 * self.threads))
        return self.slowness * (self.planning_ms + max(waiting_ms, reading_ms / self.threads))

    def reading_ms(self, manifests: float, files: float, manifest_bytes: float) -> float:
        """Milliseconds in which one thread reads these manifests."""
        megabytes = manifest_bytes / MEGABYTE
        return self.ms_per_manifest * manifests + self.ms_per_file * files + self.ms_per_manifest_megabyte * megabytes

    def fetching_ms(self, objects: float, size: float) -> float:
        """Milliseconds that the store adds, for this many objects of `size` bytes in all, read one after the other."""
        return self.get_ms * objects + self.get_ms_per_mebibyte * size / MIB

    def full_scan_ms(self, json_bytes: float, manifests: float, files: float, manifest_bytes: float) -> float:
        """Milliseconds of load and planning of a full scan: metadata.json, the manifest list, then all manifests."""
        opening_ms = self.loading_ms(json_bytes) + self.fetching_ms(2, json_bytes)
        return opening_ms + self.scanning_ms(manifests, files, manifest_bytes)

    def is_beyond(self, json_bytes: float, manifests: float, files: float) -> bool:
        """Whether a figure for this table is extrapolated."""
        return json_bytes > self.most_json_bytes or manifests > self.most_manifests or files > self.most_files

    def waits(self, manifests: float, files: float, manifest_bytes: float) -> bool:
        """Whether planning is spent waiting for small manifests, not reading large ones."""
        reading_ms = self.reading_ms(manifests, files, manifest_bytes) + self.fetching_ms(manifests, manifest_bytes)
        return reading_ms / self.threads <= self.wait_ms * ceil(manifests / (2 * self.threads))

    @property
    def measured_range(self) -> str:
        """`metadata.json of 288 KiB, 240 manifests and 300,000 files`."""
        return (
            f"metadata.json of {format_bytes(self.most_json_bytes)}, {self.most_manifests:,.0f} manifests and"
            f" {self.most_files:,.0f} files"
        )


# `make planning-law`; commits: `wasim bench scenarios/commit_interval.yaml`
SHIPPED_MACHINE = Machine(
    words="wasim's own, 2 cores, local files, Spark 4.1, 2026-11-23",
    load_ms=0.96,
    load_ms_per_megabyte=5.31,
    planning_ms=8.92,
    wait_ms=10.06,
    ms_per_manifest=0.73,
    ms_per_file=0.00138,
    ms_per_manifest_megabyte=0.0,
    threads=2,
    commit_ms=134.0,
    most_json_bytes=636e3,
    most_manifests=600,
    most_files=100e3,
)


def summary_of_run(folder: Path) -> dict[str, Any]:
    """The summary of the run in a folder. SavedFileError if none is there, or it cannot be read."""
    path = folder / "summary.json"
    if not path.is_file() and (folder / "run.json").is_file():
        raise SavedFileError(f"{folder}: the run has no summary yet. Make its report: wasim report {folder}")
    if not path.is_file():
        raise SavedFileError(
            f"{folder}: no finished run is there. Name a run's folder, or latest, or run `wasim bench` first."
        )
    try:
        summary = dict(json.loads(read_regular(path)))
        return {**summary, "overrides": dict(summary.get("overrides") or {})}
    except (OSError, ValueError, TypeError) as error:
        raise _unreadable(path, error) from None


def _unreadable(path: Path, error: Exception) -> SavedFileError:
    return SavedFileError(f"{path}: cannot be read as a run's summary: {error}. Rebuild it: wasim report.")


def machine_of_run(folder: Path) -> Machine | None:
    """The machine that a run was measured on; None if it timed no planning. SavedFileError as `summary_of_run`.

    Load and commit coefficients come from the run's fit. Planning follows the law of `Machine` with one thread per
    core, two at least, times the median ratio of measured to predicted planning.
    """
    summary = summary_of_run(folder)
    try:
        fits = {
            fit["latency"]: {one["name"]: one["estimate"]["best"] for one in fit["coefficients"] if one["estimate"]}
            for fit in summary["fit"]["latencies"]
        }
        probed = [(case, probe) for case in summary["cases"] for probe in _full_scans(case["planning"])]
        machine = replace(
            SHIPPED_MACHINE,
            words=f"the one of run {folder.parent.name}/{folder.name}, {summary['provenance'].get('cores', '?')} cores",
            threads=max(FEWEST_THREADS, int(summary["provenance"].get("cores") or FEWEST_THREADS)),
        )
        ratios = [_ratio(machine, case, probe) for case, probe in probed]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise _unreadable(folder / "summary.json", error) from None
    if "load" not in fits or not probed:
        return None
    load, commit = fits["load"], fits.get("commit", {})
    return replace(
        machine,
        load_ms=load.get("base", 0.0),
        load_ms_per_megabyte=load.get("metadata_megabyte", 0.0),
        commit_ms=commit.get("base", SHIPPED_MACHINE.commit_ms),
        most_json_bytes=max(float(probe["metadata_json_bytes"]) for _, probe in probed),
        most_manifests=max(float(probe["manifests_scanned"]) for _, probe in probed),
        most_files=max(float(probe["files_planned"]) for _, probe in probed),
        slowness=median(ratios),
        measured_commit_ms=median(float(case["commit_ms"]["median"]) for case in summary["cases"] if case["commit_ms"]),
    )


def _full_scans(probes: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Warm probes of a full scan by Iceberg's Java library, without a manifest cache."""
    return [
        probe
        for probe in probes
        if (probe["query"], probe["temperature"], probe["reader"], probe["variant"])
        == (FULL_SCAN, "warm", ICEBERG_JAVA, "")
        and probe["manifests_scanned"]
    ]


def _ratio(machine: Machine, case: dict[str, Any], probe: dict[str, Any]) -> float:
    """A probe's planning time over the law's, manifests taken to be as large as at the case's end."""
    manifests = float(probe["manifests_scanned"])
    size = float(case["live_bytes"][Kind.DATA_MANIFEST]) * manifests / max(1, case["live_manifests"])
    return float(probe["planning_ms"]["median"]) / machine.scanning_ms(manifests, float(probe["files_planned"]), size)
