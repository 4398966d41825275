"""Work of other threads: deflate, which takes most of a long history's time and lets Python go on meanwhile.

`OMP_NUM_THREADS` says how many this process may have, as it does to numpy; Spark sets it for each of its workers.
"""

import os
from collections import deque
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field

from wasim.iceberg.containers import container_bytes

_MOST_THREADS = 2  # more find nothing to do: Python cannot encode lists as fast as they deflate them
_MOST_WAITING = 64  # each keeps its records; a long history's lists have a megabyte and more
_POOL = ThreadPoolExecutor(_MOST_THREADS, thread_name_prefix="deflate")


@dataclass(frozen=True, slots=True)
class Sizes:
    """Measures Avro files of which nobody wants more than their size."""

    waiting: deque[Future[int]] = field(default_factory=deque)

    def of(self, header: Mapping[str, bytes], records: Sequence[bytes], sync_marker: bytes) -> Future[int]:
        """The bytes of the file, as soon as they are known."""
        if _is_alone():
            size = Future[int]()
            size.set_result(_length(header, records, sync_marker))
            return size
        if len(self.waiting) >= _MOST_WAITING:
            self.waiting.popleft().result()
        size = _POOL.submit(_length, header, records, sync_marker)
        self.waiting.append(size)
        return size


def _is_alone() -> bool:
    return os.environ.get("OMP_NUM_THREADS") == "1"


def _length(header: Mapping[str, bytes], records: Sequence[bytes], sync_marker: bytes) -> int:
    return len(container_bytes(header, records, sync_marker=sync_marker))
