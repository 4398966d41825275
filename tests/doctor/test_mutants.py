"""Mutated files of every kind, read by the doctor: each is read or refused in one line, and soon.

A failure prints the kind and the number of the mutant, which make it again: `mutant(kind, number)`.
"""

import copy
import io
import json
import random
import resource
import time

import pyarrow.parquet as pq
import pytest
from rich.console import Console
from support.iceberg_files import stored
from support.parquet_manifests import SCHEMA, SPEC, entry
from support.paths import DATA
from support.trees import emit_tree

from wasim.doctor import InspectOptions, inspect_location
from wasim.doctor.content import _entries, _parquet_entries
from wasim.doctor.document import inspection_document
from wasim.doctor.file_view import file_view_document, view_file
from wasim.doctor.outlook import outlook_of
from wasim.doctor.terminal import outlook_lines, render_inspection
from wasim.doctor.watching import render_prometheus
from wasim.errors import WasimError
from wasim.iceberg.avro_encoding import encode_long
from wasim.iceberg.containers import read_packed
from wasim.iceberg.parquet_manifests import parquet_manifest_bytes
from wasim.iceberg.parquet_process import _READER
from wasim.iceberg.record_fields import ManifestContent

TABLES = DATA / "tables"
MUTANTS, SOAK_MUTANTS = 200, 100_000
MOST_SECONDS_EACH = 15  # a shared machine; none takes one on its own
MOST_SECONDS_IN_ALL = 120
TREE_MUTANTS, SOAK_TREE_MUTANTS = 20, 5_000
LAID_OUT_EVERY = 8  # rich's layout takes twice as long as all that is tested
SYNC = b"s" * 16
ODD = (
    None, True, "", "\x1b[2J\n", "x" * 3000, "../../etc/passwd", "file:///dev/zero", "s3://", ".", [], {}, [[]],
    0, -1, 1.5, 2**31, 2**62, -(2**63), 2**63, 1e300,
)  # fmt: skip


def real(pattern):
    return [path.read_bytes() for path in sorted(TABLES.glob(pattern))]


ORIGINALS = {
    "metadata_json": real("*/metadata/*.metadata.json"),
    "manifest_list": [stored(data) for data in real("*/metadata/snap-*.avro")] + real("nested_v3/metadata/snap-*.avro"),
    "manifest": [
        stored(data) for data in real("*/metadata/*-m[0-9].avro") if len(data) < 20_000
    ] + real("identities/metadata/*-m0.avro"),
    "puffin": real("*/metadata/*.stats"),
}  # fmt: skip


def parquet_manifests():
    """Manifests of format version 4, small and larger ones, in the encodings, codecs and pages that writers choose."""
    written = parquet_manifest_bytes(SCHEMA, SPEC, ManifestContent.DATA, [entry(number) for number in range(40)])
    table = pq.read_table(io.BytesIO(written))
    yield parquet_manifest_bytes(SCHEMA, SPEC, ManifestContent.DELETES, [entry(1)])
    yield written
    for options in (
        {"compression": "none", "use_dictionary": False, "write_page_index": True},
        {"compression": "snappy", "data_page_version": "2.0", "row_group_size": 7},
        {"compression": "zstd", "use_dictionary": False, "column_encoding": {"status": "DELTA_BINARY_PACKED"}},
    ):
        sink = io.BytesIO()
        pq.write_table(table, sink, write_page_checksum=False, **options)
        yield sink.getvalue()


ORIGINALS["parquet_manifest"] = list(parquet_manifests())
LARGE = (b"\xff" * 9 + b"\x01", encode_long(2**62), encode_long(-(2**62)), encode_long(2**31), b"9" * 40, b"[" * 2000)


def mutant(kind, number):
    """The mutant of that number: bytes flipped, cut, doubled, moved between files, or replaced by what is too large."""
    draw = random.Random(f"{kind} {number}")  # noqa: S311
    original = draw.choice(ORIGINALS[kind])
    if kind == "metadata_json" and number % 2 and original[:1] == b"{":
        return other_values(original, draw)
    data = bytearray(original)
    is_parquet = kind == "parquet_manifest"
    for _ in range(draw.choice((1, 1, 1, 2, 4))):
        at, length = draw.randrange(len(data) + 1), draw.randint(0, 40)
        if is_parquet and draw.random() < 0.7:  # what the library trusts: numbers of the footer and of page headers
            change_number(data, draw)
            continue
        match draw.choice((0, 0, 0, 0, 1, 2, 3, 4)):
            case 0:
                data[at : at + 1] = bytes([draw.randrange(256)])
            case 1:
                del data[at : at + length]
            case 2:
                data[at:at] = data[at : at + length]
            case 3:
                other = draw.choice(ORIGINALS[kind])
                start = draw.randrange(len(other))
                data[at : at + length] = other[start : start + length]
            case 4:
                data[at : at + length] = draw.choice(LARGE)
    return bytes(data[: draw.randrange(len(data) + 1)] if draw.random() < 0.1 else data)


def change_number(data, draw):
    """Another number in the footer of a Parquet file, or in the header of a page; its structure stays."""
    length = int.from_bytes(data[-8:-4], "little")
    starts = [len(data) - 8 - length]
    try:
        footer = thrift_numbers(data, starts[0])[0]
        offsets = {value >> 1 for _, _, value in footer if 4 <= value >> 1 < starts[0]}
        place = draw.choice([starts[0], *offsets]) if draw.random() < 0.5 else starts[0]
        start, stop, value = draw.choice(thrift_numbers(data, place)[0])
    except (IndexError, ValueError):
        return
    other = draw.choice(
        (
            0,
            1,
            2,
            3,
            value + 1,
            value - 1,
            value + 2,
            value * 2,
            value ^ 1 << draw.randrange(40),
            2**31,
            2**32,
            2**62,
            2**64 - 1,
        )
    )
    written = varint(max(0, other))
    data[start:stop] = written
    if start >= starts[0]:
        data[-8:-4] = (length + len(written) - (stop - start)).to_bytes(4, "little", signed=False)


def varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


def thrift_numbers(data, at):
    """Every number of a struct in Thrift's compact protocol, as (start, stop, raw value), and where the struct ends."""
    found = []

    def number():
        nonlocal at
        start, value, shift = at, 0, 0
        while True:
            byte = data[at]
            at, value, shift = at + 1, value | (byte & 127) << shift, shift + 7
            if byte < 128:
                found.append((start, at, value))
                return value
            if shift > 70:
                raise ValueError

    def read(kind, depth):
        nonlocal at
        if depth > 20:
            raise ValueError
        match kind:
            case 1 | 2:
                pass
            case 3:
                at += 1
            case 4 | 5 | 6:
                number()
            case 7:
                at += 8
            case 8:
                at += number()
            case 9 | 10:
                size, item = data[at] >> 4, data[at] & 15
                at += 1
                for _ in range(number() if size == 15 else size):
                    read(item, depth + 1)
            case 12:
                while data[at]:
                    head = data[at]
                    at += 1
                    if not head >> 4:
                        number()
                    read(head & 15, depth + 1)
                at += 1
            case _:
                raise ValueError

    read(12, 0)
    return found, at


def other_values(data, draw):
    """A JSON document some of whose values are others that JSON has."""
    document = json.loads(data)
    for _ in range(draw.randint(1, 3)):
        place, key = document, None
        while isinstance(place, dict | list) and place and (key is None or draw.random() < 0.8):
            holder, key = place, draw.choice(list(place) if isinstance(place, dict) else range(len(place)))
            place = holder[key]
        holder[key] = copy.deepcopy(draw.choice(ODD))
    return json.dumps(document).encode()


def read_or_refuse(kind, number):
    data, started = mutant(kind, number), time.monotonic()
    readers = [lambda: file_view_document(view_file(data, source="mutant"))]
    if kind == "parquet_manifest":
        readers.append(lambda: _parquet_entries(data, "mutant"))
    if kind == "manifest":
        readers.append(lambda: _entries(read_packed(data, source="mutant"), "mutant"))
    refused = 0
    for read in readers:
        try:
            read()
        except WasimError as error:
            refused += 1
            assert "\n" not in str(error), (kind, number)  # noqa: PT017 - that it is raised is not what is tested
            assert len(str(error)) < 600, (kind, number)  # noqa: PT017
        except BaseException:
            print(f"mutant({kind!r}, {number})")
            raise
    assert time.monotonic() - started < MOST_SECONDS_EACH, (kind, number)
    return refused > 0


def run_mutants(kind, count, most_seconds=float("inf")):
    started, refused, done, processes = time.monotonic(), 0, 0, set()
    for number in range(count):
        refused += read_or_refuse(kind, number)
        done += 1
        processes.add(_READER.process and _READER.process.pid)
        if time.monotonic() - started > most_seconds:
            break
    memory_mib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    print(f"{kind}: {done:,} mutants, {refused:,} refused, {done - refused:,} read, {memory_mib} MiB at most,")
    print(f"{len(processes):,} processes, in {time.monotonic() - started:,.0f} s")
    return done


@pytest.mark.parametrize("kind", ORIGINALS)
def test_mutants_are_read_or_refused(kind):
    assert run_mutants(kind, MUTANTS // 3 if kind == "parquet_manifest" else MUTANTS, MOST_SECONDS_IN_ALL) > 50


@pytest.mark.soak
@pytest.mark.parametrize("kind", ORIGINALS)
def test_a_hundred_thousand_mutants_are_read_or_refused(kind):
    count = SOAK_MUTANTS // 5 if kind == "parquet_manifest" else SOAK_MUTANTS
    assert run_mutants(kind, count) == count


def inspect_mutated_tables(tmp_path, count):
    root = emit_tree(tmp_path / "t", horizon_s=4.0).root
    files = sorted((root / "metadata").iterdir())
    originals = {path: path.read_bytes() for path in files}
    printed = Console(file=io.StringIO())
    for number in range(count):
        draw = random.Random(number)  # noqa: S311
        path = draw.choice(files)
        if number % 2:
            path = max(path for path in files if path.name.endswith(".json"))
            path.write_bytes(other_values(originals[path], draw))
        else:
            data = bytearray(originals[path])
            for _ in range(draw.randint(1, 3)):
                at = draw.randrange(len(data))
                data[at : at + draw.randint(0, 9)] = draw.randbytes(draw.randint(0, 9))
            path.write_bytes(bytes(data))
        try:
            inspection = inspect_location(str(root), InspectOptions(grace_s=0))
            json.dumps(inspection_document(inspection, files=True))
            render_prometheus(inspection)
            rendered = render_inspection(inspection)
            if number % LAID_OUT_EVERY == 0:
                printed.print(rendered)
            if number % LAID_OUT_EVERY == 1:  # odd ones are of metadata.json
                outlook_lines(outlook_of(inspection, 60.0))
        except WasimError as error:
            assert "\n" not in str(error)  # noqa: PT017
        except BaseException:
            print(f"tree mutant {number}: {path.name}")
            raise
        finally:
            path.write_bytes(originals[path])


def test_a_table_with_a_mutated_file_is_inspected_or_refused(tmp_path):
    inspect_mutated_tables(tmp_path, TREE_MUTANTS)


@pytest.mark.soak
def test_five_thousand_mutated_tables_are_inspected_or_refused(tmp_path):
    inspect_mutated_tables(tmp_path, SOAK_TREE_MUTANTS)
