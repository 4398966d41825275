"""`wasim inspect` and `watch`: what a real table's metadata is, what of it may go, and its new commits as they come."""

import json
from collections.abc import Sequence
from contextlib import closing, nullcontext
from dataclasses import replace
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wasim.cli.options import AsJson, TableOptions, check_writable, map_on, only_one, refuse, takes_table
from wasim.cli.terminal import console, echo
from wasim.errors import ExitCode, WasimError, quoted

if TYPE_CHECKING:
    from wasim.doctor import Inspection, InspectOptions, Severity
    from wasim.doctor.configuration import Configuration
    from wasim.doctor.file_view import FileView
    from wasim.doctor.outlook import Outlook
    from wasim.ledger.machine import Machine
    from wasim.storage import S3Options


_MOST_RECORDS = 20


class FailOn(StrEnum):
    """From which severity on findings end in exit code 1."""

    NOTE = "note"
    WARNING = "warning"
    CRITICAL = "critical"
    NEVER = "never"


@takes_table
def inspect(
    location: Annotated[
        str,
        typer.Argument(
            metavar="LOCATION", help="A table's folder or file, local or s3://, or catalog.namespace.table."
        ),
    ],
    grace: Annotated[
        str, typer.Option("--grace", help="Files younger than this are never called orphans; 0 for none.")
    ] = "3d",
    manifests: Annotated[
        bool, typer.Option("--manifests/--no-manifests", help="Read manifests, for what is known of data files.")
    ] = True,
    limit: Annotated[
        list[str] | None,
        typer.Option("--limit", metavar="NAME=WARNING[,CRITICAL]", help="Another threshold for a finding."),
    ] = None,
    fail_on: Annotated[
        FailOn, typer.Option("--fail-on", help="From which finding on to exit with 1.")
    ] = FailOn.WARNING,
    interval: Annotated[
        str | None, typer.Option("--commit-interval", help="The true one, where stamps of snapshots do not tell it.")
    ] = None,
    forecast: Annotated[
        str | None,
        typer.Option(
            "--forecast",
            metavar="DURATION",
            help="Simulate the table this far ahead: as it is written now, at other intervals, with maintenance.",
        ),
    ] = None,
    config: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Thresholds, and findings that are accepted; wasim.toml.")
    ] = None,
    files: Annotated[bool, typer.Option("--files", help="May I delete it? File by file.")] = False,
    as_file: Annotated[
        bool, typer.Option("--as-file", help="Print this one metadata.json, not the table that it is of.")
    ] = False,
    as_json: AsJson = False,
    prometheus: Annotated[bool, typer.Option("--prometheus", help="Print Prometheus' text format.")] = False,
    html: Annotated[Path | None, typer.Option("--html", help="File that takes the page.")] = None,
    threads: Annotated[
        int | None, typer.Option(min=1, help="Threads that read manifests, for the time that planning takes.")
    ] = None,
    from_run: Annotated[
        Path | None, typer.Option(metavar="RUN", help="The machine that a run timed planning on; latest is the newest.")
    ] = None,
    name: Annotated[str | None, typer.Option("--name", help="What SQL calls the table.")] = None,
    master: Annotated[
        str | None, typer.Option("--master", help="Spark that lists and decodes; left out: this process.")
    ] = None,
    *,
    table: TableOptions,
) -> None:
    """Say what a table's metadata is, what of it may go, and how it grows. Reads only."""
    from wasim.doctor import inspect_location
    from wasim.doctor.catalogs import is_table_name
    from wasim.doctor.configuration import load_configuration
    from wasim.doctor.warehouse import find_tables
    from wasim.units import MOST_AHEAD_S, duration_of_flag_s

    if html is not None:
        check_writable("--html", html)
    printed = {"--json": as_json, "--prometheus": prometheus, "--files": files and not as_json}
    as_text = only_one(printed)
    if html is None and as_text in ("--prometheus", "--files"):
        refuse({"--forecast": forecast}, f"is not in what {as_text} prints. Leave one out, or give --json or --html.")
    of_a_table: dict[str, object] = {
        "--forecast": forecast,
        "--files": files,
        "--prometheus": prometheus,
        "--html": html,
    }
    of_a_table |= {"--master": master, "--name": name, "--commit-interval": interval, "--threads": threads}
    of_a_table |= {"--from-run": from_run}
    if (view := _file_view(location, as_file=as_file, s3=table.inspecting().s3)) is not None:
        refuse(of_a_table, f"is for a table, and {location} is a file. Name the table's folder.")
        return _show_file(view, as_json=as_json)
    refuse({"--as-file": as_file}, f"is for a file, and {location} is none. Name a metadata.json.")
    configuration, today = load_configuration(config), datetime.now(UTC).date()
    options = replace(
        table.inspecting(),
        grace_s=0.0 if grace == "0" else duration_of_flag_s("--grace", grace),
        reads_manifests=manifests,
        thresholds={**configuration.thresholds, **dict(map(_limit, limit or []))},
        table=_sql_name(name) or (location if is_table_name(location) else "catalog.namespace.table"),
        commit_interval_s=None if interval is None else duration_of_flag_s("--commit-interval", interval),
        machine=_machine(threads, from_run),
    )
    ahead_s = None if forecast is None else duration_of_flag_s("--forecast", forecast, MOST_AHEAD_S)
    if len(tables := find_tables(location, options.s3)) > 1:
        refuse(of_a_table, f"is for one table, and {location} holds {len(tables)}. Name one of them.")
        return _show_tables(tables, location, options, configuration, fail_on, as_json=as_json)
    with map_on(master, "inspect") as map_parts:
        inspection = inspect_location(location, options, map_parts)
    outlook = None if ahead_s is None else _outlook(inspection, ahead_s)
    _show(inspection, outlook, files=files, as_json=as_json, prometheus=prometheus)
    if html is not None:
        from wasim.doctor.page import render_page
        from wasim.runs import write_atomically

        write_atomically(html, render_page(inspection, outlook))
    counted = configuration.counted(inspection.findings, location, today)
    for one in inspection.findings:
        if (accepted := configuration.accepts(one, location, today)) is not None:
            echo(f"accepted until {accepted.until}: {one.identity} {one.name}: {accepted.reason}", err=True)
    return _exit(fail_on, [one.severity for one in counted])


def _sql_name(name: str | None) -> str | None:
    if name is None:
        return None
    from wasim.capacity.request import table_name_of

    return table_name_of(name)


def _exit(fail_on: FailOn, severities: "Sequence[Severity | None]") -> None:
    if fail_on is not FailOn.NEVER and any(
        one is not None and one >= list(FailOn).index(fail_on) for one in severities
    ):
        raise typer.Exit(int(ExitCode.FINDINGS))


def _show_tables(
    tables: "Sequence[str]",
    location: str,
    options: "InspectOptions",
    configuration: "Configuration",
    fail_on: FailOn,
    *,
    as_json: bool,
) -> None:
    """A row for each table, the worst first; exit 1 by the worst of them, and where one could not be inspected."""
    from wasim.doctor.warehouse import inspect_tables, tables_document, tables_table
    from wasim.report.tables import table_lines

    rows = inspect_tables(tables, options, configuration, datetime.now(UTC).date())
    if as_json:
        echo(json.dumps(tables_document(rows, location)))
    else:
        for line in table_lines(tables_table(rows, location)):
            echo(line)
    for row in rows:
        if row.error:
            echo(f"not inspected: {row.table}: {row.error}", err=True)
    if fail_on is not FailOn.NEVER and any(row.error for row in rows):
        raise typer.Exit(int(ExitCode.FINDINGS))
    _exit(fail_on, [row.severity for row in rows])


def _machine(threads: int | None, run: Path | None) -> "Machine":
    """The machine that planning is estimated for. WasimError for a run that timed none."""
    from wasim.ledger.machine import SHIPPED_MACHINE, machine_of_run

    machine: Machine | None = SHIPPED_MACHINE
    if run is not None:
        from wasim.runs.folder import find_run

        machine = machine_of_run(find_run(run))
    if machine is None:
        raise WasimError(f"--from-run: {run} timed no planning. Give a run of a scenario that has `planning`.")
    if threads is None:
        return machine
    return replace(machine, threads=threads, words=f"{machine.words}, {threads} threads")


def _outlook(inspection: "Inspection", ahead_s: float) -> "Outlook | None":
    """The forecast; None, and a line on stderr, where the table's history allows none."""
    from wasim.doctor.outlook import outlook_of

    try:
        return outlook_of(inspection, ahead_s)
    except WasimError as error:
        echo(f"No forecast: {error}", err=True)
        return None


def _file_view(location: str, *, as_file: bool, s3: "S3Options") -> "FileView | None":
    """The file at the location, unless it is a metadata.json that stands for its table; None where it is no file."""
    from wasim.doctor.catalogs import is_table_name
    from wasim.doctor.file_view import view_file
    from wasim.iceberg.resolve import is_metadata_json
    from wasim.storage import open_storage, plain_path

    path = plain_path(location)
    if is_table_name(location) or (is_metadata_json(path) and not as_file):
        return None
    storage = open_storage(location, s3)
    if storage.find(path) is None:
        return None
    return view_file(storage.read(path), source=location)


def _show_file(view: "FileView", *, as_json: bool) -> None:
    from wasim.doctor.file_view import file_view_document, render_file_view

    if as_json:
        return echo(json.dumps(file_view_document(view)))
    for line in render_file_view(view, _MOST_RECORDS):
        echo(line)
    return None


def _show(inspection: "Inspection", outlook: "Outlook | None", *, files: bool, as_json: bool, prometheus: bool) -> None:
    if as_json:
        from wasim.doctor.document import inspection_document

        return echo(json.dumps(inspection_document(inspection, files=files, outlook=outlook)))
    if prometheus:
        from wasim.doctor.watching import render_prometheus

        return echo(render_prometheus(inspection), nl=False)
    from wasim.doctor.terminal import file_lines, render_inspection, sql_lines

    if not files:
        console().print(render_inspection(inspection, outlook))
    for line in file_lines(inspection) if files else sql_lines(inspection):
        echo(line)  # whole, so that it can be copied
    return None


def _limit(text: str) -> tuple[str, tuple[float, float]]:
    name, _, values = text.partition("=")
    first, _, second = values.partition(",")
    try:
        warning, critical = float(first), float(second or "inf")
    except ValueError:
        warning = critical = float("nan")
    if not warning <= critical:  # nor is anything that is no number
        raise WasimError(f"--limit is {quoted(text)}. Give it such as snapshots=1000,5000.")
    return name, (warning, critical)


@takes_table
def watch(
    location: Annotated[
        str, typer.Argument(metavar="LOCATION", help="A table's folder, local or s3://, or catalog.namespace.table.")
    ],
    every: Annotated[str, typer.Option("--every", help="How often to look.")] = "5m",
    for_how_long: Annotated[str, typer.Option("--for", help="When to end.")] = "1h",
    port: Annotated[
        int | None, typer.Option("--prometheus-port", help="Serve Prometheus' text on this port of the loopback.")
    ] = None,
    *,
    table: TableOptions,
) -> None:
    """Print new commits of a table as they come: what each wrote, by kind. Reads only."""
    from wasim.doctor import inspect_location
    from wasim.doctor.watching import Exposition, render_prometheus
    from wasim.doctor.watching import watch as watch_table
    from wasim.units import duration_of_flag_s

    options = replace(table.inspecting(), reads_manifests=False)
    every_s, for_s = duration_of_flag_s("--every", every), duration_of_flag_s("--for", for_how_long)
    with nullcontext() if port is None else closing(Exposition(port)) as exposition:

        def expose(inspection: "Inspection") -> None:
            if exposition is not None:
                exposition.text = render_prometheus(inspection)

        if exposition is not None:
            echo(f"Prometheus: http://127.0.0.1:{exposition.port}/metrics", err=True)
        for line in watch_table(lambda: inspect_location(location, options), every_s=every_s, for_s=for_s, seen=expose):
            echo(line)
