"""Names of the files under a table: built as each catalog builds them, and parsed.

Whether a manifest lists data or deletes stands inside it, not in its name.
"""

import re
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from pathlib import PurePosixPath

_UUID = r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"


class FileKind(Enum):
    """What a file under a table's location is, as far as its name says."""

    METADATA_JSON = "metadata_json"
    VERSION_HINT = "version_hint"
    MANIFEST_LIST = "manifest_list"
    MANIFEST = "manifest"
    STATISTICS = "statistics"
    PARTITION_STATISTICS = "partition_statistics"
    DATA = "data"
    DELETES = "deletes"
    DELETION_VECTORS = "deletion_vectors"
    CHECKSUM = "checksum"
    OTHER = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class MetadataJsonName:
    """What the name of a metadata.json says. Some services leave the version out."""

    version: int | None
    uuid: str | None
    is_gzip: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ManifestListName:
    """What the name of a manifest list says; attempts count from 1."""

    snapshot_id: int
    attempt: int
    commit_uuid: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ManifestName:
    """What the name of a manifest says: the commit, and its number among the manifests that the commit wrote."""

    commit_uuid: str
    number: int | None


# The hexadecimal UUID is Iceberg's; versions have at least five digits, more when the table is that old.
_METADATA_JSON = re.compile(
    rf"(?:v(?P<hadoop>\d{{1,18}})|(?P<version>\d{{1,18}})(?:-(?P<uuid>{_UUID}|[\w-]+))?|(?P<bare>[\w-]+))"
    r"(?P<gz>\.gz|\.zstd)?\.metadata\.json(?P<old_gz>\.gz)?"
)
_METADATA_JSON_MARK = ".metadata.json"
_MANIFEST_LIST = re.compile(rf"snap-(?P<id>-?\d{{1,19}})-(?P<attempt>\d{{1,9}})-(?P<uuid>{_UUID})\.avro")
# Manifests of format version 4 are Parquet.
_MANIFEST = re.compile(rf"(?P<uuid>{_UUID})-m(?P<number>\d{{1,9}})\.(?:avro|parquet)")
_OPTIMIZED_MANIFEST = re.compile(rf"optimized-m-(?P<uuid>{_UUID})\.(?:avro|parquet)")
# Flink's checkpoint manifests: job, operator, subtask, attempt, checkpoint, counter and perhaps a suffix.
_FLINK_MANIFEST = re.compile(r"[0-9a-f]{32}-.+-\d{5,}-\d+-\d+-\d{5,}(?:-[^/]+)?\.avro")
# What Spark stages when it imports a table's files.
_STAGED_MANIFEST = re.compile(rf"stage-\d+-task-\d+-manifest-{_UUID}\.avro")
_STATISTICS = re.compile(rf"(?P<id>\d{{1,19}})-{_UUID}\.stats")
_PARTITION_STATISTICS = re.compile(rf"partition-stats-(?P<id>\d{{1,19}})-{_UUID}\.(?:parquet|avro|orc)")
_DATA_SUFFIXES = frozenset({".parquet", ".orc", ".avro"})


def hadoop_metadata_name(version: int, *, is_gzip: bool = False) -> str:
    """`v<N>.metadata.json`, where creation writes 1."""
    return f"v{version}{'.gz' if is_gzip else ''}.metadata.json"


def metastore_metadata_name(version: int, uuid: str, *, is_gzip: bool = False) -> str:
    """`<NNNNN>-<uuid>.metadata.json`, as the Hive, JDBC, Glue and REST catalogs write it; creation writes 0."""
    return f"{version:05d}-{uuid}{'.gz' if is_gzip else ''}.metadata.json"


def bare_metadata_name(uuid: str, *, is_gzip: bool = False) -> str:
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
    uuid = match["uuid"] or match["bare"]
    return MetadataJsonName(
        version=int(version) if version else None, uuid=uuid, is_gzip=match["gz"] == ".gz" or bool(match["old_gz"])
    )


def parse_manifest_list_name(name: str) -> ManifestListName | None:
    """What a manifest list's file name says, or None for other names."""
    match = _MANIFEST_LIST.fullmatch(name)
    if not match:
        return None
    return ManifestListName(snapshot_id=int(match["id"]), attempt=int(match["attempt"]), commit_uuid=match["uuid"])


def parse_manifest_name(name: str) -> ManifestName | None:
    """What a manifest's file name says, or None for other names."""
    if match := _MANIFEST.fullmatch(name):
        return ManifestName(commit_uuid=match["uuid"], number=int(match["number"]))
    match = _OPTIMIZED_MANIFEST.fullmatch(name)
    return ManifestName(commit_uuid=match["uuid"], number=None) if match else None


def is_staged_by_flink(name: str) -> bool:
    """Whether a manifest is one of a Flink checkpoint: a job that resumes from it commits the files listed there."""
    return _FLINK_MANIFEST.fullmatch(name) is not None


def snapshot_of_statistics(name: str) -> int | None:
    """The snapshot that a statistics file is named after; None for names that name none."""
    match = _STATISTICS.fullmatch(name) or _PARTITION_STATISTICS.fullmatch(name)
    return int(match["id"]) if match else None


def classify(path: str) -> FileKind:
    """What the file at a path (or URI) under a table is."""
    pure = PurePosixPath(path)
    if pure.name.startswith(".") and pure.name.endswith(".crc"):
        return FileKind.CHECKSUM
    kind = _classify_metadata(pure.name)
    if kind is FileKind.OTHER and pure.parent.name == "metadata":
        # Other writers name manifests and statistics as they like, but keep them here.
        kind = _METADATA_SUFFIXES.get(pure.suffix, FileKind.OTHER)
    return _classify_data(pure) if kind is FileKind.OTHER else kind


def _classify_metadata(name: str) -> FileKind:
    # The Hadoop catalog writes both under temporary names first, and renames them; the bytes are the same file's.
    if name == "version-hint.text" or name.endswith("-version-hint.temp"):
        return FileKind.VERSION_HINT
    if parse_metadata_name(name):
        return FileKind.METADATA_JSON
    return next((kind for kind, pattern in _METADATA_PATTERNS if pattern.fullmatch(name)), FileKind.OTHER)


_METADATA_PATTERNS = (
    (FileKind.MANIFEST_LIST, _MANIFEST_LIST),
    (FileKind.MANIFEST, _MANIFEST),
    (FileKind.MANIFEST, _OPTIMIZED_MANIFEST),
    (FileKind.MANIFEST, _FLINK_MANIFEST),
    (FileKind.MANIFEST, _STAGED_MANIFEST),
    (FileKind.STATISTICS, _STATISTICS),
    (FileKind.PARTITION_STATISTICS, _PARTITION_STATISTICS),
)
_METADATA_SUFFIXES = {".avro": FileKind.MANIFEST, ".stats": FileKind.STATISTICS, ".puffin": FileKind.STATISTICS}


def _classify_data(path: PurePosixPath) -> FileKind:
    if path.suffix == ".puffin":
        return FileKind.DELETION_VECTORS
    if path.suffix in _DATA_SUFFIXES:
        # Spark's delete files carry the word; other writers' are known by their manifest alone.
        return FileKind.DELETES if path.stem.endswith("-deletes") else FileKind.DATA
    return FileKind.OTHER
