"""`wasim simulate`: what bench would find, without Spark, for any horizon."""

import json
from pathlib import Path
from typing import Annotated

import typer

from wasim.cli.options import AsJson
from wasim.errors import WasimError


def simulate(
    file: Annotated[Path, typer.Argument(metavar="SCENARIO", help="The scenario to simulate.")],
    horizon: Annotated[str | None, typer.Option(help="Event time instead of the scenario's, such as 365d.")] = None,
    mode: Annotated[str, typer.Option(help="exact: every byte; fast: fitted laws; auto: exact if short.")] = "auto",
    emit: Annotated[Path | None, typer.Option(help="Folder that takes the metadata of exact cases.")] = None,
    profile: Annotated[
        str | None, typer.Option(help="What writes: a shipped profile's name, or a file that wasim profile wrote.")
    ] = None,
    location: Annotated[str | None, typer.Option(help="Where the table will lie: its files repeat that.")] = None,
    grid: Annotated[
        Path | None, typer.Option(help="Parquet that takes one row per case, in fast mode: for sweeps of thousands.")
    ] = None,
    master: Annotated[str | None, typer.Option(help="Spark that works the grid off; left out: this machine.")] = None,
    as_json: AsJson = False,
) -> None:
    """Simulate a scenario: what bench would find, without Spark, for any horizon."""
    from rich.console import Console

    from wasim.forecast import ForecastOptions, forecast, horizon_named, location_named, mode_named
    from wasim.report.pages import render_headline_table
    from wasim.runs import summary_document
    from wasim.scenario import load_scenario
    from wasim.twin import profile_named

    if grid is None and master is not None:
        raise WasimError("--master is for a sweep: give --grid a folder too.")
    words = Console(stderr=as_json)
    options = ForecastOptions(
        mode=mode_named(mode, emit),
        horizon_s=horizon_named(horizon),
        emit=emit,
        profile=None if profile is None else profile_named(profile),
        location=location_named(location, emit),
    )
    scenario = load_scenario(file, {} if horizon is None else {"horizon": horizon})
    if grid is not None:
        from wasim.sweeps import simulate_sweep

        return typer.echo(simulate_sweep(scenario, options, out=grid, master=master))
    run = forecast(scenario, options, lambda line: Console(stderr=True).print(line, markup=False))
    if as_json:
        typer.echo(json.dumps(summary_document(run, {}, [])))
    return words.print(render_headline_table(run))
