"""Which metadata.json of a table without a catalog is the current one."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum

from wasim.iceberg.faults import IcebergFileError
from wasim.iceberg.gzip_files import gunzip, is_gzip
from wasim.iceberg.json_text import JsonFields, read_json
from wasim.iceberg.metadata_json import MOST_JSON_BYTES
from wasim.iceberg.names import parse_metadata_name


class NewestBy(Enum):
    """What makes a metadata.json newer than another."""

    VERSION = "version"
    LAST_UPDATED = "last_updated"


@dataclass(frozen=True, slots=True, kw_only=True)
class CurrentMetadata:
    """The file taken as current. `rivals` have the same version: writers that lost a race may have left them behind."""

    path: str
    rivals: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Candidate:
    path: str
    version: int
    table_uuid: str
    last_updated_ms: int

    def is_of(self, table_uuid: str | None) -> bool:
        return table_uuid is None or self.table_uuid.lower() == table_uuid.lower()


def current_metadata(
    paths: Iterable[str],
    read: Callable[[str], bytes],
    *,
    source: str,
    table_uuid: str | None = None,
    newest_by: NewestBy = NewestBy.VERSION,
) -> CurrentMetadata:
    """The newest metadata.json among the files of a metadata folder, read as far as needed.

    Only files of the table UUID, if one is given, in whatever case. Newest by the version in the name, or by
    `last-updated-ms` when asked, when no name has a version, and between files of one version.
    """
    named = [(path, parse_metadata_name(path.rsplit("/", 1)[-1])) for path in paths]
    versions = [(-1 if name.version is None else name.version, path) for path, name in named if name]
    if not versions:
        raise IcebergFileError(source, "holds no metadata.json: name the table's folder, the one above metadata/")
    # Long tables hold gigabytes of these files, so by version only the newest ones are opened.
    by_version = sorted({version for version, _ in versions}, reverse=True)
    groups = [set(by_version)] if newest_by is NewestBy.LAST_UPDATED else [{version} for version in by_version]
    for group in groups:
        same = [path for version, path in versions if version in group]
        if len(same) == 1 and table_uuid is None:
            return CurrentMetadata(path=same[0])
        candidates = [
            candidate for candidate in (_candidate(path, read) for path in same) if candidate.is_of(table_uuid)
        ]
        if candidates:
            return _newest(candidates)
    raise IcebergFileError(source, f"holds no metadata.json of the table UUID {table_uuid}")


def _newest(candidates: list[_Candidate]) -> CurrentMetadata:
    best = max(candidates, key=lambda candidate: (candidate.last_updated_ms, candidate.version, candidate.path))
    # Names without a version rival nobody: they say nothing of a race.
    rivals = [item.path for item in candidates if item.version == best.version >= 0 and item is not best]
    return CurrentMetadata(path=best.path, rivals=tuple(sorted(rivals)))


def _candidate(path: str, read: Callable[[str], bytes]) -> _Candidate:
    name = parse_metadata_name(path.rsplit("/", 1)[-1])
    uuid, last_updated_ms = _identity(read(path), path)
    version = -1 if name is None or name.version is None else name.version
    return _Candidate(path=path, version=version, table_uuid=uuid or "", last_updated_ms=last_updated_ms)


def _identity(data: bytes, path: str) -> tuple[str | None, int]:
    text = gunzip(data, source=path, most_bytes=MOST_JSON_BYTES) if is_gzip(data) else data
    fields = JsonFields(read_json(text, source=path), where="", source=path, unknown=[])
    return fields.optional_text("table-uuid"), fields.integer("last-updated-ms")
