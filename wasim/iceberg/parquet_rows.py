"""Rows of Parquet files, read in a process of its own: Arrow's library aborts on some damaged files.

`parquet_process` runs this file by its path. It imports nothing of wasim, so that it starts as soon as Arrow does.
"""

import resource
from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime, time
from decimal import Decimal
from multiprocessing.connection import Connection
from typing import Any
from uuid import UUID

MOST_ADDRESS_BYTES = 6 << 30  # of which Arrow's libraries take a third of one
_FILE, _PARTITION = 2, 102  # numbers of an entry's file and of the partition in it
_FIELD_ID = b"PARQUET:field_id"
_EPOCH = datetime(1970, 1, 1)


class TooMuch(Exception):
    """The file announces more than it was allowed."""


def serve() -> None:
    """Answers each request on the socket that is this process' standard input, until there are no more."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (MOST_ADDRESS_BYTES, MOST_ADDRESS_BYTES))
    connection = Connection(0)
    while True:
        try:
            request = connection.recv()
        except (EOFError, KeyboardInterrupt):
            return
        answer: dict[str, Any] | str
        try:
            answer = read_rows(**request)
        except TooMuch:
            answer = "holds more entries or bytes than a manifest of its size"
        except MemoryError:
            answer = "takes more memory to read than a manifest of its size may"
        except Exception:
            answer = "is no Parquet file that can be read"
        connection.send(answer)


def read_rows(
    *, data: bytes, wanted: frozenset[int] | None, most_texts: int, most_rows: int, most_bytes: int
) -> dict[str, Any]:
    """What `parquet_process.ParquetRows` holds, as a dictionary. Any exception means that the file cannot be read."""
    import pyarrow as pa  # noqa: PLC0415 - after the limits are set
    import pyarrow.parquet as pq  # noqa: PLC0415

    file = pq.ParquetFile(pa.BufferReader(data), thrift_string_size_limit=most_texts)
    footer, schema = file.metadata, file.schema_arrow
    groups = [footer.row_group(number) for number in range(footer.num_row_groups)]
    values = sum(group.column(number).num_values for group in groups for number in range(footer.num_columns))
    raw = max(values, sum(group.total_byte_size for group in groups))  # a value may take less than a bit
    if not 0 <= footer.num_rows <= most_rows or raw > most_bytes:
        raise TooMuch
    inner = tuple(_fields_numbered(schema, _FILE))
    rows = list[dict[str, Any]]()
    if wanted is None or wanted:
        columns = None if wanted is None else list(_columns(schema, wanted))
        table = file.read(columns=columns, use_threads=False)
        for row in table.to_pylist():
            rows.append({_key(one): _by_number(row[one.name], one.type) for one in table.schema})
    return {
        "texts": {key.decode(errors="replace"): value for key, value in (footer.metadata or {}).items()},
        "rows": rows,
        "kinds": {_number(one): kind_of(one.type) for one in (*schema, *inner)},
        "partition": [(_number(one), kind_of(one.type)) for one in _fields_numbered(inner, _PARTITION)],
        "codec": groups[0].column(0).compression.lower() if groups and footer.num_columns else "gzip",
    }


def kind_of(kind: Any) -> str:  # noqa: ANN401 - Arrow's types are not typed
    """What a column holds, as far as reading entries asks: integer, text, bytes, other, map, list or struct."""
    import pyarrow as pa  # noqa: PLC0415

    if pa.types.is_map(kind):
        return f"map of {kind_of(kind.key_type)} to {kind_of(kind.item_type)}"
    if pa.types.is_list(kind):
        return f"list of {kind_of(kind.value_type)}"
    tests = (
        (pa.types.is_integer, "integer"),
        (pa.types.is_string, "text"),
        (pa.types.is_binary, "bytes"),
        (pa.types.is_nested, "struct"),
    )
    return next((name for fits, name in tests if fits(kind)), "other")


def _columns(schema: Iterable[Any], wanted: frozenset[int]) -> Iterator[str]:
    """The wanted columns by their paths: of an entry, and of its file."""
    for field in schema:
        if _number(field) == _FILE:
            yield from (f"{field.name}.{one.name}" for one in _fields_numbered(schema, _FILE) if _number(one) in wanted)
        elif _number(field) in wanted:
            yield field.name


def _number(field: Any) -> int:  # noqa: ANN401
    return int((field.metadata or {}).get(_FIELD_ID, b"-1"))


def _key(field: Any) -> str:  # noqa: ANN401
    return f"f{_number(field)}"


def _fields_numbered(fields: Iterable[Any], number: int) -> Iterable[Any]:
    """The fields of the struct with this number; none if there is no such struct."""
    found = next((field for field in fields if _number(field) == number), None)
    return () if found is None or kind_of(found.type) != "struct" else tuple(found.type)


def _by_number(value: Any, kind: Any) -> Any:  # noqa: ANN401 - of the type
    if value is None:
        return None
    match kind_of(kind).partition(" ")[0]:
        case "struct":
            return {_key(field): _by_number(value[field.name], field.type) for field in kind}
        case "map":
            if any(item is None for pair in value for item in pair):
                raise ValueError("a map without a key or a value")
            return [{_key(kind.key_field): key, _key(kind.item_field): item} for key, item in value]
        case "list" if None in value:
            raise ValueError("a list without an element")
        case "other":
            return _as_avro_has_it(value)
    return value


def _as_avro_has_it(value: Any) -> Any:  # noqa: ANN401 - of any type
    """Days of a date, microseconds of a time, the unscaled bytes of a decimal, the bytes of a UUID."""
    match value:
        case datetime():
            since = (value if value.tzinfo is None else value.astimezone(UTC).replace(tzinfo=None)) - _EPOCH
            return since.days * 86_400_000_000 + since.seconds * 1_000_000 + since.microseconds
        case date():
            return (value - date(1970, 1, 1)).days
        case time():
            return ((value.hour * 60 + value.minute) * 60 + value.second) * 1_000_000 + value.microsecond
        case Decimal():
            unscaled = int(value.scaleb(-int(value.as_tuple().exponent)))
            return unscaled.to_bytes((unscaled + (unscaled < 0)).bit_length() // 8 + 1, "big", signed=True)
        case UUID():
            return value.bytes
    return value if isinstance(value, bool | float | bytes | str) else str(value)


if __name__ == "__main__":
    serve()
