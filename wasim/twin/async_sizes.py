"""Sizes of manifest lists, deflated on a thread pool: deflate takes most of a long history, and releases the GIL.

Not every list is deflated. Where a block has few new records before those of the block deflated last, one in 64 or
fewer, its bytes follow in proportion. Measured on eight histories of 250 … 1,500 commits: each list within two
thousandths, all of a history within a ten-thousandth. Files that are written are deflated, every one.

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
_ALIKE = 64  # a block resembles another if at most one record in this many is new
_MOST_WAITING = 64  # each keeps its block
_MOST_BLOCKS = 1 << 15  # each keeps references to its records, 2 KB of them


@dataclass(frozen=True, slots=True)
class BlockSize:
    """The stored bytes of a block that is as many times as large as one that is being deflated."""

    deflated: Future[int]
    times: float = 1.0

    def result(self) -> int:
        """The bytes, once they are known."""
        return round(self.deflated.result() * self.times)


@dataclass(frozen=True, slots=True)
class PendingSize:
    """The size of a deflated Avro file: bytes that are known, and blocks that may still be in flight."""

    known: int
    blocks: tuple[BlockSize, ...]

    def result(self) -> int:
        """The bytes of the file, once all blocks are deflated."""
        stored = [block.result() for block in self.blocks]
        return self.known + sum(stored) + sum(len(encode_long(size)) for size in stored)


Records = tuple[bytes, ...]  # of one block


@dataclass(slots=True)
class ListSizes:
    """Measures the manifest lists of one table where only their sizes are needed.

    A list begins with what is new and ends as its parent did, so the block that starts with some manifest comes again
    in every list in which a block starts there, until something replaces what it holds: it is measured once.
    """

    blocks: OrderedDict[Records, BlockSize] = field(default_factory=OrderedDict)  # the last used is last
    waiting: deque[Future[int]] = field(default_factory=deque)
    newest: tuple[Records, int, Future[int]] | None = None  # what was deflated last, its bytes before and after
    pool: ThreadPoolExecutor = field(
        default_factory=lambda: ThreadPoolExecutor(_MOST_THREADS)
    )  # none is shared: threads end at a fork

    def of(self, header: Mapping[str, bytes], records: Sequence[bytes]) -> PendingSize:
        """The bytes of a list of these encoded records, as Iceberg writes it."""
        ranges = block_ranges(records)
        counts = sum(len(encode_long(len(block))) for block in ranges)
        known = header_length(header) + counts + SYNC_BYTES * len(ranges)
        blocks = tuple(self._block(tuple(records[block.start : block.stop])) for block in ranges)
        return PendingSize(known, blocks)

    def _block(self, records: Records) -> BlockSize:
        size = self.blocks.get(records)
        if size is not None:
            self.blocks.move_to_end(records)
            return size
        if len(self.blocks) >= _MOST_BLOCKS:
            self.blocks.popitem(last=False)
        size = self.blocks[records] = self._in_proportion(records) or self._deflated(records)
        return size

    def _in_proportion(self, records: Records) -> BlockSize | None:
        """The size of a block by the one deflated last, if it begins with few new records and is the same after."""
        if self.newest is None:
            return None
        known, known_bytes, deflated = self.newest
        for new in range(1, len(records) // _ALIKE + 1):
            if records[new] is known[0]:
                alike = records[new : new + len(known)] == known[: len(records) - new]
                return BlockSize(deflated, sum(map(len, records)) / known_bytes) if alike else None
        return None

    def _deflated(self, records: Records) -> BlockSize:
        raw = b"".join(records)
        if os.environ.get("OMP_NUM_THREADS") == "1":
            size = Future[int]()
            size.set_result(_deflated_bytes(raw))
        else:
            if len(self.waiting) >= _MOST_WAITING:
                self.waiting.popleft().result()
            size = self.pool.submit(_deflated_bytes, raw)
            self.waiting.append(size)
        self.newest = records, len(raw), size
        return BlockSize(size)


def _deflated_bytes(raw: bytes) -> int:
    return len(pack("deflate", raw))
