"""Options that several verbs share, the values made of their texts, and packages and Spark that an option asks for."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from functools import partial, wraps
from importlib.util import find_spec
from inspect import Parameter, Signature, signature
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryFile, mkdtemp
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from wasim.cli.terminal import echo
from wasim.errors import EnvironmentFault, WasimError, printable, quoted

if TYPE_CHECKING:
    from wasim.doctor import InspectOptions
    from wasim.doctor.decoding import MapParts


AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout, as --format json.")]
Catalog = Annotated[
    str | None,
    typer.Option(help="Whose times and rules commits have: glue, unity, hive, rest, jdbc, storage …; the scenario's."),
]
Master = Annotated[str, typer.Option(help="Spark master URL.")]
PriceFile = Annotated[Path | None, typer.Option(metavar="FILE", help="What S3 charges, instead of the prices shipped.")]
RunName = Annotated[
    Path, typer.Argument(metavar="RUN", help="A run's folder; latest is the newest in results, DIR/latest that in DIR.")
]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="FIELD=VALUE", help="Replace a value of the scenario, and a sweep over it."),
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
            raise WasimError(f"--set is {quoted(setting)}. Give FIELD=VALUE, such as workload.rows_per_second=500.")
        overrides[field.strip()] = value
    return overrides


def flags_of(values: Mapping[str, object]) -> dict[str, object]:
    """Values by flag, which for `rows_per_second` is `--rows-per-second`."""
    return {f"--{name.replace('_', '-')}": value for name, value in values.items()}


def given_of(flags: Mapping[str, object]) -> list[str]:
    """The flags among these that have a value."""
    return [flag for flag, value in flags.items() if value is not None and value is not False]


def refuse(flags: Mapping[str, object], why: str) -> None:
    """WasimError for the first of these flags that has a value: it would be ignored, and `why` says so."""
    for flag in given_of(flags):
        raise WasimError(f"{flag} {why}")


def only_one(flags: Mapping[str, object]) -> str:
    """The one of these flags that has a value; empty where none has. WasimError for two."""
    given = given_of(flags)
    if len(given) > 1:
        raise WasimError(f"{given[0]} and {given[1]} exclude each other: give one.")
    return given[0] if given else ""


def check_writer(profile: str | None, writer: str | None) -> None:
    """WasimError where --profile and --writer name two writers: only Spark's kinds say how another one commits."""
    if profile is not None and writer not in (None, "streaming", "batch"):
        raise WasimError(f"--profile {profile} and --writer {writer} both say what writes: give one.")


def check_writable(flag: str, path: Path) -> None:
    """WasimError for a file of a flag that could not be written, before anything is simulated for it."""
    folder, named = path.parent, f"{flag} {printable(str(path), 80)}"
    try:
        if not folder.is_dir():
            raise WasimError(f"{named}: there is no folder {printable(str(folder), 80)}. Make it, or name another.")
        if path.exists() and not path.is_file():
            raise WasimError(f"{named}: cannot be written. Name a file in a folder that can.")
        TemporaryFile(dir=folder).close()  # some folders refuse files although root may write to them
    except OSError as error:
        raise WasimError(f"{named}: cannot be written: {error.strerror}. Name another.") from None


class NewestByName(StrEnum):
    """What makes a metadata.json newer than another."""

    VERSION = "version"
    LAST_UPDATED = "last-updated"


class _Option(NamedTuple):
    """An option; `name` names the value passed on."""

    name: str
    flag: str
    metavar: str | None
    help: str
    kind: Any = str | None
    default: object = None

    @property
    def parameter(self) -> Parameter:
        """The option as a parameter that typer reads."""
        return Parameter(
            self.name,
            Parameter.KEYWORD_ONLY,
            default=self.default,
            annotation=Annotated[self.kind, typer.Option(self.flag, metavar=self.metavar, help=self.help)],
        )


_WORKLOAD = (
    _Option("rows_per_second", "--rows-per-second", "ROWS", "Rows that arrive in a second."),
    _Option("columns", "--columns", "N", "Columns of the table; 20."),
    _Option(
        "files_per_commit", "--files-per-commit", "N", "Tasks that write in a commit, a file to each partition; 1."
    ),
    _Option("partitions", "--partitions", "N", "Partitions that each commit writes to; 0."),
    _Option("writer", "--writer", None, "streaming, batch, flink or a shipped profile; streaming."),
    _Option("writers", "--writers", "N", "Batch writers that commit in turns, as they come; 1."),
    _Option("tables", "--tables", "N", "Tables that it commits to, each with these rows; 1."),
)
LIMITS = (
    _Option("planning_p50_ms", "--planning", "DURATION", "Longest planning of a full scan."),
    _Option("metadata_bytes_per_day", "--metadata-per-day", "BYTES", "Most metadata written in a day, by the job."),
    _Option("wa_metadata", "--wa-metadata", "RATIO", "Most metadata per byte of data."),
    _Option("metadata_json_bytes", "--metadata-json", "BYTES", "Largest metadata.json at any time."),
    _Option("manifests", "--manifests", "N", "Most live manifests at any time."),
    _Option("delete_files", "--delete-files", "N", "Most live delete files, which every reader applies."),
    _Option("metadata_on_disk_bytes", "--metadata-on-disk", "BYTES", "Most metadata on disk at any time, of the job."),
    _Option("monthly_cost", "--monthly-cost", "AMOUNT", "Most money a month for the job, at the prices."),
)
REQUIREMENTS = (
    _Option("freshness", "--freshness", None, "The longest commit interval; 1h."),
    _Option("prefer", "--prefer", None, "Within all limits: cheapest, or freshest, the shortest interval; cheapest."),
    _Option("time_travel", "--time-travel", None, "Age that snapshots are kept to; 5d."),
    _Option(
        "queries_per_hour", "--queries-per-hour", "N", "Queries in an hour, each of a day's files; 10, of each table."
    ),
    _Option(
        "provider",
        "--provider",
        None,
        "Where the table lies: local, s3, s3-express, gcs, azure or azure-premium; local, at s3's prices.",
    ),
    _Option("dialect", "--dialect", None, "Whose SQL to print: spark, flink, trino or athena; that of the writer."),
    _Option("prices", "--prices", "FILE", "Prices of your own, instead.", Path | None),
    _Option("per_job", "--per-job", "AMOUNT", "Price of starting a maintenance job; 0.0003, a running cluster."),
    _Option("table_name", "--name", None, "What SQL calls the table; catalog.namespace.table."),
    _Option(
        "now",
        "--now",
        "KEY=VALUE,…",
        "How the table is written and maintained now: interval=1m,expire=never,keep=5d,compact=daily,rewrite=never,"
        "gzip=no,old-json=kept; what is left out is a writer's default.",
    ),
)
_NEWEST_BY = "By the version in the name, or by last-updated-ms inside."
_OUTSIDE = "Open metadata outside the table's folder too, wherever the table's paths lead."
_TABLE = (
    _Option("metadata_file", "--metadata-file", None, "The current metadata.json, instead of the newest there."),
    _Option("table_uuid", "--table-uuid", None, "Only metadata.json of this table."),
    _Option("newest_by", "--newest-by", None, _NEWEST_BY, NewestByName, NewestByName.VERSION),
    _Option("outside", "--outside", None, _OUTSIDE, bool, False),
    _Option("endpoint", "--s3-endpoint", "URL", "An S3 endpoint of your own."),
    _Option("region", "--s3-region", "REGION", "Region of the bucket."),
    _Option("profile", "--s3-profile", "NAME", "Profile of AWS's shared files."),
    _Option("anonymous", "--s3-anonymous", None, "Read S3 without credentials.", bool, False),
    _Option("timeout", "--s3-timeout", "DURATION", "How long S3 may be silent.", default="20s"),
    _Option("most_files", "--most-files", "N", "Files that a folder may hold.", int, 5_000_000),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TableOptions:
    """Options that say how a table that exists is reached and opened, by name."""

    values: Mapping[str, Any]

    @property
    def given(self) -> list[str]:
        """The flags of those that are not as they are by default."""
        return [one.flag for one in _TABLE if self.values[one.name] != one.default]

    def inspecting(self) -> "InspectOptions":
        """What they mean for an inspection. WasimError for a value that means nothing."""
        from wasim.doctor import Choice, InspectOptions
        from wasim.iceberg.resolve import NewestBy
        from wasim.storage import S3Options
        from wasim.units import duration_of_flag_s

        values = self.values
        choice = Choice(
            metadata_file=values["metadata_file"],
            table_uuid=values["table_uuid"],
            newest_by=NewestBy(values["newest_by"].value.replace("-", "_")),
        )
        s3 = S3Options(
            **{name: values[name] for name in ("endpoint", "region", "profile", "anonymous")},
            timeout_s=duration_of_flag_s("--s3-timeout", values["timeout"]),
            most_files=values["most_files"],
        )
        return InspectOptions(choice=choice, s3=s3, reads_outside=values["outside"])


def _with_options(
    name: str, options: Sequence[_Option], value_of: Callable[..., object], verb: Callable[..., None]
) -> Callable[..., None]:
    """The verb with these options in place of the parameter of that name, which gets what `value_of` makes of them."""

    @wraps(verb)
    def with_options(**arguments: object) -> None:
        given = {one.name: arguments.pop(one.name) for one in options}
        verb(**arguments, **{name: value_of(**given)})

    parameters: list[Parameter] = []
    for one in signature(verb).parameters.values():
        own = one.replace(kind=Parameter.KEYWORD_ONLY)  # typer passes all by name
        parameters += [option.parameter for option in options] if one.name == name else [own]
    with_options.__signature__ = Signature(parameters)  # type: ignore[attr-defined]  # what typer reads
    with_options.__annotations__ = {one.name: one.annotation for one in parameters}
    return with_options


takes_workload = partial(_with_options, "workload", _WORKLOAD, dict)
"""A verb with the flags that describe a workload, in place of its parameter `workload`: their texts by name."""
takes_limits = partial(_with_options, "limits", LIMITS, dict)
"""A verb with the flags that limit a plan, in place of its parameter `limits`: their texts by metric."""
takes_requirements = partial(_with_options, "required", REQUIREMENTS, dict)
"""A verb with the flags that say what a plan is to meet, in place of its parameter `required`: values by name."""
takes_table = partial(_with_options, "table", _TABLE, lambda **values: TableOptions(values=values))  # noqa: PLW0108
"""A verb with the options that say how to reach and open a table, in place of its parameter `table`."""


def table_location(text: str) -> str:
    """The value of `--location`, without a slash at its end. WasimError for what is no URI and no absolute path."""
    if not text.strip("/") or text != text.strip() or not re.match(r"/|[A-Za-z][\w+.-]*:", text):
        raise WasimError(f"--location is {quoted(text)}. Give where the table will lie, such as s3://bucket/db/events.")
    return text.rstrip("/")


def write_page(path: Path, page: str) -> None:
    """Writes a page, and says where."""
    from wasim.runs import write_atomically

    write_atomically(path, page)
    echo(f"Page: {path}", err=True)


_SPARK = {"pyspark": "Spark", "py4j": "Spark's gateway", "pandas": "pandas"}
_EXTRAS = {
    "spark": _SPARK,
    "bench": _SPARK | {"pytest_benchmark": "pytest-benchmark"},
    "pyiceberg": {"pyiceberg": "pyiceberg"},
}


def require(use: str, extra: str) -> None:
    """EnvironmentFault naming the first of the packages that `use`, a verb, misses and the extra brings."""
    for module, name in _EXTRAS[extra].items():
        if find_spec(module) is None:
            raise EnvironmentFault(f'{use} needs {name}: pip install "wasim[{extra}]"')


@contextmanager
def map_on(master: str | None, verb: str) -> Iterator["MapParts | None"]:
    """A `map` that runs on the Spark at `master`, within the block; None without one. On failure Spark's log is kept.

    EnvironmentFault if Spark is not installed.
    """
    if master is None:
        yield None
        return
    require(f"{verb} --master", "spark")
    from wasim.cluster import open_map

    folder = Path(mkdtemp(prefix=f"wasim-{verb}-"))
    with open_map(master=master, log=folder / "spark.log") as mapped:
        yield mapped
    rmtree(folder)
