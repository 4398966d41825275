"""What releases of Iceberg's Java library write differently from 1.12: the release from which each thing is so.

Read from the sources by tag (`V2Metadata`, `ManifestFile`, `TableMetadataParser`, `SnapshotProducer` of 0.13 … 1.11).
"""

from typing import Final, Literal, NamedTuple

Library = Literal["java", "python"]


class Release(NamedTuple):
    """A release of Iceberg's Java library; or of the Python one, by the release of Java's whose fields it writes."""

    major: int
    minor: int
    library: Library = "java"


OLDEST: Final = Release(0, 12)
NEWEST: Final = Release(1, 12)
REFS_SINCE: Final = Release(0, 14)  # in metadata.json
STATISTICS_SINCE: Final = Release(1, 1)
PARTITION_STATISTICS_SINCE: Final = Release(1, 5)
# Before, manifest lists say added_data_files_count, and so on.
SHORT_COUNT_NAMES_SINCE: Final = Release(1, 5)
LIST_KEY_METADATA_SINCE: Final = Release(1, 6)
LIST_SNAPSHOT_REQUIRED_SINCE: Final = Release(1, 8)  # in v1 lists; before, 503 was optional (apache/iceberg#11626)
REFERENCED_FILE_SINCE: Final = Release(1, 8)  # in entries of v2 manifests
COMPACT_JSON_SINCE: Final = Release(1, 9)  # before, Jackson's pretty printer wrote metadata.json
# manifests-created, -kept and -replaced in every summary, and the table's say in how manifests are compressed.
MANIFEST_COUNTS_SINCE: Final = Release(1, 11)
V3_SINCE: Final = Release(1, 10)  # as 1.12 writes it
V4_SINCE: Final = Release(1, 12)  # unfinished; later releases write other files


def release_named(text: str, library: Library = "java") -> Release:
    """The release that a version such as `1.5` or `1.5.2` belongs to. ValueError for anything else."""
    numbers = [int(part) for part in text.split(".")]
    if not 2 <= len(numbers) <= 3:
        raise ValueError(f"{text!r} is no version such as 1.5.2")
    return Release(numbers[0], numbers[1], library)
