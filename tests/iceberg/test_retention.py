"""Snapshots 1 to 6, a second apart; 3 and 4 lie on a branch of their own that leaves main after 2; 9 leads nowhere."""

import pytest

from wasim.iceberg.metadata_json import TableMetadata
from wasim.iceberg.retention import Expiry, retained_snapshots
from wasim.iceberg.snapshots import Snapshot, SnapshotRef

PARENTS = {1: None, 2: 1, 3: 2, 4: 3, 5: 2, 6: 5, 9: 1}
NOW_MS = 100_000


def kept(older_than_ms=NOW_MS, retain_last=None, properties=None, **refs):
    metadata = TableMetadata(
        format_version=2,
        table_uuid=None,
        location="/t",
        last_updated_ms=0,
        last_column_id=0,
        schemas=(),
        current_schema_id=0,
        partition_specs=(),
        default_spec_id=0,
        last_partition_id=999,
        sort_orders=(),
        default_sort_order_id=0,
        properties=properties or {},
        refs={"main": SnapshotRef(snapshot_id=6)} | refs,
        snapshots=tuple(
            Snapshot(snapshot_id=one, timestamp_ms=one * 1000, manifest_list="x", parent_snapshot_id=parent)
            for one, parent in PARENTS.items()
        ),
    )
    expiry = Expiry(now_ms=NOW_MS, older_than_ms=older_than_ms, retain_last=retain_last)
    return retained_snapshots(metadata, expiry)


BRANCH = SnapshotRef(snapshot_id=4)


@pytest.mark.parametrize(
    ("expected", "asked"),
    [
        ({6}, {}),
        ({6, 5}, {"retain_last": 2}),
        ({6, 5}, {"properties": {"history.expire.min-snapshots-to-keep": "2"}}),
        ({6, 5, 2, 1}, {"retain_last": 9}),
        ({6, 5, 9}, {"older_than_ms": 5000}),  # 9 leads nowhere: its age alone counts
        ({6, 4}, {"side": BRANCH}),
        ({6, 5, 4, 3}, {"side": BRANCH, "retain_last": 2}),
        ({6, 5, 2, 4, 3, 9}, {"side": BRANCH, "older_than_ms": 2000}),
        ({6, 3}, {"kept": SnapshotRef(snapshot_id=3, type="tag")}),
        ({6, 3}, {"kept": SnapshotRef(snapshot_id=3, type="tag"), "retain_last": 1}),
        ({6, 4, 3, 2}, {"side": SnapshotRef(snapshot_id=4, min_snapshots_to_keep=3)}),
        ({6, 4, 3}, {"side": SnapshotRef(snapshot_id=4, max_snapshot_age_ms=NOW_MS - 3000)}),
        ({6, 4}, {"side": SnapshotRef(snapshot_id=4, max_ref_age_ms=NOW_MS - 4000)}),
        ({6}, {"side": SnapshotRef(snapshot_id=4, max_ref_age_ms=NOW_MS - 4001)}),
        ({6}, {"side": BRANCH, "properties": {"history.expire.max-ref-age-ms": "1000"}}),
        ({6}, {"lost": SnapshotRef(snapshot_id=77)}),
    ],
)
def test_what_stays_is_what_branches_tags_and_ages_keep(expected, asked):
    assert kept(**asked) == expected
