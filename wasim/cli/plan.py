"""`wasim plan`: which commit interval and which maintenance to choose, under limits; for one table, or for a fleet."""

import json
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wasim.cli import options
from wasim.cli.terminal import Format, FormatOption, Link, chosen_format, echo, render
from wasim.errors import ExitCode, WasimError

if TYPE_CHECKING:
    from wasim.capacity import Plan, PlanRequest, Requirements
    from wasim.capacity.fleet import FleetPlan
    from wasim.doctor import InspectOptions
    from wasim.scenario.fleet import Fleet

Text = str | None


@options.takes_table
@options.takes_workload
@options.takes_limits
@options.takes_requirements
def plan(
    file: Annotated[
        Path | None, typer.Argument(metavar="[SCENARIO]", help="A scenario, instead of the flags of a workload.")
    ] = None,
    *,
    workload: dict[str, str | None],
    horizon: Annotated[Text, typer.Option(help="Event time that figures are of; 30d.")] = None,
    from_run: Annotated[
        Path | None, typer.Option(metavar="RUN", help="Plan for what a run measured; latest is the newest.")
    ] = None,
    from_table: Annotated[
        Text, typer.Option(metavar="LOCATION", help="Plan for a table that exists, as wasim inspect names it.")
    ] = None,
    fleet: Annotated[
        Text,
        typer.Option(
            metavar="FILE|LOCATION",
            help="Plan for many tables: of a file, or all of a warehouse's folder or a catalog.",
        ),
    ] = None,
    master: Annotated[Text, typer.Option(help="Spark that plans for the fleet; left out: this machine.")] = None,
    required: dict[str, Any],
    limits: dict[str, str | None],
    written_by: Annotated[
        Text,
        typer.Option("--profile", help="What writes: a shipped profile, such as trino, or a file of wasim profile."),
    ] = None,
    location: Annotated[Text, typer.Option(help="Where the table will lie: its files repeat that.")] = None,
    catalog: options.Catalog = None,
    settings: options.Settings = None,
    html: Annotated[
        Path | None, typer.Option(metavar="PAGE", help="Write the plan as a page too, its setting under sliders.")
    ] = None,
    form: FormatOption = Format.TABLE,
    link: Link = "",
    explain: Annotated[bool, typer.Option("--explain", help="Print the rest after the first screen too.")] = False,
    emit_scenario: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the chosen setting as a scenario, to simulate or bench.")
    ] = None,
    as_json: options.AsJson = False,
    table: options.TableOptions,
) -> None:
    """Recommend a commit interval and maintenance, say why and how to apply them; exit 1 if none meets the limits."""
    from wasim.capacity import Requirements, SettingSimulator, make_plan
    from wasim.capacity.document import render_scenario
    from wasim.runs import write_atomically

    requirements = Requirements(
        **required, catalog=catalog, limits={metric: text for metric, text in limits.items() if text is not None}
    )
    form = chosen_format(form, as_json=as_json, link=link)
    options.check_writer(written_by, workload["writer"])
    if form is Format.CSV and fleet is None:
        raise WasimError(f"--format {form}: a plan has no such form, a fleet's has. Give json.")
    sources = {"a scenario": file, "--from-run": from_run, "--from-table": from_table, "--fleet": fleet}
    source = options.only_one(sources)
    if table.given and from_table is None and fleet is None:
        raise WasimError(f"{table.given[0]} is for a table that exists: give --from-table LOCATION too.")
    for flag, path in (("--html", html), ("--emit-scenario", emit_scenario)):
        if path is not None:
            options.check_writable(flag, path)
    if fleet is not None:
        options.refuse(
            {"--explain": explain}, "is for one table. Leave it out: --json has all that a fleet's plan says."
        )
        own: dict[str, object] = {"horizon": horizon, "name": requirements.table_name, "location": location}
        own |= {"now": requirements.now, "profile": written_by, "set": settings or None, "emit_scenario": emit_scenario}
        many = _fleet_plan(fleet, requirements, table, master, options.given_of(options.flags_of(workload | own)))
        return _show_fleet(many, fleet, form, html, link)
    options.refuse({"--master": master}, "is for a fleet: give --fleet FILE too.")
    asked = partial(_request, overrides=options.overrides_of(settings), requirements=requirements, reaching=table)
    request = asked(source, sources.get(source), workload, horizon)
    if written_by is not None:
        request = request.written_by(written_by)
    if emit_scenario is not None and request.writers > 1:
        raise WasimError("--emit-scenario: in a scenario several writers only append. Leave it out, or plan for one.")
    if location is not None:
        request = replace(request, location=options.table_location(location))
    simulator = SettingSimulator(request=request)
    made = make_plan(request, simulator, explains=explain or form is not Format.TABLE or html is not None)
    _show(made, form, explain=explain, link=link or ("" if html is None else str(html)))
    if html is not None:
        from wasim.capacity.page import render_plan

        options.write_page(html, render_plan(made, simulator))
    if emit_scenario is not None and made.chosen is not None:
        write_atomically(emit_scenario, render_scenario(request, made.chosen.setting))
    if made.chosen is None:
        raise typer.Exit(int(ExitCode.FINDINGS))
    return None


def _show(made: "Plan", form: Format, *, explain: bool, link: str) -> None:
    from wasim.capacity import plan_document, plan_lines

    if form is Format.JSON:
        return echo(json.dumps(plan_document(made)))
    if form is Format.MARKDOWN:
        from wasim.capacity.document import plan_comment

        return echo(plan_comment(made, link))
    return echo("\n".join(plan_lines(made, explains=explain)))


def _request(
    words: str,
    given: Any,  # noqa: ANN401 - a path, or a table's name
    workload: dict[str, str | None],
    horizon: str | None,
    *,
    overrides: dict[str, str],
    requirements: "Requirements",
    reaching: options.TableOptions,
) -> "PlanRequest":
    """What is asked of the source that is called so, or without one of the flags of a workload."""
    from wasim.capacity import request_from_file, request_from_flags, request_from_run

    if words not in ("a scenario", "--from-run") and overrides:
        raise WasimError("--set is for a scenario: give its file, or the flags of a workload alone.")
    if not words:
        return request_from_flags(workload | {"horizon": horizon}, requirements)
    remedy = "" if words == "--from-table" else " Give --set FIELD=VALUE."
    options.refuse(options.flags_of(workload), f"and {words} exclude each other.{remedy}")
    if words == "a scenario":
        return request_from_file(given, overrides, requirements, horizon)
    if words == "--from-run":
        from wasim.runs.folder import find_run

        return request_from_run(find_run(given), overrides, requirements, horizon)
    from wasim.capacity.from_table import request_from_table

    return request_from_table(given, requirements, horizon, reaching.inspecting())


OF_ALL = ("metadata_bytes_per_day", "monthly_cost")  # limits that are a budget


def _show_fleet(made: "FleetPlan", source: str, form: Format, html: Path | None, link: str) -> None:
    """Prints the plan of a fleet; exit 1 if a table has no setting, or its budget is too small."""
    from wasim.capacity.fleet_answer import fleet_comment, fleet_document, fleet_lines
    from wasim.capacity.page import render_fleet

    if form is Format.TABLE:
        echo("\n".join(fleet_lines(made)))
    else:
        document, leads_to = fleet_document(made), link or ("" if html is None else str(html))
        echo(render(form, document, document["tables"], lambda: fleet_comment(made, leads_to)))
    if html is not None:
        options.write_page(html, render_fleet(made, source))
    if not made.fits:
        raise typer.Exit(int(ExitCode.FINDINGS))


def _fleet_plan(
    location: str, asked: "Requirements", reaching: options.TableOptions, master: str | None, given: list[str]
) -> "FleetPlan":
    """The plan. A file says all that is asked of its tables; of a warehouse's the same is asked of each. None of the
    flags may be `given` of what each table says itself.
    """
    from wasim.capacity.fleet import plan_fleet
    from wasim.scenario.fleet import load_fleet
    from wasim.scenario.metrics import METRICS

    inspecting = reaching.inspecting()
    tables = _tables_in(location, inspecting)
    if not tables:
        given = [
            *given,
            *(METRICS[metric].flag for metric in asked.limits),
            *(["--freshness"] if asked.freshness else []),
        ]
    if given:
        raise WasimError(
            f"{given[0]} and --fleet exclude each other. Take {given[0]} out: a fleet's tables say that themselves."
        )
    fleet, requirements = _fleet_of(tables, location, asked) if tables else (load_fleet(Path(location)), asked)
    with options.map_on(master, "plan") as mapped:
        return plan_fleet(fleet, requirements, mapped, reaching=inspecting, names_faults=bool(tables))


def _tables_in(location: str, inspecting: "InspectOptions") -> tuple[str, ...]:
    """The tables of a warehouse's folder or a catalog; none where the location is a file, or names nothing."""
    from wasim.doctor.catalogs import tables_of
    from wasim.doctor.warehouse import find_tables

    is_folder = "://" in location or Path(location).is_dir()
    tables = find_tables(location, inspecting.s3) if is_folder else tables_of(location)
    if is_folder and not tables:
        raise WasimError(f"--fleet {location}: no tables lie below it. One table is for --from-table.")
    return tables


def _fleet_of(tables: tuple[str, ...], location: str, asked: "Requirements") -> "tuple[Fleet, Requirements]":
    """The fleet of these tables, and what is asked of each: limits on money and on metadata a day are its budget."""
    from wasim.capacity.request import parsed_limit
    from wasim.scenario.fleet import Budget, fleet_of

    bounds = {metric: parsed_limit(metric, text).bound for metric, text in asked.limits.items() if metric in OF_ALL}
    day, money = (bounds.get(metric) for metric in OF_ALL)
    budget = Budget.model_construct(metadata_per_day=None if day is None else round(day), monthly_cost=money)
    of_each = {metric: text for metric, text in asked.limits.items() if metric not in OF_ALL}
    return fleet_of(tables, location, budget if bounds else None), replace(asked, limits=of_each)
