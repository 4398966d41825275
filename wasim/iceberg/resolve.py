"""Which metadata.json of a table without a catalog is the current one."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum

from wasim.iceberg.faults import IcebergFileError
from wasim.iceberg.gzip_files import decompressed
from wasim.iceberg.json_text import JsonFields, read_json
from wasim.iceberg.metadata_json import MOST_JSON_BYTES
from wasim.iceberg.names import parse_metadata_name

_HINT = re.compile(rb"\s*(\d{1,18})\s*")


class NewestBy(Enum):
    """What makes a metadata.json newer than another."""

    VERSION = "version"
    LAST_UPDATED = "last_updated"


@dataclass(frozen=True, slots=True, kw_only=True)
class CurrentMetadata:
    """The file taken as current, and why.

    `rivals` have the same version: writers that lost a race may have left them behind. `unreadable` are files that were
    looked into and passed over, each with what is wrong with it.
    """

    path: str
    why: str
    rivals: tuple[str, ...] = ()
    unreadable: tuple[IcebergFileError, ...] = ()


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
    `last-updated-ms` when asked, when no name has a version, and between files of one version. A file that cannot be
    read is passed over if another will do.
    """
    versions = _versions(paths)
    if not versions:
        raise IcebergFileError(source, "holds no metadata.json: name the table's folder, the one above metadata/")
    # Long tables hold gigabytes of these files, so by version only the newest ones are opened.
    by_version = sorted({version for version, _ in versions}, reverse=True)
    groups = [set(by_version)] if newest_by is NewestBy.LAST_UPDATED else [{version} for version in by_version]
    unreadable: list[IcebergFileError] = []
    for group in groups:
        same = [path for version, path in versions if version in group]
        if len(same) == 1 and table_uuid is None and not unreadable:
            return CurrentMetadata(path=same[0], why=_why(same[0], NewestBy.VERSION, len(versions)))
        readable = [one for one in (_candidate(path, read, unreadable) for path in same) if one is not None]
        candidates = [candidate for candidate in readable if candidate.is_of(table_uuid)]
        if candidates:
            return _newest(candidates, newest_by, tuple(unreadable), len(versions))
    if unreadable:
        raise unreadable[0]
    raise IcebergFileError(source, f"holds no metadata.json of the table UUID {table_uuid}")


def hinted_version(data: bytes) -> int | None:
    """The version that a `version-hint.text` names, or None if it names none."""
    match = _HINT.fullmatch(data)
    return int(match[1]) if match else None


def _versions(paths: Iterable[str]) -> list[tuple[int, str]]:
    named = [(path, parse_metadata_name(path.rsplit("/", 1)[-1])) for path in paths]
    return [(-1 if name.version is None else name.version, path) for path, name in named if name]


def _newest(
    candidates: list[_Candidate], newest_by: NewestBy, unreadable: tuple[IcebergFileError, ...], files: int
) -> CurrentMetadata:
    best = max(candidates, key=lambda candidate: (candidate.last_updated_ms, candidate.version, candidate.path))
    # Names without a version rival nobody: they say nothing of a race.
    rivals = [item.path for item in candidates if item.version == best.version >= 0 and item is not best]
    by = NewestBy.VERSION if newest_by is NewestBy.VERSION and best.version >= 0 else NewestBy.LAST_UPDATED
    why = _why(best.path, by, files) + (f", updated after {len(rivals)} of the same version" if rivals else "")
    return CurrentMetadata(path=best.path, why=why, rivals=tuple(sorted(rivals)), unreadable=unreadable)


def _why(path: str, by: NewestBy, files: int) -> str:
    name = parse_metadata_name(path.rsplit("/", 1)[-1])
    if files == 1:
        return "the only metadata.json there"
    if by is NewestBy.VERSION and name is not None and name.version is not None:
        return f"the highest version, {name.version}, of {files} files"
    return f"the latest last-updated-ms of {files} files"


def _candidate(path: str, read: Callable[[str], bytes], unreadable: list[IcebergFileError]) -> _Candidate | None:
    name = parse_metadata_name(path.rsplit("/", 1)[-1])
    try:
        uuid, last_updated_ms = _identity(read(path), path)
    except IcebergFileError as error:
        unreadable.append(error)
        return None
    except FileNotFoundError:
        unreadable.append(IcebergFileError(path, "vanished while it was looked for"))
        return None
    version = -1 if name is None or name.version is None else name.version
    return _Candidate(path=path, version=version, table_uuid=uuid or "", last_updated_ms=last_updated_ms)


def _identity(data: bytes, path: str) -> tuple[str | None, int]:
    text = decompressed(data, source=path, most_bytes=MOST_JSON_BYTES)
    fields = JsonFields(read_json(text, source=path), where="", source=path, unknown=[])
    return fields.optional_text("table-uuid"), fields.integer("last-updated-ms")
