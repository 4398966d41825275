"""What the simulator carries out, and what it refuses by name rather than pass over."""

from collections.abc import Iterator

from wasim.errors import WasimError
from wasim.iceberg.parquet_manifests import PARQUET_SINCE
from wasim.iceberg.properties import GC_ENABLED, MAX_REF_AGE_MS, PLACING_KEYS, Support, TableProperties, property_of
from wasim.iceberg.releases import V3_SINCE, V4_SINCE
from wasim.scenario import Case
from wasim.twin.data_files import DATA_TEMPLATE
from wasim.twin.profile import WriterProfile

# What of an evolution decides in which files rows are that are written again.
_SHAPING = ("add_partition_field", "drop_partition_field")
_SHUFFLE_SETTINGS = ("spark.sql.adaptive.", "spark.sql.shuffle.", "spark.sql.join", "spark.sql.autoBroadcast")
_BYTE_AFFECTING_SETTINGS = ("spark.app.", "spark.sql.iceberg.", "spark.sql.catalog.", "spark.sql.sources.")


def check_supported(case: Case, profile: WriterProfile) -> None:
    """Raises WasimError naming the first setting of the case that the simulator does not support."""
    check_answerable(case, profile)
    check_rewriting(case)
    if case.writer.writers > 1 and (profile.recipe.statistics or profile.recipe.expiry or profile.recipe.tag):
        raise WasimError(
            f"writer.writers is {case.writer.writers}: what {profile.name} does with each commit is simulated of one"
            " writer. Give 1, or another profile."
        )
    given: dict[str, str] = {}
    for properties in case.all_properties:
        given |= properties
        values = TableProperties.read(given)
        for key, value in properties.items():
            _check_property(case, key, value, profile)
            _check_circumstances(case, key, profile, values)
    for name in unsimulated_settings(case):
        raise WasimError(f"{name} is not simulated. Take it out{_or_spark(case)}.")
    if is_cut_by_sample(case):
        raise WasimError(
            "workload.distribution_mode range is not simulated for partitioned tables: its cuts depend on a sample of"
            f" the rows. Give none or hash{_or_spark(case)}."
        )


def approximated(case: Case) -> tuple[str, ...]:
    """What exact simulation takes by a law instead of encoding it, in plain sentences."""
    if case.table.format_version < PARQUET_SINCE:
        return ()
    return ("Manifests of format version 4 have the sizes that were measured of such files, within 0.5 %.",)


def of_recipe(case: Case, profile: WriterProfile) -> Iterator[str]:
    """What of the writer no simulation counts, or estimates, or takes otherwise, in plain sentences."""
    yield from ignored(case, profile)
    if profile.recipe.statistics is not None:
        yield f"The Puffin files of {profile.name}'s statistics are not counted, their entries in metadata.json are."
        if TableProperties.read(case.table.properties).metadata_compression == "gzip":
            yield "What entries of statistics take in a compressed metadata.json is an estimate, within 13 %."


def ignored(case: Case, profile: WriterProfile) -> Iterator[str]:
    """What the table is set to and its writer does not read, in plain sentences."""
    given = dict.fromkeys(key for properties in case.all_properties for key in properties)
    unread = {key: profile.ignores[key] for key in given if key in profile.ignores}
    for where in dict.fromkeys(unread.values()):
        keys = " and ".join(key for key, one in unread.items() if one == where)
        yield f"{profile.title} ignores {keys}{f' {where}; the figures are as if it did not' if where else ''}."


def is_simulated(key: str, value: str, profile: WriterProfile) -> bool:
    """Whether the simulator carries out a table property of that value, if nothing else stands against it."""
    row = property_of(key)
    return row is None or profile.properties.get(key) == value or row.simulates(value)


def unsimulated_settings(case: Case) -> tuple[str, ...]:
    """Spark's settings in the case that change bytes in ways that are not simulated."""
    given = case.environment.spark
    return tuple(f"environment.spark.{key}" for key in given if key.startswith(_BYTE_AFFECTING_SETTINGS))


def is_cut_by_sample(case: Case) -> bool:
    """Whether which rows go to which file depends on a sample that Spark draws."""
    return bool(case.table.partition_by) and case.workload.distribution_mode == "range"


def check_answerable(case: Case, profile: WriterProfile) -> None:
    """Raises WasimError for what makes no sense: all else has an answer in sums, be it on average."""
    _check_upsert(case, profile)
    version = case.table.format_version
    if version > 2 and profile.release < (V4_SINCE if version >= PARQUET_SINCE else V3_SINCE):
        raise WasimError(
            f"table.format_version {version} is not simulated for {profile.name}, whose Iceberg is {profile.iceberg}."
            " Give 2, or the profile of a newer writer."
        )
    given: dict[str, str] = {}
    for properties in case.all_properties:
        given |= properties
        TableProperties.read(given)


def _check_upsert(case: Case, profile: WriterProfile) -> None:
    upsert = case.writer.upsert
    if upsert is None:
        return
    wanted = "equality-deletes" if case.key_columns else "merge"
    if profile.upserts != wanted:
        can = {
            "none": "appends only. Take writer.upsert out, or give another profile.",
            "merge": "merges. Give writer.upsert.mode copy-on-write or merge-on-read, or the profile flink.",
            "equality-deletes": "deletes by key. Give writer.upsert.mode equality-deletes, or the profile of another"
            " writer.",
        }
        raise WasimError(
            f"writer.upsert of mode {upsert.mode} is not what the profile {profile.name} does: it"
            f" {can[profile.upserts]}"
        )
    others = [name for name, given in (("changes", case.has_changes), ("evolution", case.evolution)) if given]
    if case.key_columns and others:
        raise WasimError(
            f"{' and '.join(others)} with writer.upsert of mode equality-deletes is not simulated. Take one of them"
            " out."
        )


def _or_spark(case: Case) -> str:
    """The other way out of what is not modelled, where there is one: engine spark refuses Flink's upserts."""
    return "" if case.key_columns else ", or use engine spark"


def check_rewriting(case: Case) -> None:
    """Raises WasimError naming what of the case's rewriting of rows nobody describes but Spark itself."""
    _check_properties_of_changes(case)
    given = ((name, change) for name, change in case.changes if change is not None)
    again = (name for name, change in given if getattr(change, "locality", None) != "oldest_commits")
    rewriting = next((f"changes.{name}" for name in again), None)  # of rows that the table holds already
    if case.maintenance.rewrite_data_files is not None:
        rewriting = "maintenance.rewrite_data_files"
    if case.writer.upsert is not None:
        rewriting = "writer.upsert"
    if rewriting is None:
        return
    if case.has_changes and case.writer.upsert is not None and case.evolution:
        raise WasimError(
            "changes, writer.upsert and evolution together are not modelled. Take one of them out, or use engine spark."
        )
    for evolution in case.evolution:
        shaping = next((name for name in _SHAPING if getattr(evolution, name) is not None), None)
        if shaping:
            raise WasimError(
                f"{rewriting} with {shaping} is not modelled: it writes older rows into the new partitions. Take one"
                " of them out, or use engine spark."
            )
    for key in case.environment.spark:
        if key.startswith(_SHUFFLE_SETTINGS):
            raise WasimError(
                f"environment.spark.{key} with {rewriting} is not modelled: it decides how many files a statement"
                f" writes. Take it out{_or_spark(case)}."
            )


def _check_properties_of_changes(case: Case) -> None:
    if not case.changes_rows:
        return
    for key in (key for properties in case.all_properties for key in properties):
        row = property_of(key)
        if row is not None and row.support is Support.APPENDS_ONLY:
            raise WasimError(f"table.properties.{key} is not modelled with changes. Take it out{_or_spark(case)}.")


def _check_property(case: Case, key: str, value: str, profile: WriterProfile) -> None:
    row = property_of(key)
    if row is None or is_simulated(key, value, profile):
        return
    if row.simulated_values:
        known = " or ".join(str(one).lower() for one in row.simulated_values)
        raise WasimError(f'table.properties.{key} is "{value}"; {known} is simulated. Give that{_or_spark(case)}.')
    raise WasimError(f"table.properties.{key} is not simulated. Take it out{_or_spark(case)}.")


def _check_circumstances(case: Case, key: str, profile: WriterProfile, values: TableProperties) -> None:
    """Refuses a property that the simulator knows, but not together with the rest of the case."""
    kept = case.maintenance
    has_refs = any(one.create_tag is not None or one.create_branch is not None for one in case.evolution)
    problem = ""
    if key in PLACING_KEYS and not profile.data_file.startswith(DATA_TEMPLATE):
        problem = f"is not simulated for {profile.name}, which names its files in its own way"
    elif key == GC_ENABLED and not values.gc_enabled and (kept.expire_snapshots or kept.remove_orphan_files):
        problem = "is false, and Iceberg then refuses to expire snapshots and to remove orphans"
    elif key == MAX_REF_AGE_MS and kept.expire_snapshots is not None and has_refs:
        problem = "together with expire_snapshots and tags or branches is not simulated"
    if problem:
        raise WasimError(f"table.properties.{key} {problem}. Take it out{_or_spark(case)}.")
