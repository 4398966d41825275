"""`wasim watch`: new commits of a real table, a line each."""

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from wasim.cli.options import TableOptions, takes_table
from wasim.cli.terminal import echo

if TYPE_CHECKING:
    from wasim.doctor import Inspection


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
    exposition = None if port is None else Exposition(port)

    def expose(inspection: "Inspection") -> None:
        if exposition is not None:
            exposition.text = render_prometheus(inspection)

    try:
        if exposition is not None:
            echo(f"Prometheus: http://127.0.0.1:{exposition.port}/metrics", err=True)
        for line in watch_table(lambda: inspect_location(location, options), every_s=every_s, for_s=for_s, seen=expose):
            echo(line)
    finally:
        if exposition is not None:
            exposition.close()
