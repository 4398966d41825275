"""Appends: Iceberg's FastAppend and MergeAppend."""

from collections.abc import Sequence
from dataclasses import replace

from wasim.errors import WasimError
from wasim.iceberg import DataFileEntry, ManifestFile
from wasim.iceberg.names import manifest_name
from wasim.ledger import Kind
from wasim.simulate.commits import Change, Merged, Moment, count_manifests, new_entries
from wasim.simulate.summary import count_files, summary_counters
from wasim.simulate.table import SimulatedTable

ROLLING_FILES = 250  # a manifest writer looks at its length after so many entries
PARALLEL_FILES = 15_000  # from so many files on, several writers share them


def append_files(table: SimulatedTable, files: Sequence[DataFileEntry], moment: Moment) -> None:
    """FastAppend, or MergeAppend where the table's rules say so."""
    identity = table.begin()
    for file in files:
        table.books.write(Kind.DATA, table.relative(file.file_path), file.file_size_bytes)
    new = table.write_manifest(manifest_name(identity.uuid, 0), new_entries(files, identity), identity)
    _refuse_rolling(new.file, table.rules.policy.target_bytes)
    merged = Merged(manifests=[new, *table.manifests])
    if table.rules.appends_merge:
        merged = table.merge([new, *table.manifests], identity, first_number=1)
    counts = replace(
        count_manifests(merged.manifests, identity),
        manifests_replaced=merged.replaced,
        added=count_files(files),
        changed_partitions=len({file.partition for file in files}),
    ).after(table.totals)
    values = moment.texts | summary_counters(counts)
    summary = {key: template.format_map(values) for key, template in table.rules.summary.items()}
    change = Change(operation="append", manifests=merged.manifests, counts=counts, summary=summary)
    table.publish(change, identity, moment, unused=merged.unused)


def _refuse_rolling(new: ManifestFile, target_bytes: int) -> None:
    """Iceberg splits the manifest of a commit that adds very many files; that is not modelled."""
    files = new.added_files_count or 0
    if files >= PARALLEL_FILES or (files >= ROLLING_FILES and new.manifest_length >= target_bytes):
        raise WasimError(
            f"A commit of {files} files would write several manifests (one would have {new.manifest_length} B; the"
            f" target is {target_bytes} B), which is not simulated. Give fewer files per commit, or a larger target."
        )
