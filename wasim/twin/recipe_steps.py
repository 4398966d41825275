"""A writer's recipe carried out on the simulated table, statistics files too: within an append's commit or after."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import exp
from uuid import UUID, uuid5

from wasim.iceberg import TableMetadata
from wasim.iceberg.hash_order import java_map_order
from wasim.iceberg.retention import Expiry
from wasim.iceberg.snapshots import BlobMetadata, Snapshot, SnapshotRef, StatisticsFile
from wasim.scenario.changes import ExpireSnapshots
from wasim.twin.commits import Held, Moment
from wasim.twin.data_files import DataFiles
from wasim.twin.delete_files import PUFFIN_MAGIC_BYTES, puffin_footer_bytes
from wasim.twin.maintenance import expired_by, forget, wall_ms_at
from wasim.twin.recipe import Recipe, StatisticsOfCommit
from wasim.twin.table import SimulatedTable
from wasim.twin.table_json import with_ref

NDV = "ndv"


def statistics_file(
    recipe: StatisticsOfCommit, path: str, values: Mapping[int, int], *, snapshot_id: int, sequence_number: int
) -> StatisticsFile:
    """The Puffin file at a path with a sketch of each column, whose distinct values are given by field id.

    Its layout follows Iceberg's Puffin specification, with the footer's JSON uncompressed.
    """
    offset, blobs, found = PUFFIN_MAGIC_BYTES, [], []
    for field_id, count in values.items():
        length = recipe.sketch_bytes + recipe.value_bytes * min(count, recipe.most_values)
        blobs.append(
            {
                "type": recipe.blob,
                "fields": [field_id],
                "snapshot-id": snapshot_id,
                "sequence-number": sequence_number,
                "offset": offset,
                "length": length,
                "compression-codec": recipe.codec,
                "properties": {NDV: str(count)},
            }
        )
        found.append(
            BlobMetadata(
                type=recipe.blob,
                snapshot_id=snapshot_id,
                sequence_number=sequence_number,
                fields=(field_id,),
                properties={NDV: str(count)},
            )
        )
        offset += length
    footer_bytes = puffin_footer_bytes(blobs, recipe.created_by)
    return StatisticsFile(
        snapshot_id=snapshot_id,
        statistics_path=path,
        file_size_bytes=offset + footer_bytes,
        file_footer_size_bytes=footer_bytes,
        blob_metadata=tuple(found),
    )


@dataclass(slots=True, kw_only=True)
class RecipeSteps:
    """What else a writer does with each of its appends. `expiry` is the one that shares their metadata.json, if any."""

    recipe: Recipe
    expiry: ExpireSnapshots | None
    expired: list[Held] = field(default_factory=list)  # of the last commit, whose files are still there

    def within(
        self, table: SimulatedTable, changed: TableMetadata, snapshot: Snapshot, moment: Moment
    ) -> TableMetadata:
        """What an append's metadata.json holds, after all that shares it."""
        recipe = self.recipe
        if recipe.tag is not None:
            ref = SnapshotRef(snapshot_id=snapshot.snapshot_id, type="tag")
            changed = replace(changed, refs=with_ref(changed.refs, recipe.tag, ref))
        if recipe.sets:
            sets = {key: text.format_map(moment.texts) for key, text in recipe.sets.items()}
            both = {**changed.properties, **sets}
            changed = replace(changed, properties={key: both[key] for key in java_map_order(both)})
        if self.expiry is not None:
            older_than_ms = wall_ms_at(table, moment.event_time_s - self.expiry.older_than, moment)
            expiry = Expiry(
                now_ms=moment.timestamp_ms, older_than_ms=older_than_ms, retain_last=self.expiry.retain_last
            )
            self.expired = expired_by(table, changed.refs, expiry)
            table.json.remove([held.snapshot_id for held in self.expired])
        return changed

    def finish(self, table: SimulatedTable) -> None:
        """Deletes the files that only snapshots had which the append's commit expired."""
        forget(table, self.expired)
        self.expired = []

    def add_statistics(self, table: SimulatedTable, values: Mapping[int, int], moment: Moment) -> None:
        """The statistics of the current snapshot, in a metadata.json of their own."""
        if self.recipe.statistics is not None:
            table.json.add_statistics(statistics_of(self.recipe.statistics, table, values, moment))
            table.commit_metadata(table.json.base, moment.updated_ms)


def statistics_of(
    recipe: StatisticsOfCommit, table: SimulatedTable, values: Mapping[int, int], moment: Moment
) -> StatisticsFile:
    """The statistics file of a table's current snapshot, whose columns have so many distinct values, by field id."""
    random = uuid5(UUID(moment.texts["query_id"]), f"statistics {table.commits}")
    name = recipe.file.format_map({**moment.texts, "random": random})
    return statistics_file(
        recipe,
        table.rules.locations.metadata_file(name),
        values,
        snapshot_id=table.snapshot_id or 0,
        sequence_number=table.json.base.last_sequence_number,
    )


def distinct_values(files: DataFiles, rows: int) -> dict[int, int]:
    """How many values each column of a table, by field id, is expected to have in this many rows."""
    return {leaf.field_id: expected_values(leaf.column.values, rows) for leaf in files.leaves}


def expected_values(values: int | None, rows: int) -> int:
    """How many of a column's values are expected in this many rows; None is another in each row."""
    return rows if values is None else max(1, round(values * (1 - exp(-rows / values))))
