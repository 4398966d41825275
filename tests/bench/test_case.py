"""What surrounds the steps of a case."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from support.contexts import context_of
from support.on_s3 import check_on_s3

from wasim.bench.case import warm_up
from wasim.bench.probing import CaseContext
from wasim.ledger import FileEvents, Kind, RequestKind
from wasim.ledger.parquet import read_columns
from wasim.runs import CaseRun
from wasim.scenario import Case
from wasim.spark import Session
from wasim.spark.servers import Servers


def test_a_warm_up_clears_away_what_a_killed_one_left(
    session: Session, servers: Servers, tmp_path: Path, small_case: Callable[..., Case]
) -> None:
    case = small_case(environment="{warm_up_commits: 2}")
    context = replace(context_of("core", case, session, servers, tmp_path), key="warm-up")
    (context.warehouse / "journal").mkdir(parents=True)
    (context.warehouse / "journal" / "spark").write_text("cut off")
    warm_up(case, context)
    assert not context.warehouse.exists()


RunCase = Callable[[Case], tuple[CaseRun, CaseContext]]
MakeCase = Callable[..., Case]
UUID = "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"
COLD = "{rounds: 1, rounds_at_end: 1, cold: true, execution: true, checkpoints: [1.0]}"


def files_of(context: CaseContext) -> list[str]:
    return list(read_columns(context.folder.case(context.key) / "events.parquet", FileEvents).file)


def place(catalog: str, store: str = "local") -> str:
    return f"{{warm_up_commits: 0, catalog: {catalog}, store: {store}}}"


def test_the_hadoop_catalog_counts_metadata_files_and_leaves_a_hint(run_case: RunCase, small_case: MakeCase) -> None:
    run, context = run_case(small_case(environment=place("hadoop")))
    names = [Path(file).name for file in files_of(context) if file.endswith(".metadata.json")]
    assert names == ["v1.metadata.json", "v2.metadata.json", "v3.metadata.json", "v4.metadata.json", "v5.metadata.json"]
    assert (context.table_root / "metadata" / "version-hint.text").read_text() == "5"
    assert run.totals.files_written[Kind.VERSION_HINT] == 5
    assert run.requests is None


@pytest.mark.slow
@pytest.mark.parametrize("writer", ["batch", "streaming"])
def test_a_rest_catalog_writes_metadata_and_its_client_the_rest(
    writer: str, run_case: RunCase, small_case: MakeCase
) -> None:
    planning = COLD if writer == "batch" else COLD.replace("cold: true", "cold: false")
    case = small_case(environment=place("rest"), planning=planning, writer=writer)
    run, context = run_case(case)
    names = [Path(file).name for file in files_of(context) if file.endswith(".metadata.json")]
    assert all(re.fullmatch(rf"0000{number}-{UUID}\.metadata\.json", name) for number, name in enumerate(names))
    assert len(names) == 5
    assert list(run.ledger.files_written[Kind.METADATA_JSON]) == [1, 1, 1, 1]
    assert list(run.ledger.records_live) == [20, 40, 60, 80]
    assert {probe.files_planned for probe in run.probes if probe.query == "full_scan"} == {4}


# a REST catalog's is in test_canaries.py, where its credentials are looked for too
@pytest.mark.slow
@pytest.mark.parametrize("catalog", ["jdbc", "in_memory"])
def test_on_s3_events_agree_with_the_bucket_requests_are_counted(
    catalog: str, run_case: RunCase, small_case: MakeCase
) -> None:
    check_on_s3(*run_case(small_case(environment=place(catalog, "s3proxy"), planning=COLD, writer="streaming")))


@pytest.mark.slow
def test_maintenance_on_s3_deletes_by_the_batch_and_balances(run_case: RunCase, small_case: MakeCase) -> None:
    maintenance = (
        "{rewrite_data_files: {every: 2s, min_input_files: 2}, expire_snapshots: {every: 4s, older_than: 1s},"
        " remove_orphan_files: {every: 4s, older_than: 1s}}"
    )
    table = "{columns: [{name: reading, type: double}], properties: {write.delete.mode: merge-on-read}}"
    run, _ = run_case(small_case(environment=place("rest", "s3proxy"), table=table, maintenance=maintenance))
    assert run.totals.files_deleted[Kind.MANIFEST_LIST] > 0
    assert run.totals.files_deleted[Kind.DATA] > 0
    assert run.requests is not None
    asked = dict(zip(run.requests.request, run.requests.count, strict=True))
    assert asked["DeleteObjects"] > 0
    outside_commits = run.requests.of_steps()[RequestKind.DELETE] - run.requests.of_commits()[RequestKind.DELETE]
    assert outside_commits > 0
    assert run.requests.of_steps()[RequestKind.LIST] > 0


@pytest.mark.parametrize(
    ("catalog", "writer"),
    [
        ("jdbc", "{kind: streaming, sink: foreach_batch, tables: 3}"),
        pytest.param("hadoop", "{kind: batch, tables: 3}", marks=pytest.mark.slow),
        pytest.param("in_memory", "{kind: batch, tables: 3}", marks=pytest.mark.slow),
    ],
)
def test_a_job_appends_to_several_tables_and_records_one(
    catalog: str, writer: str, run_case: RunCase, small_case: MakeCase
) -> None:
    run, context = run_case(small_case(writer=writer, environment=place(catalog)))
    tables = json.loads((context.folder.case(context.key) / "tables.json").read_text())
    assert [one["table"] for one in tables] == ["wasim.db.events", "others.db.t00002", "others.db.t00003"]
    files = {
        str(kind): count for kind, count in run.totals.files_written.items() if count and kind != Kind.VERSION_HINT
    }
    for one in tables:
        one["counts"]["files"].pop(str(Kind.VERSION_HINT), None)  # which each commit replaces
        assert one["counts"] == {"rows": 80, "snapshots": 4, "files": files}
        for kind in files:
            assert one["bytes"][kind] == pytest.approx(run.totals.written_bytes[Kind(kind)], rel=0.01)
    assert run.ledger.step_ms.mean() > 2 * run.ledger.commit_ms.mean()  # of all three
