"""An inspected table as a case: what planning and simulating start from."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal, TypeAlias

import numpy as np

from wasim.doctor.clock import GIVEN
from wasim.doctor.inspection import Inspection
from wasim.doctor.table_files import is_outside
from wasim.errors import WasimError
from wasim.iceberg import DataFileEntry, IcebergFileError, read_manifest
from wasim.iceberg.manifests import ManifestHeader
from wasim.iceberg.properties import (
    FORMAT_VERSION,
    WRITE_DISTRIBUTION_MODE,
    PropertyError,
    TableProperties,
    property_of,
)
from wasim.iceberg.schemas import ListType, MapType, NestedField, PrimitiveType, StructType, parts_of
from wasim.iceberg.snapshots import Snapshot, is_stamp
from wasim.profiles import writer_of, writer_words
from wasim.scenario import Case, parts
from wasim.scenario.table_checks import LEAST_KEY_LENGTH
from wasim.storage import StorageError
from wasim.twin import shipped_profile
from wasim.twin.profile import OF_KINDS, profile_named
from wasim.units import format_count

DistributionMode: TypeAlias = Literal["none", "hash", "range"]

_LEAST_SNAPSHOTS = 2
_MERGES_BY = 100  # manifests, from which on a merge would have been seen
_ROLES = {"key_column": ("long",), "time_column": ("timestamptz", "timestamp")}
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,127}")
_TYPES = {"time": "long", "timestamp_ns": "timestamp", "timestamptz_ns": "timestamptz", "uuid": "binary"}
_SAME_TYPES = frozenset(
    ["boolean", "int", "long", "float", "double", "date", "timestamp", "timestamptz", "string", "binary"]
)
_FIXED = re.compile(r"fixed\[(\d+)\]")
_LONGEST = 65_536
_MOST_ROWS_PER_S = 1e9  # of a scenario
_MOST_ENTRIES = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class TableCase:
    """The case that an inspected table is, what of the table a case cannot say, and manifests that cannot be read.

    `pace_s` is the mean interval of as many commits in the table's time as there were; the case's own, the median,
    leaves out how long nothing was written.
    """

    case: Case
    pace_s: float
    notes: tuple[str, ...]
    unread_manifests: int

    @property
    def at_its_pace(self) -> Case:
        """The case with as many commits, and as many rows, in the table's time as there were."""
        rows = self.case.workload.rows_per_second * self.case.commit_interval_s
        workload = self.case.workload.model_copy(update={"rows_per_second": rows / self.pace_s})
        return replace(self.case, workload=workload, commit_interval_s=self.pace_s)


def case_of(inspection: Inspection) -> TableCase:
    """The case: columns, partition spec, properties, rows per second, files per commit, interval and writer.

    WasimError if fewer than two snapshots are left: there is no commit interval then.
    """
    metadata = inspection.tree.opened.metadata
    appends = [one for one in inspection.tree.index.snapshots if one.adds_data]
    interval_s = _interval_s(inspection, appends)
    files, unread = _sample(inspection)
    notes: list[str] = []
    table = _table(inspection, files, notes)
    notes += _notes_of_commits(inspection.tree.index.snapshots, appends)
    rows = _rows_per_commit(inspection, appends, interval_s)
    modes: dict[str | None, DistributionMode] = {"hash": "hash", "range": "range"}
    case = Case(
        scenario="table",
        table=table,
        workload=parts.Workload(
            rows_per_second=max(round(rows), 1) / interval_s,
            files_per_commit=_files_per_commit(appends, is_partitioned=bool(table.partition_by)),
            distribution_mode=modes.get(
                TableProperties.read_leniently(metadata.properties).write_distribution_mode, "none"
            ),
        ),
        writer=_writer(inspection, appends, notes),
        environment=parts.Environment(),
        planning=parts.Planning(),
        commit_interval_s=interval_s,
        horizon_s=len(appends) * interval_s,
        clock="virtual",
        seed=0,
        repetition=0,
        swept={"commit_interval": f"{interval_s:g}s"},
    )
    if len(metadata.partition_specs) > 1:
        notes.append("its partition spec has changed; the one in force is taken")
    return TableCase(
        case=_without_writers_own(case),
        pace_s=_pace_s(inspection, interval_s),
        notes=tuple(notes),
        unread_manifests=unread,
    )


def _pace_s(inspection: Inspection, interval_s: float) -> float:
    """The mean time between commits that added files, up to the table's last change; else their median interval."""
    history, snapshots = inspection.history, inspection.tree.index.snapshots
    appends = [place for place, one in enumerate(snapshots) if one.adds_data]
    times_s = history.ledger.event_time_s[appends]
    span_s = float(times_s[-1] - times_s[0])
    if history.interval_source != GIVEN:  # changes that add no snapshot go on as well
        opened = inspection.tree.opened
        updated_ms = min(opened.metadata.last_updated_ms, round(opened.listed_at_s * 1000))
        span_s = max(span_s, (updated_ms - snapshots[appends[0]].timestamp_ms) / 1000)
    return max(0.0, round(span_s / (len(appends) - 1), 3)) or interval_s


def _rows_per_commit(inspection: Inspection, appends: Sequence[Snapshot], interval_s: float) -> float:
    rows = float(np.mean([(one.count_of("added-records") or 0) for one in appends]))
    if rows / interval_s > _MOST_ROWS_PER_S:
        location = inspection.tree.opened.location
        raise WasimError(f"{location}: its summaries say {rows / interval_s:.3g} rows a second, which no case has.")
    return rows


def _without_writers_own(case: Case) -> Case:
    """The case without the properties that its writer gives every table."""
    own = shipped_profile(case).properties
    kept = {key: value for key, value in case.table.properties.items() if own.get(key) != value}
    return replace(case, table=case.table.model_copy(update={"properties": kept}))


def _interval_s(inspection: Inspection, appends: Sequence[Snapshot]) -> float:
    """The median time between commits that added files, in whole milliseconds."""
    given = inspection.history.interval_s
    if inspection.history.interval_source == GIVEN and given is not None and len(appends) >= _LEAST_SNAPSHOTS:
        return given.median
    location, stamps_ms = inspection.tree.opened.location, [one.timestamp_ms for one in appends]
    if not all(map(is_stamp, stamps_ms)):
        raise WasimError(
            f"{location}: its snapshots are not stamped in milliseconds of the years 1970 to 9999, so its commit"
            " interval is unknown. Correct timestamp-ms in a copy of its metadata.json."
        )
    gaps_ms = np.diff(stamps_ms)
    if len(appends) < _LEAST_SNAPSHOTS or not (gaps_ms > 0).any():
        raise WasimError(
            f"{location}: fewer than two commits that added data are left, so its commit interval is unknown."
        )
    return max(1.0, float(round(np.median(gaps_ms[gaps_ms > 0])))) / 1000


def _files_per_commit(appends: Sequence[Snapshot], *, is_partitioned: bool) -> int:
    """Tasks that write in a commit. Each writes a file to every partition that it touches."""
    counts = []
    for one in appends:
        partitions = max(1, (one.count_of("changed-partition-count") or 0)) if is_partitioned else 1
        counts.append((one.count_of("added-data-files") or 0) / partitions)
    return min(100_000, max(1, round(float(np.median(counts)))))


def _notes_of_commits(snapshots: Sequence[Snapshot], appends: Sequence[Snapshot]) -> Iterator[str]:
    others = len(snapshots) - len(appends) - sum(one.operation == "replace" for one in snapshots)
    if others:
        yield f"{format_count(others, 'commit')} added no data file"
    replacing = sum(bool(one.count_of("deleted-data-files")) for one in appends)
    if replacing:
        yield f"{format_count(replacing, 'commit')} that replaced data files: taken as appends"
    deleting = sum(bool(one.count_of("added-delete-files")) for one in appends)
    if deleting:
        yield f"{format_count(deleting, 'commit')} that wrote delete files: taken as appends, without these"


def _writer(inspection: Inspection, appends: Sequence[Snapshot], notes: list[str]) -> parts.Writer:
    """The writer of the newest append, as its profile says it commits unless its manifests tell otherwise."""
    index = inspection.tree.index
    counts = [(count, one.operation) for count, one in zip(index.counts, index.snapshots, strict=True) if count >= 0]
    fewer = {operation for (earlier, _), (later, operation) in pairwise(counts) if later < earlier}
    has_appends = any(operation == "append" for _, operation in counts)  # else each of its commits changes rows
    merges = "append" in fewer if has_appends else bool(fewer)  # after maintenance there are fewer whatever the appends
    properties = inspection.tree.opened.metadata.properties
    known, who = writer_of(appends[-1], properties), writer_words(appends[-1], properties)
    if known is None or not known.is_itself:
        notes.append(f"its writer is {who}; a batch of Spark's stands for it")
    elif known.profile not in OF_KINDS:
        notes.append(f"its writer is {who}: the profile {known.profile}")
    if known is not None and known.kind == parts.FLINK:
        return parts.Writer.model_validate(parts.FLINK)
    name, kind = (OF_KINDS[0], "batch") if known is None else (known.profile, known.kind)
    writer = parts.Writer(kind=kind, profile=None if name in OF_KINDS else name)
    usual = profile_named(name).recipe.append or writer.default_append
    is_fast = not merges and (usual == "fast" or len(counts) >= _MERGES_BY)
    return writer.model_copy(update={"append": "fast" if is_fast else "merge"})


def _table(inspection: Inspection, files: Sequence[DataFileEntry], notes: list[str]) -> parts.Table:
    metadata = inspection.tree.opened.metadata
    schema = metadata.current_schema()
    lengths, values = _lengths(files), _partition_values(inspection, files)
    names: dict[int, str] = {}
    columns: list[parts.Columns] = []
    for column in schema.columns:
        made = _column(column, lengths, notes)
        if column.field_id in values:
            made = _partitioning(made, values[column.field_id], notes)
        names[column.field_id] = made.name
        columns.append(made)
    return parts.Table(
        columns=tuple(columns),
        **_roles(columns),
        partition_by=tuple(_partition_fields(inspection, names, notes)),
        format_version=metadata.format_version,
        properties=dict(_properties(metadata.properties)),
    )


def _roles(columns: Sequence[parts.Columns]) -> dict[str, str | None]:
    """The key and the time of the table: the columns of wasim's own names, else the first long, and the first timestamp
    that the table is not partitioned by as it is.
    """
    found: dict[str, str | None] = {}
    for (role, types), usual in zip(_ROLES.items(), parts.OWN_COLUMNS, strict=True):
        fitting = [one.name for one in columns if one.type in types and one.values is None]
        found[role] = usual if usual in fitting else next(iter(fitting), None)
    return found


def _column(column: NestedField, lengths: Mapping[int, int], notes: list[str]) -> parts.Columns:
    name = column.name if _NAME.fullmatch(column.name) else f"c{column.field_id}"
    if isinstance(column.type, StructType):
        fields = tuple(_column(one, lengths, notes) for one in column.type.fields)
        return parts.Columns(name=name, type="struct", fields=fields, required=column.required)
    held = _container(column, name, lengths, notes)
    if held is not None:
        return held
    length = lengths.get(column.field_id, 16)
    kind = column.type.name if isinstance(column.type, PrimitiveType) else "nested"
    if kind in _SAME_TYPES or kind.startswith("decimal"):
        return parts.Columns(name=name, type=kind, length=length, required=column.required)
    if match := _FIXED.fullmatch(kind):
        return parts.Columns(name=name, type="binary", length=min(_LONGEST, int(match[1])), required=column.required)
    stand_in = _TYPES.get(kind, "string")
    notes.append(f"column {name} is {kind}; a {stand_in} stands for it")
    return parts.Columns(name=name, type=stand_in, length=length, required=column.required)


def _container(column: NestedField, name: str, lengths: Mapping[int, int], notes: list[str]) -> parts.Columns | None:
    """A list or a map; None for all else, and for what a scenario has no type for, such as lists of lists."""
    if not isinstance(column.type, ListType | MapType):
        return None
    *keys, held = [
        _column(NestedField(field_id=number, name=name, type=kind), lengths, notes)
        for number, _, kind in parts_of(column.type)
    ]
    types = ", ".join([*(one.type for one in keys), held.type])
    try:
        made = parts.Columns(
            name=name,
            type=f"{'map' if keys else 'list'}<{types}>",
            length=max(held.length, *(one.length for one in keys), LEAST_KEY_LENGTH if keys else 1),
            fields=held.fields,
            required=column.required,
        )
    except ValueError:
        return None
    notes.append(f"column {name} is taken to have {made.items} items in each row, which metadata does not say")
    return made


def _partitioning(column: parts.Columns, values: int, notes: list[str]) -> parts.Columns:
    """A column that the table is partitioned by itself, with this many values."""
    if column.type == "boolean":
        return column
    notes.append(f"{column.name} has as many values as in the newest manifest, {values}")
    if column.type == "binary":  # of these no partition is simulated
        notes.append(f"column {column.name} is binary; a string stands for it")
    return column.model_copy(update={"values": values, "type": "string" if column.type == "binary" else column.type})


def _partition_values(inspection: Inspection, files: Sequence[DataFileEntry]) -> dict[int, int]:
    """How many different values of each column that the table is partitioned by itself these files have."""
    fields = inspection.tree.opened.metadata.default_spec().fields
    return {
        one.source_id: max(1, len({file.partition[place] for file in files if place < len(file.partition)}))
        for place, one in enumerate(fields)
        if one.transform == "identity"
    }


def _partition_fields(
    inspection: Inspection, names: Mapping[int, str], notes: list[str]
) -> Iterator[parts.PartitionField]:
    for one in inspection.tree.opened.metadata.default_spec().fields:
        if one.transform == "void":
            continue
        if one.source_id not in names:
            notes.append(f"partition field {one.name} is of a nested or dropped column and is left out")
            continue
        try:
            yield parts.PartitionField(column=names[one.source_id], transform=one.transform)
        except ValueError:
            notes.append(f"partition field {one.name} has the transform {one.transform} and is left out")


def _properties(properties: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The properties that change metadata, and that a case may have; forecasts say which of them they ignore."""
    for key, value in properties.items():
        known = property_of(key)
        if known is None or not known.changes or known.places_files or key in (FORMAT_VERSION, WRITE_DISTRIBUTION_MODE):
            continue
        try:
            known.parse(value)
        except PropertyError:
            continue
        yield key, value


def _sample(inspection: Inspection) -> tuple[list[DataFileEntry], int]:
    """Some live data files with their metrics, of the newest manifest that can be read; how many before it cannot."""
    tree, unread = inspection.tree, 0
    metadata = tree.opened.metadata
    root = tree.opened.root.rstrip("/")
    for place in tree.index.live:
        manifest = tree.index.manifests[place]
        spec = next((one for one in metadata.partition_specs if one.spec_id == manifest.partition_spec_id), None)
        if manifest.content or spec is None or is_outside(tree.index.keys[place]):
            continue
        known = ManifestHeader(schema=metadata.current_schema(), spec=spec, format_version=metadata.format_version)
        try:
            data = tree.opened.storage.read(f"{root}/{tree.index.keys[place]}")
            entries = read_manifest(data, source=tree.index.keys[place], known=known).entries
        except (FileNotFoundError, IcebergFileError, StorageError):
            unread += 1
            continue
        return [entry.file for entry in entries[:_MOST_ENTRIES]], unread
    return [], unread


def _lengths(files: Sequence[DataFileEntry]) -> dict[int, int]:
    """Bytes of the values of each column, as far as bounds tell; Iceberg cuts them at 16 characters."""
    found: dict[int, list[int]] = {}
    for file in files:
        for bounds in (file.lower_bounds, file.upper_bounds):
            for number, bound in (bounds or {}).items():
                found.setdefault(number, []).append(len(bound))
    return {number: max(1, round(float(np.mean(sizes)))) for number, sizes in found.items()}
