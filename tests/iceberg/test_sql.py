"""Statements that people paste into Spark."""

import pytest

from wasim.iceberg.sql import (
    athena_name,
    call_procedure,
    execute_procedure,
    literal,
    set_extra_properties,
    set_options,
    set_properties,
    spark_name,
)


@pytest.mark.parametrize(("arguments", "given"), [("", ""), ("retain_last => 1", ", retain_last => 1")])
def test_a_procedure_is_called_on_its_table(arguments, given):
    called = call_procedure("expire_snapshots", "c.db.t", arguments)
    assert called == f"CALL c.system.expire_snapshots(table => 'db.t'{given})"
    in_lines = call_procedure("expire_snapshots", "c.db.t", arguments, in_lines=True)
    assert in_lines == called.replace("(", "(\n  ").replace(", ", ",\n  ")


def test_properties_are_set_one_to_a_line_if_asked():
    properties = {"a": "1", "b": "it's"}
    assert set_properties("c.t", properties) == r"ALTER TABLE c.t SET TBLPROPERTIES ('a'='1', 'b'='it\'s')"
    in_lines = set_properties("c.t", properties, in_lines=True)
    assert in_lines == "ALTER TABLE c.t SET TBLPROPERTIES (\n  'a'='1',\n  'b'='it\\'s')"


def test_a_literal_keeps_quotes_and_backslashes():
    assert literal(r"a\'b") == r"'a\\\'b'"


@pytest.mark.parametrize(
    ("given", "spark", "trino", "athena"),
    [
        ("prod.db.events", "prod.db.events", "prod.db.events", "db.events"),
        ("prod.db.order", "prod.db.order", 'prod.db."order"', "db.`order`"),
        ("prod.db.2024_events", "prod.db.`2024_events`", 'prod.db."2024_events"', "db.`2024_events`"),
        ("prod.db.1e5", "prod.db.`1e5`", 'prod.db."1e5"', "db.`1e5`"),
        ("prod.db.täble", "prod.db.`täble`", 'prod.db."täble"', "db.`täble`"),
        ("prod.`my db`.t", "prod.`my db`.t", 'prod."my db".t', "`my db`.t"),
        ("prod.db.sub.events", "prod.db.sub.events", 'prod."db.sub".events', "sub.events"),
    ],
)
def test_parts_of_a_name_are_quoted_where_they_must_be(given: str, spark: str, trino: str, athena: str):
    assert spark_name(given) == spark_name(spark) == spark
    assert set_extra_properties(spark, {"a": "1"}).startswith(f"ALTER TABLE {trino} SET PROPERTIES extra_properties")
    assert athena_name(spark) == athena


def test_a_catalog_of_several_words_is_quoted_in_a_session():
    called = execute_procedure("expire_snapshots", "`my lake`.db.t", 86_400.0, retain_last=1, sizes=None)
    assert called.startswith("SET SESSION \"my lake\".expire_snapshots_min_retention = '1d'")


def test_flink_s_names_are_quoted_whole():
    assert set_options("prod.default.`my t`", {"a": "1"}).startswith("ALTER TABLE `prod`.`default`.`my t` SET (")
