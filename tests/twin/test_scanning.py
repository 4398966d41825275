"""What a statement finds in a table."""

import pytest

from wasim.iceberg import DataFileEntry
from wasim.twin.live_manifests import LiveEntry
from wasim.twin.scanning import LiveFiles, scan_tasks


@pytest.mark.parametrize(
    ("small", "large", "deletes", "tasks"), [(0, 0, 0, 0), (4, 0, 0, 1), (4, 0, 1, 2), (3, 2, 5, 5)]
)
def test_a_task_reads_four_small_files(small: int, large: int, deletes: int, tasks: int) -> None:
    def entry(mebibytes: int) -> LiveEntry:
        file = DataFileEntry(file_path="f", record_count=1, file_size_bytes=mebibytes << 20)
        return LiveEntry(file=file, snapshot_id=1, sequence_number=1)

    data = [(entry(1), 0)] * small + [(entry(20), 0)] * large
    assert scan_tasks(LiveFiles(data=data, deletes=[entry(1)] * deletes)) == tasks
