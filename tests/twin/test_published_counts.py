"""Counts that other people published of their real runs, and what the simulator says of the same histories."""

from dataclasses import replace

import numpy as np
import pytest
from support.iceberg_files import manifest_bytes
from support.synthetic import synthetic_case

from wasim.iceberg import DataFileEntry, ManifestEntry, ManifestHeader
from wasim.iceberg.properties import TableProperties
from wasim.ledger import Kind, sum_events
from wasim.scenario import Case
from wasim.scenario.parts import Columns
from wasim.twin import profile_named, shipped_profile, simulate_case
from wasim.twin.data_files import FileNumbers, data_files_of
from wasim.twin.identifiers import draw_uuid, locations_of

FULL = {"write.metadata.metrics.default": "full"}


def narrow(case: Case) -> Case:
    return replace(case, table=case.table.model_copy(update={"columns": (Columns(name="value", type="double"),)}))


def live_manifests(case: Case) -> list[int]:
    reports = simulate_case(case, shipped_profile(case), np.random.default_rng(0)).reports
    return (reports.manifests_created + reports.manifests_kept).tolist()


def test_as_many_streaming_commits_leave_as_many_manifests():
    case = narrow(synthetic_case(writer="streaming", horizon_s=866.0))
    assert live_manifests(case) == list(range(1, 867))  # 265 after 265 was published too


def test_appends_with_merging_off_leave_a_manifest_each():
    off = {"commit.manifest-merge.enabled": "false"}
    case = narrow(synthetic_case(writer="batch", horizon_s=201.0, properties=off))
    events = simulate_case(case, shipped_profile(case), np.random.default_rng(0)).events
    assert sum_events(events).files_written[Kind.DATA_MANIFEST] == 201  # as 1000 of 1000
    assert sum_events(events).files_deleted[Kind.DATA_MANIFEST] == 0


@pytest.mark.parametrize("columns", [10, 100])
def test_a_manifest_of_8_mib_holds_300_000_entries(columns):
    case = synthetic_case(horizon_s=1.0, properties=FULL)
    mixed = (Columns(name="t", type="string", count=columns // 2), Columns(name="n", type="long", count=columns // 2))
    case = replace(case, table=case.table.model_copy(update={"columns": mixed}))
    files = data_files_of(case, profile_named("spark_batch"))
    rng = np.random.default_rng(1)
    entries, locations = [], locations_of("s3://bucket/db/t", TableProperties())
    for commit in range(1, 201):
        query_id = draw_uuid(rng)
        numbers = FileNumbers(locations=locations, query_id=query_id, epoch=0, first_task_id=commit)
        entries += [_added(file, commit) for file in files.draw(commit, numbers, rng)]
    header = ManifestHeader(schema=files.schema, spec=files.spec)
    sizes = [len(manifest_bytes(header, entries[:count], sync_marker=bytes(16))) for count in (100, 200)]
    entries_of_8_mib = (8 << 20) / ((sizes[1] - sizes[0]) / 100)
    assert entries_of_8_mib == pytest.approx(300_000 / columns, rel=0.2)


def _added(file: DataFileEntry, commit: int) -> ManifestEntry:
    return ManifestEntry(status=1, snapshot_id=2**62 + commit, file=file)
