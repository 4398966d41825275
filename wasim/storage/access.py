"""What a reader of a table's files needs: list a folder, find a file, read bytes. By scheme."""

import re
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple, Protocol, TypeAlias

from wasim.errors import WasimError, printable

MOST_FILE_BYTES = 1 << 30
"""No metadata file is larger; a data file is never read."""
MOST_FILES = 5_000_000
"""Of a listing, if nothing else is asked for: some gigabyte of memory."""

_MOST_LETTERS = 1_000
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_S3_SCHEMES = frozenset({"s3", "s3a", "s3n"})


class StorageError(WasimError):
    """A location that cannot be read: which, and why, in one line."""

    def __init__(self, text: str) -> None:
        super().__init__(printable(text, _MOST_LETTERS))


class StoredFile(NamedTuple):
    """A file that a listing found. `modified_s` counts from the epoch."""

    path: str
    size_bytes: int
    modified_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Children:
    """What lies directly in a folder; `folders` are paths."""

    files: tuple[StoredFile, ...] = ()
    folders: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class S3Options:
    """How to reach S3, as other tools take it; what is None comes from the environment and the profile.

    `timeout_s` is how long the store may send nothing; `most_files` is how many a listing may hold, on S3 or here.
    """

    endpoint: str | None = None
    region: str | None = None
    profile: str | None = None
    anonymous: bool = False
    timeout_s: float = 20.0
    most_files: int = MOST_FILES
    access_key: str | None = field(default=None, repr=False)
    secret_key: str | None = field(default=None, repr=False)
    session_token: str | None = field(default=None, repr=False)


def bounded(files: Iterator[StoredFile], folder: str, most: int) -> Iterator[StoredFile]:
    """The files of a listing. StorageError once there are more than that."""
    for number, file in enumerate(files):
        if number >= most:
            raise too_many_files(folder, most)
        yield file


def too_many_files(folder: str, most: int) -> StorageError:
    """What is said of a folder of more files than are listed."""
    return StorageError(f"{folder}: holds more than {most:,} files. Name one table's folder, or a larger --most-files.")


class Storage(Protocol):
    """Files under paths without scheme: `/folder/file`, or `bucket/key`."""

    scheme: str
    reads_at_once: int
    """How many files to ask for at a time: more than one where each costs a round trip."""

    def list(self, folder: str) -> Iterator[StoredFile]:
        """Every file below a folder, at any depth; none if there is no such folder. StorageError for too many."""
        ...

    def children(self, folder: str) -> Children:
        """What lies directly in a folder; nothing if there is no such folder."""
        ...

    def find(self, path: str) -> StoredFile | None:
        """The file at a path, or None if there is none."""
        ...

    def read(self, path: str, *, most_bytes: int = MOST_FILE_BYTES, head: int | None = None) -> bytes:
        """A file's bytes, or its first `head`. FileNotFoundError if it is gone, StorageError if it cannot be read."""
        ...


def scheme_of(location: str) -> str:
    """The scheme of a location, in small letters; `file` for a path without one, `s3` for all of S3's spellings."""
    match = _SCHEME.match(location)
    scheme = match[1].lower() if match else "file"
    return "s3" if scheme in _S3_SCHEMES else scheme


def plain_path(location: str) -> str:
    """A location without scheme and with single slashes: what two spellings of one place have in common.

    `file:/t`, `file:///t` and `/t` are `/t`; `s3://bucket/t` and `s3a://bucket/t` are `bucket/t`.
    """
    match = _SCHEME.match(location)
    rest = location[match.end() :] if match else location
    local = not match or match[1].lower() == "file"
    if rest.startswith("//"):
        rest = rest[2:]
        if local and not rest.startswith("/"):
            rest = "/" + rest.partition("/")[2]  # file://host/path
    while "//" in rest:
        rest = rest.replace("//", "/")
    return rest.rstrip("/") or "/"


def open_storage(location: str, options: S3Options | None = None) -> Storage:
    """The storage that a location is on. StorageError names a scheme that is not read."""
    if not location.strip():
        raise StorageError("The location is empty. Give a table's folder, or one of its files.")
    scheme = scheme_of(location)
    if scheme == "file":
        from wasim.storage.local import LocalStorage  # noqa: PLC0415 - one scheme loads one module

        return LocalStorage((options or S3Options()).most_files)
    if scheme == "s3":
        from wasim.storage.s3 import S3Storage  # noqa: PLC0415

        return S3Storage(options or S3Options())
    raise StorageError(
        f"{location}: {scheme}:// is not read; give a local folder, an s3:// location or a catalog's table."
    )


FileRead: TypeAlias = bytes | FileNotFoundError | StorageError
"""A file's bytes, or why there are none."""


def read_each(storage: Storage, paths: Iterable[str], *, head: int | None = None) -> Iterator[FileRead]:
    """The bytes of each file, or its first `head`, or why it was not read; no more are held than are read at once."""

    def read(path: str) -> FileRead:
        try:
            return storage.read(path, head=head)
        except (FileNotFoundError, StorageError) as error:
            return error

    if storage.reads_at_once == 1:
        yield from map(read, paths)
        return
    left = iter(paths)
    with ThreadPoolExecutor(storage.reads_at_once) as pool:
        under_way = deque[Future[FileRead]](pool.submit(read, path) for path in islice(left, storage.reads_at_once))
        while under_way:
            found = under_way.popleft().result()
            under_way.extend(pool.submit(read, path) for path in islice(left, 1))
            yield found
