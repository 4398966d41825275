"""What a snapshot's summary says of each partition that a commit changed, where the table asks for it."""

from collections.abc import Iterable, Mapping, Sequence

from wasim.iceberg import DataFileEntry, TableMetadata
from wasim.iceberg.hash_order import java_map_order
from wasim.twin.partitions import partition_folder
from wasim.twin.summary import changed_counters, count_files

_INCLUDED = "partition-summaries-included"
_AFTER = "changed-partition-count"

SpecFiles = Iterable[tuple[int, DataFileEntry]]  # each with the id of its partition spec


def partition_texts(
    metadata: TableMetadata, limit: int, added: Sequence[SpecFiles], removed: Sequence[SpecFiles]
) -> dict[str, str]:
    """Summary keys of the partitions of these files, in the order of Java's maps; none if there are more than `limit`.

    `added` and `removed` are gathered as Iceberg gathers them: data files before delete files.
    """
    if not limit:
        return {}
    of_added, of_removed = (
        [_by_partition(metadata, files) for files in added],
        [_by_partition(metadata, files) for files in removed],
    )
    names = java_map_order(name for found in (*of_added, *of_removed) for name in java_map_order(found))
    if not 0 < len(names) <= limit:
        return {}
    texts = {_INCLUDED: "true"}
    for name in filter(None, names):  # an unpartitioned table has one, without a name
        counters = changed_counters(count_files(_files(of_added, name)), count_files(_files(of_removed, name)))
        texts[f"partitions.{name}"] = ",".join(f"{key}={number}" for key, number in counters.items())
    return texts


def with_partitions(summary: Mapping[str, str], texts: Mapping[str, str]) -> dict[str, str]:
    """The summary with the entries of partitions where Iceberg puts them."""
    if not texts:
        return dict(summary)
    place = list(summary).index(_AFTER) + 1
    pairs = list(summary.items())
    return dict([*pairs[:place], *texts.items(), *pairs[place:]])


def _by_partition(metadata: TableMetadata, files: SpecFiles) -> dict[str, list[DataFileEntry]]:
    specs, schema = {spec.spec_id: spec for spec in metadata.partition_specs}, metadata.current_schema()
    found: dict[str, list[DataFileEntry]] = {}
    for spec_id, file in files:
        name = partition_folder(specs[spec_id], schema, file.partition).removesuffix("/")
        found.setdefault(name, []).append(file)
    return found


def _files(found: Iterable[Mapping[str, list[DataFileEntry]]], name: str) -> list[DataFileEntry]:
    return [file for by_partition in found for file in by_partition.get(name, ())]
