"""A plan as JSON: what it holds of settings, limits and money, unrounded."""

import json
from dataclasses import replace

import pytest
from support.by_hand import at_most, plain, some_figures, some_plan
from support.plans import a_request

from wasim.capacity import Maintenance, Setting, plan_document, setting_document
from wasim.capacity.choice import Relaxation
from wasim.capacity.commits import LosingJob
from wasim.capacity.document import commit_document, figures_document, money_document
from wasim.capacity.last_cycle import Spread
from wasim.capacity.milestones import Milestones
from wasim.capacity.now import Money, Saving
from wasim.contention import SustainedRate, commit_latency
from wasim.contention.latency import LatencyRequest
from wasim.ledger import Kind

KEPT = Maintenance(expire_every_s=3600.0, older_than_s=7200.0, rewrite_every_s=86400.0, compact_every_s=1800.0)
CHOSEN = some_figures(Setting(interval_s=30.0, maintenance=KEPT, gzips_json=True, appends="merge"), 4.0, manifests=75)
ONE, OTHER = Money(month_1=1.0, month_12=2.0, year=30.0), Money(month_1=0.5, month_12=0.25, year=9.0)


def test_slack_is_the_share_of_a_limit_left():
    request = replace(a_request(), limits=(at_most("manifests", 100), at_most("monthly_cost", 4.0)))
    found = plan_document(some_plan([CHOSEN], CHOSEN, request))["limits"]
    assert found == [
        {"metric": "manifests", "bound": 100, "value": 75, "slack": 0.25},
        {"metric": "monthly_cost", "bound": 4, "value": 4, "slack": 0},
    ]


def test_a_setting_s_document_has_each_of_its_fields():
    found = setting_document(CHOSEN)
    asked = {
        "commit_interval_s": 30,
        "expire_every_s": 3600,
        "older_than_s": 7200,
        "rewrite_manifests_every_s": 86400,
        "rewrite_data_files_every_s": 1800,
        "delete_after_commit": True,
        "gzip": True,
        "append": "merge",
        "manifest_target_size_bytes": None,
    }
    assert asked.items() <= found.items()
    assert found["figures"]["manifests"] == 75
    assert setting_document(None) is None


def test_figures_are_there_on_average_and_at_the_end_too():
    spread = {"manifests": Spread(mean=2.0, most=9.0, final=5.0)}
    days = Milestones(json_passes={5_000_000: 3.5, 7_000_000: None}, metadata_outweighs=2.25)
    one = some_figures(
        plain(), spreads=spread, milestones=days, keeps_up_s=99.0, written_bytes={Kind.DATA: 7}, extrapolated=True
    )
    found = figures_document(one)
    assert (found["mean"], found["final"]) == ({"manifests": 2}, {"manifests": 5})
    assert found["metadata_json_passes_on_day"] == {"5000000": 3.5, "7000000": None}
    assert found["metadata_outweighs_data_on_day"] == 2.25
    assert (found["keeps_up_until_s"], found["latency_extrapolated"], found["commit"]) == (99, True, None)
    assert found["written_bytes"] == {"data": 7}
    assert found["cost_by_part"]["storage"] == 1
    json.dumps(found)


def test_commits_are_described_by_percentiles():
    commit = commit_latency(LatencyRequest(provider="s3", footprint=CHOSEN.footprint, commit_interval_s=30.0))
    found = commit_document(commit)
    assert (found["p50_ms"], found["p95_ms"], found["p99_ms"]) == (commit.p50_ms, commit.p95_ms, commit.p99_ms)
    assert found["sustained"] is True
    assert found["lost_share"] == 0
    assert found["landed_per_s"] == pytest.approx(1 / 30, rel=0.1)
    assert commit_document(None) is None


def test_what_is_saved_is_there_where_now_is_known():
    assert money_document(None, OTHER) == {"now": None, "then": {"month_1": 0.5, "month_12": 0.25, "year": 9}}
    assert money_document(ONE, OTHER)["saved"] == {"month_1": 0.5, "month_12": 1.75, "year": 21}
    before = some_figures(10.0, 9.0)
    saving = Saving(now=before, now_money=ONE, then_money=OTHER, once_bytes=77.0)
    found = plan_document(some_plan([CHOSEN], CHOSEN, saving=saving))
    assert (found["now"]["commit_interval_s"], found["deleted_once_bytes"]) == (10, 77)
    assert found["money"] == money_document(ONE, OTHER)
    unknown = plan_document(some_plan([CHOSEN], CHOSEN))
    assert (unknown["now"], unknown["money"], unknown["deleted_once_bytes"]) == (None, None, None)


def test_documents_have_the_choice_and_what_is_around_it():
    shorter, longer = some_figures(10.0, 9.0), some_figures(60.0, 3.0)
    limit = at_most("manifests", 60)
    plan = some_plan(
        [shorter, CHOSEN, longer],
        CHOSEN,
        replace(a_request(), limits=(limit,)),
        shorter=shorter,
        longer=longer,
        other_end=shorter,
        stopped_by=(limit,),
        at_rates=((2.0, CHOSEN), (3.0, longer)),
        or_within_band=(longer,),
        sustained=SustainedRate(ceiling_per_s=4.0, interval_s=0.25),
        losing=(LosingJob(name="compact", share=0.5, share_retried=0.1),),
        evaluated=12,
    )
    found = plan_document(plan)
    assert [found[name]["commit_interval_s"] for name in ("recommended", "shorter", "longer", "other_end")] == [
        *(30, 10, 60, 10)
    ]
    assert [one["commit_interval_s"] for one in found["intervals"]] == [10, 30, 60]
    assert [one["commit_interval_s"] for one in found["within_band"]] == [60]
    assert found["binds"] == ["manifests"]
    assert [(one["times"], one["breaks"]) for one in found["at_rates"]] == [(2, ["manifests"]), (3, [])]
    assert found["sustained"] == {"ceiling_per_s": 4, "smallest_interval_s": 0.25}
    assert found["maintenance_fails"] == {"compact": 0.5}
    assert found["settings_simulated"] == 12
    assert found["by_count"]["rewrite_manifests"] == 2880
    assert len(found["sql"]) == 4
    assert (found["horizon_s"], found["freshness_s"], found["time_travel_s"]) == (864000, 30, 86400)
    json.dumps(found)


def test_documents_without_a_choice_say_what_to_relax():
    limit = at_most("metadata_bytes_per_day", 1e6)
    relaxed = Relaxation(limit=limit, value=3 * 1024.0**2, figures=CHOSEN)
    request = replace(a_request(), limits=(limit,))
    late = some_figures(10.0, keeps_up_s=5.0)
    found = plan_document(some_plan([late], None, request, relaxations=(relaxed,), beyond=CHOSEN))
    assert found["recommended"] is None
    for name in ("limits", "sql", "statements"):
        assert found[name] == []
    assert found["by_count"] == {}
    assert [(one["metric"], one["bound"], one["to"]) for one in found["relax"]] == [
        ("metadata_bytes_per_day", 1e6, "3.00MiB")
    ]
    assert found["relax"][0]["setting"]["commit_interval_s"] == 30
    assert found["beyond_freshness"]["commit_interval_s"] == 30
    assert found["out_of_reach_s"] == [10]
