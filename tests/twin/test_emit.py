"""What the simulator emits, opened by real readers: Iceberg's library, pyiceberg and ClickHouse agree with it."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.synthetic import synthetic_case
from support.trees import newest_json

from wasim.ledger import CommitReports
from wasim.scenario import Case
from wasim.scenario.changes import Changes, Evolution, Maintenance
from wasim.twin import shipped_profile, simulate_case

GZIPPED = {"write.metadata.compression-codec": "gzip", "commit.manifest.min-count-to-merge": "3"}
FILES_PER_COMMIT = 2


def read_by_java(session, root: Path) -> tuple[Any, Callable[[Any], int]]:
    """The table that Iceberg reads from an emitted tree, and what counts one of Java's iterables."""
    iceberg = session.jvm.org.apache.iceberg
    io = iceberg.hadoop.HadoopFileIO(session.jvm.org.apache.hadoop.conf.Configuration())
    table = iceberg.BaseTable(iceberg.StaticTableOperations(newest_json(root), io), "emitted")
    return table, iceberg.relocated.com.google.common.collect.Iterables.size


@dataclass(frozen=True, slots=True, kw_only=True)
class Emitted:
    root: Path
    case: Case
    reports: CommitReports

    @property
    def newest(self) -> str:
        return newest_json(self.root)

    @property
    def manifests(self) -> int:
        return int(self.reports.manifests_created[-1] + self.reports.manifests_kept[-1])


@pytest.fixture(params=[("streaming", {}), ("batch", GZIPPED)], ids=["streaming", "batch merging gzipped"])
def emitted(request: pytest.FixtureRequest, tmp_path: Path) -> Emitted:
    writer, properties = request.param
    case = synthetic_case(writer=writer, horizon_s=8.0, files_per_commit=FILES_PER_COMMIT, properties=properties)
    reports = simulate_case(case, shipped_profile(case), np.random.default_rng(0), emit=tmp_path).reports
    return Emitted(root=tmp_path, case=case, reports=reports)


def test_iceberg_java_reads_the_emitted_tree(emitted: Emitted, session) -> None:
    table, size = read_by_java(session, emitted.root)
    assert size(table.snapshots()) == emitted.case.commits
    assert size(table.currentSnapshot().dataManifests(table.io())) == emitted.manifests
    assert size(table.newScan().planFiles()) == emitted.reports.files_live[-1]
    first_rows = session.jvm.org.apache.iceberg.expressions.Expressions.lessThan(
        "event_id", emitted.case.rows_per_commit
    )
    assert size(table.newScan().filter(first_rows).planFiles()) == FILES_PER_COMMIT


def test_pyiceberg_reads_the_emitted_tree(emitted: Emitted) -> None:
    table = pytest.importorskip("pyiceberg.table").StaticTable.from_metadata(emitted.newest)
    assert len(table.snapshots()) == emitted.case.commits
    assert len(table.current_snapshot().manifests(table.io)) == emitted.manifests
    assert len(list(table.scan().plan_files())) == emitted.reports.files_live[-1]
    first_rows = pytest.importorskip("pyiceberg.expressions").LessThan("event_id", emitted.case.rows_per_commit)
    assert len(list(table.scan(row_filter=first_rows).plan_files())) == FILES_PER_COMMIT
    for snapshot, records in zip(table.snapshots(), emitted.reports.records_live, strict=True):
        assert int(snapshot.summary["total-records"]) == records


def test_clickhouse_reads_the_emitted_tree_without_its_data(emitted: Emitted) -> None:
    pytest.importorskip("chdb")
    pytest.importorskip("pyspark")
    from wasim.spark.probe.clickhouse import open_clickhouse

    with open_clickhouse(emitted.root) as clickhouse:
        counted = clickhouse.ask(
            f"SELECT count() FROM {clickhouse.table} SETTINGS use_iceberg_metadata_files_cache = 0"
        )
        clickhouse.ask(f"CREATE TABLE emitted ENGINE = IcebergLocal('{emitted.root.resolve()}')")
        history = clickhouse.ask("SELECT operation, is_current_ancestor FROM system.iceberg_history").rows
        files = clickhouse.ask("SELECT content, record_count, file_path FROM system.iceberg_files").rows
    # the count is the manifests' own: every one was opened for it, and no data file is there to be
    assert counted.rows == [[str(emitted.reports.records_live[-1])]]
    assert len({name for name in counted.opened or [] if "-m" in name and name.endswith(".avro")}) == emitted.manifests
    assert history == [["APPEND", "1"]] * emitted.case.commits
    assert len({path for _, _, path in files}) == len(files) == emitted.reports.files_live[-1]
    assert {content for content, _, _ in files} == {"DATA"}
    assert sum(int(records) for _, records, _ in files) == emitted.reports.records_live[-1]


def test_iceberg_java_reads_a_table_that_was_maintained_and_evolved(session, tmp_path):
    case = replace(
        synthetic_case(writer="batch", horizon_s=12.0),
        maintenance=Maintenance.model_validate(
            {"rewrite_manifests": {"every": "5s"}, "expire_snapshots": {"every": "6s", "older_than": "3s"}}
        ),
        changes=Changes.model_validate({"delete": {"every": "4s", "rows": 100, "locality": "oldest_commits"}}),
        evolution=(
            Evolution.model_validate({"at": "2s", "add_column": {"name": "late", "type": "int"}}),
            Evolution.model_validate(
                {"at": "3s", "add_partition_field": {"column": "event_time", "transform": "hour"}}
            ),
        ),
    )
    reports = simulate_case(case, shipped_profile(case), np.random.default_rng(0), emit=tmp_path).reports
    table, size = read_by_java(session, tmp_path)
    assert (table.specs().size(), table.schemas().size()) == (2, 2)
    assert 1 < size(table.snapshots()) < len(reports)
    for snapshot in table.snapshots():
        files = size(table.newScan().useSnapshot(snapshot.snapshotId()).planFiles())
        assert files == int(snapshot.summary().get("total-data-files"))
    assert size(table.newScan().planFiles()) == reports.files_live[-1]


@pytest.mark.parametrize("format_version", [2, 3])
@pytest.mark.parametrize("mode", [pytest.param("copy-on-write", marks=pytest.mark.slow), "merge-on-read"])
def test_iceberg_java_reads_a_table_whose_rows_were_changed(mode: str, format_version: int, session, tmp_path):
    case = synthetic_case(writer="batch", horizon_s=9.0, files_per_commit=2)
    changes = {
        "update": {"every": "2s", "share": 0.01, "mode": mode},
        "delete": {"every": "3s", "rows": 30, "locality": "oldest", "mode": mode},
        "merge": {"every": "4s", "rows": 20, "new_rows": 5, "locality": "newest", "mode": mode},
    }
    case = replace(
        case,
        table=case.table.model_copy(update={"format_version": format_version}),
        changes=Changes.model_validate(changes),
    )
    reports = simulate_case(case, shipped_profile(case), np.random.default_rng(0), emit=tmp_path).reports
    table, size = read_by_java(session, tmp_path)
    assert size(table.newScan().planFiles()) == reports.files_live[-1]
    planned = {
        (delete.location(), delete.contentOffset()): delete.recordCount()
        for task in table.newScan().planFiles().iterator()
        for delete in task.deletes()
    }
    assert len(planned) == reports.delete_files_live[-1]
    assert (len(planned) > 0) == (mode == "merge-on-read")
    assert sum(planned.values()) == int(table.currentSnapshot().summary().get("total-position-deletes"))
