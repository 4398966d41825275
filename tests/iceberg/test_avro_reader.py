"""Bounds of an Avro schema that anyone wrote."""

import json

import pytest

from wasim.iceberg import IcebergFileError
from wasim.iceberg.avro_reader import read_avro_schema


def schema_of(kind: object) -> str:
    return json.dumps({"type": "record", "name": "r", "fields": [{"name": "a", "type": kind, "field-id": 1}]})


def fixed(size: object) -> object:
    return {"type": "fixed", "name": "f", "size": size}


@pytest.mark.parametrize("size", [1, 16, 1 << 20])
def test_a_fixed_of_a_mebibyte_at_most_is_read(size):
    ((number, found),) = read_avro_schema(schema_of(fixed(size)), source="s").fields
    assert (number, found.kind) == (1, "bytes")  # Iceberg's Java puts a length before it


@pytest.mark.parametrize("size", [-1, (1 << 20) + 1, "16", None])
def test_any_other_fixed_is_refused(size):
    with pytest.raises(IcebergFileError, match=r"^s: "):
        read_avro_schema(schema_of(fixed(size)), source="s")


def test_a_schema_nests_to_twelve_levels_at_most():
    kind: object = "int"
    for element in range(11):
        kind = {"type": "array", "element-id": element, "items": kind}
    assert read_avro_schema(schema_of(kind), source="s").fields
    with pytest.raises(IcebergFileError, match="nests too deeply"):
        read_avro_schema(schema_of({"type": "array", "element-id": 99, "items": kind}), source="s")
