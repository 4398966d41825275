"""Columns: their ids, their places in the rows' definition, and which metrics they get."""

from dataclasses import replace
from itertools import count

from wasim.scenario.parts import Columns, Table
from wasim.twin.schema import iceberg_schema, last_column_id, leaves, new_field

NESTED = Table(
    columns=(
        Columns(
            name="actor",
            type="struct",
            fields=(
                Columns(name="net", type="struct", fields=(Columns(name="ip", type="string"),)),
                Columns(name="id", type="long"),
            ),
        ),
        Columns(name="flag", type="boolean"),
    )
)


def test_a_structs_fields_are_numbered_before_what_they_nest():
    schema = iceberg_schema(NESTED)
    assert [(leaf.name, leaf.field_id, leaf.salt) for leaf in leaves(NESTED, schema)] == [
        ("event_id", 1, "0"),
        ("event_time", 2, "1"),
        ("actor.net.ip", 7, "2.0.0"),
        ("actor.id", 6, "2.1"),
        ("flag", 4, "3"),
    ]
    assert last_column_id(schema) == 7


def test_metrics_modes_follow_the_properties():
    properties = {
        "write.metadata.metrics.default": "counts",
        "write.metadata.metrics.column.flag": "none",
        "write.metadata.metrics.column.actor.id": "truncate(4)",
    }
    table = NESTED.model_copy(update={"properties": properties})
    modes = {leaf.name: (leaf.has_counts, leaf.bound_length) for leaf in leaves(table, iceberg_schema(table))}
    assert modes["event_id"] == (True, None)
    assert modes["flag"] == (False, None)
    assert modes["actor.id"] == (True, 4)


def test_only_the_first_hundred_columns_get_metrics():
    table = Table(columns=(Columns(name="c", type="int", count=120),))
    assert sum(leaf.has_counts for leaf in leaves(table, iceberg_schema(table))) == 100


def test_columns_are_counted_level_by_level_whenever_they_came():
    part = Columns(name="part", type="struct", fields=(Columns(name="x", type="int"),))
    table = Table(columns=(part,), properties={"write.metadata.metrics.max-inferred-column-defaults": "3"})
    late = Columns(name="late", type="int")
    schema = iceberg_schema(table)
    schema = replace(schema, columns=(*schema.columns, new_field(late, count(last_column_id(schema) + 1))))
    evolved = table.model_copy(update={"columns": (part, late)})
    found = {leaf.name: leaf.has_counts for leaf in leaves(evolved, schema)}
    assert found == {"event_id": True, "event_time": True, "part.x": False, "late": True}
