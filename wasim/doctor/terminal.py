"""An inspection for a terminal."""

from collections.abc import Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from wasim.doctor.document import file_rows, moment_words
from wasim.doctor.findings import Severity
from wasim.doctor.growth import mark_rows
from wasim.doctor.inspection import Inspection
from wasim.doctor.json_parts import REST
from wasim.doctor.table_files import Amount, State
from wasim.errors import printable
from wasim.ledger import METADATA_KINDS, Kind
from wasim.report.tables import TextTable, table_of
from wasim.report.words import KIND_NAMES
from wasim.units import format_bytes, format_count, format_duration, format_figure

if TYPE_CHECKING:
    from wasim.doctor.outlook import Compared, Outlook

_STATE_NAMES = {State.METADATA_LOG: "in the log", State.YOUNG: "too young to say"}
_NAME_WIDTH = 20  # with five columns of figures: 80
_HEADLINE_STATES = {
    State.RETAINED: "kept for older snapshots",
    State.METADATA_LOG: "in the metadata log",
    State.ORPHAN: "orphans",
    State.YOUNG: "unreferenced but too young to call orphans",
    State.UNKNOWN: "unreferenced but perhaps needed",
}
_STYLES = {Severity.NOTE: "dim", Severity.WARNING: "yellow", Severity.CRITICAL: "bold red"}


def render_inspection(inspection: Inspection, outlook: "Outlook | None" = None) -> RenderableType:
    """Tables and lines, the answer first."""
    return Group(*_parts(inspection, outlook))


def file_lines(inspection: Inspection) -> Iterator[str]:
    """May I delete it, a line for each file: yes or no, state, bytes, file, reason; between them a tab."""
    yield "delete?\tstate\tbytes\tfile\treason"
    for row in file_rows(inspection):
        yield "\t".join(
            ("yes" if row["may_delete"] else "no", row["state"], str(row["bytes"]), row["file"], row["reason"])
        )


def headline(inspection: Inspection) -> str:
    """What the metadata is, in one sentence."""
    share = inspection.metadata_share
    whole, live = format_bytes(inspection.metadata_bytes), format_bytes(inspection.live_metadata_bytes)
    data = format_bytes(inspection.live_data_bytes or 0)
    ratio = "" if share is None else f", {format_figure(share)} × the {data} of live data"
    states = [(state, inspection.totals.of_kinds(METADATA_KINDS, state).bytes) for state in _HEADLINE_STATES]
    others = "".join(f", {format_bytes(size)} {_HEADLINE_STATES[state]}" for state, size in states if size)
    return f"Metadata takes {whole}{ratio}: {live} are live{others}."


def latency_line(inspection: Inspection) -> str:
    """What a reader waits for before its query runs, as the table is now."""
    load_ms, planning_ms = inspection.full_scan_ms
    return (
        f"A full scan now waits about {format_figure(load_ms)} ms for the table to load and"
        f" {format_figure(planning_ms)} ms for planning; machine: {inspection.machine.words}."
    )


def _parts(inspection: Inspection, outlook: "Outlook | None") -> Iterator[RenderableType]:
    metadata, chosen = inspection.tree.opened.metadata, inspection.tree.opened.chosen
    yield Text(headline(inspection), style="bold")
    uuid = metadata.table_uuid or "no table UUID"
    snapshots, updated = (
        format_count(len(metadata.snapshots), "snapshot"),
        moment_words(metadata.last_updated_ms / 1000),
    )
    yield Text(
        f"{printable(inspection.tree.opened.location)}: format {metadata.format_version}, {snapshots}, last updated"
        f" {updated}, {uuid}"
    )
    text, stored = len(inspection.tree.opened.json_text), inspection.tree.opened.json_bytes
    size = format_bytes(text) if text == stored else f"{format_bytes(text)}, {format_bytes(stored)} as stored"
    yield Text(f"Current: {printable(chosen.path)}, {chosen.why}; {size}.")
    yield Text(latency_line(inspection))
    yield from map(Text, blocker_lines(inspection))
    yield Text()
    yield _states(inspection)
    yield Text()
    parts = part_table(inspection, least=-(-inspection.parts.total_bytes // 1000))
    yield _table("What metadata.json is made of", parts, parts.rows)
    yield Text()
    yield from map(Text, history_lines(inspection))
    yield Text()
    marks = mark_rows(inspection.growth)
    linked = ((name, time, Text(why, style=f"link {link}" if link else "")) for name, time, why, link in marks)
    yield _table("At the current growth rate, time until", days_table(inspection), linked)
    yield Text()
    if outlook is not None:
        prospects = prospect_table(outlook)
        table = _table(prospects.caption, prospects, prospects.rows)
        for column in table.columns:
            column.header = str(column.header).replace(" ", "\n")
        table.columns[0].min_width = _NAME_WIDTH
        yield table
        yield from map(Text, outlook_lines(outlook))
        yield Text()
    yield from _remedies(inspection)
    yield Text()
    yield from _findings(inspection)


def _table(title: str, text: TextTable, rows: Iterable[Iterable[str | Text]]) -> Table:
    """A table for a terminal with the columns of a text's, of which figures stay on a line."""
    table = Table(title=title, title_justify="left", title_style="bold", box=None, padding=(0, 2, 0, 0), pad_edge=False)
    for name in text.head:
        if name in text.figures:
            table.add_column(name, justify="right", no_wrap=True)
        else:
            table.add_column(name, overflow="fold")
    for row in rows:
        table.add_row(*row)
    return table


def state_name(state: State) -> str:
    """What people call a state."""
    return _STATE_NAMES.get(state, state.value)


def state_table(inspection: Inspection, between: str) -> TextTable:
    """Bytes and files by kind and state; `between` stands between the two in a cell."""
    totals = inspection.totals
    states = [state for state in State if any(totals.of(kind, state).files for kind in Kind)]
    amounts = {KIND_NAMES[kind]: partial(totals.of, kind) for kind in Kind if totals.of(kind).files}
    amounts["all metadata"] = partial(totals.of_kinds, METADATA_KINDS)
    rows = [
        (name, _cell(of(), between), *(_cell(of(state), between) for state in states)) for name, of in amounts.items()
    ]
    heads = ("all", *map(state_name, states))
    return TextTable(caption="Bytes and files", head=("", *heads), figures=heads, rows=tuple(rows))


def _cell(amount: Amount, between: str) -> str:
    return f"{format_bytes(amount.bytes)}{between}{amount.files:,}" if amount.files else "–"


def _states(inspection: Inspection) -> Table:
    text, others = state_table(inspection, "\n"), inspection.totals.other
    table = _table("On storage: bytes, and files", text, text.rows[:-1])
    table.columns[0].no_wrap = True
    table.add_row(*text.rows[-1], style="bold")
    if others.files:
        table.add_row("neither", _cell(others, "\n"))
    return table


def part_table(inspection: Inspection, least: int) -> TextTable:
    """A row for each part of metadata.json that grows or has so many bytes."""
    parts, rows = inspection.parts, []
    for part, size in sorted(parts.bytes.items(), key=lambda item: -item[1]):
        growth = parts.growth_bytes.get(part)
        if size >= least or growth:
            added = "" if growth is None else format_bytes(growth)
            name = "all else" if part == REST else part
            rows.append((name, format_bytes(size), f"{size / max(1, parts.total_bytes):.1%}", added))
    head = ("part", "bytes", "share", "a commit adds")
    return TextTable(caption="Uncompressed", head=head, figures=head[1:], rows=tuple(rows))


def history_lines(inspection: Inspection) -> Iterator[str]:
    """What the history was, a line each: name, colon, value."""
    history = inspection.history
    if not len(history.ledger):
        yield "History: no snapshot is left."
        return
    interval = history.interval_s
    rate = "" if history.commits_per_hour is None else f", {format_figure(history.commits_per_hour)} commits an hour"
    commits, span_s = format_count(len(history.ledger), "commit"), round(history.span_s, 1)
    yield f"History: {commits}{f' over {format_duration(span_s)}' if span_s else ''}{rate}"
    sizes = history.versions.bytes[~np.isnan(history.versions.bytes)]
    if history.without_snapshot:
        judged = "them" if history.judged == len(history.versions) else f"the newest {history.judged:,}"
        others = f"{history.without_snapshot:,} of {judged} without a new snapshot"
        others += " (statistics, tags, properties, expiry)"
        yield f"  versions of metadata.json: {len(history.versions):,}, {others}"
    if len(sizes):
        left = format_count(len(sizes), "file")
        yield f"  metadata.json written so far: {format_bytes(int(sizes.sum()))} in the {left} left"
    if interval is not None:
        source = "" if history.interval_source == "snapshots" else f", {history.interval_source}"
        low, middle, high = (
            format_duration(max(0.001, round(one, 2))) for one in (interval.low, interval.median, interval.high)
        )
        yield f"  commit interval: {middle} ({low} to {high}) (median; 10 % to 90 % of commits{source})"
    operations = ", ".join(f"{printable(name, 40)} {count:,}" for name, count in history.operations.items())
    yield f"  operations: {operations}"
    for writer, count in history.writers.items():
        yield f"  written by: {printable(writer, 100)} ({count:,})"
    for kind in Kind:
        spread = history.bytes_per_commit(kind)
        if spread is not None and spread.high:
            each = "version" if kind is Kind.METADATA_JSON else "commit"
            low, middle, high = map(format_bytes, (spread.low, spread.median, spread.high))
            yield f"  {KIND_NAMES[kind]} a {each}: {middle} ({low} to {high})"


def days_table(inspection: Inspection) -> TextTable:
    """A row for each mark: its name, the time until it, and why it matters."""
    rows = [(name, time, f"{why} {link}".rstrip()) for name, time, why, link in mark_rows(inspection.growth)]
    head = ("mark", "time", "why it matters")
    return TextTable(caption="Time until a mark", head=head, figures=("time",), rows=tuple(rows))


def prospect_table(outlook: "Outlook") -> TextTable:
    """A row for each way to go on."""
    return table_of(
        f"With this setting from the start: metadata to date, and after {format_duration(outlook.ahead_s)} more",
        (
            {
                "": one.name,
                "written so far": format_bytes(one.written_so_far_bytes),
                "written ahead": format_bytes(one.written_ahead_bytes),
                "on storage, most": format_bytes(one.on_disk_bytes),
                "metadata.json, most": format_bytes(one.metadata_json_bytes),
                "manifests, most": f"{one.manifests:,}",
            }
            for one in outlook.prospects
        ),
    )


def outlook_lines(outlook: "Outlook") -> Iterator[str]:
    """The outlook as lines: how the table is written now, how exact its simulation is, and what is not simulated."""
    interval = format_duration(round(outlook.commit_interval_s, 3))
    jobs = outlook.maintenance_words
    yield f"As it is: {format_count(outlook.commits_so_far, 'commit')} that added data, one every {interval}, {jobs}."
    yield from _own_size_lines(outlook)
    yield from (f"Note: {printable(note)}." for note in outlook.notes)


def _own_size_lines(outlook: "Outlook") -> Iterator[str]:
    """What the forecast starts from, and how far it is from the table now, kind by kind."""
    observed, json = outlook.observed, outlook.observed.json
    each = observed.versions
    versions = "" if each is None else f", {format_figure(each)} metadata.json for each commit"
    held = f", {observed.held_share:.1%} of them held by tags and branches" if observed.held_share else ""
    yield (
        f"By its own files a snapshot takes {format_bytes(json.snapshot + json.statistics)} of metadata.json"
        f"{held}{versions}."
    )
    shown = (
        f"{one.name} {_amount(one, one.simulated)} ({_amount(one, one.found)}, {_amount(one, one.profile)})"
        for one in outlook.now
    )
    yield f"Now, simulated (actual, by its writer's profile): {', '.join(shown)}."
    if outlook.band is None:
        yield "How far bytes written are off is not known: what changes of rows write is left out."
    else:
        yield f"Bytes written are within {outlook.band:.1%}, as far as sizes decide them."


def _amount(compared: "Compared", value: int) -> str:
    return format_bytes(value) if compared.is_bytes else f"{value:,}"


def blocker_lines(inspection: Inspection) -> Iterator[str]:
    """Why no file is called an orphan, a line for each reason; none if files may be."""
    return (f"No file is called an orphan: {printable(one.reason, 1_000)}." for one in inspection.tree.blockers)


def remedy_table(inspection: Inspection, *, alternatives: bool) -> TextTable:
    """A row for each remedy, or for each alternative to one."""
    figures, rows = ("files", "frees", "each metadata.json"), []
    for remedy in inspection.remedies:
        if remedy.is_alternative is alternatives:
            about = "≈ " if remedy.is_estimate else ""
            files = f"{remedy.total.files:,}" if remedy.frees else ""
            frees = f"{about}{format_bytes(remedy.total.bytes)}" if remedy.frees else ""
            saved = f"−{format_bytes(remedy.json_bytes_saved)}" if remedy.json_bytes_saved else ""
            rows.append((remedy.name, files, frees, saved, printable(remedy.note, 400)))
    caption = "One of these, instead of that expiry" if alternatives else "In the order in which to apply them"
    return TextTable(caption=caption, head=("remedy", *figures, "note"), figures=figures, rows=tuple(rows))


def _remedies(inspection: Inspection) -> Iterator[RenderableType]:
    remedies = remedy_table(inspection, alternatives=False)
    yield _table("What would free how much, in this order", remedies, remedies.rows)
    others = [f"{row[0].partition(' ')[2]} ({row[2]})" for row in remedy_table(inspection, alternatives=True).rows]
    if others:
        yield Text(f"Instead of that expiry: {', '.join(others)}; --json has their statements.", style="dim")


def sql_lines(inspection: Inspection) -> list[str]:
    """The remedies as SQL for Spark, in the order in which to run them."""
    lines = [f"{printable(one.sql, 1_000)};" for one in inspection.remedies if one.sql and not one.is_alternative]
    return ["", "-- In Spark's SQL, in this order; nothing was run:", *lines] if lines else []


def _findings(inspection: Inspection) -> Iterator[RenderableType]:
    if not inspection.findings:
        yield Text("Nothing found.", style="green")
        return
    yield Text("Findings", style="bold")
    for finding in inspection.findings:
        source = f" ({finding.source})" if finding.source else ""
        head = Text(f"  {finding.severity.name.lower()} {finding.identity}: ", style=_STYLES[finding.severity])
        yield head.append(f"{printable(finding.text, 1_000)}{source}", style="default")
        for example in finding.examples[:3]:
            yield Text(f"    {printable(example, 300)}", style="dim")
        yield Text(f"    remedy: {finding.remedy}")
