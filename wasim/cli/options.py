"""Options that several verbs take, and what they are turned into."""

from collections.abc import Callable, Sequence
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Annotated, Any

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


_S3 = {
    "endpoint": (str | None, None, "--s3-endpoint", "URL", "An S3 endpoint of your own."),
    "region": (str | None, None, "--s3-region", "REGION", "Region of the bucket."),
    "profile": (str | None, None, "--s3-profile", "NAME", "Profile of AWS's shared files."),
    "anonymous": (bool, False, "--s3-anonymous", None, "Read S3 without credentials."),
}


def takes_s3(verb: Callable[..., None]) -> Callable[..., None]:
    """The verb with options that say how to reach S3, where it has a parameter `s3`: the S3Options of them."""

    @wraps(verb)
    def with_options(**arguments: object) -> None:
        from wasim.storage import S3Options

        given: dict[str, Any] = {name: arguments.pop(name) for name in _S3}
        verb(**arguments, s3=S3Options(**given))

    own = [one for one in signature(verb).parameters.values() if one.name != "s3"]
    s3 = [
        Parameter(
            name,
            Parameter.POSITIONAL_OR_KEYWORD,
            default=default,
            annotation=Annotated[kind, typer.Option(option, metavar=value, help=words)],
        )
        for name, (kind, default, option, value, words) in _S3.items()
    ]
    with_options.__signature__ = Signature([*own, *s3])  # type: ignore[attr-defined]  # what typer reads
    with_options.__annotations__ = {one.name: one.annotation for one in (*own, *s3)}
    return with_options
