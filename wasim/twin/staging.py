"""Manifests that Flink stages a checkpoint's files in, until the commit is made that lists them."""

from collections.abc import Sequence

from wasim.iceberg import DataFileEntry
from wasim.iceberg.manifest_entries import ManifestContent
from wasim.iceberg.names import staged_manifest_name
from wasim.ledger import Kind
from wasim.twin.commits import Moment, manifest_kind, new_entries
from wasim.twin.identifiers import CommitIdentity
from wasim.twin.live_manifests import ManifestWriter
from wasim.twin.table import SimulatedTable

# Of no snapshot yet: Flink gives the id 0, which no entry keeps.
_NOBODY = CommitIdentity(snapshot_id=0, uuid="", sequence_number=0)


def stage_manifests(
    table: SimulatedTable, groups: Sequence[Sequence[DataFileEntry]], moment: Moment
) -> list[tuple[Kind, str]]:
    """Writes a manifest of each group of files, which are of data or delete alike; kind and path of each manifest.

    They heed no property of the table.
    """
    staged = []
    for files in groups:
        if not files:
            continue
        content = ManifestContent.DELETES if files[0].content else ManifestContent.DATA
        writer = ManifestWriter(header=table.writer_of(table.json.base.default_spec_id, content).header)
        table.staged += 1
        name = staged_manifest_name(
            moment.texts["job_hex"], moment.texts["operator_hex"], int(moment.texts["checkpoint"]), table.staged
        )
        path = table.manifest_path(name)
        data, manifest = writer.write(path, new_entries(files, _NOBODY), _NOBODY, table.rng)
        table.log.write(manifest_kind(manifest), table.relative(path), data)
        staged.append((manifest_kind(manifest), table.relative(path)))
    return staged
