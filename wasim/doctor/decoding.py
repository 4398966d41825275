"""Reading and decoding a table's manifest lists and manifests, in this process or in others."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, compress
from pathlib import Path
from typing import Any, Protocol

from wasim.doctor.content import ManifestRead, read_manifests
from wasim.doctor.faults import OutsideTable
from wasim.doctor.list_chain import ListRead, read_lists
from wasim.doctor.places import full_path, is_on_other_storage, is_outside
from wasim.storage import FileRead, Storage, StorageError, StoredFile, read_each

_PART_FILES = 500


class Decoder(Protocol):
    """Decodes files of a table by their keys, in the order of the keys, one result for each."""

    def lists(self, keys: Sequence[str], *, whole: bool = False) -> Iterator[ListRead]:
        """Manifest lists, oldest first; each is decoded against the one before it, and inflated as far as needed."""
        ...

    def manifests(self, keys: Sequence[str]) -> Iterator[ManifestRead]:
        """Manifests, in any order."""
        ...


class MapParts(Protocol):
    """`map`, in this process or in others: the results of `work`, one for each part, in the order of the parts.

    Work, parts and results can be pickled.
    """

    def __call__(self, work: Callable[[Any], Any], parts: Sequence[Any], /) -> Iterable[Any]:
        """The results, one for each part."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class DecoderHere:
    """Reads and decodes in this process, file by file. `root` is the table's folder as a plain path.

    What lies outside it is opened only where `reads_outside`: whoever wrote the metadata chose these paths.
    """

    storage: Storage
    root: str
    reads_outside: bool = False

    def lists(self, keys: Sequence[str], *, whole: bool = False) -> Iterator[ListRead]:
        """Manifest lists, oldest first."""
        return read_lists(self._files(keys), whole=whole)

    def manifests(self, keys: Sequence[str]) -> Iterator[ManifestRead]:
        """Manifests."""
        return read_manifests(self._files(keys))

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


@dataclass(frozen=True, slots=True, kw_only=True)
class DecoderInParts:
    """Has `decoder` work on some hundred files at a time, wherever `map_parts` takes it: to a Spark's workers.

    The first list of each part is decoded whole, and the answer is the same.
    """

    decoder: DecoderHere
    map_parts: MapParts

    def lists(self, keys: Sequence[str], *, whole: bool = False) -> Iterator[ListRead]:
        """Manifest lists, oldest first."""
        return chain.from_iterable(self.map_parts(partial(_lists, self.decoder, whole), _parts(keys)))

    def manifests(self, keys: Sequence[str]) -> Iterator[ManifestRead]:
        """Manifests."""
        return chain.from_iterable(self.map_parts(partial(_manifests, self.decoder), _parts(keys)))


def _lists(decoder: DecoderHere, whole: bool, keys: Sequence[str]) -> list[ListRead]:
    return list(decoder.lists(keys, whole=whole))


def _manifests(decoder: DecoderHere, keys: Sequence[str]) -> list[ManifestRead]:
    return list(decoder.manifests(keys))


def _parts(keys: Sequence[str]) -> list[Sequence[str]]:
    return [keys[at : at + _PART_FILES] for at in range(0, len(keys), _PART_FILES)]


def list_files(storage: Storage, root: str, map_parts: MapParts | None) -> list[StoredFile]:
    """Every file below a folder by its path; in parts, each folder two levels below it is one."""
    if map_parts is None:
        return sorted(storage.list(root), key=_path_of)
    files, folders = list[StoredFile](), [root]
    for _ in range(2):
        seen = [storage.children(folder) for folder in folders]
        files += chain.from_iterable(one.files for one in seen)
        folders = list(chain.from_iterable(one.folders for one in seen))
    for found in map_parts(partial(_listed, storage), folders):
        if isinstance(found, StorageError):
            raise found
        files += found
    return sorted(files, key=_path_of)


def _path_of(file: StoredFile) -> str:
    return file.path


def _listed(storage: Storage, folder: str) -> list[StoredFile] | StorageError:
    try:
        return list(storage.list(folder))
    except StorageError as error:
        return error
