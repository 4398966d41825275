"""What a writer knows beyond the scenario: its snapshot summaries, its file names, what Parquet gives its columns."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields, is_dataclass, replace
from functools import cache
from importlib.resources import files
from math import ceil
from pathlib import Path
from string import Formatter
from typing import Annotated, Any, ClassVar, Literal, get_args, get_type_hints

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from wasim.contention import WriterTimes
from wasim.errors import SavedFileError, quoted
from wasim.iceberg.properties import property_of
from wasim.iceberg.releases import OLDEST, Library, Release, release_named
from wasim.profiles import never_read
from wasim.scenario import Case
from wasim.scenario.changes import Evolution, ExpireSnapshots
from wasim.scenario.examine import explain
from wasim.scenario.faults import Fault, Mark, Place, mark_fault, quote, suggest
from wasim.scenario.parts import Trigger
from wasim.scenario.scenario import triggered_s
from wasim.storage.access import read_regular
from wasim.twin.recipe import NO_OTHERS, ExpiryOfCommit, Positive, Recipe, TriggerOfCommits
from wasim.twin.summary import COUNTERS

SCHEMA_VERSION = 1
SHIPPED = tuple(
    """
    spark_streaming spark_batch core spark_streaming_1_10 spark_batch_1_10 spark_batch_0_12 flink flink_0_14
    kafka_connect security_lake trino pyiceberg iceberg_go automq redpanda redpanda_connect debezium estuary olake
    fluss duckdb firehose athena
    """.split()
)
OF_KINDS = ("spark_batch", "spark_streaming")  # of writers that a scenario names by their kind alone
Origin = Literal["measured", "documented"]
Names = Literal["metastore", "hadoop", "bare"]
Upserts = Literal["merge", "equality-deletes", "none"]
Dialect = Literal["spark", "flink", "trino", "athena"]
DIALECTS: tuple[Dialect, ...] = get_args(Dialect)


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnSample:
    """Bytes of columns of one kind in files of `rows` rows: their mean, and their deviation from file to file."""

    type: str
    length: int | None  # of strings and binaries
    values: int | None
    rows: int
    mean_bytes: float
    deviation_bytes: float
    __pydantic_config__: ClassVar[ConfigDict] = NO_OTHERS


@dataclass(frozen=True, slots=True, kw_only=True)
class FooterSample:
    """Bytes of a table's files apart from their columns, which depend on columns and the schema's JSON within."""

    columns: int
    schema_bytes: int
    mean_bytes: float
    __pydantic_config__: ClassVar[ConfigDict] = NO_OTHERS


@dataclass(frozen=True, slots=True, kw_only=True)
class WriterProfile:
    """One writer. Templates hold placeholders in braces; `summary` is in the order of the writer's keys.

    `pace_s` is the time between commits that follow each other at once. `iceberg` is the version of the library within
    the writer; of one on the Python `library`, the release of Java's whose fields that writes. `sources` names what is
    public, fact by fact. `together` are the times of several such writers that commit at once. `upserts` says how it
    replaces rows, if it does; `recipe`, what else a commit does. `title` and `versions` say to people what it is;
    `sql` is whose statements maintain its tables. `ignores` are table properties that it does not read, each with where
    it does not, or an empty text where it never does.
    """

    name: str
    origin: Origin
    names: Names
    properties: Mapping[str, str]
    summary: Mapping[str, str]
    data_file: str
    pace_s: Positive
    columns: Annotated[tuple[ColumnSample, ...], Field(min_length=1)]
    footer: FooterSample
    iceberg: str = "1.12"
    library: Library = "java"
    sources: Mapping[str, str] = field(default_factory=dict)
    together: tuple[WriterTimes, ...] = ()
    upserts: Upserts = "merge"
    recipe: Recipe = field(default_factory=Recipe)
    title: str = ""
    versions: str = ""
    trigger: TriggerOfCommits = field(default_factory=TriggerOfCommits)
    sql: Dialect = "spark"
    ignores: Mapping[str, str] = field(default_factory=dict)
    __pydantic_config__: ClassVar[ConfigDict] = NO_OTHERS

    @property
    def release(self) -> Release:
        """The release of Iceberg that decides how files are laid out."""
        return release_named(self.iceberg, self.library)

    def never_reads(self, key: str) -> bool:
        """Whether a table property of this key is nothing to it, wherever its tables are."""
        return key in never_read(self.ignores)

    @property
    def keeps_names(self) -> bool:
        """Whether one query names the data files of all its commits, as a stream's does."""
        return any(part in self.data_file for part in ("{epoch}", "{count"))

    @property
    def described(self) -> dict[str, str]:
        """What provenance says of the profile."""
        return {"name": self.name, "origin": self.origin, "iceberg": self.iceberg}


def render_profile(profile: WriterProfile) -> str:
    """The profile as JSON text, as `render_document` writes it."""
    return render_document({"schema_version": SCHEMA_VERSION, **asdict(profile)}) + "\n"


def render_document(value: object, margin: str = "\n") -> str:
    """JSON with a line for each field; arrays of plain values, and objects of them in arrays, are in one line each."""
    inner = f"{margin} "
    if isinstance(value, Mapping) and value:
        named = (f"{json.dumps(key)}: {render_document(part, inner)}" for key, part in value.items())
        return f"{{{inner}{f',{inner}'.join(named)}{margin}}}"
    if isinstance(value, list | tuple) and any(isinstance(part, Mapping) for part in value):
        rows = (
            render_document(part, inner) if _nests(part) else json.dumps(part, ensure_ascii=False) for part in value
        )
        return f"[{inner}{f',{inner}'.join(rows)}{margin}]"
    return json.dumps(value, ensure_ascii=False)


def _nests(part: object) -> bool:
    return isinstance(part, Mapping) and any(isinstance(one, Mapping | list | tuple) for one in part.values())


def read_profile(path: Path) -> WriterProfile:
    """The profile in a file. SavedFileError for a missing, damaged or unknown one."""
    try:
        text = read_regular(path).decode()
        document = json.loads(text)
    except (OSError, ValueError) as error:
        raise SavedFileError(f"{path}: no profile can be read ({error}). Measure it again.") from error
    if not isinstance(document, dict):
        raise SavedFileError(f"{path}: holds no JSON object. Measure the profile again.")
    return _profile(document, str(path), text)


def shipped_profile(case: Case) -> WriterProfile:
    """The profile that a case's writer names, or else the one that comes with wasim for it: what appends inside
    foreachBatch write is a batch's, and equality deletes are Flink's. SavedFileError where it names none.
    """
    if case.writer.profile is not None:
        return profile_named(case.writer.profile)
    if case.key_columns:
        return profile_named("flink")
    streams = case.writer.kind == "streaming" and case.writer.sink == "table"
    return profile_named("spark_streaming" if streams else "spark_batch")


def as_written(case: Case, profile: WriterProfile) -> Case:
    """The case as its writer commits it: what the scenario leaves open comes from the profile's recipe.

    That is how it appends, the properties that it gives its tables and that change metadata, and its own expiry, in
    place of which a scenario's `expire_snapshots` counts. Properties that it never reads are at their defaults.
    """
    recipe, writer, table, maintenance = profile.recipe, case.writer, case.table, case.maintenance
    if recipe.append is not None and writer.append is None and not case.key_columns:
        writer = writer.model_copy(update={"append": recipe.append})
    if case.workload.active is not None and writer.idle_commit_every is None:
        writer = writer.model_copy(update={"idle_commit_every": profile.trigger.idle_every})
    own = {key: text for key, text in profile.properties.items() if _acts(key, text) and key not in table.properties}
    if own:
        table = table.model_copy(update={"properties": {**table.properties, **own}})
    if any(profile.never_reads(key) for properties in case.all_properties for key in properties):
        table = table.model_copy(update={"properties": _as_read(table.properties, profile)})
        case = replace(case, evolution=tuple(_evolution_as_read(one, profile) for one in case.evolution))
    if maintenance.expire_snapshots is None and recipe.expiry is not None:
        case = replace(case, own_expiry=_expiry(recipe.expiry, case))
        maintenance = maintenance.model_copy(update={"expire_snapshots": case.own_expiry})
    return replace(case, writer=writer, table=table, maintenance=maintenance)


def as_triggered(case: Case, profile: WriterProfile) -> Case:
    """The case over the same horizon, its commits as early as what its profile ships makes them; its own trigger, which
    its interval is of already, or `none`, goes before.
    """
    ships = profile.trigger
    if "trigger" in case.writer.model_fields_set or (ships.bytes is None and ships.rows is None):
        return case
    trigger = Trigger(bytes=ships.bytes, rows=ships.rows)
    interval_s = triggered_s(case.commit_interval_s, trigger, case.table, case.workload.rows_per_second)
    return replace(case, commit_interval_s=interval_s).over(case.horizon_s)


def tables_in_turn(case: Case) -> int:
    """How many commits of an interval follow each other: one to each of the job's tables, some of them at once."""
    return 1 if case.writer.tables == 1 else ceil(case.writer.tables / _tables_at_once(case))


def turn_words(case: Case) -> str:
    """How the commits of an interval are made: `follow each other`, or `are made 8 at a time, …, in 2 rounds`."""
    at_once, rounds = _tables_at_once(case), tables_in_turn(case)
    if at_once == 1:
        return "follow each other"
    assumed = f"as is assumed of {shipped_profile(case).title}"
    return f"are made {at_once:,} at a time, {assumed}, in {rounds:,} round{'s' if rounds > 1 else ''}"


def _tables_at_once(case: Case) -> int:
    return shipped_profile(case).trigger.tables_at_once or case.workload.files_per_commit


def expiry_within(case: Case, own: ExpiryOfCommit | None) -> ExpireSnapshots | None:
    """The expiry, a writer's own, that shares the metadata.json of its commits in a case `as_written`; None if none."""
    shares = own is not None and own.commit == "same" and case.maintenance.expire_snapshots == _expiry(own, case)
    return case.maintenance.expire_snapshots if shares else None


def _expiry(recipe: ExpiryOfCommit, case: Case) -> ExpireSnapshots:
    return ExpireSnapshots(every=case.commit_interval_s, older_than=recipe.older_than_s, retain_last=recipe.retain_last)


def _evolution_as_read(evolution: Evolution, profile: WriterProfile) -> Evolution:
    read = None if evolution.set_properties is None else _as_read(evolution.set_properties, profile)
    return evolution.model_copy(update={"set_properties": read})


def _as_read(properties: Mapping[str, str], profile: WriterProfile) -> dict[str, str]:
    """A table's properties with Iceberg's defaults for those that the writer never reads."""
    rows = {key: property_of(key) for key in properties if profile.never_reads(key)}
    defaults = {key: None if row is None else row.default for key, row in rows.items()}
    return {
        key: str(defaults[key]).lower() if key in defaults else text
        for key, text in properties.items()
        if key not in defaults or defaults[key] is not None
    }


def _acts(key: str, text: str) -> bool:
    """Whether a property of a profile makes a table's commits other than they are by default."""
    row = property_of(key)
    return row is not None and bool(row.name) and row.simulates(text) and row.parse(text) != row.default


def profile_named(name: str) -> WriterProfile:
    """The shipped profile of that name, or the one in a file. SavedFileError if there is neither."""
    if name in SHIPPED:
        return _shipped(name)
    if not Path(name).is_file():
        raise SavedFileError(f"{name}: is no file and no shipped profile. Give a file, or {', '.join(SHIPPED)}.")
    return read_profile(Path(name))


@cache
def _shipped(name: str) -> WriterProfile:
    return _profile(_shipped_document(name), name)


def _shipped_document(name: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(files("wasim.profiles").joinpath(f"{name}.json").read_text())
    return document


def with_samples(profile: WriterProfile, *others: WriterProfile) -> WriterProfile:
    """The profile with the column samples of others too, measured on other tables of the same writer."""
    samples = dict.fromkeys(sample for one in (profile, *others) for sample in one.columns)
    return replace(profile, columns=tuple(samples))


def _profile(document: dict[str, Any], source: str, text: str = "") -> WriterProfile:
    found = document.pop("schema_version", None)
    if found != SCHEMA_VERSION:
        raise SavedFileError(f"{source}: schema_version is {found}; this wasim reads {SCHEMA_VERSION}.")
    whole = _completed(document, source)
    try:
        profile = _READER.validate_json(json.dumps(whole), strict=True)
    except ValidationError as errors:
        faults = [_fault_of(error) for error in errors.errors(include_url=False)]
    else:
        faults = list(_faults(profile))
    if faults:
        raise SavedFileError(*(f"{source}:{_line(text, one.place)} {mark_fault(_NOWHERE, one).text}" for one in faults))
    if profile.release < OLDEST:
        raise SavedFileError(
            f"{source}: iceberg is {profile.iceberg}, whose files are laid out otherwise. Give 0.12 or a newer release."
        )
    return profile


_READER = TypeAdapter(WriterProfile)
_NOWHERE = Mark(0, 0)
_OF_COMMITS = frozenset(
    "query_id epoch trino_query wall_ms checkpoint application_ms job_hex operator_hex commit_uuid control_offset"
    " event_time_iso owner".split()
)
"""What templates of a commit may name: see `CaseWriter.moment`."""
_OF_FILES = frozenset(
    ("writer", "random", "count", "wall_ms", "trino_query", "partition", "task", "task_id", "query_id", "epoch", "file")
)
_UNIQUE = frozenset(("writer", "random", "trino_query", "query_id"))


def _fault_of(error: ErrorDetails) -> Fault:
    """What is wrong with a field, with the field that was meant."""
    place: Place = tuple(error["loc"])
    if error["type"] == "unexpected_keyword_argument":
        return Fault(place=place, problem="is unknown", remedy=suggest(str(place[-1]), _known(place[:-1])))
    if error["type"] == "missing":
        return Fault(place=place, problem="is missing", remedy="Add it, or say which shipped profile this is like.")
    return explain(error)


def _known(place: Place) -> list[str]:
    """The fields of the part of a profile that stands at a place."""
    of: Any = WriterProfile
    for step in place:
        if isinstance(step, str) and is_dataclass(of):
            hint = get_type_hints(of)[step]
            of = next((one for one in (hint, *get_args(hint)) if is_dataclass(one)), None)
    return [one.name for one in fields(of)] + (["like"] if of is WriterProfile else []) if is_dataclass(of) else []


def _faults(profile: WriterProfile) -> Iterator[Fault]:
    """What does not fit together: a release that is none, a trigger that never fires, names that no template has."""
    try:
        _ = profile.release
    except ValueError as error:
        yield Fault(place=("iceberg",), problem=f"is {quote(profile.iceberg)}", remedy=f"{error}. Give a release.")
    trigger, recipe = profile.trigger, profile.recipe
    if trigger.every_s is not None and trigger.every_s > trigger.most_s:
        problem = f"is {trigger.every_s:g}, but most_s is {trigger.most_s:g}, so that it never fires"
        yield Fault(place=("trigger", "every_s"), problem=problem, remedy="Give at most that.")
    statistics: dict[Place, str] = {}
    if recipe.statistics is not None:
        statistics["recipe", "statistics", "file"] = recipe.statistics.file
    of_commit: dict[Place, str] = {("summary", key): text for key, text in profile.summary.items()}
    of_commit |= {("recipe", "sets", key): text for key, text in recipe.sets.items()}
    of_commit |= {("properties", key): text for key, text in profile.properties.items()}
    yield from _faults_of(of_commit, _OF_COMMITS | COUNTERS)
    yield from _faults_of(statistics, _OF_COMMITS | {"random"})
    yield from _faults_of({("trigger", "setting"): trigger.setting}, frozenset(["interval", "ms", "seconds"]))
    yield from _faults_of({("data_file",): profile.data_file}, _OF_FILES)
    if not any(f"{{{name}}}" in profile.data_file for name in _UNIQUE):
        remedy = f"Name one of {', '.join(sorted(_UNIQUE))} in braces."
        yield Fault(place=("data_file",), problem="names every file the same", remedy=remedy)


def _faults_of(templates: Mapping[Place, str], known: frozenset[str]) -> Iterator[Fault]:
    for place, text in templates.items():
        try:
            unknown = {name for _, name, _, _ in Formatter().parse(text) if name is not None} - known
        except ValueError:
            unknown = {text}
        if unknown:
            problem = f"names {', '.join(sorted(map(quote, unknown)))} in braces"
            yield Fault(
                place=place, problem=problem, remedy=f"Give some of {', '.join(sorted(known))}; {{{{ is a brace."
            )


def _line(text: str, place: Place) -> str:
    """The line of a field in a file, or of the part that lacks it, and a colon; empty where the file has neither."""
    at = 0
    for step in place:
        found = text.find(f'"{step}"', at) if isinstance(step, str) else at
        if found < 0:
            break
        at = found
    return f"{text[:at].count(chr(10)) + 1}:" if at else ""


def _completed(document: dict[str, Any], source: str) -> dict[str, Any]:
    """The document with what it leaves out taken from the shipped profile that it is `like`, if it names one."""
    like = document.pop("like", None)
    if like is None:
        return document
    if like not in SHIPPED:
        raise SavedFileError(
            f"{source}: is like {quoted(like)}, which is no shipped profile. Give one of {', '.join(SHIPPED)}."
        )
    other = _shipped_document(like)
    del other["schema_version"]
    return {**_completed(other, like), **document}
