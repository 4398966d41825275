"""What the doctor says of a table that a case wrote, against the run's own recording."""

from collections.abc import Mapping

from wasim.bench.probing import CaseContext
from wasim.doctor import InspectOptions, inspect_location
from wasim.doctor.inspection import live_bytes
from wasim.iceberg.properties import TableProperties
from wasim.ledger import METADATA_KINDS, Kind
from wasim.ledger.vocabulary import DATA_KINDS
from wasim.runs import CaseRun
from wasim.scenario import Case
from wasim.scenario.change_checks import evolve


def check_inspected(run: CaseRun, context: CaseContext) -> None:
    """Fails unless the doctor's totals are the recording's, to the byte.

    Tables on S3 and in memory, and those whose files lie elsewhere, are passed over.
    """
    if not (context.table_root / "metadata").is_dir():
        return
    properties = TableProperties.read_leniently(_at_the_end(run.case))
    if properties.write_data_location or properties.write_metadata_location:
        return  # files outside the table's folder are not looked for
    inspection = inspect_location(str(context.table_root), InspectOptions(grace_s=0))
    kinds = tuple(Kind) if context.engine.writes_data else METADATA_KINDS
    found = {kind: inspection.totals.of(kind).bytes for kind in kinds}
    assert found == {kind: run.totals.on_disk_bytes[kind] for kind in kinds}
    live = live_bytes(inspection)
    of_lists = (Kind.METADATA_JSON, Kind.MANIFEST_LIST, Kind.DATA_MANIFEST, Kind.DELETE_MANIFEST)
    for kind in (*of_lists, *DATA_KINDS):
        assert live[kind] == run.live_bytes[kind], kind
    wrong = {"unreadable", "unsupported", "absent_metadata", "inconsistent", "wrong_manifest_length", "wrong_count"}
    assert not wrong & {finding.name for finding in inspection.findings}


def _at_the_end(case: Case) -> Mapping[str, str]:
    """The table's properties once it has evolved."""
    table = case.table
    for evolution in case.evolution:
        table = evolve(table, evolution)
    return table.properties
