"""`wasim plan`: which commit interval and which maintenance to choose, under limits."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wasim.cli.options import AsJson, Settings, overrides_of
from wasim.errors import ExitCode, WasimError

if TYPE_CHECKING:
    from wasim.capacity.request import PlanRequest, Wishes

Text = str | None


def plan(
    file: Annotated[
        Path | None, typer.Argument(metavar="[SCENARIO]", help="A scenario, instead of the flags of a workload.")
    ] = None,
    rows_per_second: Annotated[Text, typer.Option(metavar="ROWS", help="Rows that arrive in a second.")] = None,
    columns: Annotated[Text, typer.Option(metavar="N", help="Columns of the table; 20.")] = None,
    files_per_commit: Annotated[
        Text, typer.Option(metavar="N", help="Tasks that write in a commit, a file to each partition; 1.")
    ] = None,
    partitions: Annotated[Text, typer.Option(metavar="N", help="Partitions that each commit writes to; 0.")] = None,
    writer: Annotated[Text, typer.Option(help="streaming, batch or flink; streaming.")] = None,
    horizon: Annotated[Text, typer.Option(help="Event time that figures are of; 30d.")] = None,
    freshness: Annotated[Text, typer.Option(help="The longest interval to consider; 5m.")] = None,
    time_travel: Annotated[Text, typer.Option(help="Age that snapshots are kept to; 5d.")] = None,
    metadata_per_day: Annotated[Text, typer.Option(metavar="BYTES", help="Most metadata written in a day.")] = None,
    wa_metadata: Annotated[Text, typer.Option(metavar="RATIO", help="Most metadata per byte of data.")] = None,
    metadata_json: Annotated[Text, typer.Option(metavar="BYTES", help="Largest metadata.json at the end.")] = None,
    manifests: Annotated[Text, typer.Option(metavar="N", help="Most live manifests at the end.")] = None,
    metadata_on_disk: Annotated[Text, typer.Option(metavar="BYTES", help="Most metadata on disk at the end.")] = None,
    name: Annotated[str, typer.Option("--name", help="What SQL calls the table.")] = "catalog.namespace.table",
    settings: Settings = None,
    as_json: AsJson = False,
) -> None:
    """Say which commit interval and maintenance to choose, why, and how to apply it; exit 1 if nothing will do."""
    from wasim.capacity import make_plan, plan_document, plan_lines
    from wasim.capacity.request import Wishes

    limits = {
        "metadata_bytes_per_day": metadata_per_day,
        "wa_metadata": wa_metadata,
        "metadata_json_bytes": metadata_json,
        "manifests": manifests,
        "metadata_on_disk_bytes": metadata_on_disk,
    }
    wishes = Wishes(
        freshness=freshness,
        time_travel=time_travel,
        limits={metric: text for metric, text in limits.items() if text is not None},
        table_name=name,
    )
    workload = {
        "rows_per_second": rows_per_second,
        "columns": columns,
        "files_per_commit": files_per_commit,
        "partitions": partitions,
        "writer": writer,
    }
    overrides = overrides_of(settings)
    if file is None and overrides:
        raise WasimError("--set is for a scenario: give its file, or the flags of a workload alone.")
    made = make_plan(_request(file, workload | {"horizon": horizon}, overrides, wishes))
    if as_json:
        typer.echo(json.dumps(plan_document(made)))
    else:
        typer.echo("\n".join(plan_lines(made)))
    if made.chosen is None:
        raise typer.Exit(int(ExitCode.FINDINGS))


def _request(
    file: Path | None, workload: dict[str, str | None], overrides: dict[str, str], wishes: "Wishes"
) -> "PlanRequest":
    from wasim.capacity import request_from_file, request_from_flags

    if file is None:
        return request_from_flags(workload, wishes)
    for flag, text in workload.items():
        if flag != "horizon" and text is not None:
            raise WasimError(f"--{flag.replace('_', '-')} and a scenario exclude each other. Give --set FIELD=VALUE.")
    return request_from_file(file, overrides, wishes, workload["horizon"])
