"""An inspection as one HTML file that loads nothing, in the reports' own style."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from wasim.doctor.document import moment
from wasim.doctor.findings import Severity
from wasim.doctor.growth import mark_rows
from wasim.doctor.inspection import Inspection
from wasim.doctor.json_parts import REST
from wasim.doctor.states import Amount, State
from wasim.doctor.terminal import (
    PROSPECT_COLUMNS,
    REMEDY_COLUMNS,
    blocker_lines,
    headline,
    history_lines,
    latency_line,
    outlook_lines,
    outlook_title,
    prospect_rows,
    remedy_rows,
    sql_lines,
    state_name,
)
from wasim.iceberg.faults import printable
from wasim.ledger import METADATA_KINDS, Kind
from wasim.report.charts import Chart, draw_chart, plan_history, plan_states
from wasim.report.pages.rendering import page_environment
from wasim.report.pages.run_page import Picture, picture_of
from wasim.report.tables import TextTable
from wasim.report.words import KIND_NAMES
from wasim.units import format_bytes

if TYPE_CHECKING:
    from wasim.doctor.outlook import Outlook


def render_page(inspection: Inspection, outlook: "Outlook | None" = None) -> str:
    """The page. Everything that came out of a table is escaped and bounded."""
    environment = page_environment("wasim.doctor")
    findings = inspection.findings
    return environment.get_template("inspection.html.jinja").render(
        title=printable(inspection.tree.opened.location, 200),
        when=moment(inspection.tree.opened.listed_at_s),
        headline=headline(inspection),
        latency=latency_line(inspection),
        critical=sum(one.severity is Severity.CRITICAL for one in findings),
        findings=_findings(inspection),
        examples=[
            (one.name.replace("_", " "), [printable(text) for text in one.examples]) for one in findings if one.examples
        ],
        states=_states(inspection),
        pictures=tuple(_pictures(inspection)),
        parts=_parts(inspection),
        history=_history(inspection),
        days=_days(inspection),
        prospects=None if outlook is None else _prospects(outlook),
        prospect_lines=() if outlook is None else tuple(outlook_lines(outlook)),
        blockers=tuple(blocker_lines(inspection)),
        remedies=_remedies(inspection, alternatives=False),
        alternatives=_remedies(inspection, alternatives=True),
        sql=sql_lines(inspection)[2:],
        identity=tuple(_identity(inspection)),
    )


def _findings(inspection: Inspection) -> TextTable:
    return TextTable(
        caption="Worst first",
        head=("severity", "finding", "remedy", "threshold from"),
        rows=tuple(
            (one.severity.name.lower(), printable(one.text), one.remedy, one.source) for one in inspection.findings
        ),
    )


def _prospects(outlook: "Outlook") -> TextTable:
    return TextTable(
        caption=outlook_title(outlook),
        head=("", *PROSPECT_COLUMNS),
        figures=PROSPECT_COLUMNS,
        rows=tuple(prospect_rows(outlook)),
    )


def _cell(amount: Amount) -> str:
    return f"{format_bytes(amount.bytes)} in {amount.files:,}" if amount.files else "–"


def _states(inspection: Inspection) -> TextTable:
    totals = inspection.totals
    states = [state for state in State if any(totals.of(kind, state).files for kind in Kind)]
    rows = [
        (KIND_NAMES[kind], _cell(totals.of(kind)), *(_cell(totals.of(kind, state)) for state in states))
        for kind in Kind
        if totals.of(kind).files
    ]
    whole = totals.of_kinds(METADATA_KINDS)
    parts = (_cell(totals.of_kinds(METADATA_KINDS, state)) for state in states)
    rows.append(("all metadata", _cell(whole), *parts))
    heads = ("all", *map(state_name, states))
    return TextTable(caption="Bytes and files", head=("", *heads), figures=heads, rows=tuple(rows))


def _pictures(inspection: Inspection) -> Iterator[Picture]:
    totals, history = inspection.totals, inspection.history
    states = [state for state in State if totals.of_kinds(METADATA_KINDS, state).files]
    laws = {kind: law.predicted for kind, law in inspection.laws.items()}
    sizes = {kind: [totals.of(kind, state).bytes for state in states] for kind in METADATA_KINDS}
    for chart in (
        plan_states([state_name(one) for one in states], sizes),
        plan_history(history.ledger, history.known, laws),
    ):
        yield picture_of(draw_chart(chart) if isinstance(chart, Chart) else chart)


def _parts(inspection: Inspection) -> TextTable:
    parts = inspection.parts
    rows = [
        (
            "all else" if part == REST else part,
            format_bytes(size),
            f"{size / max(1, parts.total_bytes):.1%}",
            format_bytes(parts.growth_bytes[part]) if part in parts.growth_bytes else "",
        )
        for part, size in sorted(parts.bytes.items(), key=lambda item: -item[1])
    ]
    head = ("part", "bytes", "share", "a commit adds")
    return TextTable(caption="Uncompressed", head=head, figures=head[1:], rows=tuple(rows))


def _history(inspection: Inspection) -> TextTable:
    rows = [tuple(line.strip().split(": ", 1)) for line in history_lines(inspection)]
    return TextTable(
        caption="Rebuilt from what is left", head=("what", "value"), rows=tuple(row for row in rows if len(row) == 2)
    )


def _days(inspection: Inspection) -> TextTable:
    rows = [(name, time, f"{why} {link}".rstrip()) for name, time, why, link in mark_rows(inspection.growth)]
    head = ("mark", "time", "why it matters")
    return TextTable(caption="Time until a mark", head=head, figures=("time",), rows=tuple(rows))


def _remedies(inspection: Inspection, *, alternatives: bool) -> TextTable:
    head = ("remedy", *REMEDY_COLUMNS, "note")
    rows = tuple(remedy_rows(inspection, alternatives=alternatives))
    caption = "One of these, instead of that expiry" if alternatives else "In the order in which to apply them"
    return TextTable(caption=caption, head=head, figures=REMEDY_COLUMNS, rows=rows)


def _identity(inspection: Inspection) -> Iterator[tuple[str, str]]:
    opened = inspection.tree.opened
    yield "location", printable(opened.location, 1_000)
    yield "location that metadata.json gives", printable(opened.metadata.location, 1_000)
    yield "current metadata.json", f"{printable(opened.chosen.path, 1_000)}: {printable(opened.chosen.why)}"
    yield "version hint", opened.chosen.hint or "none"
    yield "table UUID", printable(opened.metadata.table_uuid or "none")
    yield "format version", str(opened.metadata.format_version)
    yield "snapshots", f"{len(opened.metadata.snapshots):,}"
