"""A plan as a whole: intervals that are out of reach, requests that make no sense."""

from dataclasses import replace

import pytest

from wasim.capacity import Requirements, make_plan, request_from_flags
from wasim.capacity.answer import plan_lines
from wasim.capacity.request import request_from_document
from wasim.errors import WasimError


def test_against_other_writers_intervals_not_sustained_are_out():
    asked = {"rows_per_second": "500", "horizon": "3d", "writers": "8"}
    requirements = Requirements(freshness="30s", provider="gcs", limits={"wa_metadata": "10000"})
    request = request_from_flags(asked, requirements)
    alone, several = make_plan(replace(request, writers=1)), make_plan(request)
    assert several.chosen.commit.outcome.lost_share > alone.chosen.commit.outcome.lost_share
    assert several.chosen.setting.interval_s >= several.sustained.interval_s
    assert several.out_of_reach
    assert several.chosen.setting.interval_s > max(several.out_of_reach)
    assert ["remove_orphan_files" in "".join(plan_lines(one, explains=True)) for one in (alone, several)] == [
        False,
        True,
    ]


@pytest.mark.parametrize(
    ("rows_per_second", "freshness"),
    [
        pytest.param("0.0000115", None, marks=pytest.mark.slow),
        ("0.0000115", "7d"),
        pytest.param("1000000", None, marks=pytest.mark.slow),
        ("1e9", "1s"),
    ],
)
def test_intervals_of_too_few_or_many_rows_are_not_tried(rows_per_second, freshness):
    asked = {"rows_per_second": rows_per_second, "horizon": "60d"}
    found = make_plan(request_from_flags(asked, Requirements(freshness=freshness)), explains=False)
    tried = [one.setting.interval_s * float(rows_per_second) for one in found.best]
    assert 0.5 <= min(tried) <= max(tried) <= 1e9


def test_rates_of_too_many_rows_a_commit_are_not_shown():
    found = make_plan(request_from_flags({"rows_per_second": "5e8"}, Requirements(freshness="2s")))
    assert found.at_rates == ()


def test_a_horizon_beyond_ten_years_is_refused():
    with pytest.raises(WasimError, match=r"--horizon is 36500d\. Give 3650d at most"):
        make_plan(request_from_flags({"rows_per_second": "5", "horizon": "100y"}, Requirements()))


def test_longer_freshness_never_makes_the_shortest_interval_within_limits_longer():
    asked = {"rows_per_second": "500", "horizon": "3d"}
    shortest = [
        make_plan(
            request_from_flags(
                asked, Requirements(freshness=freshness, prefer="freshest", limits={"wa_metadata": "100000"})
            ),
            explains=False,
        ).chosen
        for freshness in ("1m", "10m")
    ]
    assert shortest[0].setting.interval_s == shortest[1].setting.interval_s < 10


def of_upserts(rows_per_second, **more):
    return more | {
        "name": "upserts",
        "question": "which?",
        "table": {"columns": [{"name": "v", "type": "long", "count": 4}]},
        "workload": {"rows_per_second": rows_per_second, "files_per_commit": 1},
        "writer": {"kind": "batch", "upsert": {"share": 0.3, "mode": "merge-on-read"}},
    }


@pytest.mark.slow
def test_of_upserts_intervals_end_where_shorter_ones_only_cost_more():
    request = request_from_document("a test", of_upserts(50), Requirements(freshness="10m"), "1d")
    plan = make_plan(request, explains=False)
    least, *others = sorted(one.monthly_cost for one in plan.best)
    assert plan.best[0].monthly_cost == others[-1] > 1.5 * least
    assert "freshest tried: " in "\n".join(plan_lines(plan))


def test_jobs_that_more_retries_save_get_them_in_the_statements():
    asked = {"rows_per_second": "200", "horizon": "2d"}
    plan = make_plan(
        request_from_flags(asked, Requirements(freshness="5s", time_travel="1d", provider="gcs")), explains=False
    )
    assert (plan.chosen.setting.retries, plan.losing) == (20, ())
    assert "'commit.retry.num-retries'='20'" in "\n".join(plan_lines(plan))


@pytest.mark.slow
def test_where_a_job_loses_a_longer_interval_is_taken():
    document = of_upserts(5, maintenance={"rewrite_data_files": {"every": "1h"}})
    requirements = Requirements(freshness="15m", provider="s3", prefer="freshest", limits={"monthly_cost": "5"})
    plan = make_plan(request_from_document("a test", document, requirements, "1d"), explains=False)
    interval_s, job = plan.avoided
    assert plan.losing == ()
    assert plan.chosen.setting.interval_s > interval_s
    assert f"{job.name} fails" in " ".join("\n".join(plan_lines(plan)).split())
