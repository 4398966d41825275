"""How long loading, planning and committing take: laws that `wasim.fit` found, and whose machine they are of."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wasim.errors import SavedFileError
from wasim.units import format_bytes

MEGABYTE = 1e6


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """Latencies of one machine, in milliseconds; `most_json_bytes` and `most_manifests` are the largest it was seen at.

    A load reads metadata.json whole; planning reads every manifest, as of a query that nothing is pruned for; a commit
    loads metadata.json and takes `commit_ms` besides.
    """

    words: str
    load_ms: float
    load_ms_per_megabyte: float
    planning_ms: float
    ms_per_manifest: float
    ms_per_file: float
    commit_ms: float
    most_json_bytes: float
    most_manifests: float

    def loading(self, json_bytes: float) -> float:
        """Milliseconds of one table load; bytes are those of metadata.json uncompressed."""
        return self.load_ms + self.load_ms_per_megabyte * json_bytes / MEGABYTE

    def planning(self, json_bytes: float, manifests: float, files: float) -> float:
        """Milliseconds of load and planning of a full scan."""
        scan = self.planning_ms + self.ms_per_manifest * manifests + self.ms_per_file * files
        return self.loading(json_bytes) + scan

    def is_beyond(self, json_bytes: float, manifests: float) -> bool:
        """Whether a figure for this table is extrapolated."""
        return json_bytes > self.most_json_bytes or manifests > self.most_manifests

    @property
    def seen(self) -> str:
        """`metadata.json of 288 KiB and 240 manifests at most`."""
        return f"metadata.json of {format_bytes(self.most_json_bytes)} and {self.most_manifests:,.0f} manifests at most"


SHIPPED_MACHINE = Machine(  # `wasim bench scenarios/commit_interval.yaml`: 60 warm probes, R² 0.64 and 0.99
    words="wasim's own, 2 cores, local files, Spark 4.1, 2026-11-22",
    load_ms=1.20,
    load_ms_per_megabyte=8.45,
    planning_ms=1.10,
    ms_per_manifest=3.29,
    ms_per_file=0.056,
    commit_ms=134.0,
    most_json_bytes=302e3,
    most_manifests=240,
)


def machine_of_run(folder: Path) -> Machine | None:
    """The machine that a run was measured on, by its own fit; None if it timed no planning. SavedFileError."""
    path = folder / "summary.json"
    try:
        summary = json.loads(path.read_text())
        fits = {one["latency"]: _coefficients(one) for one in summary["fit"]["latencies"]}
        probes = [probe for case in summary["cases"] for probe in case["planning"]]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise SavedFileError(f"{path}: cannot be read as a run's summary: {error}. Rebuild it: wasim report.") from None
    if not {"load", "planning"} <= set(fits) or not probes:
        return None
    load, planning, commit = fits["load"], fits["planning"], fits.get("commit", {})
    return Machine(
        words=f"that of {folder.parent.name}/{folder.name}, {summary['provenance'].get('cores', '?')} cores",
        load_ms=load.get("base", 0.0),
        load_ms_per_megabyte=load.get("metadata_megabyte", 0.0),
        planning_ms=planning.get("base", 0.0),
        ms_per_manifest=planning.get("manifest_scanned", 0.0),
        ms_per_file=planning.get("file_planned", 0.0),
        commit_ms=commit.get("base", SHIPPED_MACHINE.commit_ms),
        most_json_bytes=max(float(probe["metadata_json_bytes"]) for probe in probes),
        most_manifests=max(float(probe["manifests_scanned"] or 0) for probe in probes),
    )


def _coefficients(fit: Mapping[str, Any]) -> dict[str, float]:
    return {one["name"]: one["estimate"]["best"] for one in fit["coefficients"] if one["estimate"] is not None}
