"""A table found at a location: its current metadata.json, why that one, and every file in its folder."""

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path

from wasim.doctor.catalogs import is_table_name, load_named
from wasim.doctor.decoding import MapParts, list_files
from wasim.doctor.table_files import FaultKind, Faults, full_path
from wasim.errors import UnsupportedFile
from wasim.iceberg import IcebergFileError, TableMetadata, read_metadata_json, resolve
from wasim.iceberg.codecs import decompressed, is_gzip
from wasim.storage import S3Options, Storage, StorageError, StoredFile, open_storage, plain_path

_METADATA = "metadata"
_HINT = "version-hint.text"
_HINTED_NAME = re.compile(rb"[\w.-]{1,100}")
_MOST_UNREADABLE = 20
_UNDER_WAY_S = 60.0
_MOST_NAMED = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """How the current metadata.json is chosen without a catalog; `metadata_file` overrides all else."""

    metadata_file: str | None = None
    table_uuid: str | None = None
    newest_by: resolve.NewestBy = resolve.NewestBy.VERSION


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """The metadata.json taken as current, by its path below the table; `rivals` have the same version."""

    path: str
    why: str
    rivals: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()  # files of its version or a higher one that could not be read
    is_by_catalog: bool = False
    hint: str | None = None  # what version-hint.text says, if there is one
    hint_agrees: bool = True
    hint_is_ahead: bool = False  # it names a file that is not there


@dataclass(frozen=True, slots=True, kw_only=True)
class Folder:
    """A table's folder that was listed. `files` are by their paths below `root`, which is a plain path.

    `name` is that of its metadata folder below it; `below` are further metadata folders, each in a folder of its own,
    whose files are left out.
    """

    location: str
    root: str
    storage: Storage
    files: Mapping[str, StoredFile]
    name: str
    below: tuple[str, ...] = ()

    def full(self, key: str) -> str:
        """The plain path of a file below it."""
        return full_path(self.root, key)


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedTable(Folder):
    """A table on storage: its folder, and its current metadata.json."""

    chosen: Chosen
    metadata: TableMetadata
    json_text: bytes
    json_bytes: int
    is_compressed: bool
    listed_at_s: float
    faults: Faults


def open_table(
    location: str, choice: Choice | None = None, s3: S3Options | None = None, map_parts: MapParts | None = None
) -> OpenedTable:
    """The table at a location: its folder, its metadata folder or one of its metadata.json.

    `map_parts` lists its folder; without it, this process does. IcebergFileError or StorageError if there is none that
    can be read.
    """
    choice = choice or Choice()
    name = location if is_table_name(location) else None
    if name is not None:
        named = load_named(name)
        location, s3 = named.location, named.s3_options(s3)
    storage = open_storage(location, s3)
    root = plain_path(location)
    if storage.scheme == "file":
        root = _absolute(root)
    if storage.find(root) is not None:
        if not resolve.is_metadata_json(root):
            raise StorageError(f"{location}: is a file, and no metadata.json. Name the table's folder.")
        choice = replace(choice, metadata_file=root)
        parent = root.rpartition("/")[0]
        root = parent.rpartition("/")[0] if parent.endswith(f"/{_METADATA}") else parent
    folder = _listed(storage, root, location, map_parts)
    if name is None or choice.metadata_file is not None:
        return _open(folder, choice)
    # Asked again after listing, a catalog names a metadata.json that is no older than any file listed.
    metadata_location = load_named(name).metadata_location
    path = plain_path(metadata_location)
    key = path.removeprefix(full_path(folder.root, ""))
    found = None if key == path or key in folder.files else folder.storage.find(path)
    if found is not None:  # the listing came before it
        folder = replace(folder, files={**folder.files, key: found})
    return _open(folder, replace(choice, metadata_file=metadata_location), is_by_catalog=True)


def _absolute(path: str) -> str:
    return str(Path(path).absolute())


def _listed(storage: Storage, root: str, location: str, map_parts: MapParts | None) -> Folder:
    """The table's folder at or below a root, listed."""
    files = {file.path[len(root.rstrip("/")) + 1 :]: file for file in list_files(storage, root, map_parts)}
    folders = {name.rpartition("/")[0] for name in files if resolve.is_metadata_json(name)}
    if folders == {""} and root.rpartition("/")[2] == _METADATA:
        return _listed(storage, root.rpartition("/")[0], location, map_parts)
    if _METADATA in folders:
        below = tuple(sorted(folder for folder in folders if folder.endswith(f"/{_METADATA}")))
        within = tuple(folder.removesuffix(_METADATA) for folder in below)
        if within:  # they are no orphans of this table
            files = {name: file for name, file in files.items() if not name.startswith(within)}
        return Folder(location=location, storage=storage, root=root, files=files, name=_METADATA, below=below)
    if len(folders) > 1:
        tables = sorted(folder.removesuffix(f"/{_METADATA}") for folder in folders)
        more = f" and {len(tables) - _MOST_NAMED} more" if len(tables) > _MOST_NAMED else ""
        raise StorageError(f"{location}: holds several tables; name one: {', '.join(tables[:_MOST_NAMED])}{more}.")
    if not folders:
        what = "holds no metadata.json" if files else "is no table's folder: it is empty or absent"
        raise StorageError(f"{location}: {what}. Name the table's folder, the one above metadata/.")
    (folder,) = folders
    if folder.endswith(f"/{_METADATA}"):
        return _listed(storage, f"{root}/{folder.removesuffix(f'/{_METADATA}')}", location, map_parts)
    return Folder(location=location, storage=storage, root=root, files=files, name=folder)


def _open(folder: Folder, choice: Choice, *, is_by_catalog: bool = False) -> OpenedTable:
    """The table by its newest metadata.json that can be read. If none can, the first's fault is raised."""
    candidates = {name for name in folder.files if name.rpartition("/")[0] == folder.name}
    faults, unread, first = Faults(), list[str](), None

    def pass_over(fault: IcebergFileError) -> None:
        _note(folder, fault, faults)
        candidates.discard(fault.source)
        unread.append(fault.source)

    for _ in range(_MOST_UNREADABLE):
        try:
            found = _choose(folder, candidates, choice)
        except IcebergFileError as error:
            raise first or error from error
        for fault in found.unreadable:
            pass_over(fault)
        try:
            data = folder.storage.read(folder.full(found.path))
            text = decompressed(data, source=found.path)
            metadata = read_metadata_json(text, source=found.path)
        except UnsupportedFile:
            raise  # an older file would be the table's past, not what stands
        except (IcebergFileError, FileNotFoundError) as error:
            fault = error if isinstance(error, IcebergFileError) else IcebergFileError(found.path, "vanished")
            first = first or fault
            if choice.metadata_file is not None:
                raise fault from error
            pass_over(fault)
            continue
        return OpenedTable(
            **{one.name: getattr(folder, one.name) for one in fields(folder)},
            chosen=_with_hint(folder, _chosen(found, tuple(unread), is_by_catalog=is_by_catalog)),
            metadata=metadata,
            json_text=text,
            json_bytes=len(data),
            is_compressed=text is not data,
            listed_at_s=time.time(),
            faults=faults,
        )
    raise StorageError(f"{folder.location}: its {_MOST_UNREADABLE} newest metadata.json cannot be read.")


def _chosen(found: resolve.CurrentMetadata, unread: tuple[str, ...], *, is_by_catalog: bool) -> Chosen:
    why = "the one that the catalog names" if is_by_catalog else found.why
    if unread:
        why += f"; {len(unread):,} of the same or a higher version could not be read"
    return Chosen(path=found.path, why=why, rivals=found.rivals, unread=unread, is_by_catalog=is_by_catalog)


def _note(folder: Folder, fault: IcebergFileError, faults: Faults) -> None:
    """Note a metadata.json that could not be read: one of the last minute may only be under way."""
    stored = folder.files.get(fault.source)
    is_young = stored is not None and time.time() - stored.modified_s < _UNDER_WAY_S
    if is_young and _is_under_way(folder, fault):
        return faults.add(FaultKind.UNDER_WAY, f"{fault.source}: {fault.problem}")
    return faults.add_unreadable(fault)


def _is_under_way(folder: Folder, fault: IcebergFileError) -> bool:
    """Whether a file that could not be read has no end yet, or has come to its end meanwhile."""
    try:
        data = folder.storage.read(folder.full(fault.source))
        read_metadata_json(decompressed(data, source=fault.source), source=fault.source)
    except (FileNotFoundError, StorageError):
        return True
    except IcebergFileError as again:
        return not (data.rstrip().endswith(b"}") or (is_gzip(data) and "cut short" not in again.problem))
    return True


def _choose(folder: Folder, candidates: set[str], choice: Choice) -> resolve.CurrentMetadata:
    if choice.metadata_file is not None:
        given = {plain_path(choice.metadata_file)}
        if folder.storage.scheme == "file":
            given |= set(map(_absolute, given))
        named = [name for name in candidates if given & {name, name.rpartition("/")[2], folder.full(name)}]
        if not named:
            raise StorageError(f"{choice.metadata_file}: is no metadata.json of {folder.location}.")
        return resolve.CurrentMetadata(path=named[0], why="the file that was named")
    return resolve.current_metadata(
        sorted(candidates),
        lambda name: folder.storage.read(folder.full(name)),
        source=folder.location,
        table_uuid=choice.table_uuid,
        newest_by=choice.newest_by,
    )


def _with_hint(folder: Folder, chosen: Chosen) -> Chosen:
    """The file chosen, with what version-hint.text says of it. It is reported, never trusted.

    The Hadoop catalog writes a version; DuckDB and others write the file's name without its suffix.
    """
    path = f"{folder.name}/{_HINT}".lstrip("/")
    if path not in folder.files:
        return chosen
    try:
        data = folder.storage.read(folder.full(path), head=100)
    except (FileNotFoundError, StorageError):
        return chosen
    found, version = resolve.metadata_version(chosen.path), resolve.hinted_version(data)
    if version is not None:
        agrees, ahead = version == found, version > found
        return replace(chosen, hint=f"version {version}", hint_agrees=agrees, hint_is_ahead=ahead)
    text = data.strip()
    if not _HINTED_NAME.fullmatch(text):
        return replace(chosen, hint="no version", hint_agrees=False)
    hint, base = text.decode(), chosen.path.rpartition("/")[2]
    names = (name for parent, _, name in (key.rpartition("/") for key in folder.files) if parent == folder.name)
    named = [name for name in names if name == hint or name.startswith((f"{hint}.", f"v{hint}."))]
    return replace(chosen, hint=hint, hint_agrees=base in named, hint_is_ahead=not named)
