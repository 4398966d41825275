"""An inspection as one HTML file that loads nothing, in the reports' own style."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from wasim.doctor import terminal
from wasim.doctor.document import moment
from wasim.doctor.findings import Severity
from wasim.doctor.inspection import Inspection
from wasim.doctor.table_files import State
from wasim.errors import printable
from wasim.ledger import METADATA_KINDS
from wasim.report.charts import Chart, draw_chart, plan_history, plan_states
from wasim.report.pages.rendering import page_environment
from wasim.report.pages.run_page import Picture, picture_of
from wasim.report.tables import TextTable

if TYPE_CHECKING:
    from wasim.doctor.outlook import Outlook


def render_page(inspection: Inspection, outlook: "Outlook | None" = None) -> str:
    """The page. Everything that came out of a table is escaped and bounded."""
    environment = page_environment("wasim.doctor")
    findings = inspection.findings
    return environment.get_template("inspection.html.jinja").render(
        title=printable(inspection.tree.opened.location, 200),
        when=moment(inspection.tree.opened.listed_at_s),
        headline=terminal.headline(inspection),
        latency=terminal.latency_line(inspection),
        critical=sum(one.severity is Severity.CRITICAL for one in findings),
        findings=_findings(inspection),
        examples=[
            (one.name.replace("_", " "), [printable(text) for text in one.examples]) for one in findings if one.examples
        ],
        states=terminal.state_table(inspection, " in "),
        pictures=tuple(_pictures(inspection)),
        parts=terminal.part_table(inspection, least=0),
        history=_history(inspection),
        days=terminal.days_table(inspection),
        prospects=None if outlook is None else terminal.prospect_table(outlook),
        prospect_lines=() if outlook is None else tuple(terminal.outlook_lines(outlook)),
        blockers=tuple(terminal.blocker_lines(inspection)),
        remedies=terminal.remedy_table(inspection, alternatives=False),
        alternatives=terminal.remedy_table(inspection, alternatives=True),
        sql=terminal.sql_lines(inspection)[2:],
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


def _pictures(inspection: Inspection) -> Iterator[Picture]:
    totals, history = inspection.totals, inspection.history
    states = [state for state in State if totals.of_kinds(METADATA_KINDS, state).files]
    sizes = {kind: [totals.of(kind, state).bytes for state in states] for kind in METADATA_KINDS}
    for chart in (
        plan_states([terminal.state_name(one) for one in states], sizes),
        plan_history(history.ledger.written_bytes, history.known),
    ):
        yield picture_of(draw_chart(chart) if isinstance(chart, Chart) else chart)


def _history(inspection: Inspection) -> TextTable:
    rows = [tuple(line.strip().split(": ", 1)) for line in terminal.history_lines(inspection)]
    return TextTable(
        caption="Rebuilt from what is left", head=("what", "value"), rows=tuple(row for row in rows if len(row) == 2)
    )


def _identity(inspection: Inspection) -> Iterator[tuple[str, str]]:
    opened = inspection.tree.opened
    yield "location", printable(opened.location, 1_000)
    yield "location that metadata.json gives", printable(opened.metadata.location, 1_000)
    yield "current metadata.json", f"{printable(opened.chosen.path, 1_000)}: {printable(opened.chosen.why)}"
    yield "version hint", opened.chosen.hint or "none"
    yield "table UUID", printable(opened.metadata.table_uuid or "none")
    yield "format version", str(opened.metadata.format_version)
    yield "snapshots", f"{len(opened.metadata.snapshots):,}"
