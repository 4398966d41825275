"""A writer profile learned from a table that the writer left behind, and the case that it carried out."""

import re
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from wasim.errors import SavedFileError
from wasim.iceberg import ManifestEntry, TableMetadata, read_manifest, read_manifest_list, read_metadata_json
from wasim.iceberg.names import parse_metadata_name
from wasim.iceberg.properties import WRITE_DISTRIBUTION_MODE
from wasim.iceberg.record_fields import Status
from wasim.iceberg.schemas import schema_json
from wasim.iceberg.snapshots import Snapshot
from wasim.scenario import Case
from wasim.twin.file_sizes import kind_of
from wasim.twin.profile import ColumnSample, FooterSample, WriterProfile
from wasim.twin.schema import leaves
from wasim.twin.summary import COUNTERS

UNKNOWN_PACE_S = 0.3
EPOCH_KEY = "spark.sql.streaming.epochId"
_UUID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_DATA_FILE = re.compile(
    rf"data/(?P<partition>.*/)?(?P<task>\d{{5}})-(?P<id>\d+)-(?P<query>{_UUID})-(?P<epoch>\d+)-(?P<file>\d{{5}})(?P<end>\.\w+)"
)
_LOCAL_APP = re.compile(r"local-\d{13}")
_OF_THE_CASE = (WRITE_DISTRIBUTION_MODE,)
# Enough commits to measure a writer by; a table may hold a hundred thousand.
_MOST_SNAPSHOTS = 400


def measure_profile(table_folder: Path, case: Case, *, name: str) -> WriterProfile:
    """The profile of the writer that carried out `case` in the table at `table_folder`.

    SavedFileError if the folder holds no such table, or one that another kind of writer made.
    """
    metadata, is_hadoop = _newest_metadata(table_folder)
    entries = [one for snapshot in metadata.snapshots[-_MOST_SNAPSHOTS:] for one in _added(table_folder, snapshot)]
    if not entries:
        raise SavedFileError(f"{table_folder}: no commit there added a file. Measure a table that holds rows.")
    paths = [one.file.file_path.removeprefix(metadata.location).lstrip("/") for one in entries]
    matches = [_DATA_FILE.fullmatch(path) for path in paths]
    found = [match for match in matches if match]
    if len(found) < len(matches):
        raise SavedFileError(f"{table_folder}: {paths[matches.index(None)]} is not named as Spark names data files.")
    queries = {match["query"] for match in found}
    epoch = "{epoch}" if any(int(match["epoch"]) for match in found) else found[0]["epoch"]
    return WriterProfile(
        name=name or case.writer_name,
        origin="measured",
        names="hadoop" if is_hadoop else "metastore",
        properties=_properties(metadata, case),
        summary=_summary(metadata.snapshots, queries, table_folder),
        data_file=f"data/{{partition}}{{task:05d}}-{{task_id}}-{{query_id}}-{epoch}-{{file:05d}}{found[0]['end']}",
        pace_s=_pace_s(metadata.snapshots),
        columns=_samples(entries, metadata, case),
        footer=_footer(entries, metadata, case),
    )


def _newest_metadata(table_folder: Path) -> tuple[TableMetadata, bool]:
    named = [(parse_metadata_name(path.name), path) for path in (table_folder / "metadata").glob("*.metadata.json")]
    numbered = [(name.version, path, name.uuid is None) for name, path in named if name and name.version is not None]
    if not numbered:
        raise SavedFileError(f"{table_folder}: holds no metadata/*.metadata.json. Name the folder of a table.")
    _, path, is_hadoop = max(numbered)
    return read_metadata_json(path.read_bytes(), source=str(path)), is_hadoop


def _added(table_folder: Path, snapshot: Snapshot) -> list[ManifestEntry]:
    path = table_folder / "metadata" / (snapshot.manifest_list or "").rpartition("/")[2]
    manifests = read_manifest_list(path.read_bytes(), source=str(path)).manifests
    own = next((one for one in manifests if one.added_snapshot_id == snapshot.snapshot_id), None)
    if own is None:
        return []
    place = table_folder / "metadata" / own.manifest_path.rpartition("/")[2]
    return [one for one in read_manifest(place.read_bytes(), source=str(place)).entries if one.status == Status.ADDED]


def _properties(metadata: TableMetadata, case: Case) -> dict[str, str]:
    scenario = {*case.table.properties, *_OF_THE_CASE}
    added = {key: value for key, value in metadata.properties.items() if key not in scenario}
    return added | ({"owner": "{owner}"} if "owner" in added else {})


def _summary(snapshots: tuple[Snapshot, ...], queries: set[str], source: Path) -> dict[str, str]:
    last = snapshots[-1].summary or {}
    templates: dict[str, str] = {}
    for key, value in last.items():
        seen = {(snapshot.summary or {}).get(key) for snapshot in snapshots}
        if key in COUNTERS:
            templates[key] = f"{{{key}}}"
        elif key == EPOCH_KEY:
            templates[key] = "{epoch}"
        elif value in queries:
            templates[key] = "{query_id}"
        elif _LOCAL_APP.fullmatch(value):
            templates[key] = "local-{application_ms}"
        elif len(seen) == 1:
            templates[key] = value.replace("{", "{{").replace("}", "}}")
        else:
            raise SavedFileError(
                f"{source}: the summary's {key} changes from snapshot to snapshot, and wasim does not know it."
            )
    return templates


def _samples(entries: list[ManifestEntry], metadata: TableMetadata, case: Case) -> tuple[ColumnSample, ...]:
    sizes: Mapping[tuple[tuple[str, int | None, int | None], int], list[int]] = defaultdict(list)
    for leaf in (one for one in leaves(case.table, metadata.current_schema()) if one.items is None):
        for entry in entries:
            size = (entry.file.column_sizes or {}).get(leaf.field_id)
            if size:
                sizes[kind_of(leaf), entry.file.record_count].append(size)
    return tuple(
        ColumnSample(
            type=kind[0],
            length=kind[1],
            values=kind[2],
            rows=rows,
            mean_bytes=round(float(np.mean(seen)), 2),
            deviation_bytes=round(noise_bytes(seen), 2),
        )
        for (kind, rows), seen in sizes.items()
    )


def noise_bytes(sizes: list[int]) -> float:
    """Standard deviation from one file to the next, without the largest quarter of the steps.

    Sizes that drift, or that jump once as counters do when they need another byte, follow. Taken for noise,
    a jump would give every file a size of its own, and a gzipped metadata.json pays for each: 0.3 %, measured.
    """
    steps = np.sort(np.abs(np.diff(sizes)))
    kept = steps[: len(steps) - max(1, len(steps) // 4)]
    return float(np.sqrt(np.mean(kept**2) / 2)) if len(kept) else 0.0


def _pace_s(snapshots: tuple[Snapshot, ...]) -> float:
    times_ms = [snapshot.timestamp_ms for snapshot in snapshots]
    return round(float(np.median(np.diff(times_ms))) / 1000, 3) if len(times_ms) > 1 else UNKNOWN_PACE_S


def _footer(entries: list[ManifestEntry], metadata: TableMetadata, case: Case) -> FooterSample:
    schema = metadata.current_schema()
    columns = len(leaves(case.table, schema))
    rest = [one.file.file_size_bytes - sum((one.file.column_sizes or {}).values()) for one in entries]
    return FooterSample(
        columns=columns, schema_bytes=len(schema_json(schema).encode()), mean_bytes=round(float(np.mean(rest)), 2)
    )
