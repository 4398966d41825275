"""Reading and decoding a table's manifest lists and manifests, in this process or in others."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, compress
from operator import attrgetter
from pathlib import Path
from typing import Any, TypeAlias

from wasim.doctor.content import ManifestRead, read_manifests
from wasim.doctor.list_chain import ListRead, read_lists
from wasim.doctor.table_files import OutsideTable, full_path, is_on_other_storage, is_outside
from wasim.storage import FileRead, Storage, StorageError, StoredFile, read_each

_PART_FILES = 500
Reading: TypeAlias = Callable[[Iterable[tuple[str, FileRead]]], Iterator[Any]]


MapParts: TypeAlias = Callable[[Callable[[Any], Any], Sequence[Any]], Iterable[Any]]
"""`map`, in this process or in others: the results of a work, one for each part, in the order of the parts. Work, parts
and results can be pickled.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decoder:
    """Reads and decodes files of a table by their keys, in their order, one result for each; `root` is its folder.

    What lies outside that is opened only where `reads_outside`: whoever wrote the metadata chose these paths. With
    `map_parts` some hundred files at a time are worked on wherever that takes them: by a Spark's workers. The first
    list of each part is then decoded whole, and the answer is the same.
    """

    storage: Storage
    root: str
    reads_outside: bool = False
    map_parts: MapParts | None = None

    def lists(self, keys: Sequence[str], *, whole: bool = False) -> Iterator[ListRead]:
        """Manifest lists, oldest first; each is decoded against the one before it, and inflated as far as needed."""
        return self._in_parts(partial(read_lists, whole=whole), keys)

    def manifests(self, keys: Sequence[str]) -> Iterator[ManifestRead]:
        """Manifests, in any order."""
        return self._in_parts(read_manifests, keys)

    def _in_parts(self, read: Reading, keys: Sequence[str]) -> Iterator[Any]:
        if self.map_parts is None:
            return read(self._files(keys))
        parts = [keys[at : at + _PART_FILES] for at in range(0, len(keys), _PART_FILES)]
        return chain.from_iterable(self.map_parts(partial(_read_part, replace(self, map_parts=None), read), parts))

    def _files(self, keys: Sequence[str]) -> Iterator[tuple[str, FileRead]]:
        opened = [self._is_opened(key) for key in keys]
        found = read_each(self.storage, map(self._path, compress(keys, opened)))
        for key, is_opened in zip(keys, opened, strict=True):
            yield key, next(found) if is_opened else OutsideTable(key)

    def _is_opened(self, key: str) -> bool:
        if self.reads_outside and not is_on_other_storage(key):
            return True
        if is_outside(key) or self.storage.scheme != "file":
            return not is_outside(key)
        path = Path(self._path(key))
        return not path.is_symlink() or path.resolve().is_relative_to(Path(self.root).resolve())

    def _path(self, key: str) -> str:
        if not is_outside(key):
            return full_path(self.root, key)
        return key if self.storage.scheme == "file" else key.lstrip("/")


def _read_part(decoder: Decoder, read: Reading, keys: Sequence[str]) -> list[Any]:
    return list(read(decoder._files(keys)))


def list_files(storage: Storage, root: str, map_parts: MapParts | None) -> list[StoredFile]:
    """Every file below a folder by its path; in parts, each folder two levels below it is one."""
    if map_parts is None:
        return sorted(storage.list(root), key=attrgetter("path"))
    files, folders = list[StoredFile](), [root]
    for _ in range(2):
        seen = [storage.children(folder) for folder in folders]
        files += chain.from_iterable(one.files for one in seen)
        folders = list(chain.from_iterable(one.folders for one in seen))
    for found in map_parts(partial(_listed, storage), folders):
        if isinstance(found, StorageError):
            raise found
        files += found
    return sorted(files, key=attrgetter("path"))


def _listed(storage: Storage, folder: str) -> list[StoredFile] | StorageError:
    try:
        return list(storage.list(folder))
    except StorageError as error:
        return error
