"""Spark's remove_orphan_files: deletes what no metadata reaches, metadata.json files that left the log included."""

from wasim.twin.table import HINT, SimulatedTable


def remove_orphan_files(table: SimulatedTable, *, older_than_ms: int) -> None:
    """Deletes files written before that wall time which neither a retained snapshot nor the metadata log names."""
    reached = {table.relative(entry.metadata_file) for entry in table.json.metadata_log}
    reached |= {table.relative(table.json_file), HINT}
    seen = {id(one): one for held in table.history.values() for one in held.manifests}
    for held in table.history.values():
        reached.add(held.list_file)
    for manifest in seen.values():
        reached.add(table.relative(manifest.file.manifest_path))
        reached |= {table.relative(entry.file.file_path) for entry in manifest.entries}
    for file, written in list(table.log.files.items()):
        if file not in reached and round(written.at_s * 1000) < older_than_ms:
            table.log.delete(written.kind, file)
