"""The environment of every page: one layout, one style, everything escaped. Other packages add their templates."""

from collections.abc import Sequence
from functools import cache
from itertools import groupby
from operator import itemgetter

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

from wasim.errors import printable_lines


@cache
def page_environment(*packages: str) -> Environment:
    """The environment of the templates of these packages and of the reports, whose `layout.html.jinja` all extend."""
    environment = Environment(
        loader=ChoiceLoader([PackageLoader(package) for package in (*packages, "wasim.report.pages")]),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=lambda value: printable_lines(value) if type(value) is str else value,  # markup stays as it is
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["groupwise"] = groupwise
    return environment


def groupwise(rows: Sequence[tuple[str, ...]]) -> list[tuple[str, list[tuple[str, ...]]]]:
    """Neighbouring rows that share their first cell, as (that cell, the rows without it)."""
    return [(heading, [row[1:] for row in group]) for heading, group in groupby(rows, key=itemgetter(0))]
