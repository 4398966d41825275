"""Files of this machine."""

import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

from wasim.storage.access import MOST_FILE_BYTES, MOST_FILES, Children, StorageError, StoredFile, bounded


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
