"""`wasim compare`: two runs case by case."""

from pathlib import Path
from typing import Annotated

import typer

from wasim.cli.terminal import console


def compare(
    first: Annotated[Path, typer.Argument(metavar="RUN", help="Folder of a run.")],
    second: Annotated[Path, typer.Argument(metavar="RUN", help="Folder of the run to compare with it.")],
) -> None:
    """Compare two runs case by case: the second's figures, and their ratio to the first's."""
    from wasim.report.pages import render_comparison
    from wasim.runs import read_run

    console().print(render_comparison(read_run(first), read_run(second)))
