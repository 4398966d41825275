"""Statements that people paste into Spark."""

import pytest

from wasim.iceberg.sql import call_procedure, literal, set_properties


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
