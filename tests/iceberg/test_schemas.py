"""Schemas, specs and the Avro schema texts built from them."""

import json

import pytest

from wasim.iceberg.avro_schemas import avro_schema, fixed_decimal_bytes
from wasim.iceberg.hash_order import java_map_order, java_string_hash
from wasim.iceberg.json_text import compact_json
from wasim.iceberg.schemas import (
    ListType,
    MapType,
    NestedField,
    PrimitiveType,
    Schema,
    StructType,
    primitive_type,
    read_schema,
    schema_json,
)
from wasim.iceberg.specs import PartitionField, PartitionSpec, partition_type


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("decimal(9,2)", "decimal(9, 2)"),
        ("DECIMAL( 38 , 10 )", "decimal(38, 10)"),
        ("fixed[ 16 ]", "fixed[16]"),
        ("timestamptz_ns", "timestamptz_ns"),
        ("geometry", "geometry(OGC:CRS84)"),
        ("geography(srid:4326, karney)", "geography(srid:4326, karney)"),
    ],
)
def test_a_type_name_takes_icebergs_spelling(written, canonical):
    assert primitive_type(written).name == canonical


@pytest.mark.parametrize("name", ["", "int4", "decimal(39, 2)", "fixed[]", "decimal(9)", "struct"])
def test_a_name_that_is_no_type_is_refused(name):
    with pytest.raises(ValueError):
        primitive_type(name)


def nested_schema():
    point = StructType((NestedField(field_id=11, name="x", type=PrimitiveType("float"), required=True),))
    by_name = MapType(key_id=12, key=PrimitiveType("string"), value_id=13, value=point)
    columns = (
        NestedField(field_id=1, name="id", type=PrimitiveType("long"), required=True, doc=""),
        NestedField(field_id=2, name="m", type=by_name, initial_default="null", write_default='{"a":1.0E10}'),
        NestedField(field_id=3, name="l", type=ListType(element_id=14, element=by_name, element_required=True)),
    )
    return Schema(columns=columns, schema_id=7, identifier_field_ids=(1,))


def test_a_nested_schema_survives_its_json():
    schema = nested_schema()
    text = schema_json(schema)
    assert text.startswith('{"type":"struct","schema-id":7,"identifier-field-ids":[1],"fields":[{"id":1,"name":"id",')
    assert read_schema(text.replace('"initial-default":null,', ""), source="x").columns[2] == schema.columns[2]


def test_what_a_schema_says_beyond_iceberg_is_passed_over():
    text = '{"type":"struct","fields":[{"id":1,"name":"a","required":true,"type":"int4","colour":1}]}'
    assert read_schema(text, source="x").columns[0].type == PrimitiveType("int4")


@pytest.mark.parametrize(
    ("transform", "source_id", "result"),
    [
        ("identity", 1, "long"),
        ("bucket[16]", 1, "int"),
        ("truncate[4]", 1, "long"),
        ("year", 1, "int"),
        ("hour", 1, "int"),
        ("day", 1, "date"),
        ("void", 1, "long"),
        ("identity", 99, "unknown"),
        ("bucket[16]", 99, "int"),
        ("zorder", 1, "string"),
        ("identity", 11, "float"),
    ],
)
def test_a_partition_value_has_the_type_of_its_transforms_result(transform, source_id, result):
    spec = PartitionSpec(fields=(PartitionField(name="p", transform=transform, source_id=source_id, field_id=1000),))
    (field,) = partition_type(spec, nested_schema()).fields
    assert (field.type, field.required) == (PrimitiveType(result), False)


@pytest.mark.parametrize(("name", "avro"), [("a b", "a_x20b"), ("1x", "_1x"), ("é-1", "é_x2D1"), ("_a", "_a")])
def test_a_name_that_avro_forbids_is_sanitized_and_remembered(name, avro):
    text = compact_json(avro_schema(StructType((NestedField(field_id=5, name=name, type=PrimitiveType("int")),)), "r"))
    (field,) = json.loads(text)["fields"]
    assert (field["name"], field.get("iceberg-field-name", name)) == (avro, name)


def test_a_fixed_type_is_printed_once_and_named_afterwards():
    fields = [NestedField(field_id=number, name=f"u{number}", type=PrimitiveType("uuid")) for number in (1, 2)]
    first, second = avro_schema(StructType(tuple(fields)), "r")["fields"]
    assert first["type"][1] == {"type": "fixed", "name": "uuid_fixed", "size": 16, "logicalType": "uuid"}
    assert second["type"] == ["null", "uuid_fixed"]


def test_decimals_take_the_fewest_bytes_that_hold_their_digits():
    assert [fixed_decimal_bytes(digits) for digits in (1, 2, 3, 4, 9, 10, 18, 19, 38)] == [1, 1, 2, 2, 4, 5, 8, 9, 16]


def test_java_hashes_and_orders_are_those_of_the_jvm():
    assert [java_string_hash(text) for text in ("", "a", "hello", "é")] == [0, 97, 99162322, 233]
    assert java_map_order([1, 2, 8, 17, 19]) == [1, 17, 2, 19, 8]
    assert java_map_order([2147483546, 2147483545]) == [2147483546, 2147483545]
