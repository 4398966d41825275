"""`wasim fidelity`: the simulator compared with real runs."""

from pathlib import Path
from typing import Annotated

import typer

from wasim.cli.extras import require_extra


def fidelity(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Folders of finished runs.")],
    chart: Annotated[Path | None, typer.Option(help="SVG of the case that merged most.")] = None,
) -> None:
    """Compare the simulator with real runs, case by case, as Markdown. It sees nothing of them but the scenario."""
    require_extra("fidelity")
    from wasim.bench.fidelity import INTRODUCTION, check_fidelity, draw_thrash
    from wasim.runs import write_atomically
    from wasim.twin.fidelity import render_fidelity

    if chart is not None:
        write_atomically(chart, draw_thrash(runs))
    typer.echo(f"{INTRODUCTION}\n{render_fidelity(check_fidelity(runs))}", nl=False)
