"""What a spreadsheet of constant commits would recommend: the shortest interval that it thinks is within the limit."""

from dataclasses import replace

import pytest
from support.plans import a_plan

from wasim.capacity.naive import naive_of
from wasim.units import DAY_S


@pytest.mark.parametrize("limits", [{"metadata_bytes_per_day": "200MB"}, {"wa_metadata": "0.05"}], ids=str)
def test_it_takes_the_shortest_interval_whose_first_commits_promise_to_keep_the_limit(limits: dict[str, str]):
    plan = a_plan(**limits)
    naive = naive_of(plan)
    assert naive is not None
    day_bytes = plan.best[-1].per_day_bytes / plan.best[-1].values["wa_metadata"]  # of rows
    most = 200e6 if "metadata_bytes_per_day" in limits else 0.05 * day_bytes
    promised = [one.first_commit_bytes * DAY_S / one.setting.interval_s for one in plan.best]
    place = plan.best.index(naive.figures)
    assert naive.promised_bytes_per_day == promised[place] <= most
    assert all(one > most for one in promised[:place])


def test_without_a_limit_on_metadata_it_keeps_metadata_below_data():
    plan = a_plan(manifests="1000")
    other = replace(plan, limits=tuple(limit for limit in plan.limits if limit.metric == "manifests"))
    assert naive_of(other) == naive_of(plan)
