"""A plan as JSON: what it holds of settings, limits and money, unrounded."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.by_hand import at_most, plain, some_figures, some_plan
from support.paths import SCENARIOS
from support.plans import a_plan, a_request

from wasim.capacity import (
    NO_MAINTENANCE,
    Maintenance,
    PlanRequest,
    Requirements,
    Setting,
    make_plan,
    plan_document,
    request_from_file,
    request_from_flags,
    setting_document,
)
from wasim.capacity.answer import Section, sections_of
from wasim.capacity.choice import Relaxation
from wasim.capacity.commands import Statements
from wasim.capacity.commits import LosingJob
from wasim.capacity.document import (
    _written,
    commit_document,
    figures_document,
    money_document,
    plan_comment,
    render_scenario,
    sections_comment,
)
from wasim.capacity.last_cycle import Spread
from wasim.capacity.milestones import Milestones
from wasim.capacity.now import Money, Saving
from wasim.capacity.settings import case_of
from wasim.contention import SustainedRate, commit_latency
from wasim.contention.latency import LatencyRequest
from wasim.ledger import Kind
from wasim.report.tables import Judged, TextTable
from wasim.runs.limits import HELD
from wasim.scenario import load_scenario
from wasim.simulation import SimulationOptions
from wasim.simulation.run import simulated_cases
from wasim.twin import Site, shipped_profile
from wasim.units import DAY_S
from wasim.years import simulate_years

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
    assert found["metadata_json_passes_on_day"] == {"5000000": 3.5}
    assert found["metadata_json_text_passes_on_day"] == {"7000000": None}
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


REQUEST = replace(a_request(), limits=(at_most("manifests", 100), at_most("monthly_cost", 5.0, "<")))


def test_each_limit_is_judged_by_the_chosen_setting():
    chosen = some_figures(30.0, 5.0, manifests=75)
    said = plan_comment(some_plan([chosen], chosen, REQUEST), "")
    kept, broken = (line for line in said.splitlines() if re.search(": .*, (at most|below) ", line))
    assert "manifests: 75, at most 100" in kept
    assert "5.00 USD, below 5.00 USD" in broken
    assert kept.split("manifests")[0] != broken.split("cost")[0]


def test_limits_on_sums_are_of_all_tables():
    chosen = some_figures(30.0, 4.0, manifests=75)
    plan = some_plan([chosen], chosen, REQUEST)
    twelve = replace(plan.case, writer=plan.case.writer.model_copy(update={"kind": "batch", "tables": 12}))
    said = plan_comment(replace(plan, case=twelve), "")
    assert "cost a month, all 12: 4.00 USD" in said
    assert "manifests: 75" in said


def test_without_a_choice_no_limit_is_kept():
    said = plan_comment(some_plan([some_figures(30.0)], None, REQUEST), "https://example.com/page")
    assert "no setting meets the limits" in said
    assert "https://example.com/page" in said


def test_every_section_is_folded_and_its_statements_are_code():
    chosen = some_figures(30.0)
    plan = some_plan([chosen], chosen)
    said = plan_comment(plan, "")
    for one in sections_of(plan):
        assert one.title in said
    assert said.count("```sql\n") == 2  # the table's, and the writer's
    assert said.count("```") == 4


def test_the_first_table_is_shown():
    tables = [TextTable(caption=name, head=(name, "b"), rows=(("x", "y"),)) for name in ("First", "Next")]
    sections = [Section(title="One", blocks=("words", tables[0])), Section(title="Two", blocks=tuple(tables[1:]))]
    said = sections_comment("headline", [Judged(text="it", holds=True)], sections, "")
    before = said.split("<details>")[0]
    assert "| First |" in before.replace("  ", " ")
    assert "Next" not in before
    code = sections_comment("h", [], [Section(title="C", blocks=(Statements(language="SQL", lines=("a", "b")),))], "")
    assert "```sql\na\nb\n```" in code


REQUESTS = {
    "a stream": request_from_flags({"rows_per_second": "500", "horizon": "10d"}, Requirements(freshness="5m")),
    "a batch of many files": request_from_flags(
        {"rows_per_second": "20000", "writer": "batch", "files_per_commit": "8", "horizon": "10d"},
        Requirements(freshness="10m"),
    ),
    "a scenario's own compaction": request_from_file(
        SCENARIOS / "smoke.yaml",
        {"writer": "batch", "maintenance": "{rewrite_data_files: {every: 1h, target_file_size_bytes: 64MB}}"},
        Requirements(freshness="10m"),
        "10d",
    ),
}


@pytest.mark.parametrize(
    "request_of",
    [
        pytest.param(request, id=name, marks=() if "compaction" in name else pytest.mark.slow)
        for name, request in REQUESTS.items()
    ],
)
def test_what_simulating_it_gives_is_what_the_plan_says(request_of, tmp_path: Path):
    chosen = make_plan(request_of, explains=False).chosen
    file = tmp_path / "chosen.yaml"
    file.write_text(render_scenario(request_of, chosen.setting))
    assert file.read_text().splitlines()[0].endswith(f"--location {request_of.location}")
    (case,) = load_scenario(file, {}).cases()
    assert case.maintenance.rewrite_data_files is None or case.maintenance.rewrite_data_files.every == 3600
    summed = simulate_years(case, shipped_profile(case), Site(location=request_of.location))
    simulated = {**summed.settled, "metadata_bytes": summed.totals.metadata_bytes}
    for metric in ("metadata_bytes", "metadata_bytes_per_day", *HELD):
        band = max(0.02, chosen.bands.get(metric, 0.0))
        assert chosen.values[metric] == pytest.approx(simulated[metric], rel=band, abs=1), metric


def test_a_table_s_location_stays_in_its_comment(tmp_path: Path):
    request = replace(REQUESTS["a stream"], location="s3://a/b\nname: $(id)")
    file = tmp_path / "chosen.yaml"
    file.write_text(render_scenario(request, Setting(interval_s=300.0)))
    assert file.read_text().splitlines()[0].endswith(" --location 's3://a/b\N{REPLACEMENT CHARACTER}name: $(id)'")
    assert load_scenario(file, {}).cases()


def test_no_interval_outlasts_the_bytes_that_a_writer_takes(tmp_path: Path):
    request = request_from_flags({"rows_per_second": "5000", "writer": "firehose"}, Requirements(freshness="15m"))
    assert request.longest_s == 152  # 128 MiB of 176 bytes a row
    assert request.most_s(2.0) == 76
    file = tmp_path / "chosen.yaml"
    file.write_text(render_scenario(request, Setting(interval_s=120.0, maintenance=NO_MAINTENANCE)))
    (simulated,) = simulated_cases(load_scenario(file, {}), SimulationOptions())
    assert simulated.case.commit_interval_s == 120  # not after the 5 MiB that it ships


def emitted(request: PlanRequest, setting: Setting) -> dict[str, Any]:
    return json.loads(render_scenario(request, setting).split("\n", 1)[1])


def test_numbers_of_durations_and_sizes_have_their_units():
    jobs = {
        "rewrite_data_files": {"when_small_files": 40, "target_file_size_bytes": 67108864},
        "remove_orphan_files": {"every": 86400.0, "older_than": 259200.0},
    }
    request = REQUESTS["a stream"]
    request = replace(request, document={**request.document, "maintenance": jobs})
    found = emitted(request, Setting(interval_s=90.0))
    assert found["maintenance"]["rewrite_data_files"] == {"when_small_files": 40, "target_file_size_bytes": "67108864B"}
    assert found["maintenance"]["remove_orphan_files"] == {"every": "1d", "older_than": "3d"}
    assert (found["commit_interval"], found["horizon"]) == ("1m30s", "10d")
    assert _written({"every": True, "at": 5, "rows": 5, "list": [{"every": 60}], "x": None}) == {
        **{"every": True, "at": "5s", "rows": 5, "list": [{"every": "1m"}], "x": "none"}
    }


def test_a_scenario_lasts_as_long_as_the_figures_are_of():
    weekly = {"remove_orphan_files": {"every": "7d", "older_than": "4d"}}
    request = REQUESTS["a stream"]
    request = replace(request, document={**request.document, "horizon": "30d", "maintenance": weekly})
    setting = Setting(interval_s=300.0)
    assert emitted(request, setting)["horizon"] == "28d"  # four whole cycles
    assert replace(a_plan(), case=case_of(request, setting)).horizon_s == 28 * DAY_S


@pytest.mark.parametrize(("profile", "is_triggered"), [("firehose", True), ("flink", False)])
def test_writers_triggered_by_bytes_go_by_the_interval(profile: str, is_triggered: bool):
    request = REQUESTS["a stream"].written_by(profile)
    assert bool(request.ships.bytes or request.ships.rows) == is_triggered
    assert emitted(request, Setting(interval_s=60.0))["writer"].get("trigger") == ("none" if is_triggered else None)
