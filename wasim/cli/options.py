"""Options that several verbs take, and what they are turned into."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from wasim.errors import WasimError

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout, as --format json.")]
Master = Annotated[str, typer.Option(help="Spark master URL.")]
PriceFile = Annotated[Path | None, typer.Option(metavar="FILE", help="What S3 charges, instead of the prices shipped.")]
RunName = Annotated[
    Path,
    typer.Argument(metavar="RUN", help="A run's folder; latest is the newest in results, DIR/latest that in DIR."),
]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="FIELD=VALUE", help="Replace a value of the scenario, and a sweep over it."),
]
RowsPerSecond = Annotated[str | None, typer.Option(metavar="ROWS", help="Rows that arrive in a second.")]
ColumnCount = Annotated[str | None, typer.Option("--columns", metavar="N", help="Columns of the table; 20.")]
FilesPerCommit = Annotated[
    str | None, typer.Option(metavar="N", help="Tasks that write in a commit, a file to each partition; 1.")
]
PartitionCount = Annotated[
    str | None, typer.Option("--partitions", metavar="N", help="Partitions that each commit writes to; 0.")
]
WriterKind = Annotated[str | None, typer.Option("--writer", help="streaming, batch or flink; streaming.")]
WriterCount = Annotated[
    str | None, typer.Option("--writers", metavar="N", help="Batch writers that commit in turns, as they come; 1.")
]
Only = Annotated[
    list[str] | None, typer.Option(metavar="CASE", help="Only this case: its number, or a part of its label.")
]


def overrides_of(settings: Sequence[str] | None) -> dict[str, str]:
    """Values by field, as `load_scenario` takes them, from `FIELD=VALUE` each. WasimError for one without a value."""
    overrides: dict[str, str] = {}
    for setting in settings or ():
        field, equals, value = setting.partition("=")
        if not equals or not field.strip():
            raise WasimError(f"--set is {setting!r}. Give FIELD=VALUE, such as workload.rows_per_second=500.")
        overrides[field.strip()] = value
    return overrides


S3Endpoint = Annotated[str | None, typer.Option("--s3-endpoint", metavar="URL", help="An S3 endpoint of your own.")]
S3Region = Annotated[str | None, typer.Option("--s3-region", metavar="REGION", help="Region of the bucket.")]
S3Profile = Annotated[str | None, typer.Option("--s3-profile", metavar="NAME", help="Profile of AWS's shared files.")]
S3Anonymous = Annotated[bool, typer.Option("--s3-anonymous", help="Read S3 without credentials.")]
