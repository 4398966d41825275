"""`wasim profile`: a writer measured on real tables."""

from pathlib import Path
from typing import Annotated

import typer

from wasim.cli.extras import require_extra
from wasim.cli.options import Master


def profile(
    scenario: Annotated[
        Path | None, typer.Argument(metavar="[SCENARIO]", help="Tables to measure on; left out: a table of all types.")
    ] = None,
    writer: Annotated[str, typer.Option(help="streaming or batch, without a SCENARIO.")] = "streaming",
    name: Annotated[str, typer.Option(help="The profile's name; left out: the writer's.")] = "",
    out: Annotated[Path | None, typer.Option(help="File that takes the profile; left out: stdout.")] = None,
    engine: Annotated[str, typer.Option(help="spark, or core: Iceberg's library alone.")] = "spark",
    master: Master = "local[2]",
) -> None:
    """Measure a writer on real tables: the profile that `simulate --profile` takes."""
    require_extra("profile")
    from rich.console import Console

    from wasim.bench.profile import measure_writer
    from wasim.runs import write_atomically
    from wasim.twin import render_profile

    console = Console(stderr=True)
    text = render_profile(
        measure_writer(scenario, writer=writer, engine=engine, master=master, name=name, console=console)
    )
    if out is None:
        return typer.echo(text, nl=False)
    write_atomically(out, text)
    return console.print(f"Profile: {out}", markup=False, soft_wrap=True)
