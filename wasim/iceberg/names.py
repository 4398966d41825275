"""Names of the files under a table: built as each catalog builds them, and parsed; and the kinds of these files."""

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from pathlib import PurePosixPath

_UUID = r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"


class Kind(StrEnum):
    """What a file of an Iceberg table is. The order is the order of every table and chart."""

    METADATA_JSON = "metadata_json"
    MANIFEST_LIST = "manifest_list"
    DATA_MANIFEST = "data_manifest"
    DELETE_MANIFEST = "delete_manifest"
    STATISTICS = "statistics"
    VERSION_HINT = "version_hint"
    DATA = "data"
    DELETE_FILE = "delete_file"


@dataclass(frozen=True, slots=True, kw_only=True)
class MetadataJsonName:
    """What the name of a metadata.json says. Some services leave the version out."""

    version: int | None
    uuid: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ManifestListName:
    """What the name of a manifest list says; attempts count from 1."""

    snapshot_id: int
    attempt: int
    commit_uuid: str


# The hexadecimal UUID is Iceberg's; versions have at least five digits, more when the table is that old.
_METADATA_JSON = re.compile(
    rf"(?:v(?P<hadoop>\d{{1,18}})|(?P<version>\d{{1,18}})(?:-(?P<uuid>{_UUID}|[\w-]+))?|(?P<bare>[\w-]+))"
    r"(?:\.gz|\.zstd)?\.metadata\.json(?:\.gz)?"
)
_METADATA_JSON_MARK = ".metadata.json"
_MANIFEST_LIST = re.compile(rf"snap-(?P<id>-?\d{{1,19}})-(?P<attempt>\d{{1,9}})-(?P<uuid>{_UUID})\.avro")
# Manifests of format version 4 are Parquet.
_MANIFEST = re.compile(rf"(?P<uuid>{_UUID})-m\d{{1,9}}\.(?:avro|parquet)")
_OPTIMIZED_MANIFEST = re.compile(rf"optimized-m-(?P<uuid>{_UUID})\.(?:avro|parquet)")
# Flink's checkpoint manifests: job, operator, subtask, attempt, checkpoint, counter and perhaps a suffix.
_FLINK_MANIFEST = re.compile(r"[0-9a-f]{32}-.+-\d{5,}-\d+-\d+-\d{5,}(?:-[^/]+)?\.avro")
# What Spark stages when it imports a table's files.
_STAGED_MANIFEST = re.compile(rf"stage-\d+-task-\d+-manifest-{_UUID}\.avro")
_STATISTICS = re.compile(rf"(?P<id>\d{{1,19}})-{_UUID}\.stats")
_PARTITION_STATISTICS = re.compile(rf"partition-stats-(?P<id>\d{{1,19}})-{_UUID}\.(?:parquet|avro|orc)")
_DATA_SUFFIXES = frozenset({".parquet", ".orc", ".avro"})


def hadoop_metadata_name(version: int, *, is_gzip: bool) -> str:
    """`v<N>.metadata.json`, where creation writes 1."""
    return f"v{version}{'.gz' if is_gzip else ''}.metadata.json"


def metastore_metadata_name(version: int, uuid: str, *, is_gzip: bool) -> str:
    """`<NNNNN>-<uuid>.metadata.json`, as the Hive, JDBC, Glue and REST catalogs write it; creation writes 0."""
    return f"{version:05d}-{uuid}{'.gz' if is_gzip else ''}.metadata.json"


def bare_metadata_name(uuid: str, *, is_gzip: bool) -> str:
    """`<uuid>.metadata.json`, as some services write it, without a version."""
    return f"{uuid}{'.gz' if is_gzip else ''}.metadata.json"


def manifest_list_name(snapshot_id: int, attempt: int, commit_uuid: str) -> str:
    """`snap-<snapshot id>-<attempt>-<commit uuid>.avro`, with attempts from 1."""
    return f"snap-{snapshot_id}-{attempt}-{commit_uuid}.avro"


def manifest_name(commit_uuid: str, number: int) -> str:
    """`<commit uuid>-m<number>.avro`; a retry goes on counting."""
    return f"{commit_uuid}-m{number}.avro"


def rewritten_manifest_name(uuid: str) -> str:
    """`optimized-m-<uuid>.avro`, which Spark's rewrite_manifests writes."""
    return f"optimized-m-{uuid}.avro"


def staged_manifest_name(job: str, operator: str, checkpoint: int, number: int) -> str:
    """Name of a manifest that Flink's one aggregator, in its first attempt, stages files in; numbered from 1 on."""
    return f"{job}-{operator}-00000-0-{checkpoint}-{number:05d}.avro"


def parse_metadata_name(name: str) -> MetadataJsonName | None:
    """What a metadata.json's file name says, or None for other names."""
    # Nearly every name in a long table's folder is another: a comparison is cheaper than the pattern.
    return _parsed_metadata_name(name) if _METADATA_JSON_MARK in name else None


@lru_cache(maxsize=4096)
def _parsed_metadata_name(name: str) -> MetadataJsonName | None:
    match = _METADATA_JSON.fullmatch(name)
    if not match:
        return None
    version = match["hadoop"] or match["version"]
    return MetadataJsonName(version=int(version) if version else None, uuid=match["uuid"] or match["bare"])


def parse_manifest_list_name(name: str) -> ManifestListName | None:
    """What a manifest list's file name says, or None for other names."""
    match = _MANIFEST_LIST.fullmatch(name)
    if not match:
        return None
    return ManifestListName(snapshot_id=int(match["id"]), attempt=int(match["attempt"]), commit_uuid=match["uuid"])


def commit_of_manifest(name: str) -> str | None:
    """The UUID of the commit that a manifest's file name tells, or None for other names."""
    match = _MANIFEST.fullmatch(name) or _OPTIMIZED_MANIFEST.fullmatch(name)
    return match["uuid"] if match else None


def is_staged_by_flink(name: str) -> bool:
    """Whether a manifest is one of a Flink checkpoint: a job that resumes from it commits the files listed there."""
    return _FLINK_MANIFEST.fullmatch(name) is not None


def snapshot_of_statistics(name: str) -> int | None:
    """The snapshot that a statistics file is named after; None for names that name none."""
    match = _STATISTICS.fullmatch(name) or _PARTITION_STATISTICS.fullmatch(name)
    return int(match["id"]) if match else None


def kind_by_name(path: str) -> Kind | None:
    """The kind of the file at a path (or URI) below a table; None for what is neither data nor metadata.

    Whether a manifest lists data or deletes stands inside it, not in its name: all are data manifests here.
    """
    pure = PurePosixPath(path)
    if pure.name.startswith(".") and pure.name.endswith(".crc"):
        return None
    kind = _kind_of_metadata(pure.name)
    if kind is None and pure.parent.name == "metadata":
        # Other writers name manifests and statistics as they like, but keep them here.
        kind = _METADATA_SUFFIXES.get(pure.suffix)
    return kind or _kind_of_data(pure)


def _kind_of_metadata(name: str) -> Kind | None:
    # The Hadoop catalog writes both under temporary names first, and renames them; the bytes are the same file's.
    if name == "version-hint.text" or name.endswith("-version-hint.temp"):
        return Kind.VERSION_HINT
    if parse_metadata_name(name):
        return Kind.METADATA_JSON
    return next((kind for kind, pattern in _METADATA_PATTERNS if pattern.fullmatch(name)), None)


_METADATA_PATTERNS = (
    (Kind.MANIFEST_LIST, _MANIFEST_LIST),
    (Kind.DATA_MANIFEST, _MANIFEST),
    (Kind.DATA_MANIFEST, _OPTIMIZED_MANIFEST),
    (Kind.DATA_MANIFEST, _FLINK_MANIFEST),
    (Kind.DATA_MANIFEST, _STAGED_MANIFEST),
    (Kind.STATISTICS, _STATISTICS),
    (Kind.STATISTICS, _PARTITION_STATISTICS),
)
_METADATA_SUFFIXES = {".avro": Kind.DATA_MANIFEST, ".stats": Kind.STATISTICS, ".puffin": Kind.STATISTICS}


def _kind_of_data(path: PurePosixPath) -> Kind | None:
    if path.suffix == ".puffin":
        return Kind.DELETE_FILE
    if path.suffix in _DATA_SUFFIXES:
        # Spark's delete files carry the word; other writers' are known by their manifest alone.
        return Kind.DELETE_FILE if path.stem.endswith("-deletes") else Kind.DATA
    return None
