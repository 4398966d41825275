"""Who reads and decodes a table's manifest lists and manifests: this process, or others in its place."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from wasim.doctor.content import ManifestRead, read_manifests
from wasim.doctor.lists import ListRead, read_lists
from wasim.doctor.places import is_outside
from wasim.storage import FileRead, Storage, read_each


class Decoder(Protocol):
    """Turns keys of a table's files into what the files say, in their order, one answer for each."""

    def lists(self, keys: Sequence[str]) -> Iterator[ListRead]:
        """Manifest lists, oldest first; each is told beside the one before it."""
        ...

    def manifests(self, keys: Sequence[str]) -> Iterator[ManifestRead]:
        """Manifests, in any order."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class DecoderHere:
    """Reads and decodes in this process, file by file. `root` is the table's folder as a plain path."""

    storage: Storage
    root: str

    def lists(self, keys: Sequence[str]) -> Iterator[ListRead]:
        """Manifest lists, oldest first."""
        return read_lists(self._files(keys))

    def manifests(self, keys: Sequence[str]) -> Iterator[ManifestRead]:
        """Manifests."""
        return read_manifests(self._files(keys))

    def _files(self, keys: Sequence[str]) -> Iterator[tuple[str, FileRead]]:
        return zip(keys, read_each(self.storage, map(self._path, keys)), strict=True)

    def _path(self, key: str) -> str:
        if not is_outside(key):
            return f"{self.root.rstrip('/')}/{key}"
        return key if self.storage.scheme == "file" else key.lstrip("/")
