"""docs/writers.md says what its command computes, and what a writer's defaults come to."""

import pytest
from support.paths import ROOT

from tools.league import MINUTE, row_of
from tools.league_entries import ENTRIES
from tools.league_page import Row, cells
from wasim.twin import profile_named
from wasim.twin.profile import SHIPPED

PAGE = (ROOT / "docs" / "writers.md").read_text()
NAMED = {entry.profile: entry for entry in ENTRIES}


@pytest.fixture(scope="module", params=["redpanda", "pyiceberg", "automq"])
def row(request: pytest.FixtureRequest) -> Row:
    return row_of(NAMED[request.param], MINUTE)


def test_the_page_holds_the_row_that_is_computed(row):
    printed = f"| {' | '.join(cells(row))} |"
    assert printed in PAGE.splitlines(), "make league writes the page anew"


def test_the_named_setting_writes_less(row):
    assert f"| {row.profile.title} | 1m | {row.helps} |" in PAGE
    least = 1.5 if row.profile.name == "automq" else 5  # the writer expires by itself
    assert row.helped.metadata_bytes_per_day < row.figures.metadata_bytes_per_day / least


def test_each_entry_has_its_facts_and_source_on_the_page():
    for entry in ENTRIES:
        facts = entry.facts
        assert f"| {facts.title} | {facts.versions} |" in PAGE
        assert f"| {facts.trigger.words} | {facts.trigger.source} |" in PAGE


def test_every_shipped_writer_is_on_the_page_as_shipped():
    ships = {name for name in SHIPPED if profile_named(name).trigger.every_s is not None}
    assert ships <= NAMED.keys()
