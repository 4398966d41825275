"""Records of a block read by chosen fields alone, with a bound on the array items that they hold.

fastavro decodes whole records and counts nothing inside them: a file of 63 KB may hold one record of fifteen million
partition summaries, which is a minute and four gigabytes. Here what is not asked for is stepped over, and every array
is charged to a budget before its items are.
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from wasim.errors import IcebergFileError
from wasim.iceberg.avro_encoding import decode_long
from wasim.iceberg.avro_reader import AvroArray, AvroOptional, AvroPrimitive, AvroRecord, AvroType
from wasim.iceberg.containers import Block

Value: TypeAlias = bool | int | float | str | bytes | tuple["Value", ...] | None
Row: TypeAlias = tuple[Value, ...]
_Skip: TypeAlias = "Callable[[bytes, int, _Budget], int]"
_Read: TypeAlias = "Callable[[bytes, int, _Budget], tuple[Value, int]]"

FREE_ITEMS = 1_000_000
ITEMS_PER_FILE_BYTE = 4
"""Array items that a file may hold: real manifests have 1.5 a byte, three where metrics of 120 columns never change."""

_VARINTS_AT_ONCE = 256
_FIXED_BYTES = {"null": 0, "boolean": 1, "float": 4, "double": 8}


class _Budget:
    """Array items that may still be met."""

    __slots__ = ("left",)

    def __init__(self, items: int) -> None:
        self.left = items

    def charge(self, items: int) -> None:
        self.left -= items
        if self.left < 0:
            raise ValueError("arrays of more items than its size accounts for")


class ScannedRecords(NamedTuple):
    """Chosen fields of a run of records: `rows[i]` was read from the bytes that begin at `starts[i]`."""

    rows: list[Row]
    starts: list[int]


def allowed_items(file_bytes: int) -> int:
    """Array items that a file of this size may hold."""
    return FREE_ITEMS + ITEMS_PER_FILE_BYTE * file_bytes


@dataclass(frozen=True, slots=True)
class Scanner:
    """A reader of chosen fields of one kind of record; made once, and then used for every file of that schema."""

    read: _Read
    places: Mapping[int, int]
    """Where in a row each wanted field stands; those that the file lacks are absent."""


def record_scanner(record: AvroRecord, wanted: Collection[int]) -> Scanner:
    """The scanner of the fields of `wanted` ids.

    Nested records of a wanted field are read whole unless some of their own fields are wanted too.
    """
    return Scanner(_record_reader(record, frozenset(wanted)), field_positions(record, wanted))


def scan_records(
    raw: bytes, scanner: Scanner, *, source: str, items: int, records: int, stop: int | None = None
) -> ScannedRecords:
    """The wanted fields of every record in `raw`, each row in the record's own order of fields.

    Reading ends with the bytes, or at the record that begins at `stop`. IcebergFileError if the bytes are no such
    records, or if they hold more array items than `items` or more than `records`.
    """
    read = scanner.read
    budget, position, end = _Budget(items), 0, len(raw) if stop is None else stop
    rows: list[Row] = []
    starts: list[int] = []
    try:
        while position < end and len(rows) < records:
            starts.append(position)
            row, position = read(raw, position, budget)
            rows.append(row)  # type: ignore[arg-type]  # a record's value is a row
    except (IndexError, ValueError) as error:
        problem = error if isinstance(error, UnicodeDecodeError) or "arrays" in str(error) else "cut short"
        raise IcebergFileError(source, f"has a block that is not made of its schema's records: {problem}") from error
    if position != end:
        raise IcebergFileError(source, "has a block whose records do not fill it")
    return ScannedRecords(rows=rows, starts=starts)


def field_positions(record: AvroRecord, wanted: Collection[int]) -> dict[int, int]:
    """Where in a row each wanted field stands; those that the file lacks are absent."""
    present = [number for number, _ in record.fields if number in wanted]
    return {number: place for place, number in enumerate(present)}


def check_items(blocks: Sequence[Block], record: AvroRecord, *, source: str, file_bytes: int) -> None:
    """IcebergFileError if the blocks of a file hold more array items than its size accounts for.

    Blocks of at most a mebibyte in all are passed: decoding them is short whatever they hold.
    """
    if sum(len(block.raw) for block in blocks) <= 1 << 20:
        return
    items = allowed_items(file_bytes)
    for block in blocks:
        budget = _Budget(items)
        skip, position = _skipper(record), 0
        try:
            for _ in range(block.record_count):
                position = skip(block.raw, position, budget)
        except (IndexError, ValueError) as error:
            problem = error if "arrays" in str(error) else "cut short"
            raise IcebergFileError(
                source, f"has a block that is not made of its schema's records: {problem}"
            ) from error
        items = budget.left


@lru_cache(maxsize=_VARINTS_AT_ONCE + 1)
def _varints(count: int) -> re.Pattern[bytes]:
    return re.compile(rb"(?:[\x80-\xff]{0,9}+[\x00-\x7f]){%d}+" % count)


def _skip_varints(data: bytes, position: int, count: int) -> int:
    while count:
        some = min(count, _VARINTS_AT_ONCE)
        match = _varints(some).match(data, position)
        if match is None:
            raise ValueError("cut short")
        position, count = match.end(), count - some
    return position


def _skip_bytes(data: bytes, position: int, _budget: _Budget) -> int:
    byte = data[position]
    if byte < 0x80:  # most are short, and calls cost more than arithmetic
        length, position = byte >> 1 ^ -(byte & 1), position + 1
    else:
        length, position = decode_long(data, position)
    end = position + length
    if length < 0 or end > len(data):
        raise ValueError("cut short")
    return end


def _skip_long(data: bytes, position: int, _budget: _Budget) -> int:
    while data[position] > 0x7F:
        position += 1
    return position + 1


def _array_header(data: bytes, position: int, budget: _Budget) -> tuple[int, int]:
    if not data[position]:
        return 0, position + 1
    count, position = decode_long(data, position)
    if count < 0:
        count = -count
        _, position = decode_long(data, position)
    budget.charge(count)
    return count, position


@lru_cache(maxsize=256)
def _skipper(node: AvroType) -> _Skip:
    match node:
        case AvroPrimitive(kind="string" | "bytes"):
            return _skip_bytes
        case AvroPrimitive(kind="int" | "long"):
            return _skip_long
        case AvroPrimitive():
            return _skip_fixed(node.size if node.kind == "fixed" else _FIXED_BYTES[node.kind])
        case AvroOptional():
            return _skip_optional(_skipper(node.item), 0 if node.null_first else 1)
        case AvroArray():
            return _array_skipper(node.item)
        case AvroRecord():
            return _skip_fields(tuple(_skipper(part) for _, part in node.fields))


def _array_skipper(item: AvroType) -> _Skip:
    if numbers := _numbers_in(item):
        return _skip_numbers(numbers)
    return _skip_bounds if _is_bound(item) else _skip_array(_skipper(item))


def _numbers_in(item: AvroType) -> int:
    """The number of varints in an item that holds nothing else; 0 for another one."""
    if isinstance(item, AvroRecord):
        counts = [_numbers_in(part) for _, part in item.fields]
        return sum(counts) if all(counts) else 0
    return int(isinstance(item, AvroPrimitive) and item.kind in ("int", "long"))


def _is_bound(item: AvroType) -> bool:
    """Whether an item is a column's number and bytes, as bounds and column names are."""
    kinds = (
        [part.kind for _, part in item.fields if isinstance(part, AvroPrimitive)]
        if isinstance(item, AvroRecord)
        else []
    )
    return len(kinds) == 2 and kinds[0] in ("int", "long") and kinds[1] in ("bytes", "string")


def _skip_bounds(data: bytes, position: int, budget: _Budget) -> int:
    """Past an array of numbers and bytes, spelt out: a manifest entry holds two for every column."""
    while True:
        count, position = _array_header(data, position, budget)
        if not count:
            return position
        for _ in range(count):
            while data[position] > 0x7F:
                position += 1
            length = data[position + 1]
            if length < 0x80 and not length & 1:
                position += 2 + (length >> 1)
            else:
                position = _skip_bytes(data, position + 1, budget)
        if position > len(data):
            raise ValueError("cut short")


def _skip_fixed(size: int) -> _Skip:
    def skip(data: bytes, position: int, _budget: _Budget) -> int:
        if position + size > len(data):
            raise ValueError("cut short")
        return position + size

    return skip


def _skip_optional(item: _Skip, null_branch: int) -> _Skip:
    def skip(data: bytes, position: int, budget: _Budget) -> int:
        branch = data[position]
        if branch not in (0, 2):
            raise ValueError("a branch that its union does not have")
        return position + 1 if branch >> 1 == null_branch else item(data, position + 1, budget)

    return skip


def _skip_numbers(numbers: int) -> _Skip:
    def skip(data: bytes, position: int, budget: _Budget) -> int:
        while True:
            count, position = _array_header(data, position, budget)
            if not count:
                return position
            position = _skip_varints(data, position, count * numbers)

    return skip


def _skip_array(item: _Skip) -> _Skip:
    def skip(data: bytes, position: int, budget: _Budget) -> int:
        while True:
            count, position = _array_header(data, position, budget)
            if not count:
                return position
            for _ in range(count):
                position = item(data, position, budget)

    return skip


def _skip_fields(parts: tuple[_Skip, ...]) -> _Skip:
    def skip(data: bytes, position: int, budget: _Budget) -> int:
        for part in parts:
            position = part(data, position, budget)
        return position

    return skip


def _read_string(data: bytes, position: int, budget: _Budget) -> tuple[Value, int]:
    value, end = _read_bytes(data, position, budget)
    return value.decode(), end


def _read_bytes(data: bytes, position: int, _budget: _Budget) -> tuple[bytes, int]:
    length, position = decode_long(data, position)
    end = position + length
    if length < 0 or end > len(data):
        raise ValueError("cut short")
    return data[position:end], end


def _read_long(data: bytes, position: int, _budget: _Budget) -> tuple[Value, int]:
    byte = data[position]
    return (byte >> 1 ^ -(byte & 1), position + 1) if byte < 0x80 else decode_long(data, position)


def _read_raw(skip: _Skip, kind: str) -> _Read:
    """Values of fixed size as their bytes; a boolean as what it says."""

    def read(data: bytes, position: int, budget: _Budget) -> tuple[Value, int]:
        end = skip(data, position, budget)
        return (data[position] != 0 if kind == "boolean" else data[position:end]), end

    return read


def _read_optional(item: _Read, null_branch: int) -> _Read:
    def read(data: bytes, position: int, budget: _Budget) -> tuple[Value, int]:
        branch = data[position]
        if branch not in (0, 2):
            raise ValueError("a branch that its union does not have")
        return (None, position + 1) if branch >> 1 == null_branch else item(data, position + 1, budget)

    return read


def _read_array(item: _Read) -> _Read:
    def read(data: bytes, position: int, budget: _Budget) -> tuple[Value, int]:
        values: list[Value] = []
        while True:
            count, position = _array_header(data, position, budget)
            if not count:
                return tuple(values), position
            for _ in range(count):
                value, position = item(data, position, budget)
                values.append(value)

    return read


@lru_cache(maxsize=256)
def _reader(node: AvroType, wanted: frozenset[int]) -> _Read:
    match node:
        case AvroPrimitive(kind="string" | "bytes" | "int" | "long" as kind):
            return {"string": _read_string, "bytes": _read_bytes}.get(kind, _read_long)
        case AvroPrimitive():
            return _read_raw(_skipper(node), node.kind)
        case AvroOptional():
            return _read_optional(_reader(node.item, wanted), 0 if node.null_first else 1)
        case AvroArray():
            return _read_array(_reader(node.item, wanted))
        case AvroRecord():
            inside = {number for number, _ in node.fields}
            return _record_reader(node, wanted if inside & wanted else frozenset(inside))


@lru_cache(maxsize=256)
def _record_reader(record: AvroRecord, wanted: frozenset[int]) -> _Read:
    steps: list[tuple[_Read | None, _Skip | None]] = []
    skipped: list[_Skip] = []
    for number, part in record.fields:
        if number not in wanted:
            skipped.append(_skipper(part))
            continue
        if skipped:
            steps.append((None, _skip_fields(tuple(skipped))))
            skipped = []
        steps.append((_reader(part, wanted), None))
    if skipped:
        steps.append((None, _skip_fields(tuple(skipped))))

    def read_record(data: bytes, position: int, budget: _Budget) -> tuple[Value, int]:
        values: list[Value] = []
        for read, skip in steps:
            if read is not None:
                value, position = read(data, position, budget)
                values.append(value)
            elif skip is not None:
                position = skip(data, position, budget)
        return tuple(values), position

    return read_record
