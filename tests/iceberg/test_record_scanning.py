"""Records of any schema, read by some of their fields: the values that were encoded, and not an array item too many."""

from itertools import count
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wasim.iceberg import IcebergFileError
from wasim.iceberg.avro_encoding import encode_boolean, encode_bytes, encode_double, encode_float, encode_long
from wasim.iceberg.avro_reader import AvroArray, AvroOptional, AvroPrimitive, AvroRecord, AvroType
from wasim.iceberg.containers import Block
from wasim.iceberg.record_scanning import (
    _Budget,
    _skipper,
    allowed_items,
    check_items,
    field_positions,
    record_scanner,
    scan_records,
)

LONGS = st.integers(-(2**63), 2**63 - 1)
LONG, TEXT = AvroPrimitive(kind="long"), AvroPrimitive(kind="string")
KINDS: dict[str, tuple[Any, Any]] = {  # what is drawn of a kind, and its bytes
    "boolean": (st.booleans(), encode_boolean),
    "int": (st.integers(-(2**31), 2**31 - 1), encode_long),
    "long": (LONGS, encode_long),
    "float": (st.floats(width=32, allow_nan=False), encode_float),
    "double": (st.floats(allow_nan=False), encode_double),
    "string": (st.text(max_size=70), lambda value: encode_bytes(value.encode())),
    "bytes": (st.binary(max_size=70), encode_bytes),
    "null": (st.none(), lambda value: b""),
    "fixed": (st.binary(min_size=3, max_size=3), lambda value: value),
}
PRIMITIVES = st.sampled_from(sorted(KINDS)).map(lambda kind: AvroPrimitive(kind=kind, size=3 if kind == "fixed" else 0))


@st.composite
def records(draw, depth=2, ids=None):
    ids = count(1) if ids is None else ids
    return AvroRecord(fields=tuple((next(ids), draw(types(depth, ids))) for _ in range(draw(st.integers(1, 4)))))


def types(depth, ids):
    if not depth:
        return PRIMITIVES
    inner = st.deferred(lambda: types(depth - 1, ids))
    return (
        PRIMITIVES
        | st.builds(AvroOptional, item=inner, null_first=st.booleans())
        | st.builds(AvroArray, item=inner)
        | records(depth - 1, ids)
    )


def encoded(draw, node: AvroType) -> tuple[Any, bytes, int]:
    """A value of the type as it is read, its bytes, and how many array items it holds."""
    match node:
        case AvroPrimitive():
            strategy, encode = KINDS[node.kind]
            value = draw(strategy)
            data = encode(value)
            return (value if node.kind in ("boolean", "int", "long", "string", "bytes") else data), data, 0
        case AvroOptional():
            if draw(st.booleans()):
                return None, b"\x00" if node.null_first else b"\x02", 0
            value, data, items = encoded(draw, node.item)
            return value, (b"\x02" if node.null_first else b"\x00") + data, items
        case AvroArray():
            parts = [
                [encoded(draw, node.item) for _ in range(draw(st.integers(1, 3)))]
                for _ in range(draw(st.integers(0, 2)))
            ]
            data = b""
            for part in parts:
                body = b"".join(one for _, one, _ in part)
                says_length = draw(st.booleans())
                data += encode_long(-len(part)) + encode_long(len(body)) if says_length else encode_long(len(part))
                data += body
            items = [one for part in parts for one in part]
            return (
                tuple(value for value, _, _ in items),
                data + b"\x00",
                len(items) + sum(inner for _, _, inner in items),
            )
        case AvroRecord():
            found = [encoded(draw, part) for _, part in node.fields]
            return (
                tuple(one for one, _, _ in found),
                b"".join(one for _, one, _ in found),
                sum(one for _, _, one in found),
            )


@given(data=st.data(), record=records())
def test_chosen_fields_of_records_are_read_all_else_passed(data, record):
    record = AvroRecord(fields=((0, LONG), *record.fields))  # a byte at least
    made = [encoded(data.draw, record) for _ in range(data.draw(st.integers(1, 3)))]
    wanted = data.draw(st.sets(st.sampled_from([number for number, _ in record.fields])))
    raw, items = b"".join(one for _, one, _ in made), sum(one for _, _, one in made)
    scanner = record_scanner(record, wanted)
    found = scan_records(raw, scanner, source="m", items=items, records=len(made))
    places = [place for place, (number, _) in enumerate(record.fields) if number in wanted]
    assert found.rows == [tuple(value[place] for place in places) for value, _, _ in made]
    assert found.starts == [sum(len(one) for _, one, _ in made[:place]) for place in range(len(made))]
    assert field_positions(record, wanted) == {record.fields[place][0]: at for at, place in enumerate(places)}
    if items:
        with pytest.raises(IcebergFileError, match="arrays of more items than its size accounts for"):
            scan_records(raw, scanner, source="m", items=items - 1, records=len(made))
    if len(made) > 1:
        with pytest.raises(IcebergFileError, match="whose records do not fill it"):
            scan_records(raw, scanner, source="m", items=items, records=len(made) - 1)
        first = scan_records(raw, scanner, source="m", items=items, records=9, stop=found.starts[1])
        assert first.rows == found.rows[:1]


@given(data=st.data(), record=records())
def test_a_record_cut_short_is_refused_wherever_it_is_cut(data, record):
    _, raw, items = encoded(data.draw, record)
    skip = _skipper(record)
    assert skip(raw, 0, _Budget(items)) == len(raw)
    assert skip(raw + b"\x00", 0, _Budget(items)) == len(raw)
    for end in range(len(raw)):
        with pytest.raises((IndexError, ValueError)):
            skip(raw[:end], 0, _Budget(items))


@pytest.mark.parametrize("items", [1, 255, 256, 257, 600])
def test_numbers_are_passed_many_at_once(items):
    array = AvroArray(item=AvroRecord(fields=((1, LONG), (2, LONG))))
    raw = encode_long(items) + encode_long(1 << 40) * (2 * items) + b"\x00"
    skip = _skipper(array)
    assert skip(raw, 0, _Budget(items)) == len(raw)
    with pytest.raises((IndexError, ValueError)):
        skip(raw[:-9], 0, _Budget(items))


def test_a_file_may_hold_a_million_items_four_a_byte():
    assert [allowed_items(size) for size in (0, 1, 1_000_000)] == [1_000_000, 1_000_004, 5_000_000]


def test_items_are_counted_over_all_blocks_of_large_files():
    record = AvroRecord(fields=((1, AvroArray(item=LONG)), (2, TEXT)))
    array = encode_long(600_000) + b"\x00" * 600_000 + b"\x00"
    small, large = (Block(record_count=1, raw=array + encode_bytes(b"x" * size)) for size in (9, 1 << 20))
    check_items([small], record, source="m", file_bytes=0)
    check_items([large], record, source="m", file_bytes=0)
    with pytest.raises(IcebergFileError, match="arrays of more items"):
        check_items([large, large], record, source="m", file_bytes=0)
    check_items([large, large], record, source="m", file_bytes=50_000)  # 1,200,000 items
    with pytest.raises(IcebergFileError, match="arrays of more items"):
        check_items([large, large], record, source="m", file_bytes=49_999)
    with pytest.raises(IcebergFileError, match="cut short"):
        check_items([Block(record_count=2, raw=large.raw)], record, source="m", file_bytes=0)
