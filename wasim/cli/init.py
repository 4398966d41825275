"""`wasim init`: a commented scenario to start from."""

from importlib.resources import files
from pathlib import Path
from typing import Annotated

import typer

from wasim.cli.terminal import echo
from wasim.errors import WasimError


def init(
    file: Annotated[Path, typer.Argument(metavar="[FILE]", help="File to write.")] = Path("scenario.yaml"),
) -> None:
    """Write a commented scenario to start from. A file that exists is left as it is."""
    text = files("wasim.scenario").joinpath("starter.yaml").read_text()
    file.parent.mkdir(parents=True, exist_ok=True)
    try:
        with file.open("x") as scenario:
            scenario.write(text)
    except FileExistsError:
        raise WasimError(f"{file}: exists already. Name another file, or delete this one.") from None
    echo(f"Wrote {file}. Next: wasim simulate {file}")
