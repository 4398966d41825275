"""Feeds a real table's own files and random draws to the simulated table, which must then write the same bytes."""

from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

from wasim.iceberg import (
    DataFileEntry,
    ManifestEntry,
    ManifestHeader,
    read_manifest,
    read_manifest_list,
    read_metadata_json,
)
from wasim.iceberg.names import parse_manifest_list_name, parse_metadata_name
from wasim.iceberg.properties import TableProperties
from wasim.iceberg.record_fields import FileContent, Status, key_of
from wasim.iceberg.releases import NEWEST
from wasim.iceberg.snapshots import Snapshot, Way
from wasim.scenario import Case
from wasim.twin.commits import Moment, TableRules
from wasim.twin.event_log import EventLog
from wasim.twin.identifiers import locations_of
from wasim.twin.live_manifests import ManifestWriter
from wasim.twin.snapshot_updates import APPLICATION_KEY, FileChanges, append_files, commit_file_changes
from wasim.twin.summary import COUNTERS
from wasim.twin.table import SimulatedTable
from wasim.twin.table_json import TableJson

UNKNOWN_SYNC = bytes(16)
STATEMENTS_OWN = ("spark.merge-into.", "replace-partitions")  # keys of a summary that one kind of statement sets


@dataclass
class Draws:
    """Stands for a generator: hands out the bytes that the real writer drew."""

    queue: list[bytes]

    def bytes(self, length):
        drawn = b""
        while len(drawn) < length:  # what follows each other may be drawn together
            drawn += self.queue.pop(0)
        assert len(drawn) == length
        return drawn


def snapshot_id_draw(snapshot_id):
    """Bytes of a UUID whose halves fold into the id."""
    low = 0b10 << 62 | (snapshot_id >> 12 & 0xF ^ 4) << 12
    return ((snapshot_id ^ low) % 2**64 << 64 | low).to_bytes(16, "big")


def metadata_files(table: Path) -> list[Path]:
    named = [(parse_metadata_name(path.name).version, path) for path in table.rglob("*.metadata.json")]
    return [path for _, path in sorted(named)]


def replay(table: Path, case: Case, folder: Path) -> None:
    """Carries out the table's commits again, into `folder`."""
    jsons = metadata_files(table)
    metadata = [read_metadata_json(path.read_bytes(), source=str(path)) for path in jsons]
    first = metadata[0]
    draws = Draws([])
    simulated = SimulatedTable(
        rules=_rules(case, metadata[-1].location, next(iter(metadata[-1].snapshots))),
        writer=ManifestWriter(
            header=ManifestHeader(
                schema=first.current_schema(), spec=first.default_spec(), format_version=first.format_version
            )
        ).with_properties(_properties(case)),
        json=TableJson(base=first, properties=_properties(case), needs_text=True),
        log=EventLog(folder=folder),
        rng=draws,
    )
    draws.queue.append(_uuid_of(jsons[0]))
    simulated.log.enter_step(0, "create-table", event_time_s=0.0, rows_arrived=0, at_s=0.0)
    simulated.create()
    for path, state in zip(jsons[1:], metadata[1:], strict=True):
        snapshot = state.snapshots[-1]
        entries = draws_of(jsons[0].parent, snapshot, draws)
        draws.queue.append(_uuid_of(path))
        moment = Moment(
            event_time_s=0.0,
            timestamp_ms=snapshot.timestamp_ms,
            updated_ms=state.last_updated_ms,
            texts=_texts(snapshot),
        )
        if snapshot.operation == "append":
            append_files(simulated, [entry.file for _, entry in entries if entry.status == Status.ADDED], moment)
        else:
            _change(simulated, snapshot, entries, moment)
        assert not draws.queue


def _change(
    simulated: SimulatedTable, snapshot: Snapshot, entries: list[tuple[int, ManifestEntry]], moment: Moment
) -> None:
    """Commits what a statement or a compaction did to files."""
    added = [(spec_id, entry) for spec_id, entry in entries if entry.status == Status.ADDED]
    gone = [entry.file for _, entry in entries if entry.status == Status.DELETED]
    deletes: dict[int, list[DataFileEntry]] = {}
    for spec_id, entry in added:
        if entry.file.content != FileContent.DATA:
            deletes.setdefault(spec_id, []).append(entry.file)
    # rows that a compaction wrote are as old as what it read
    planned_on = {entry.sequence_number for _, entry in added if entry.file.content == FileContent.DATA}
    changes = FileChanges(
        way=Way.OVERWRITE_FILES,
        operation=snapshot.operation or "",
        removed={file.file_path for file in gone if file.content == FileContent.DATA},
        removed_deletes={key_of(file) for file in gone if file.content != FileContent.DATA},
        added=[entry.file for _, entry in added if entry.file.content == FileContent.DATA],
        added_deletes=deletes,
        planned_on=planned_on.pop() if planned_on else None,
        summary={key: text for key, text in snapshot.summary.items() if key.startswith(STATEMENTS_OWN)},
        writer_keys=(APPLICATION_KEY,) if APPLICATION_KEY in snapshot.summary else (),
    )
    assert not planned_on
    commit_file_changes(simulated, changes, moment)


def _rules(case: Case, location: str, first: Snapshot) -> TableRules:
    summary = first.summary
    return TableRules(
        locations=locations_of(location, _properties(case)),
        format_version=case.table.format_version,
        appends_merge=case.merges,
        properties=_properties(case),
        names="metastore",
        release=NEWEST,
        summary={key: f"{{{key if key in COUNTERS else _placeholder(key)}}}" for key in summary if not _is_told(key)},
    )


def _is_told(key: str) -> bool:
    """Whether a summary's key tells of single partitions."""
    return key.startswith("partition")


def _properties(case: Case) -> TableProperties:
    return TableProperties.read(case.table.properties)


def _texts(snapshot: Snapshot) -> dict[str, str]:
    return {_placeholder(key): text for key, text in snapshot.summary.items() if key not in COUNTERS}


def _placeholder(key: str) -> str:
    return key.replace(".", "_")


def draws_of(metadata: Path, snapshot: Snapshot, draws: Draws) -> list[tuple[int, ManifestEntry]]:
    """Queues what the commit drew; returns the entries of its own manifests, each with its partition spec."""
    name = snapshot.manifest_list.rpartition("/")[2]
    listed = read_manifest_list((metadata / name).read_bytes(), source=name)
    draws.queue += [snapshot_id_draw(snapshot.snapshot_id), UUID(parse_manifest_list_name(name).commit_uuid).bytes]
    own = [one for one in listed.manifests if one.added_snapshot_id == snapshot.snapshot_id]
    read, specs = {}, {}
    for one in own:
        file = one.manifest_path.rpartition("/")[2]
        number = int(file.rpartition("-m")[2].removesuffix(".avro"))
        specs[number] = one.partition_spec_id
        read[number] = read_manifest((metadata / file).read_bytes(), source=file)
    # m0 is gone where a merge has folded it into another
    draws.queue += [read[number].sync_marker if number in read else UNKNOWN_SYNC for number in range(max(read) + 1)]
    draws.queue.append(listed.sync_marker)
    return [(specs[number], entry) for number, manifest in sorted(read.items()) for entry in manifest.entries]


def _uuid_of(path: Path) -> bytes:
    return UUID(parse_metadata_name(path.name).uuid).bytes


def differing(table: Path, folder: Path) -> tuple[list[str], int]:
    """Files of the real table that the replay wrote differently, and how many there are in all."""
    real = metadata_files(table)[0].parent
    names = sorted(path.name for path in real.iterdir() if not path.name.startswith("."))
    again = {path.name: path.read_bytes() for path in (folder / real.relative_to(table)).iterdir()}
    wrong = [name for name in names if again.get(name) != (real / name).read_bytes()]
    return wrong, len(names)
