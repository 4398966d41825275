"""A table found at a location: its current metadata.json, why that one, and every file in its folder."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace

from wasim.doctor.catalogs import is_table_name, load_named
from wasim.doctor.faults import Faults
from wasim.iceberg import IcebergFileError, TableMetadata, read_metadata_json
from wasim.iceberg.gzip_files import decompressed, is_gzip
from wasim.iceberg.metadata_json import MOST_JSON_BYTES
from wasim.iceberg.names import parse_metadata_name
from wasim.iceberg.resolve import CurrentMetadata, NewestBy, current_metadata, hinted_version
from wasim.storage import S3Options, Storage, StorageError, StoredFile, open_storage, plain_path

_METADATA = "metadata"
_HINT = "version-hint.text"
_MOST_UNREADABLE = 20
_MOST_NAMED = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """How the current metadata.json is chosen without a catalog; `metadata_file` overrides all else."""

    metadata_file: str | None = None
    table_uuid: str | None = None
    newest_by: NewestBy = NewestBy.VERSION


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """The metadata.json taken as current, by its path below the table; `rivals` have the same version."""

    path: str
    why: str
    rivals: tuple[str, ...] = ()
    hint: str | None = None  # what version-hint.text says, if there is one
    hint_agrees: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedTable:
    """A table on storage. `files` are by their paths below `root`, which is a plain path."""

    location: str
    root: str
    storage: Storage
    chosen: Chosen
    metadata: TableMetadata
    json_text: bytes
    json_bytes: int
    is_compressed: bool
    files: Mapping[str, StoredFile]
    listed_at_s: float
    faults: Faults


def open_table(location: str, choice: Choice | None = None, s3: S3Options | None = None) -> OpenedTable:
    """The table at a location: its folder, its metadata folder or one of its metadata.json.

    IcebergFileError or StorageError if there is none that can be read.
    """
    choice = choice or Choice()
    if is_table_name(location):
        named = load_named(location)
        choice = replace(choice, metadata_file=choice.metadata_file or named.metadata_location)
        location, s3 = named.location, named.s3_options(s3)
    storage = open_storage(location, s3)
    root = plain_path(location)
    if storage.scheme == "file":
        root = _absolute(root)
    if storage.find(root) is not None:
        choice = replace(choice, metadata_file=root)
        parent = root.rpartition("/")[0]
        root = parent.rpartition("/")[0] if parent.endswith(f"/{_METADATA}") else parent
    files, folder, root = _listed(storage, root, location)
    return _open(location, storage, root, files, folder, choice)


def is_metadata_json(path: str) -> bool:
    """Whether a path is named as a metadata.json is."""
    return parse_metadata_name(path.rpartition("/")[2]) is not None


def _absolute(path: str) -> str:
    from pathlib import Path  # noqa: PLC0415 - plain paths of S3 are no paths of this machine

    return str(Path(path).absolute())


def _listed(storage: Storage, root: str, location: str) -> tuple[dict[str, StoredFile], str, str]:
    """The files below a table's folder, its metadata folder below that, and the table's folder itself."""
    files = {file.path[len(root.rstrip("/")) + 1 :]: file for file in storage.list(root)}
    folders = {name.rpartition("/")[0] for name in files if parse_metadata_name(name.rpartition("/")[2])}
    if folders == {""} and root.rpartition("/")[2] == _METADATA:
        return _listed(storage, root.rpartition("/")[0], location)
    if _METADATA in folders:
        return files, _METADATA, root
    if len(folders) > 1:
        tables = sorted(folder.removesuffix(f"/{_METADATA}") for folder in folders)
        more = f" and {len(tables) - _MOST_NAMED} more" if len(tables) > _MOST_NAMED else ""
        raise StorageError(f"{location}: holds several tables; name one: {', '.join(tables[:_MOST_NAMED])}{more}.")
    if not folders:
        what = "holds no metadata.json" if files else "is no table's folder: it is empty or absent"
        raise StorageError(f"{location}: {what}. Name the table's folder, the one above metadata/.")
    (folder,) = folders
    if folder.endswith(f"/{_METADATA}"):
        return _listed(storage, f"{root}/{folder.removesuffix(f'/{_METADATA}')}", location)
    return files, folder, root


def _open(
    location: str, storage: Storage, root: str, files: dict[str, StoredFile], folder: str, choice: Choice
) -> OpenedTable:
    faults = Faults()
    candidates = {name for name in files if name.rpartition("/")[0] == folder}
    for _ in range(_MOST_UNREADABLE):
        found = _choose(storage, root, candidates, choice, location)
        for error in found.unreadable:
            faults.add_unreadable(error)
            candidates.discard(error.source)
        try:
            data = storage.read(_full(root, found.path))
            text = decompressed(data, source=found.path, most_bytes=MOST_JSON_BYTES)
            metadata = read_metadata_json(text, source=found.path)
        except (IcebergFileError, FileNotFoundError) as error:
            fault = error if isinstance(error, IcebergFileError) else IcebergFileError(found.path, "vanished")
            if choice.metadata_file is not None or len(candidates) == 1:
                raise fault from error
            faults.add_unreadable(fault)
            candidates.discard(found.path)
            continue
        hint, agrees = _hint(storage, root, files, folder, found.path)
        return OpenedTable(
            location=location,
            root=root,
            storage=storage,
            chosen=Chosen(path=found.path, why=found.why, rivals=found.rivals, hint=hint, hint_agrees=agrees),
            metadata=metadata,
            json_text=text,
            json_bytes=len(data),
            is_compressed=is_gzip(data) or text is not data,
            files=files,
            listed_at_s=time.time(),
            faults=faults,
        )
    raise StorageError(f"{location}: its {_MOST_UNREADABLE} newest metadata.json cannot be read.")


def _choose(storage: Storage, root: str, candidates: set[str], choice: Choice, location: str) -> CurrentMetadata:
    if choice.metadata_file is not None:
        given = plain_path(choice.metadata_file)
        named = [name for name in candidates if given in (name, name.rpartition("/")[2], _full(root, name))]
        if not named:
            raise StorageError(f"{choice.metadata_file}: is no metadata.json of {location}.")
        return CurrentMetadata(path=named[0], why="the file that was named")
    return current_metadata(
        sorted(candidates),
        lambda name: storage.read(_full(root, name)),
        source=location,
        table_uuid=choice.table_uuid,
        newest_by=choice.newest_by,
    )


def _hint(
    storage: Storage, root: str, files: Mapping[str, StoredFile], folder: str, chosen: str
) -> tuple[str | None, bool]:
    """What version-hint.text says, and whether it names the file chosen. It is reported, never trusted."""
    path = f"{folder}/{_HINT}".lstrip("/")
    if path not in files:
        return None, True
    try:
        data = storage.read(_full(root, path), head=100)
    except (FileNotFoundError, StorageError):
        return None, True
    version, name = hinted_version(data), parse_metadata_name(chosen.rpartition("/")[2])
    if version is None:
        return "no version", False
    return f"version {version}", name is not None and name.version == version


def _full(root: str, name: str) -> str:
    return f"{root.rstrip('/')}/{name}"
