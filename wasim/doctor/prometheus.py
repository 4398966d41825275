"""An inspection in Prometheus' text format."""

from collections.abc import Iterator

from wasim.doctor.findings import Severity, measures
from wasim.doctor.inspection import Inspection
from wasim.doctor.states import State
from wasim.iceberg.faults import printable
from wasim.ledger import Kind


def render_prometheus(inspection: Inspection) -> str:
    """Gauges named `wasim_table_…`, each with its help."""
    return "\n".join(_lines(inspection)) + "\n"


def _lines(inspection: Inspection) -> Iterator[str]:
    table = f'table="{_escaped(inspection.tree.opened.location)}"'
    totals, growth = inspection.totals, inspection.growth
    yield from _head("wasim_table_inspected_timestamp_seconds", "When the table was last read")
    yield f"wasim_table_inspected_timestamp_seconds{{{table}}} {inspection.tree.opened.listed_at_s:.3f}"
    if len(committed_at_s := inspection.history.ledger.reported_at_s):
        yield from _head("wasim_table_last_commit_timestamp_seconds", "When the newest snapshot was made")
        yield f"wasim_table_last_commit_timestamp_seconds{{{table}}} {float(committed_at_s[-1]):.3f}"
    kinds = [(kind, state, totals.of(kind, state)) for kind in Kind for state in State if totals.of(kind, state).files]
    yield from _head("wasim_table_bytes", "Bytes on storage by kind and state")
    for kind, state, amount in kinds:
        yield f'wasim_table_bytes{{{table},kind="{kind.value}",state="{state.value}"}} {amount.bytes}'
    yield from _head("wasim_table_files", "Files on storage by kind and state")
    for kind, state, amount in kinds:
        yield f'wasim_table_files{{{table},kind="{kind.value}",state="{state.value}"}} {amount.files}'
    if inspection.live_data_bytes is not None:
        yield from _head("wasim_table_live_data_bytes", "Bytes of the current snapshot's data and delete files")
        yield f"wasim_table_live_data_bytes{{{table}}} {inspection.live_data_bytes}"
    yield from _head("wasim_table_measure", "Sizes and counts that thresholds are for")
    for name, value in measures(inspection.tree, totals).items():
        yield f'wasim_table_measure{{{table},measure="{name}"}} {value:.10g}'
    yield from _head("wasim_table_metadata_json_part_bytes", "Bytes of metadata.json by part, uncompressed")
    for part, size in inspection.parts.bytes.items():
        yield f'wasim_table_metadata_json_part_bytes{{{table},part="{part}"}} {size}'
    if inspection.history.interval_s is not None:
        yield from _head("wasim_table_commit_interval_seconds", "Median time between commits")
        yield f"wasim_table_commit_interval_seconds{{{table}}} {inspection.history.interval_s.median:.10g}"
    yield from _head("wasim_table_days_until", "Days until a mark is reached; 0 where it is passed")
    for mark, days in growth.days_until.items():
        if days is not None:
            yield f'wasim_table_days_until{{{table},mark="{_escaped(mark)}"}} {days:.10g}'
    yield from _head("wasim_table_findings", "Findings by severity")
    for severity in Severity:
        count = sum(one.severity is severity for one in inspection.findings)
        yield f'wasim_table_findings{{{table},severity="{severity.name.lower()}"}} {count}'


def _head(name: str, text: str) -> tuple[str, str]:
    return f"# HELP {name} {text}.", f"# TYPE {name} gauge"


def _escaped(text: str) -> str:
    return printable(text, 1_000).replace("\\", r"\\").replace('"', r"\"")
