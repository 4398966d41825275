"""What a writer knows beyond the scenario: its snapshot summaries, its file names, what Parquet gives its columns."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

from wasim.errors import SavedFileError
from wasim.scenario import Case

SCHEMA_VERSION = 1
SHIPPED = ("spark_streaming", "spark_batch")
Origin = Literal["measured", "documented"]
Names = Literal["metastore", "hadoop"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnSample:
    """What files of `rows` rows gave to columns of one kind: mean bytes, and how they differ from file to file."""

    type: str
    length: int | None  # of strings and binaries
    values: int | None
    rows: int
    mean_bytes: float
    deviation_bytes: float


@dataclass(frozen=True, slots=True, kw_only=True)
class FooterSample:
    """What files of a table held beside their columns; it depends on columns and on the schema's JSON within."""

    columns: int
    schema_bytes: int
    mean_bytes: float


@dataclass(frozen=True, slots=True, kw_only=True)
class WriterProfile:
    """One writer. Templates hold placeholders in braces; `summary` is in the order of the writer's keys.

    `pace_s` is the time between commits that follow each other at once.
    """

    name: str
    origin: Origin
    names: Names
    properties: Mapping[str, str]
    summary: Mapping[str, str]
    data_file: str
    pace_s: float
    columns: tuple[ColumnSample, ...]
    footer: FooterSample


def render_profile(profile: WriterProfile) -> str:
    """The profile as JSON text."""
    return json.dumps({"schema_version": SCHEMA_VERSION, **asdict(profile)}, indent=1) + "\n"


def read_profile(path: Path) -> WriterProfile:
    """The profile in a file. SavedFileError for a missing, damaged or unknown one."""
    try:
        return _profile(json.loads(path.read_text()), str(path))
    except (OSError, ValueError) as error:
        raise SavedFileError(f"{path}: no profile can be read ({error}). Measure it again.") from error


def shipped_profile(case: Case) -> WriterProfile:
    """The profile that comes with wasim for a case's writer: what appends inside foreachBatch write is a batch's."""
    streams = case.writer.kind == "streaming" and case.writer.sink == "table"
    name = "spark_streaming" if streams else "spark_batch"
    text = files("wasim.profiles").joinpath(f"{name}.json").read_text()
    return _profile(json.loads(text), name)


def with_samples(profile: WriterProfile, *others: WriterProfile) -> WriterProfile:
    """The profile with the column samples of others too, measured on other tables of the same writer."""
    samples = dict.fromkeys(sample for one in (profile, *others) for sample in one.columns)
    return replace(profile, columns=tuple(samples))


def _profile(document: dict[str, Any], source: str) -> WriterProfile:
    found = document.pop("schema_version", None)
    if found != SCHEMA_VERSION:
        raise SavedFileError(f"{source}: schema_version is {found}; this wasim reads {SCHEMA_VERSION}.")
    try:
        columns = tuple(ColumnSample(**sample) for sample in document.pop("columns"))
        footer = FooterSample(**document.pop("footer"))
        return WriterProfile(columns=columns, footer=footer, **document)
    except (KeyError, TypeError) as error:
        raise SavedFileError(f"{source}: is no profile ({error}). Measure it again.") from error
