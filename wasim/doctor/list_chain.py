"""Manifest lists of a history, inflating and decoding of each only what the one before had not.

Lists of a streaming table are their predecessor with a record or two at the front: of 240 consecutive real ones, 239
held the older one's bytes as their end. So a history of n commits is decoded in n records, not in n².

A list made from the one before it, by its header, whose front ends where that one's first record begins and whose
blocks announce just as many records more as the front has, is inflated no further until the last of up to 64 such
lists: that one is inflated whole. If it holds what was expected to the byte, so do the others, since a manifest that a
commit drops is never in a later list made from it; if not, each of them is inflated whole. What this passes over is
damage inside a compressed block whose file still has its blocks, their sync markers and their counts; before any
file that lists lead to is called an orphan, all of them are read whole.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from wasim.errors import WasimError
from wasim.iceberg import IcebergFileError
from wasim.iceberg.codecs import deflated_head
from wasim.iceberg.containers import PackedContainer, inflated_blocks, read_packed
from wasim.iceberg.manifest_lists import list_record
from wasim.iceberg.record_scanning import Row, ScannedRecords, Scanner, allowed_items, record_scanner, scan_records
from wasim.storage import FileRead

PATH_ID, _LENGTH, PARTITIONS_ID = 500, 501, 507
MOST_MANIFEST_BYTES = 1 << 40
"""No manifest is longer; four million of that length can be summed in 64 bits."""
_NUMBERS = (500, 501, 502, 503, 504, 505, 506, 517)
_SUMMARY = (509, 510, 511)
_MOST_WAITING = 64
_MOST_WAITING_BYTES = 32 << 20
_SPARE_HEAD_BYTES = 512


class ListFront(NamedTuple):
    """A manifest list as it differs from the one read before it.

    It ends in `kept` of that one's manifests, with `rows` in front. `places` say where in a row each field stands.
    """

    key: str
    kept: int
    rows: list[Row]
    places: Mapping[int, int]


ListRead: TypeAlias = ListFront | FileNotFoundError | WasimError
"""A list as it was read, or why it was not."""


def read_lists(files: Iterable[tuple[str, FileRead]], *, whole: bool = False) -> Iterator[ListRead]:
    """Manifest lists from keys and bytes, oldest first, each as it differs from the last readable one.

    Each is inflated `whole`, or only as far as it takes.
    """
    chain = _Chain(most_waiting=0 if whole else _MOST_WAITING)
    for key, data in files:
        if isinstance(data, bytes):
            yield from chain.add(key, data)
        else:
            yield from chain.settle()
            yield data
    yield from chain.settle()


class _Chain:
    """The list read last: its records' bytes, and for each record, the last one first, the bytes from it to the end.

    The bytes are in `pieces`, the last one first; all but the first are fronts of the lists that wait for the proof
    that they hold the rest as well.
    """

    def __init__(self, most_waiting: int) -> None:
        self.most_waiting = most_waiting
        self.scanner: Scanner | None = None
        self.made_by = b""
        self.pieces = [b""]
        self.lefts: list[int] = []
        self.waiting: list[tuple[PackedContainer, ListFront]] = []
        self.waiting_bytes = 0

    def add(self, key: str, data: bytes) -> Iterator[ListRead]:
        """The lists that are certain now that this one came."""
        try:
            packed = read_packed(data, source=key)
            front = self._by_its_front(packed) if self.most_waiting else None
        except IcebergFileError as error:
            yield from self.settle()
            yield error
            return
        if front is None:
            yield from self.settle()
            yield self._whole(packed)
            return
        self.waiting.append((packed, front))
        self.waiting_bytes += len(data)
        if len(self.waiting) == self.most_waiting or self.waiting_bytes > _MOST_WAITING_BYTES:
            yield from self.settle()

    def settle(self) -> Iterator[ListRead]:
        """The lists that wait, the last of them inflated; all of them if it is not what was expected."""
        if not self.waiting:
            return
        waiting, self.waiting, self.waiting_bytes = self.waiting, [], 0
        expected = b"".join(reversed(self.pieces))
        if _is_made_of(waiting[-1][0], expected):
            self.pieces = [expected]
            yield from (front for _, front in waiting)
            return
        del self.pieces[1:], self.lefts[len(self.lefts) - sum(len(front.rows) for _, front in waiting) :]
        yield from (self._whole(packed) for packed, _ in waiting)

    def _by_its_front(self, packed: PackedContainer) -> ListFront | None:
        """A list that by its header, counts and first records is the one before with a front; None if it may not be."""
        header, lefts = packed.header, self.lefts
        parent = header.get("parent-snapshot-id")
        if not lefts or not packed.blocks or packed.codec != "deflate" or not self.made_by or parent != self.made_by:
            return None
        scanner, newest = _scanner_of(packed), self.pieces[-1]
        if scanner is not self.scanner:
            return None
        first = newest[: lefts[-1] - lefts[-2] if len(lefts) > 1 else lefts[-1]]
        head = deflated_head(packed.blocks[0].stored, len(first) + 2 * min(len(newest), 1 << 16) + _SPARE_HEAD_BYTES)
        front = head[: max(0, head.find(first))]
        records = sum(block.record_count for block in packed.blocks) - len(lefts)
        if not front or records < 1:
            return None
        try:
            scanned = self._scan(front, packed, scanner, records)
        except IcebergFileError:
            return None
        if len(scanned.rows) != records:
            return None
        self.pieces.append(front)
        return self._front(packed, scanner, scanned, kept=len(lefts), raw_bytes=lefts[-1] + len(front))

    def _whole(self, packed: PackedContainer) -> ListRead:
        try:
            return self._inflated(packed)
        except IcebergFileError as error:
            return error

    def _inflated(self, packed: PackedContainer) -> ListFront:
        scanner = _scanner_of(packed)
        raw = _raw(packed)
        records = sum(block.record_count for block in packed.blocks)
        kept = self._shared_records(raw) if scanner is self.scanner else 0
        stop = len(raw) - (self.lefts[kept - 1] if kept else 0)
        try:
            scanned = self._scan(raw, packed, scanner, records, stop)
        except IcebergFileError:
            if not kept:
                raise
            kept = 0  # what is equal is no whole number of records
            scanned = self._scan(raw, packed, scanner, records)
        self.scanner, self.pieces = scanner, [raw]
        return self._front(packed, scanner, scanned, kept=kept, raw_bytes=len(raw))

    @staticmethod
    def _scan(
        raw: bytes, packed: PackedContainer, scanner: Scanner, records: int, stop: int | None = None
    ) -> ScannedRecords:
        items = allowed_items(packed.file_bytes)
        scanned = scan_records(raw, scanner, source=packed.source, items=items, records=records, stop=stop)
        for row in scanned.rows:
            length = row[scanner.places[_LENGTH]]
            if not isinstance(length, int) or not 0 <= length <= MOST_MANIFEST_BYTES:
                problem = f"has a manifest of {length!r} bytes; from 0 to {MOST_MANIFEST_BYTES} are believed"
                raise IcebergFileError(packed.source, problem)
        return scanned

    def _front(
        self, packed: PackedContainer, scanner: Scanner, scanned: ScannedRecords, *, kept: int, raw_bytes: int
    ) -> ListFront:
        self.made_by = packed.header.get("snapshot-id", b"")
        del self.lefts[kept:]
        self.lefts += [raw_bytes - start for start in reversed(scanned.starts)]
        return ListFront(key=packed.source, kept=kept, rows=scanned.rows, places=scanner.places)

    def _shared_records(self, raw: bytes) -> int:
        """The number of records, by their bytes, that this list has in common with the end of the one before."""
        (held,) = self.pieces
        if raw.endswith(held):
            return len(self.lefts)
        low, high = 0, len(self.lefts) - 1  # the last `low` are equal; all of them are not
        while low < high:
            middle = (low + high + 1) // 2
            if raw.endswith(held[-self.lefts[middle - 1] :]):
                low = middle
            else:
                high = middle - 1
        return max(0, low)


def _raw(packed: PackedContainer) -> bytes:
    raw = [block.raw for block in inflated_blocks(packed)]
    return raw[0] if len(raw) == 1 else b"".join(raw)


def _is_made_of(packed: PackedContainer, records: bytes) -> bool:
    try:
        return _raw(packed) == records
    except IcebergFileError:
        return False


def _scanner_of(packed: PackedContainer) -> Scanner:
    try:
        return _scanner(packed.header.get("avro.schema", b""))
    except IcebergFileError as error:
        raise IcebergFileError(packed.source, error.problem) from error


@lru_cache(maxsize=64)
def _scanner(avro_schema: bytes) -> Scanner:
    """The scanner of lists with this schema. Summaries are read in part: the ids of their fields are wanted too."""
    record = list_record({"avro.schema": avro_schema}, source="")
    return record_scanner(record, (*_NUMBERS, PARTITIONS_ID, *_SUMMARY))
