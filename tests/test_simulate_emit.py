"""What the simulator emits, opened by the real Iceberg library."""

import numpy as np
import pytest
from synthetic import synthetic_case

from wasim.simulate import shipped_profile, simulate_case
from wasim.spark import Session

pytestmark = pytest.mark.spark

GZIPPED = {"write.metadata.compression-codec": "gzip", "commit.manifest.min-count-to-merge": "3"}


@pytest.mark.parametrize(("writer", "properties"), [("streaming", {}), ("batch", GZIPPED)])
def test_iceberg_java_reads_the_emitted_tree(writer, properties, session: Session, tmp_path):
    case = synthetic_case(writer=writer, horizon_s=8.0, files_per_commit=2, properties=properties)
    reports = simulate_case(case, shipped_profile(case), np.random.default_rng(0), emit=tmp_path).reports
    iceberg = session.jvm.org.apache.iceberg
    size = iceberg.relocated.com.google.common.collect.Iterables.size
    io = iceberg.hadoop.HadoopFileIO(session.jvm.org.apache.hadoop.conf.Configuration())
    newest = sorted((tmp_path / "metadata").glob("*.metadata.json"))[-1]
    table = iceberg.BaseTable(iceberg.StaticTableOperations(str(newest), io), "emitted")
    assert size(table.snapshots()) == case.commits
    assert size(table.currentSnapshot().dataManifests(io)) == reports.manifests_created[-1] + reports.manifests_kept[-1]
    assert size(table.newScan().planFiles()) == reports.files_live[-1]
    first_rows = iceberg.expressions.Expressions.lessThan("event_id", case.rows_per_commit)
    assert size(table.newScan().filter(first_rows).planFiles()) == 2
