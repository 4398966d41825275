"""What happens to a table apart from its writer's commits: changes to its rows, maintenance, and evolution.

Changes and maintenance are periodic in event time, maintenance may also wait for a count of files or snapshots;
evolution happens once, at a time of its own. Words are Iceberg's and Spark's.
"""

from typing import Annotated, Literal

from pydantic import Field

from wasim.scenario.parts import Columns, PartitionField
from wasim.scenario.values import ColumnName, ColumnType, Duration, Number, Optionally, Part, Size, Text, Whole

Mode = Literal["copy-on-write", "merge-on-read"]
TAKES = "How long its job runs before it commits, for conflicts with the writers; left out: 30s. Simulated only."
Share = Annotated[Number, Field(gt=0, le=1)]


class Change(Part):
    """A periodic change."""

    every: Duration = Field(description="Event time between two of them.")
    takes: Optionally[Duration] = Field(default=None, description=TAKES)
    share: Share | None = Field(default=None, description="Share of the rows in the table that it touches.")
    rows: Annotated[Whole, Field(ge=1)] | None = Field(
        default=None, description="The same as a number of rows; one of the two is given."
    )


class Update(Change):
    """UPDATE: some rows get a new value in the first of the table's own columns."""

    locality: Literal["scattered", "newest", "oldest"] = Field(
        default="scattered", description="Which rows: everywhere in the table, or those that came last or first."
    )
    mode: Mode = Field(default="copy-on-write", description="Iceberg's write.update.mode.")


class Delete(Change):
    """DELETE: some rows go."""

    locality: Literal["scattered", "newest", "oldest", "oldest_commits"] = Field(
        default="scattered",
        description="Which rows; oldest_commits: rows of whole commits, which Iceberg drops by metadata alone.",
    )
    mode: Mode = Field(default="copy-on-write", description="Iceberg's write.delete.mode.")


class Merge(Change):
    """MERGE INTO: some rows are matched and get new values, and new rows come."""

    locality: Literal["scattered", "newest", "oldest"] = Field(
        default="scattered", description="Which rows are matched: everywhere, or those that came last or first."
    )
    mode: Mode = Field(default="copy-on-write", description="Iceberg's write.merge.mode.")
    new_rows: Annotated[Whole, Field(ge=0)] = Field(
        default=0, description="Rows that match nothing and so are inserted."
    )


class Overwrite(Change):
    """INSERT OVERWRITE: the newest rows are written again, over their partitions (dynamic) or all of the table."""

    kind: Literal["dynamic", "static"] = Field(
        description="Spark's partition overwrite mode: the rows replace the partitions that they touch, or the table."
    )


class Changes(Part):
    """Changes to rows; at the same time of event time they come after the append, in this order."""

    update: Optionally[Update] = Field(default=None, description="UPDATE, at a period.")
    delete: Optionally[Delete] = Field(default=None, description="DELETE, at a period.")
    merge: Optionally[Merge] = Field(default=None, description="MERGE INTO, at a period.")
    overwrite: Optionally[Overwrite] = Field(default=None, description="INSERT OVERWRITE, at a period.")


class MaintenanceJob(Part):
    """A maintenance operation, by period or, where it has a `when_` field, by a count."""

    every: Duration | None = Field(default=None, description="Event time between two of them.")

    @property
    def counted(self) -> tuple[str, int] | None:
        """What is counted to start it, such as `small_files`, and from which count on; None for one by period."""
        found = (name for name, count in self if name.startswith("when_") and count is not None)
        return next(((name.removeprefix("when_"), getattr(self, name)) for name in found), None)


class CommittingJob(MaintenanceJob):
    """Maintenance that commits while writers do."""

    takes: Optionally[Duration] = Field(default=None, description=TAKES)


class RewriteDataFiles(CommittingJob):
    """Iceberg's rewrite_data_files, by bin-packing."""

    when_small_files: Annotated[Whole, Field(ge=2)] | None = Field(
        default=None,
        description="Instead of `every`: as soon as this many data files are below three quarters of the target size.",
    )
    target_file_size_bytes: Size = Field(default=512 * 1024 * 1024, description="Iceberg's target-file-size-bytes.")
    min_input_files: Annotated[Whole, Field(ge=1)] = Field(default=5, description="Iceberg's min-input-files.")
    partial_progress_commits: Annotated[Whole, Field(ge=1)] | None = Field(
        default=None, description="Partial progress with at most this many commits; left out: one commit for all."
    )


class RewriteManifests(CommittingJob):
    """Iceberg's rewrite_manifests."""

    when_manifests: Annotated[Whole, Field(ge=2)] | None = Field(
        default=None, description="Instead of `every`: as soon as the table has this many live manifests."
    )


class ExpireSnapshots(CommittingJob):
    """Iceberg's expire_snapshots."""

    when_snapshots: Annotated[Whole, Field(ge=2)] | None = Field(
        default=None, description="Instead of `every`: as soon as the table has this many snapshots."
    )
    older_than: Duration = Field(description="Age, in event time, from which snapshots expire.")
    retain_last: Annotated[Whole, Field(ge=1)] = Field(default=1, description="Snapshots that stay at any age.")


class RemoveOrphanFiles(MaintenanceJob):
    """Iceberg's remove_orphan_files: deletes what no metadata reaches, metadata.json files out of the log included."""

    every: Duration = Field(description="Event time between two of them.")
    older_than: Duration = Field(description="Age, in event time, from which unreachable files are deleted.")


class Maintenance(Part):
    """Maintenance; at the same time of event time it comes after changes, in this order."""

    rewrite_data_files: Optionally[RewriteDataFiles] = Field(default=None, description="Compaction of data files.")
    rewrite_manifests: Optionally[RewriteManifests] = Field(default=None, description="Clustering of manifests.")
    expire_snapshots: Optionally[ExpireSnapshots] = Field(default=None, description="Expiry of old snapshots.")
    remove_orphan_files: Optionally[RemoveOrphanFiles] = Field(
        default=None, description="Deletion of unreachable files."
    )


class Renaming(Part):
    """A column's new name."""

    column: ColumnName = Field(description="The column.")
    to: ColumnName = Field(description="Its new name.")


class Widening(Part):
    """A column's wider type."""

    column: ColumnName = Field(description="The column.")
    type: ColumnType = Field(description="long for int, double for float, or a decimal of more digits.")


class Moving(Part):
    """A column's new place."""

    column: ColumnName = Field(description="The column.")
    after: ColumnName = Field(description="The column that it will follow.")


class Evolution(Part):
    """One thing that happens once to the table's schema, partition spec, properties or references."""

    at: Duration = Field(description="Event time at which it happens, after the append and the changes of that time.")
    add_column: Columns | None = Field(default=None, description="A new column, last in order.")
    drop_column: ColumnName | None = Field(default=None, description="A column to drop.")
    rename_column: Renaming | None = Field(default=None, description="A column to rename.")
    widen_column: Widening | None = Field(default=None, description="A column to give a wider type.")
    move_column: Moving | None = Field(default=None, description="A column to put elsewhere.")
    make_optional: ColumnName | None = Field(default=None, description="A required column that may be null from then.")
    add_partition_field: PartitionField | None = Field(default=None, description="A field for the partition spec.")
    drop_partition_field: PartitionField | None = Field(default=None, description="A field to take out of the spec.")
    set_properties: dict[str, Text] | None = Field(
        default=None,
        description="Table properties to set, as written, but for write.data.path and write.metadata.path: those name"
        " a folder below the table.",
    )
    create_tag: ColumnName | None = Field(default=None, description="Name of a tag on the current snapshot.")
    create_branch: ColumnName | None = Field(default=None, description="Name of a branch on the current snapshot.")
    rollback_commits: Annotated[Whole, Field(ge=1)] | None = Field(
        default=None, description="Roll the table back by this many snapshots."
    )
