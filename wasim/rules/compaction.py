"""Which data files rewrite_data_files takes, which groups of them, and how many files a group becomes.

Source: SizeBasedFileRewritePlanner, BinPackRewriteFilePlanner and TableScanUtil of Iceberg 1.12, at their default
options.
"""

from collections.abc import Sequence
from math import ceil, floor

SMALL_FILE_SHARE, LARGE_FILE_SHARE = 0.75, 1.8  # of the target size: files in between are left alone
MOST_DELETED = 0.3  # share of a file's rows that its own delete files take: from then on its size does not matter
WRITTEN_SHARE = 1.1  # of the target size: fewer files than the bytes need may be so large on average
ROW_GROUP_BYTES = 128 << 20  # of Parquet, each of them a split
SPLIT_OVERHEAD = 5 << 10  # bytes
LOOKBACK = 10  # tasks that are open at a time


def small_file_bytes(target_bytes: float) -> int:
    """Data files below this are too small."""
    return int(SMALL_FILE_SHARE * target_bytes)


def large_file_bytes(target_bytes: float) -> int:
    """Data files above this are too large."""
    return int(LARGE_FILE_SHARE * target_bytes)


def is_outside(size: float, target_bytes: float) -> bool:
    """Whether a file is taken for its size."""
    return size < small_file_bytes(target_bytes) or size > large_file_bytes(target_bytes)


def is_much_deleted(deleted: float, records: float) -> bool:
    """Whether a file is taken whatever its size, since its own delete files name so many of its rows."""
    return deleted > 0 and deleted >= MOST_DELETED * records


def is_rewritten(files: float, input_bytes: float, min_input_files: float, target_bytes: float) -> bool:
    """Whether a partition's group of files is: of enough files, of enough content, or of too much (one large file)."""
    if input_bytes > large_file_bytes(target_bytes):
        return True
    return files > 1 and (files >= min_input_files or input_bytes > target_bytes)


def output_files(input_bytes: float, target_bytes: float) -> int:
    """How many files a group becomes (`expectedOutputFiles`), by the bytes that are read."""
    more, fewer = ceil(input_bytes / target_bytes), max(1, floor(input_bytes / target_bytes))
    if input_bytes - fewer * target_bytes > small_file_bytes(target_bytes):
        return more
    most = min(WRITTEN_SHARE * target_bytes, largest_output_bytes(target_bytes))
    return fewer if input_bytes / fewer < most else more


def largest_output_bytes(target_bytes: float) -> float:
    """The size at which a task closes a file and begins another one: more than a task is meant to write."""
    return (1 + LARGE_FILE_SHARE) / 2 * target_bytes


def task_bytes(input_bytes: float, target_bytes: float) -> float:
    """How many bytes of a group a task takes at most, but for a split that is larger by itself."""
    each = input_bytes // output_files(input_bytes, target_bytes) + SPLIT_OVERHEAD
    return max(target_bytes, min(each, largest_output_bytes(target_bytes)))


def row_groups(file_bytes: float) -> int:
    """How many row groups a data file has."""
    return max(1, floor(file_bytes / ROW_GROUP_BYTES + 0.5))


def tasks_of(split_bytes: Sequence[int], most_bytes: float) -> list[list[int]]:
    """Places of the splits, in the order in which they are read, that each task takes: the first open one with room."""
    done, tasks, held = list[list[int]](), list[list[int]](), list[int]()
    for place, size in enumerate(split_bytes):
        found = next((number for number, taken in enumerate(held) if taken + size <= most_bytes), len(tasks))
        if found == len(tasks):
            tasks.append([])
            held.append(0)
        tasks[found].append(place)
        held[found] += size
        if len(tasks) > LOOKBACK:
            fullest = held.index(max(held))
            held.pop(fullest)
            done.append(tasks.pop(fullest))
    return [*done, *tasks]


def groups_per_commit(groups: int, most_commits: int) -> int:
    """How many groups each commit of partial progress takes, so that there are `most_commits` at most."""
    return max(1, -(-groups // most_commits))
