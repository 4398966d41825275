"""What a statement makes of a table's files, planned before anything is committed, and its commit to a simulated table.

What is planned depends on the files alone, so that engine `core` hands the same to Iceberg's library.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

from wasim.iceberg import DataFileEntry
from wasim.iceberg.manifest_entries import FileKey
from wasim.iceberg.updates import Way
from wasim.twin.commits import Moment, new_entries
from wasim.twin.filtering import APPLICATION_KEY, FileChanges, Named, commit_changed_files
from wasim.twin.table import SimulatedTable


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """The files that a statement brings and takes out, and what the snapshot's summary says apart from counters.

    `removed` are data files, by path; new delete files come by the partition spec of what they delete from. What the
    way drops that is not named, `drops_delete` says.
    """

    way: Way
    operation: str
    added: Sequence[DataFileEntry] = ()
    removed: Collection[str] = ()
    added_deletes: Mapping[int, Sequence[DataFileEntry]] = field(default_factory=dict)
    removed_deletes: Collection[FileKey] = ()
    drops_delete: Callable[[DataFileEntry], bool] | None = None
    summary: Mapping[str, str] = field(default_factory=dict)


def commit_planned(table: SimulatedTable, planned: Planned, moment: Moment) -> None:
    """Writes the files and commits the snapshot."""
    table.write_files(planned.added, [file for files in planned.added_deletes.values() for file in files])
    identity = table.begin()
    changes = FileChanges(
        removed=planned.removed,
        added=new_entries(planned.added, identity),
        removed_deletes=planned.removed_deletes,
        drops_delete=planned.drops_delete,
        added_deletes={spec_id: new_entries(files, identity) for spec_id, files in planned.added_deletes.items()},
    )
    named = Named(operation=planned.operation, own=(APPLICATION_KEY,), more=planned.summary)
    commit_changed_files(table, changes, named, identity, moment)
