"""Options that several verbs take."""

from pathlib import Path
from typing import Annotated

import typer

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout.")]
Master = Annotated[str, typer.Option(help="Spark master URL.")]
PriceFile = Annotated[Path | None, typer.Option(metavar="FILE", help="What S3 charges, instead of the prices shipped.")]
