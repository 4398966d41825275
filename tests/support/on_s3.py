"""What holds of every case of four commits of twenty rows on S3."""

from wasim.bench.probing import CaseContext
from wasim.ledger import Kind, RequestKind, Requests
from wasim.ledger.parquet import read_columns
from wasim.runs import CaseRun
from wasim.runs.saved import read_case


def check_on_s3(run: CaseRun, context: CaseContext) -> None:
    """Fails unless requests are counted as the files need them, and saved so."""
    assert list(run.ledger.records_live) == [20, 40, 60, 80]
    assert list(run.ledger.files_written[Kind.METADATA_JSON]) == [1, 1, 1, 1]
    assert not context.table_root.exists()
    assert {probe.temperature for probe in run.probes} == {"warm", "cold"}
    assert run.requests is not None
    counted = run.requests.of_commits()
    # two data files, a manifest, a list and a metadata.json, each by one PUT
    files = sum(int(written.sum()) for written in run.ledger.files_written.values())
    assert counted[RequestKind.PUT] == files
    assert counted[RequestKind.DELETE] == counted[RequestKind.LIST] == 0
    assert read_columns(context.folder.case(context.key) / "requests.parquet", Requests).count.sum() > files
    again = read_case(context.folder.case(context.key))
    assert again.requests is not None
    assert again.requests.of_commits() == counted
