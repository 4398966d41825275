"""Which metadata.json of a table without a catalog is the current one."""

import re
from collections.abc import Callable, Iterable, Set
from dataclasses import dataclass
from enum import Enum

from wasim.errors import IcebergFileError
from wasim.iceberg.codecs import decompressed
from wasim.iceberg.json_text import JsonFields, read_json
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
    looked into and skipped, each with what is wrong with it.
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
    is_whole: bool  # the manifest list of its current snapshot, if it has one, is in the folder


def current_metadata(
    paths: Iterable[str],
    read: Callable[[str], bytes],
    *,
    source: str,
    table_uuid: str | None = None,
    newest_by: NewestBy = NewestBy.VERSION,
) -> CurrentMetadata:
    """The newest metadata.json among the files of a metadata folder, read as far as needed.

    `paths` are all files of the folder. Only metadata.json of the table UUID, if one is given, in whatever case. Newest
    by the version in the name, or by `last-updated-ms` when asked, when no name has a version, and between files of one
    version. Of these, one whose manifest list is gone comes last: an attempt that lost a race deletes its list, and
    some catalogs leave its metadata.json. A file that cannot be read is skipped if another will do.
    """
    paths = list(paths)
    versions = [(metadata_version(path), path) for path in paths if is_metadata_json(path)]
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
        names = {path.rsplit("/", 1)[-1] for path in paths}
        readable = [one for one in (_candidate(path, read, names, unreadable) for path in same) if one is not None]
        candidates = [one for one in readable if table_uuid is None or one.table_uuid.lower() == table_uuid.lower()]
        if candidates:
            return _newest(candidates, newest_by, tuple(unreadable), len(versions))
    if unreadable:
        raise unreadable[0]
    raise IcebergFileError(source, f"holds no metadata.json of the table UUID {table_uuid}")


def hinted_version(data: bytes) -> int | None:
    """The version that a `version-hint.text` names, or None if it names none."""
    match = _HINT.fullmatch(data)
    return int(match[1]) if match else None


def is_metadata_json(path: str) -> bool:
    """Whether a path is named as a metadata.json is."""
    return parse_metadata_name(path.rpartition("/")[2]) is not None


def metadata_version(path: str) -> int:
    """The version in the name of a metadata.json; -1 where it has none."""
    name = parse_metadata_name(path.rpartition("/")[2])
    return -1 if name is None or name.version is None else name.version


def _newest(
    candidates: list[_Candidate], newest_by: NewestBy, unreadable: tuple[IcebergFileError, ...], files: int
) -> CurrentMetadata:
    best = max(candidates, key=lambda one: (one.is_whole, one.last_updated_ms, one.version, one.path))
    # Names without a version rival nobody: they say nothing of a race.
    rivals = [item.path for item in candidates if item.version == best.version >= 0 and item is not best]
    by = NewestBy.VERSION if newest_by is NewestBy.VERSION and best.version >= 0 else NewestBy.LAST_UPDATED
    why = _why(best.path, by, files)
    if rivals:
        lost = best.is_whole and not any(item.is_whole for item in candidates if item.path in rivals)
        how = "with its manifest list, unlike" if lost else "updated after"
        why += f", {how} {len(rivals)} of the same version"
    return CurrentMetadata(path=best.path, why=why, rivals=tuple(sorted(rivals)), unreadable=unreadable)


def _why(path: str, by: NewestBy, files: int) -> str:
    version = metadata_version(path)
    if files == 1:
        return "the only metadata.json there"
    if by is NewestBy.VERSION and version >= 0:
        return f"the highest version, {version}, of {files} files"
    return f"the latest last-updated-ms of {files} files"


def _candidate(
    path: str, read: Callable[[str], bytes], names: Set[str], unreadable: list[IcebergFileError]
) -> _Candidate | None:
    try:
        fields = read_fields(read(path), source=path)
        manifest_list = _manifest_list(fields)
        return _Candidate(
            path=path,
            version=metadata_version(path),
            table_uuid=fields.optional_text("table-uuid") or "",
            last_updated_ms=fields.integer("last-updated-ms"),
            is_whole=manifest_list is None or manifest_list.rsplit("/", 1)[-1] in names,
        )
    except IcebergFileError as error:
        unreadable.append(error)
    except FileNotFoundError:
        unreadable.append(IcebergFileError(path, "vanished while it was looked for"))
    return None


def read_fields(data: bytes, *, source: str) -> JsonFields:
    """The members of a metadata.json, compressed or not. IcebergFileError if it is no JSON object."""
    text = decompressed(data, source=source)
    return JsonFields(read_json(text, source=source), where="", source=source, unknown=[])


def _manifest_list(fields: JsonFields) -> str | None:
    """The current snapshot's manifest list; None if it has none, as of v1 with manifests in its snapshots."""
    current = fields.optional_integer("current-snapshot-id")
    newest_first = reversed(list(fields.objects("snapshots")))
    found = next((one for one in newest_first if one.optional_integer("snapshot-id") == current), None)
    return found.optional_text("manifest-list") if found is not None else None
