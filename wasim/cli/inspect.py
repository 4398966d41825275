"""`wasim inspect`: what a real table's metadata is, and what of it may go."""

import json
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wasim.cli.options import AsJson
from wasim.errors import ExitCode, WasimError

if TYPE_CHECKING:
    from wasim.doctor import Inspection


class NewestByName(StrEnum):
    """What makes a metadata.json newer than another."""

    VERSION = "version"
    LAST_UPDATED = "last-updated"


class FailOn(StrEnum):
    """From which severity on findings end in exit code 1."""

    NOTE = "note"
    WARNING = "warning"
    CRITICAL = "critical"
    NEVER = "never"


def inspect(
    location: Annotated[
        str, typer.Argument(metavar="LOCATION", help="A table's folder or metadata.json, local or s3://.")
    ],
    metadata_file: Annotated[
        str | None, typer.Option("--metadata-file", help="The current metadata.json, instead of the newest there.")
    ] = None,
    table_uuid: Annotated[str | None, typer.Option("--table-uuid", help="Only metadata.json of this table.")] = None,
    newest_by: Annotated[
        NewestByName, typer.Option("--newest-by", help="By the version in the name, or by last-updated-ms inside.")
    ] = NewestByName.VERSION,
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
    files: Annotated[bool, typer.Option("--files", help="May I delete it? File by file.")] = False,
    as_json: AsJson = False,
    prometheus: Annotated[bool, typer.Option("--prometheus", help="Print Prometheus' text format.")] = False,
    html: Annotated[Path | None, typer.Option("--html", help="File that takes the page.")] = None,
    name: Annotated[str, typer.Option("--name", help="What SQL calls the table.")] = "catalog.namespace.table",
    endpoint: Annotated[str | None, typer.Option("--s3-endpoint", help="URL of an S3 endpoint.")] = None,
    region: Annotated[str | None, typer.Option("--s3-region", help="Region of the bucket.")] = None,
    profile: Annotated[str | None, typer.Option("--s3-profile", help="Profile of AWS's shared files.")] = None,
    anonymous: Annotated[bool, typer.Option("--s3-anonymous", help="Without credentials.")] = False,
) -> None:
    """Say what a table's metadata is, what of it may go, and how it grows. Reads only."""
    from wasim.doctor import Choice, InspectOptions, inspect_location
    from wasim.iceberg.resolve import NewestBy
    from wasim.storage import S3Options

    options = InspectOptions(
        choice=Choice(
            metadata_file=metadata_file, table_uuid=table_uuid, newest_by=NewestBy(newest_by.value.replace("-", "_"))
        ),
        s3=S3Options(endpoint=endpoint, region=region, profile=profile, anonymous=anonymous),
        grace_s=_grace_s(grace),
        reads_manifests=manifests,
        thresholds=dict(map(_limit, limit or [])),
        table=name,
    )
    inspection = inspect_location(location, options)
    _show(inspection, files=files, as_json=as_json, prometheus=prometheus)
    if fail_on is not FailOn.NEVER and any(one.severity >= list(FailOn).index(fail_on) for one in inspection.findings):
        raise typer.Exit(int(ExitCode.FINDINGS))


def _show(inspection: "Inspection", *, files: bool, as_json: bool, prometheus: bool) -> None:
    if as_json:
        from wasim.doctor.document import inspection_document

        return typer.echo(json.dumps(inspection_document(inspection, files=files)))
    if prometheus:
        from wasim.doctor.prometheus import render_prometheus

        return typer.echo(render_prometheus(inspection), nl=False)
    from rich.console import Console

    from wasim.doctor.terminal import file_lines, render_inspection, sql_lines

    if not files:
        Console().print(render_inspection(inspection))
    for line in file_lines(inspection) if files else sql_lines(inspection):
        typer.echo(line)  # whole, so that it can be copied
    return None


def _grace_s(text: str) -> float:
    from wasim.units import parse_duration_s

    if text == "0":
        return 0.0
    try:
        return parse_duration_s(text)
    except ValueError as error:
        raise WasimError(f"--grace is {text!r}. Give 0 or {error}.") from None


def _limit(text: str) -> tuple[str, tuple[float, float]]:
    name, _, values = text.partition("=")
    first, _, second = values.partition(",")
    try:
        return name, (float(first), float(second or "inf"))
    except ValueError:
        raise WasimError(f"--limit is {text!r}. Give it such as snapshots=1000,5000.") from None
