"""DELETE of rows that make up whole files, which Iceberg drops by metadata alone."""

import struct

from wasim.errors import WasimError
from wasim.iceberg import DataFileEntry
from wasim.simulate.commits import Moment
from wasim.simulate.filtering import APPLICATION_KEY, FileChanges, Named, commit_changed_files
from wasim.simulate.table import SimulatedTable
from wasim.workload import ChangeRows

EVENT_ID = 1  # field id of the row number, the first column of each table
_LONG = struct.Struct("<q")


def delete_whole_files(table: SimulatedTable, step: ChangeRows, moment: Moment) -> None:
    """Takes out the files of the chosen rows. WasimError where a file holds other rows too."""
    chosen = set()
    for manifest in table.manifests:
        for entry in manifest.live:
            low, high = _row_numbers(entry.file)
            if low >= step.rows.first and high < step.rows.stop:
                chosen.add(entry.file.file_path)
            elif low < step.rows.stop and high >= step.rows.first:
                raise WasimError(
                    "A delete that touches a part of a file, which Spark would write again, is not simulated. Delete"
                    " whole commits that no compaction has taken up, or use engine spark."
                )
    named = Named(operation="delete", own=(APPLICATION_KEY,))
    commit_changed_files(table, FileChanges(removed=chosen), named, table.begin(), moment)


def _row_numbers(file: DataFileEntry) -> tuple[int, int]:
    """The least and the greatest row number in a file, by which Iceberg too decides."""
    lower, upper = (file.lower_bounds or {}).get(EVENT_ID), (file.upper_bounds or {}).get(EVENT_ID)
    if lower is None or upper is None:
        raise WasimError(
            "A delete from files without bounds of event_id, which Spark would write again, is not simulated. Let"
            " write.metadata.metrics give them bounds, or use engine spark."
        )
    return int(_LONG.unpack(lower)[0]), int(_LONG.unpack(upper)[0])
