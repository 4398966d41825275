"""Sizes of manifest lists, deflated on a thread pool: deflate takes most of a long history, and releases the GIL.

With `OMP_NUM_THREADS` at 1 everything stays in the calling thread; Spark sets it for each of its workers.
"""

import os
from collections import OrderedDict, deque
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field

from wasim.iceberg.avro_encoding import encode_long
from wasim.iceberg.codecs import pack
from wasim.iceberg.containers import SYNC_BYTES, block_ranges, header_length

_MOST_THREADS = 2  # more find nothing to do: Python cannot encode lists as fast as they deflate them
_MOST_WAITING = 64  # each keeps its block
_MOST_BLOCKS = 1 << 15  # each keeps references to its records, 2 KB of them
_POOL = ThreadPoolExecutor(_MOST_THREADS, thread_name_prefix="deflate")


@dataclass(frozen=True, slots=True)
class PendingSize:
    """The size of a deflated Avro file: bytes that are known, and blocks that may still be in flight."""

    known: int
    blocks: tuple[Future[int], ...]

    def result(self) -> int:
        """The bytes of the file, once all blocks are deflated."""
        stored = [block.result() for block in self.blocks]
        return self.known + sum(stored) + sum(len(encode_long(size)) for size in stored)


@dataclass(frozen=True, slots=True)
class ListSizes:
    """Measures the manifest lists of one table where only their sizes are needed.

    A list begins with what is new and ends as its parent did, so the block that starts with some manifest comes again
    in every list in which a block starts there, until something replaces what it holds: it is deflated once.
    """

    blocks: OrderedDict[tuple[bytes, ...], Future[int]] = field(default_factory=OrderedDict)  # the last used is last
    waiting: deque[Future[int]] = field(default_factory=deque)

    def of(self, header: Mapping[str, bytes], records: Sequence[bytes]) -> PendingSize:
        """The bytes of a list of these encoded records, as Iceberg writes it."""
        ranges = block_ranges(records)
        counts = sum(len(encode_long(len(block))) for block in ranges)
        known = header_length(header) + counts + SYNC_BYTES * len(ranges)
        blocks = tuple(self._block(tuple(records[block.start : block.stop])) for block in ranges)
        return PendingSize(known, blocks)

    def _block(self, records: tuple[bytes, ...]) -> Future[int]:
        size = self.blocks.get(records)
        if size is not None:
            self.blocks.move_to_end(records)
            return size
        if len(self.blocks) >= _MOST_BLOCKS:
            self.blocks.popitem(last=False)
        size = self.blocks[records] = self._deflated(b"".join(records))
        return size

    def _deflated(self, raw: bytes) -> Future[int]:
        if os.environ.get("OMP_NUM_THREADS") == "1":
            size = Future[int]()
            size.set_result(_deflated_bytes(raw))
            return size
        if len(self.waiting) >= _MOST_WAITING:
            self.waiting.popleft().result()
        size = _POOL.submit(_deflated_bytes, raw)
        self.waiting.append(size)
        return size


def _deflated_bytes(raw: bytes) -> int:
    return len(pack("deflate", raw))
