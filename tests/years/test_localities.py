"""What a case says of its statements."""

from dataclasses import replace

import pytest
from support.synthetic import synthetic_case

from wasim.scenario.changes import Changes
from wasim.scenario.parts import Writer
from wasim.years.localities import between_statements, merges_on_read, places_of, touches_oldest

UPDATE = {"every": "20s", "rows": 9, "mode": "copy-on-write"}
DELETE = {"every": "10s", "rows": 9, "mode": "merge-on-read"}


@pytest.mark.parametrize(
    ("changes", "places", "oldest", "on_read", "between"),
    [
        ({}, set(), False, False, 0.0),
        ({"update": UPDATE | {"locality": "oldest"}}, {"end"}, True, False, 5.0),
        ({"update": UPDATE | {"locality": "newest"}}, {"end"}, False, False, 5.0),
        ({"delete": DELETE | {"locality": "oldest"}}, {"end"}, False, True, 2.5),  # whose rows are gone
        ({"merge": UPDATE | {"locality": "oldest"}}, {"end"}, True, False, 5.0),
        ({"update": UPDATE, "delete": DELETE | {"locality": "newest"}}, {"scattered", "end"}, False, True, 2.5),
    ],
    ids=str,
)
def test_statements_are_known_by_their_rows_and_modes(changes, places, oldest, on_read, between):
    case = replace(synthetic_case(interval_s=4.0), changes=Changes.model_validate(changes))
    found = (places_of(case), touches_oldest(case), merges_on_read(case), between_statements(case))
    assert found == (places, oldest, on_read, between)


@pytest.mark.parametrize("mode", ["copy-on-write", "merge-on-read"])
def test_a_writers_upserts_are_statements_of_its_own(mode):
    upsert = {"share": 0.2, "mode": mode, "locality": "newest"}
    case = replace(synthetic_case(), writer=Writer.model_validate({"kind": "batch", "upsert": upsert}))
    assert (places_of(case), merges_on_read(case)) == ({"end"}, mode == "merge-on-read")
