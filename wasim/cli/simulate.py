"""`wasim simulate`: what bench would find, without Spark, for any horizon."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wasim.cli import options
from wasim.cli.terminal import Format, FormatOption, Link, chosen_format, console, echo, print_notes
from wasim.errors import ExitCode, ScenarioError, WasimError, printable, quoted

PARQUET = b"PAR1"  # how such a file begins

if TYPE_CHECKING:
    from wasim.scenario import LoadedScenario
    from wasim.simulation import Mode


@options.takes_workload
def simulate(
    file: Annotated[
        Path | None, typer.Argument(metavar="[SCENARIO]", help="A scenario, instead of the flags of a workload.")
    ] = None,
    *,
    workload: dict[str, str | None],
    interval: Annotated[
        str | None, typer.Option(metavar="LIST", help="Commit intervals for the flags of a workload; 10s,1m,5m.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Folder that takes the run; results.")] = None,
    table_only: Annotated[bool, typer.Option("--table-only", help="Print the table; leave no run behind.")] = False,
    horizon: Annotated[str | None, typer.Option(help="Event time instead of the scenario's, such as 365d.")] = None,
    mode: Annotated[
        str, typer.Option(help="exact: every byte; fast: sums, for any horizon; auto: by length.")
    ] = "auto",
    emit: Annotated[Path | None, typer.Option(help="Folder that takes the metadata of exact cases.")] = None,
    profile: Annotated[
        str | None, typer.Option(help="What writes: a shipped profile's name, or a file that wasim profile wrote.")
    ] = None,
    location: Annotated[str | None, typer.Option(help="Where the table will lie: its files repeat that.")] = None,
    provider: Annotated[
        str | None,
        typer.Option(
            help="Whose requests a commit's latency is modelled from: local, s3, s3-express, azure, azure-premium, gcs,"
            " or FILE#NAME of a file like wasim's own."
        ),
    ] = None,
    catalog: options.Catalog = None,
    grid: Annotated[
        Path | None, typer.Option(help="Parquet that takes one row per case, in fast mode: for sweeps of thousands.")
    ] = None,
    master: Annotated[str | None, typer.Option(help="Spark that simulates the grid; left out: this machine.")] = None,
    prices: options.PriceFile = None,
    settings: options.Settings = None,
    only: options.Only = None,
    form: FormatOption = Format.TABLE,
    link: Link = "",
    as_json: options.AsJson = False,
) -> None:
    """Simulate a scenario: what bench would find, without Spark, for any horizon; end with its report."""
    from wasim.cli.terminal import print_outcome
    from wasim.contention import catalog_named, provider_named
    from wasim.scenario import load_scenario
    from wasim.simulation import SimulationOptions
    from wasim.simulation import simulate as run_simulation
    from wasim.twin import profile_named

    form = chosen_format(form, as_json=as_json, link=link)
    options.check_writer(profile, workload["writer"])
    if profile is not None:
        profile_named(profile)  # a mistake in it is reported as the flag's
    if provider is not None:
        provider_named(provider)
    if file is not None:
        options.refuse(options.flags_of(workload), "and a scenario exclude each other. Give --set FIELD=VALUE.")
        options.refuse({"--interval": interval}, "and a scenario exclude each other. Give --set commit_interval=VALUE.")
    options.refuse({"--master": master if grid is None else None}, "is for a sweep: give --grid a folder too.")
    if master is not None:
        options.require("simulate --master", "spark")
    if grid is not None:
        _check_grid(grid, form, master)
        options.refuse(
            {"--out": out, "--table-only": table_only, "--prices": prices}, "is for a run, and --grid leaves none."
        )
    options.refuse(
        {"--out": out if table_only else None}, "and --table-only exclude each other: that leaves no run behind."
    )
    lies_there = "and --emit exclude each other: the emitted tables lie in the emitted folder."
    options.refuse({"--location": None if emit is None else location}, lies_there)
    asked = SimulationOptions(
        results=None if table_only else out or Path("results"),
        mode=_mode(mode, emit),
        emit=emit,
        location=None if location is None else options.table_location(location),
        provider=provider,
        catalog=catalog_named(catalog, provider),
        prices=prices,
    )
    overrides = options.overrides_of(settings) | ({} if horizon is None else {"horizon": horizon})
    overrides |= {} if profile is None else {"writer.profile": json.dumps(profile)}
    scenario = load_scenario(file, overrides) if file else _scenario_of_flags(workload, interval, overrides)
    if only:
        scenario = scenario.only(only)
    print_notes(scenario)
    if grid is not None:
        from wasim.sweeps import simulate_sweep

        return echo(simulate_sweep(scenario, asked, out=grid, master=master))
    if emit is not None:
        _make_emitted(emit)
    try:
        outcome = run_simulation(scenario, asked, console(stderr=True))
    except KeyboardInterrupt:
        echo("Interrupted. The same command continues after the last finished case.", err=True)
        raise typer.Exit(int(ExitCode.INTERRUPTED)) from None
    if emit is not None:
        said = f"Emitted: {emit}, a folder a case; a reader of Iceberg opens the newest metadata.json in it."
        console(stderr=True).print(said, markup=False, soft_wrap=True)
    return print_outcome(outcome, form, link)


def _scenario_of_flags(
    workload: dict[str, str | None], intervals: str | None, overrides: dict[str, str]
) -> "LoadedScenario":
    from wasim.scenario.from_flags import scenario_of_flags
    from wasim.scenario.load import scenario_of

    text = scenario_of_flags(workload | {"horizon": overrides.get("horizon")}, intervals or "10s,1m,5m")
    try:
        return scenario_of(text.encode(), overrides)
    except ScenarioError as error:
        raise WasimError(*str(error).replace("sweep.commit_interval", "--interval").splitlines()) from None


def _mode(name: str, emit: Path | None) -> "Mode":
    from wasim.simulation import Mode

    if name not in list(Mode):
        raise WasimError(f"--mode is {quoted(name)}. Give {', '.join(Mode)}.")
    if emit is not None and name == Mode.FAST:
        raise WasimError("--emit writes every file, so it needs --mode exact.")
    return Mode(name)


def _check_grid(path: Path, form: Format, master: str | None) -> None:
    """WasimError for a grid that could not be written, or would replace what is no grid."""
    if form is not Format.TABLE:
        raise WasimError("--grid writes Parquet. Leave --json and --format out.")
    if master is not None:  # which makes a folder of its own
        return
    options.check_writable("--grid", path)
    if path.is_file():
        with path.open("rb") as file:
            if file.read(len(PARQUET)) != PARQUET:
                raise WasimError(f"--grid {path}: is there already, and is no Parquet. Name another file.")


def _make_emitted(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        named = printable(str(folder), 80)
        raise WasimError(f"--emit {named}: no folder can be made there ({error.strerror}). Name another.") from None
