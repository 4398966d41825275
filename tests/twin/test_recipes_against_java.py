"""Recipes against Iceberg's own library: which operations share a metadata.json, and what each version then holds."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pyspark")

from support.synthetic import synthetic_case

from wasim.iceberg import TableMetadata, read_metadata_json
from wasim.iceberg.names import parse_metadata_name
from wasim.iceberg.snapshots import StatisticsFile
from wasim.scenario.parts import Writer
from wasim.spark import Session
from wasim.twin import profile_named, simulate_table
from wasim.twin.recipe import ExpiryOfCommit

SCHEMA = '{"type":"struct","fields":[{"id":1,"name":"c1","required":false,"type":"int"}]}'
COMMITS, RETAINED = 8, 3
Commit = Callable[[Session, Any, Any], None]


def append_and_expire_at_once(session: Session, table: Any, file: Any) -> None:
    transaction = table.newTransaction()
    transaction.newAppend().appendFile(file).commit()
    transaction.expireSnapshots().expireOlderThan(2**62).retainLast(RETAINED).commit()
    transaction.commitTransaction()


def append_then_expire(session: Session, table: Any, file: Any) -> None:
    table.newAppend().appendFile(file).commit()
    table.expireSnapshots().expireOlderThan(2**62).retainLast(RETAINED).commit()


def append_then_statistics(session: Session, table: Any, file: Any) -> None:
    table.newAppend().appendFile(file).commit()
    snapshot, none = table.currentSnapshot().snapshotId(), session.jvm.java.util.ArrayList()
    made = session.jvm.org.apache.iceberg.GenericStatisticsFile(snapshot, f"{table.location()}/s.stats", 628, 438, none)
    table.updateStatistics().setStatistics(made).commit()


def written_by_java(session: Session, root: Path, commit: Commit) -> list[TableMetadata]:
    """The versions of a table's metadata.json, oldest first, after some commits."""
    iceberg = session.jvm.org.apache.iceberg
    tables = iceberg.hadoop.HadoopTables(session.spark._jsc.hadoopConfiguration())
    spec = iceberg.PartitionSpec.unpartitioned()
    table = tables.create(iceberg.SchemaParser.fromJson(SCHEMA), spec, str(root))
    for number in range(COMMITS):
        path = f"{root}/data/{number}.parquet"
        builder = iceberg.DataFiles.builder(spec).withPath(path).withFileSizeInBytes(400).withRecordCount(1)
        commit(session, table, builder.build())
    return list(versions_in(root))


def versions_in(root: Path) -> Iterator[TableMetadata]:
    numbered = [(parse_metadata_name(path.name), path) for path in (root / "metadata").glob("*.metadata.json")]
    for _, path in sorted(numbered, key=lambda one: one[0].version):
        yield read_metadata_json(path.read_bytes(), source=str(path))


def simulated(root: Path, name: str, expiry: ExpiryOfCommit | None) -> list[TableMetadata]:
    """The same by the twin, of a writer of that profile."""
    profile = profile_named(name)
    profile = replace(profile, recipe=replace(profile.recipe, expiry=expiry))
    given = synthetic_case(writer="batch", interval_s=10.0, horizon_s=10.0 * COMMITS)
    simulate_table(
        replace(given, writer=Writer(kind="batch", profile=name)), profile, np.random.default_rng(1), emit=root
    )
    return list(versions_in(root))


def held(metadata: TableMetadata) -> tuple[int, ...]:
    logs = len(metadata.snapshot_log), len(metadata.metadata_log)
    return metadata.last_sequence_number, len(metadata.snapshots), len(metadata.statistics), *logs


@pytest.mark.parametrize(
    ("commit", "name", "expiry"),
    [
        (append_and_expire_at_once, "automq", ExpiryOfCommit(commit="same", older_than_s=0.001, retain_last=RETAINED)),
        (append_then_expire, "redpanda", ExpiryOfCommit(commit="own", older_than_s=0.001, retain_last=RETAINED)),
        (append_then_statistics, "trino", None),
    ],
    ids=["expiry within the commit", "expiry of its own", "statistics"],
)
def test_versions_hold_what_iceberg_s_own_hold(session, tmp_path, commit, name, expiry):
    real = written_by_java(session, tmp_path / "java", commit)
    assert list(map(held, simulated(tmp_path / "twin", name, expiry))) == list(map(held, real))


def test_statistics_stand_in_the_order_of_iceberg_s_own(session, tmp_path):
    from wasim.iceberg.hash_order import java_map_order

    newest = written_by_java(session, tmp_path / "java", append_then_statistics)[-1]
    ids = [one.snapshot_id for one in newest.statistics]
    assert all(isinstance(one, StatisticsFile) for one in newest.statistics)
    assert ids == java_map_order(one.snapshot_id for one in newest.snapshots)
