"""What planning would cost without metadata: the table's data files found by listing directories, as Hive did."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path


def list_data_files(folders: Sequence[Path]) -> tuple[int, int]:
    """(directories listed, files found) below these folders; hidden names left out, as Hadoop's readers do.

    It opens nothing, and cannot know which of the files belong to the current snapshot.
    """
    listed = found = 0
    for files in _walk(folders):
        listed += 1
        found += files
    return listed, found


def _walk(folders: Sequence[Path]) -> Iterator[int]:
    """Files of every directory from `folders` down."""
    waiting = [os.fspath(folder) for folder in folders]
    while waiting:
        files = 0
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                if entry.is_dir():
                    waiting.append(entry.path)
                elif not entry.name.startswith((".", "_")):
                    files += 1
        yield files
