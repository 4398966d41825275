"""`wasim fidelity`: the simulator compared with real runs."""

from pathlib import Path
from typing import Annotated

import typer

from wasim.cli.extras import require_extra
from wasim.cli.terminal import echo


def fidelity(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Folders of finished runs.")],
    chart: Annotated[Path | None, typer.Option(help="SVG of the case that merged most.")] = None,
    rows: Annotated[Path | None, typer.Option(help="CSV that takes every row, instead of the page.")] = None,
) -> None:
    """Compare the simulator with real runs, case by case, as Markdown. It sees nothing of them but the scenario."""
    require_extra("fidelity")
    from wasim.bench.fidelity import check_fidelity, draw_thrash, render_fidelity, render_rows
    from wasim.runs import write_atomically

    if chart is not None:
        write_atomically(chart, draw_thrash(runs))
    checked = check_fidelity(runs)
    if rows is not None:
        write_atomically(rows, render_rows(checked))
    echo(render_fidelity(checked, rows_file=rows.name if rows else None, chart=chart.name if chart else None), nl=False)
