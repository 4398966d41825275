"""What a reader of a table's files needs: list a folder, find a file, read bytes; and files of this machine."""

import os
import re
import stat
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
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

    def children(self, folder: str) -> Children:
        """What lies directly in a folder; nothing if there is no such folder."""

    def find(self, path: str) -> StoredFile | None:
        """The file at a path, or None if there is none."""

    def read(self, path: str, *, most_bytes: int = MOST_FILE_BYTES, head: int | None = None) -> bytes:
        """A file's bytes, or its first `head`. FileNotFoundError if it is gone, StorageError if it cannot be read."""


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
        return LocalStorage((options or S3Options()).most_files)
    if scheme == "s3":
        if plain_path(location).startswith("/"):
            raise StorageError(f"{location}: names no bucket. Give s3://bucket/path.")
        from wasim.storage.s3 import S3Storage  # noqa: PLC0415 - brings pyarrow

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


class LocalStorage:
    """Local files. Links to folders are not followed; what is no regular file is no file."""

    scheme = "file"
    reads_at_once = 1

    def __init__(self, most_files: int = MOST_FILES) -> None:
        self._most_files = most_files

    def list(self, folder: str) -> Iterator[StoredFile]:
        """Every file below a folder."""
        return bounded(self._below(folder), folder, self._most_files)

    def _below(self, folder: str) -> Iterator[StoredFile]:
        todo = [folder]
        while todo:
            found = self.children(todo.pop())
            todo += found.folders
            yield from found.files

    def children(self, folder: str) -> Children:
        """What lies directly in a folder."""
        folders, files = list[str](), list[StoredFile]()
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(entry.path)
                    elif found := _stored(entry.path, entry.stat):
                        files.append(found)
        except (FileNotFoundError, NotADirectoryError):
            pass
        except OSError as error:  # no permission, or a folder that the system itself makes up
            raise StorageError(f"{error.filename or folder}: {error.strerror}.") from error
        return Children(files=tuple(files), folders=tuple(folders))

    def find(self, path: str) -> StoredFile | None:
        """The file at a path."""
        return _stored(path, Path(path).stat)

    def read(self, path: str, *, most_bytes: int = MOST_FILE_BYTES, head: int | None = None) -> bytes:
        """A file's bytes."""
        return read_regular(path, most_bytes=most_bytes, head=head)


def read_regular(path: str | Path, *, most_bytes: int = MOST_FILE_BYTES, head: int | None = None) -> bytes:
    """The bytes of a regular file of this machine, or its first `head`: the one way to read a file that somebody named.

    FileNotFoundError if there is none; StorageError if it is none, or holds more, or cannot be read.
    """
    try:
        # A pipe or a device named by a hostile table would block or never end.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            seen = os.fstat(descriptor)
            if not stat.S_ISREG(seen.st_mode):
                raise StorageError(f"{path}: is no regular file, but {_kind(seen.st_mode)}.")
            if head is None and seen.st_size > most_bytes:
                raise StorageError(f"{path}: has {seen.st_size} bytes; {most_bytes} are the most that are read.")
            return _read(descriptor, seen.st_size if head is None else min(head, seen.st_size))
        finally:
            os.close(descriptor)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise FileNotFoundError(error.errno, error.strerror, str(path)) from error
    except (OSError, ValueError) as error:
        raise StorageError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}.") from error


def _kind(mode: int) -> str:
    kinds = ((stat.S_ISDIR, "a folder"), (stat.S_ISFIFO, "a pipe"), (stat.S_ISCHR, "a device"))
    return next((name for fits, name in kinds if fits(mode)), "something else")


def _read(descriptor: int, size: int) -> bytes:
    """`size` bytes, fewer if the file was cut meanwhile; a read of the system's gives two gigabytes at most."""
    parts = [os.read(descriptor, size)]
    left = size - len(parts[0])
    while left and parts[-1]:
        parts.append(os.read(descriptor, left))
        left -= len(parts[-1])
    return parts[0] if len(parts) == 1 else b"".join(parts)


def _stored(path: str, look: Callable[[], os.stat_result]) -> StoredFile | None:
    try:
        seen = look()
    except (OSError, ValueError):
        return None
    is_file = stat.S_ISREG(seen.st_mode)
    return StoredFile(path=path, size_bytes=seen.st_size, modified_s=seen.st_mtime) if is_file else None
