"""DELETE of rows that make up whole files, which Iceberg drops by metadata alone."""

import struct
from collections.abc import Iterable

from wasim.errors import WasimError
from wasim.iceberg import DataFileEntry
from wasim.simulate.commits import Moment
from wasim.simulate.filtering import APPLICATION_KEY, commit_changed_files
from wasim.simulate.table import SimulatedTable
from wasim.workload import ChangeRows, RowChoice

EVENT_ID = 1  # field id of the row number, the first column of each table
_LONG = struct.Struct("<q")


def delete_whole_files(table: SimulatedTable, step: ChangeRows, moment: Moment) -> None:
    """Takes out the files of the chosen rows. WasimError where a file holds other rows too."""
    live = (entry.file for manifest in table.manifests for entry in manifest.live)
    chosen = files_of_rows(live, step.rows)
    commit_changed_files(table, "delete", removed=chosen, identity=table.begin(), moment=moment, own=(APPLICATION_KEY,))


def files_of_rows(live: Iterable[DataFileEntry], rows: RowChoice) -> set[str]:
    """Paths of the files, of a table's live ones, that hold these rows. WasimError where one holds other rows too."""
    chosen = set()
    for file in live:
        low, high = _row_numbers(file)
        if low >= rows.first and high < rows.stop:
            chosen.add(file.file_path)
        elif low < rows.stop and high >= rows.first:
            raise WasimError(
                "A delete that touches a part of a file, which Spark would write again, is not modelled. Delete"
                " whole commits that no compaction has taken up, or use engine spark."
            )
    return chosen


def _row_numbers(file: DataFileEntry) -> tuple[int, int]:
    """The least and the greatest row number in a file, by which Iceberg too decides."""
    lower, upper = (file.lower_bounds or {}).get(EVENT_ID), (file.upper_bounds or {}).get(EVENT_ID)
    if lower is None or upper is None:
        raise WasimError(
            "A delete from files without bounds of event_id, which Spark would write again, is not modelled. Let"
            " write.metadata.metrics give them bounds, or use engine spark."
        )
    return int(_LONG.unpack(lower)[0]), int(_LONG.unpack(upper)[0])
