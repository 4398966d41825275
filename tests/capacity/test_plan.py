"""A plan as a whole: limits that are dropped, intervals that are out of reach."""

from dataclasses import replace

from wasim.capacity import Requirements, make_plan, request_from_flags


def test_a_default_limit_that_nothing_can_keep_is_dropped():
    few = request_from_flags({"rows_per_second": "1", "horizon": "10d"}, Requirements(freshness="5s"))
    found = make_plan(few)
    assert found.chosen is not None
    assert found.default_limit_dropped
    assert found.chosen.values["wa_metadata"] > 1


def test_against_other_writers_the_intervals_that_are_not_sustained_are_out():
    asked = {"rows_per_second": "500", "horizon": "10d", "writers": "8"}
    requirements = Requirements(freshness="30s", provider="gcs", limits={"wa_metadata": "10000"})
    request = request_from_flags(asked, requirements)
    alone, several = make_plan(replace(request, writers=1)), make_plan(request)
    assert several.chosen.commit.outcome.lost_share > alone.chosen.commit.outcome.lost_share
    assert several.chosen.setting.interval_s >= several.sustained.interval_s
    assert several.out_of_reach
    assert several.chosen.setting.interval_s > max(several.out_of_reach)
