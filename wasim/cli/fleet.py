"""`wasim plan --fleet`: a file of many tables, or all of a warehouse's folder or a catalog."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from wasim.cli.options import TableOptions, map_on, write_page
from wasim.cli.terminal import Format, echo, render
from wasim.errors import ExitCode, WasimError

if TYPE_CHECKING:
    from wasim.capacity import Requirements
    from wasim.capacity.fleet import FleetPlan
    from wasim.doctor import InspectOptions
    from wasim.scenario.fleet import Fleet

OF_ALL = ("metadata_bytes_per_day", "monthly_cost")  # limits that are a budget


@dataclass(frozen=True, slots=True, kw_only=True)
class Many:
    """Where many tables are named, what is asked of them, how they are reached, and the Spark that plans, if any."""

    location: str
    requirements: "Requirements"
    reaching: TableOptions
    master: str | None


def plan_many(many: Many, *, refused: Mapping[str, str | None], form: Format, html: Path | None, link: str) -> None:
    """Prints the plan of a fleet; exit 1 if a table has no setting, or its budget is too small. No flag may be given of
    what each table says itself.
    """
    from wasim.capacity.fleet_answer import fleet_comment, fleet_document, fleet_lines
    from wasim.capacity.page import render_fleet

    made = _planned(many, refused)
    if form is Format.TABLE:
        echo("\n".join(fleet_lines(made)))
    else:
        document, leads_to = fleet_document(made), link or ("" if html is None else str(html))
        echo(render(form, document, document["tables"], lambda: fleet_comment(made, leads_to)))
    if html is not None:
        write_page(html, render_fleet(made, many.location))
    if not made.fits:
        raise typer.Exit(int(ExitCode.FINDINGS))


def _planned(many: Many, refused: Mapping[str, str | None]) -> "FleetPlan":
    """The plan. A file says all that is asked of its tables; of a warehouse's the same is asked of each."""
    from wasim.capacity.fleet import plan_fleet
    from wasim.scenario.fleet import load_fleet
    from wasim.scenario.metrics import METRICS

    asked, inspecting = many.requirements, many.reaching.inspecting()
    tables = _tables_in(many.location, inspecting)
    given = [f"--{name.replace('_', '-')}" for name, text in refused.items() if text is not None]
    if not tables:
        given += [METRICS[metric].flag for metric in asked.limits]
        given += ["--freshness"] if asked.freshness else []
    if given:
        raise WasimError(
            f"{given[0]} and --fleet exclude each other. Take {given[0]} out: a fleet's tables say that themselves."
        )
    fleet, requirements = _fleet_of(tables, many) if tables else (load_fleet(Path(many.location)), asked)
    plans = partial(plan_fleet, fleet, requirements, reaching=inspecting, names_faults=bool(tables))
    if many.master is None:
        return plans()
    with map_on(many.master, "plan") as mapped:
        return plans(mapped)


def _tables_in(location: str, inspecting: "InspectOptions") -> tuple[str, ...]:
    """The tables of a warehouse's folder or a catalog; none where the location is a file, or names nothing."""
    from wasim.doctor.catalogs import tables_of
    from wasim.doctor.warehouse import find_tables

    is_folder = "://" in location or Path(location).is_dir()
    tables = find_tables(location, inspecting.s3) if is_folder else tables_of(location)
    if is_folder and not tables:
        raise WasimError(f"--fleet {location}: no tables lie below it. One table is for --from-table.")
    return tables


def _fleet_of(tables: tuple[str, ...], many: Many) -> "tuple[Fleet, Requirements]":
    """The fleet of these tables, and what is asked of each: limits on money and on metadata a day are its budget."""
    from wasim.capacity.request import parsed_limit
    from wasim.scenario.fleet import Budget, fleet_of

    limits = many.requirements.limits
    bounds = {metric: parsed_limit(metric, text).bound for metric, text in limits.items() if metric in OF_ALL}
    day, money = (bounds.get(metric) for metric in OF_ALL)
    budget = Budget.model_construct(metadata_per_day=None if day is None else round(day), monthly_cost=money)
    of_each = {metric: text for metric, text in limits.items() if metric not in OF_ALL}
    return fleet_of(tables, many.location, budget if bounds else None), replace(many.requirements, limits=of_each)
