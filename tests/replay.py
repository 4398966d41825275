"""Feeds a real table's own files and random draws to the simulated table, which must then write the same bytes."""

from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

from wasim.iceberg import ManifestHeader, TableMetadata, read_manifest, read_manifest_list, read_metadata_json
from wasim.iceberg.manifest_entries import Status
from wasim.iceberg.names import parse_manifest_list_name, parse_metadata_name
from wasim.iceberg.releases import NEWEST
from wasim.iceberg.snapshots import Snapshot
from wasim.scenario import Case
from wasim.simulate.appending import append_files
from wasim.simulate.books import Books
from wasim.simulate.commits import Moment, TableRules
from wasim.simulate.live_manifests import ManifestWriter
from wasim.simulate.merging import merge_policy
from wasim.simulate.summary import COUNTERS
from wasim.simulate.table import SimulatedTable
from wasim.simulate.table_json import TableJson

UNKNOWN_SYNC = bytes(16)


@dataclass
class Draws:
    """Stands for a generator: hands out the bytes that the real writer drew."""

    queue: list[bytes]

    def bytes(self, length):
        drawn = self.queue.pop(0)
        assert len(drawn) == length
        return drawn


def snapshot_id_draw(snapshot_id):
    """Bytes of a UUID whose halves fold into the id."""
    low = 0b10 << 62 | (snapshot_id >> 12 & 0xF ^ 4) << 12
    return ((snapshot_id ^ low) % 2**64 << 64 | low).to_bytes(16, "big")


def metadata_files(table: Path) -> list[Path]:
    named = [(parse_metadata_name(path.name).version, path) for path in table.glob("metadata/*.metadata.json")]
    return [path for _, path in sorted(named)]


def replay(table: Path, case: Case, folder: Path) -> None:
    """Carries out the table's commits again, into `folder`."""
    jsons = metadata_files(table)
    metadata = [read_metadata_json(path.read_bytes(), source=str(path)) for path in jsons]
    first = metadata[0]
    draws = Draws([])
    simulated = SimulatedTable(
        rules=_rules(case, metadata[-1]),
        writer=ManifestWriter(
            header=ManifestHeader(
                schema=first.current_schema(), spec=first.default_spec(), format_version=first.format_version
            ),
            codec="null"
            if case.table.properties.get("write.manifest.compression-codec") == "uncompressed"
            else "deflate",
        ),
        json=TableJson(base=first, log_limit=_log_limit(case), is_gzip=False, needs_text=True),
        books=Books(folder=folder),
        rng=draws,
    )
    draws.queue.append(_uuid_of(jsons[0]))
    simulated.books.enter_step(0, "create-table", event_time_s=0.0, rows_arrived=0, at_s=0.0)
    simulated.create()
    for path, state in zip(jsons[1:], metadata[1:], strict=True):
        snapshot = state.snapshots[-1]
        files = draws_of(table, snapshot, draws)
        draws.queue.append(_uuid_of(path))
        append_files(
            simulated,
            files,
            Moment(
                event_time_s=0.0,
                timestamp_ms=snapshot.timestamp_ms,
                updated_ms=state.last_updated_ms,
                texts=_texts(snapshot),
            ),
        )
        assert not draws.queue


def _rules(case: Case, last: TableMetadata) -> TableRules:
    summary = last.snapshots[-1].summary
    return TableRules(
        location=last.location,
        format_version=last.format_version,
        appends_merge=case.merges,
        policy=merge_policy(case.table.properties),
        names="metastore",
        release=NEWEST,
        delete_after_commit=False,
        summary={key: f"{{{key if key in COUNTERS else _placeholder(key)}}}" for key in summary},
    )


def _log_limit(case: Case) -> int:
    return int(case.table.properties.get("write.metadata.previous-versions-max", 100))


def _texts(snapshot: Snapshot) -> dict[str, str]:
    return {_placeholder(key): text for key, text in snapshot.summary.items() if key not in COUNTERS}


def _placeholder(key: str) -> str:
    return key.replace(".", "_")


def draws_of(table: Path, snapshot: Snapshot, draws: Draws):
    """Queues what the commit drew; returns the files that it added."""
    name = snapshot.manifest_list.rpartition("/")[2]
    listed = read_manifest_list((table / "metadata" / name).read_bytes(), source=name)
    draws.queue += [snapshot_id_draw(snapshot.snapshot_id), UUID(parse_manifest_list_name(name).commit_uuid).bytes]
    own = [one for one in listed.manifests if one.added_snapshot_id == snapshot.snapshot_id]
    read = {}
    for one in own:
        file = one.manifest_path.rpartition("/")[2]
        number = int(file.rpartition("-m")[2].removesuffix(".avro"))
        read[number] = read_manifest((table / "metadata" / file).read_bytes(), source=file)
    # m0 is gone where a merge has folded it into another
    draws.queue += [read[number].sync_marker if number in read else UNKNOWN_SYNC for number in range(max(read) + 1)]
    draws.queue.append(listed.sync_marker)
    return [entry.file for manifest in read.values() for entry in manifest.entries if entry.status == Status.ADDED]


def _uuid_of(path: Path) -> bytes:
    return UUID(parse_metadata_name(path.name).uuid).bytes


def differing(table: Path, folder: Path) -> tuple[list[str], int]:
    """Files of the real table that the replay did not write alike, and how many there are in all."""
    names = sorted(path.name for path in (table / "metadata").iterdir() if not path.name.startswith("."))
    again = {path.name: path.read_bytes() for path in (folder / "metadata").iterdir()}
    wrong = [name for name in names if again.get(name) != (table / "metadata" / name).read_bytes()]
    return wrong, len(names)
