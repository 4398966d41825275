"""Bounds of an Avro schema that anyone wrote."""

import json

import pytest

from wasim.iceberg import IcebergFileError
from wasim.iceberg.avro_reader import read_avro_schema


def schema_of(size: object) -> str:
    fixed = {"type": "fixed", "name": "f", "size": size}
    fields = [{"name": "a", "type": fixed, "field-id": 1}]
    return json.dumps({"type": "record", "name": "r", "fields": fields})


@pytest.mark.parametrize("size", [1, 16, 1 << 20])
def test_a_fixed_of_a_mebibyte_at_most_is_read(size):
    ((number, fixed),) = read_avro_schema(schema_of(size), source="s").fields
    assert (number, fixed.kind) == (1, "bytes")  # Iceberg's Java puts a length before it


@pytest.mark.parametrize("size", [-1, (1 << 20) + 1, "16", None])
def test_any_other_fixed_is_refused(size):
    with pytest.raises(IcebergFileError, match=r"^s: "):
        read_avro_schema(schema_of(size), source="s")
