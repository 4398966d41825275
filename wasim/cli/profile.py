"""`wasim profile`: a writer measured on real tables."""

from pathlib import Path
from typing import Annotated

import typer

from wasim.cli.extras import require_spark
from wasim.cli.options import Master
from wasim.cli.terminal import console, echo


def profile(
    scenario: Annotated[
        Path | None, typer.Argument(metavar="[SCENARIO]", help="Tables to measure on [default: a table of all types].")
    ] = None,
    writer: Annotated[str, typer.Option(help="streaming or batch, without a SCENARIO.")] = "streaming",
    name: Annotated[str, typer.Option(help="The profile's name [default: the writer's].")] = "",
    out: Annotated[Path | None, typer.Option(help="File to write [default: stdout].")] = None,
    engine: Annotated[str, typer.Option(help="spark, or core: Iceberg's library alone.")] = "spark",
    master: Master = "local[2]",
) -> None:
    """Measure a writer on real tables: the profile that `simulate --profile` takes."""
    require_spark("profile")
    from wasim.bench.profile import measure_writer
    from wasim.runs import write_atomically
    from wasim.twin import render_profile

    words = console(stderr=True)
    text = render_profile(
        measure_writer(scenario, writer=writer, engine=engine, master=master, name=name, console=words)
    )
    if out is None:
        return echo(text, nl=False)
    write_atomically(out, text)
    return words.print(f"Profile: {out}", markup=False, soft_wrap=True)
