"""The published Security Lake table: the page says what the command prints, and that is near what was published."""

import pytest
from support.paths import ROOT

from tools.security_lake import STORED_METADATA_BYTES, as_published, by_kind, render, stored_bytes
from wasim.ledger import Kind
from wasim.twin.schema import iceberg_schema, last_column_id

PAGE = (ROOT / "docs" / "security_lake.md").read_text()


def test_published_metadata_is_met_within_a_tenth():
    assumed = as_published()
    years = assumed.years()
    stored = stored_bytes(years, assumed)
    assert sum(stored.values()) == pytest.approx(STORED_METADATA_BYTES, rel=0.1)
    assert stored[Kind.METADATA_JSON] / sum(stored.values()) > 0.99
    assert "\n".join(by_kind(years, assumed)) in PAGE


def test_the_scenarios_schema_has_as_many_fields_as_published():
    assert last_column_id(iceberg_schema(as_published().case.table)) == 95


@pytest.mark.slow
def test_the_page_holds_what_the_command_prints():
    assert render() in PAGE
