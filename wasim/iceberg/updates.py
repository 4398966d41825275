"""The operations of Iceberg's library that change which files a table holds."""

from enum import StrEnum


class Way(StrEnum):
    """By which of them files come and go."""

    APPEND = "append"
    DELETE_FILES = "delete_files"  # of all whose rows meet a filter
    OVERWRITE_FILES = "overwrite_files"  # copy-on-write
    OVERWRITE_ALL = "overwrite_all"  # by a filter that every row meets
    REPLACE_PARTITIONS = "replace_partitions"
    ROW_DELTA = "row_delta"  # merge-on-read
    REWRITE_FILES = "rewrite_files"  # compaction
