"""The table of what each engine carries out, against the engines."""

import re

import pytest

pytest.importorskip("pyspark")

from support.paths import ROOT

from tools.features import FEATURES, Feature, case_of
from tools.support import HEADS, _cells, _properties, answers, render_support
from wasim.scenario.changes import Changes, Evolution, Maintenance

PAGE = (ROOT / "docs" / "support.md").read_text()


@pytest.mark.slow
def test_the_page_says_what_the_engines_say():
    assert render_support() == PAGE, "make support writes it anew"


def test_the_page_says_what_engines_say_of_maintenance_and_properties():
    rows = [f"| {one.words} | {' | '.join(_cells(one, {}))} |" for one in FEATURES["maintenance"]]
    without_notes = re.sub(r" \[\d+\]", "", PAGE)
    assert [row for row in rows if re.sub(r" \[\d+\]", "", row) not in without_notes] == []
    assert "\n".join(_properties()) in PAGE, "make support writes it anew"


def test_every_operation_of_the_language_has_a_row():
    given = [feature.fields for features in FEATURES.values() for feature in features]
    for name, part in (("changes", Changes), ("maintenance", Maintenance)):
        assert {key for fields in given for key in fields.get(name, {})} == set(part.model_fields)
    evolved = {key for fields in given for one in fields.get("evolution", ()) for key in one}
    assert evolved == set(Evolution.model_fields)


def test_what_sums_leave_out_is_said_in_their_answer():
    fields = {"table": {"properties": {"write.parquet.page-row-limit": "9"}}}
    *_, exact, summed = answers(case_of(Feature(words="", fields=fields)))
    assert len(HEADS) == 4
    assert (exact.cell, summed.cell) == ("no", "ignored")
    assert summed.why == 'Not simulated: table.properties.write.parquet.page-row-limit, which is "9".'
