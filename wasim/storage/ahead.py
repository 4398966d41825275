"""Many files read in their order; where each costs a round trip, several at once."""

from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from typing import TypeAlias

from wasim.storage.access import Storage, StorageError

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
