"""What a snapshot's summary says of a commit, as text by key."""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from wasim.iceberg import DataFileEntry, TableMetadata
from wasim.iceberg.hash_order import java_map_order
from wasim.iceberg.record_fields import FileContent
from wasim.twin.partitions import partition_folder

CHANGED_PARTITIONS = "changed-partition-count"


class TableTotals(NamedTuple):
    """The table as a snapshot counts it. `bytes` are of data and delete files."""

    files: int = 0
    records: int = 0
    bytes: int = 0
    delete_files: int = 0
    position_deletes: int = 0
    equality_deletes: int = 0


class FileCounts(NamedTuple):
    """Files that a commit adds, or that it removes. `delete_files` are of keys, positions and vectors."""

    files: int = 0
    records: int = 0
    bytes: int = 0
    equality_files: int = 0
    position_files: int = 0
    vectors: int = 0
    position_deletes: int = 0
    equality_deletes: int = 0

    @property
    def delete_files(self) -> int:
        """Delete files of all kinds."""
        return self.equality_files + self.position_files + self.vectors


NONE = FileCounts()


class CommitCounts(NamedTuple):
    """One commit and the table after it. `entries_processed` is None where the operation does not count them."""

    manifests_created: int = 0
    manifests_kept: int = 0
    manifests_replaced: int = 0
    entries_processed: int | None = None
    added: FileCounts = NONE
    removed: FileCounts = NONE
    changed_partitions: int = 0
    totals: TableTotals = TableTotals()

    def after(self, before: TableTotals) -> "CommitCounts":
        """These counts with the totals of the table after the commit, which were `before`."""
        totals = {
            name: getattr(before, name) + getattr(self.added, name) - getattr(self.removed, name)
            for name in TableTotals._fields
        }
        return self._replace(totals=TableTotals(**totals))


def count_files(files: Sequence[DataFileEntry]) -> FileCounts:
    """What a summary counts of these files. Of a deletion vector it counts its own bytes, not its file's."""
    data = [file for file in files if file.content == FileContent.DATA]
    by_key = [file for file in files if file.content == FileContent.EQUALITY_DELETES]
    by_position = [file for file in files if file.content == FileContent.POSITION_DELETES]
    vectors = sum(1 for file in by_position if file.content_size_bytes is not None)
    return FileCounts(
        files=len(data),
        records=sum(file.record_count for file in data),
        bytes=sum(content_bytes(file) for file in files),
        equality_files=len(by_key),
        position_files=len(by_position) - vectors,
        vectors=vectors,
        position_deletes=sum(file.record_count for file in by_position),
        equality_deletes=sum(file.record_count for file in by_key),
    )


def content_bytes(file: DataFileEntry) -> int:
    """Bytes that a file's content takes: of a deletion vector, its own within its Puffin file."""
    return file.file_size_bytes if file.content_size_bytes is None else file.content_size_bytes


def summary_counters(counts: CommitCounts) -> dict[str, str]:
    """Iceberg's counters by their key, in its order."""
    return {key: str(number) for key, number in counted(counts, counts.totals).items()}


def counted(counts: CommitCounts, totals: TableTotals) -> dict[str, int]:
    """What Iceberg counts of a commit and of the table after it, by key, in its order."""
    always = {
        "manifests-created": counts.manifests_created,
        "manifests-kept": counts.manifests_kept,
        "manifests-replaced": counts.manifests_replaced,
    }
    if counts.entries_processed is not None:
        always["entries-processed"] = counts.entries_processed
    always |= changed_counters(counts.added, counts.removed)
    always[CHANGED_PARTITIONS] = counts.changed_partitions
    always["total-records"] = totals.records
    always["total-files-size"] = totals.bytes
    always["total-data-files"] = totals.files
    always["total-delete-files"] = totals.delete_files
    always["total-position-deletes"] = totals.position_deletes
    always["total-equality-deletes"] = totals.equality_deletes
    return always


def changed_counters(added: FileCounts, removed: FileCounts) -> dict[str, int]:
    """What files that come and go count for, in Iceberg's order; what there is none of is left out."""
    numbers = {
        "added-data-files": added.files,
        "deleted-data-files": removed.files,
        "added-equality-delete-files": added.equality_files,
        "removed-equality-delete-files": removed.equality_files,
        "added-position-delete-files": added.position_files,
        "removed-position-delete-files": removed.position_files,
        "added-delete-files": added.delete_files,
        "removed-delete-files": removed.delete_files,
        "added-dvs": added.vectors,
        "removed-dvs": removed.vectors,
        "added-records": added.records,
        "deleted-records": removed.records,
        "added-files-size": added.bytes,
        "removed-files-size": removed.bytes,
        "added-position-deletes": added.position_deletes,
        "removed-position-deletes": removed.position_deletes,
        "added-equality-deletes": added.equality_deletes,
        "removed-equality-deletes": removed.equality_deletes,
    }
    return {key: number for key, number in numbers.items() if number > 0}


def operation_summary(
    templates: Mapping[str, str],
    counts: CommitCounts,
    texts: Mapping[str, str],
    own: Collection[str],
    more: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """The summary of a commit that is not the writer's, from the templates of the writer's.

    Of the keys that the writer puts before the counters it has those in `own`, and `more` of its operation; what
    follows the totals comes from the process and is in every summary.
    """
    keys = list(templates)
    last = max(place for place, key in enumerate(keys) if key in COUNTERS)
    unknown = unknown_counters(templates)
    counters = {key: text for key, text in summary_counters(counts).items() if key not in unknown}
    before = {key: templates[key].format_map(texts) for key in keys[:last] if key not in COUNTERS and key in own}
    # what an operation sets stands in a map of its own, to which the counts of manifests come last
    of_manifests = {key: counters[key] for key in counters if key in _OF_MANIFESTS}
    set_by_operation = {**before, **(more or {}), **of_manifests}
    return {
        **{key: set_by_operation[key] for key in java_map_order(set_by_operation)},
        **{key: text for key, text in counters.items() if key not in _OF_MANIFESTS},
        **{key: templates[key].format_map(texts) for key in keys[last + 1 :]},
    }


def unknown_counters(templates: Mapping[str, str]) -> frozenset[str]:
    """Counters that an older Iceberg, whose writer has these templates, does not know."""
    return frozenset(key for key in _OF_MANIFESTS if key in COUNTERS and key not in templates)


SpecFiles = Sequence[tuple[int, DataFileEntry]]  # each with the id of its partition spec


def with_partitions(
    summary: dict[str, str], metadata: TableMetadata, limit: int, added: SpecFiles, removed: SpecFiles = ()
) -> dict[str, str]:
    """The summary with what it says of each partition of these files, unless there are more than `limit`."""
    if not limit:
        return summary
    of_added, of_removed = (_by_partition(metadata, files) for files in (added, removed))
    names = java_map_order([*of_added, *of_removed])
    if not 0 < len(names) <= limit:
        return summary
    texts = {"partition-summaries-included": "true"}
    for name in filter(None, names):  # an unpartitioned table has one, without a name
        counters = changed_counters(count_files(of_added.get(name, ())), count_files(of_removed.get(name, ())))
        texts[f"partitions.{name}"] = ",".join(f"{key}={number}" for key, number in counters.items())
    pairs = list(summary.items())
    place = 1 + list(summary).index(CHANGED_PARTITIONS if CHANGED_PARTITIONS in summary else [*summary][-1])
    return dict([*pairs[:place], *texts.items(), *pairs[place:]])


def _by_partition(metadata: TableMetadata, files: SpecFiles) -> dict[str, list[DataFileEntry]]:
    specs, schema = {spec.spec_id: spec for spec in metadata.partition_specs}, metadata.current_schema()
    found: dict[str, list[DataFileEntry]] = {}
    for spec_id, file in files:
        name = partition_folder(specs[spec_id], schema, file.partition).removesuffix("/")
        found.setdefault(name, []).append(file)
    return found


_OF_MANIFESTS = ("manifests-created", "manifests-kept", "manifests-replaced", "entries-processed")
# Fields of an append's summary, of which a writer's profile has templates.
COUNTERS = frozenset(summary_counters(CommitCounts(added=FileCounts(files=1, records=1, bytes=1))))
