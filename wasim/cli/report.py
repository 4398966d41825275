"""`wasim report`: a saved run concluded again."""

from pathlib import Path
from typing import Annotated

import typer

from wasim.cli.options import AsJson, PriceFile


def report(
    run: Annotated[
        Path, typer.Argument(metavar="RUN", help="Folder of a run, such as results/smoke/20260101T000000Z-0000.")
    ],
    as_json: AsJson = False,
    prices: PriceFile = None,
) -> None:
    """Rebuild the report of a saved run; nothing is measured."""
    from wasim.cli.outcome import print_outcome
    from wasim.runner import conclude_run

    print_outcome(conclude_run(run, prices), as_json=as_json)
