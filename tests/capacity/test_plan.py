"""`wasim plan`: the setting that it recommends, the limits that it judges, and what it prints."""

import json

import pytest
from support.paths import SCENARIOS
from typer.testing import CliRunner

from wasim.capacity import PlanRequest, make_plan, request_from_file, request_from_flags
from wasim.capacity.request import Wishes
from wasim.capacity.settings import DAY_S, NO_MAINTENANCE, Setting, case_of, intervals_of
from wasim.cli import app
from wasim.errors import WasimError
from wasim.ledger import METADATA_KINDS, Kind
from wasim.scenario.limits import format_value
from wasim.twin import Site, shipped_profile
from wasim.units import format_duration
from wasim.years import simulate_years

WORKLOAD = ("--rows-per-second", "500", "--freshness", "30s", "--horizon", "10d", "--time-travel", "1d")


def run(*arguments):
    return CliRunner().invoke(app, ["plan", *arguments])


def request(**limits: str) -> PlanRequest:
    wishes = Wishes(freshness="30s", time_travel="1d", limits=limits)
    return request_from_flags({"rows_per_second": "500", "horizon": "10d"}, wishes)


def test_a_looser_limit_never_gives_a_longer_interval_and_a_stricter_one_is_kept():
    chosen = [make_plan(request(metadata_bytes_per_day=bound)).chosen for bound in ("30GB", "300GB", "3TB")]
    assert all(one is not None for one in chosen)
    intervals = [one.setting.interval_s for one in chosen]
    assert intervals == sorted(intervals, reverse=True)
    assert intervals[0] > intervals[-1]
    assert [one.per_day_bytes <= bound for one, bound in zip(chosen, (30e9, 300e9, 3e12), strict=True)] == [True] * 3


def test_the_recommended_setting_costs_what_simulating_it_gives():
    asked = request(manifests="10000")
    chosen = make_plan(asked).chosen
    case = case_of(asked, chosen.setting)
    summed = simulate_years(case, shipped_profile(case), Site())
    on_disk = summed.totals.on_disk_bytes
    assert chosen.values["metadata_bytes"] == summed.totals.metadata_bytes
    assert chosen.values["metadata_json_bytes"] == summed.live_bytes[Kind.METADATA_JSON]
    assert chosen.values["manifests"] == summed.ledger.live_manifests[-1] <= 10000
    assert chosen.values["metadata_on_disk_bytes"] == sum(on_disk[kind] for kind in METADATA_KINDS)


def test_no_shorter_interval_and_no_fewer_jobs_would_meet_the_limits():
    asked = request(manifests="10000", metadata_json_bytes="20MB")
    plan = make_plan(asked)
    within = [one for one in plan.tried if one.keeps_up and not one.broken(asked.limits)]
    assert plan.chosen in within
    least = min((one.setting.interval_s, one.setting.maintenance.runs_per_day) for one in within)
    assert (plan.chosen.setting.interval_s, plan.chosen.setting.maintenance.runs_per_day) == least
    assert {limit.metric for limit in plan.stopped_by} & {"manifests", "metadata_json_bytes"}


def test_impossible_limits_end_in_1_and_relaxing_as_told_is_enough():
    result = run(*WORKLOAD, "--manifests", "3", "--metadata-per-day", "1TB", "--json")
    assert result.exit_code == 1
    (relaxed,) = json.loads(result.output)["relax"]
    assert relaxed["metric"] == "manifests"
    assert "Relax manifests from 3 to" in run(*WORKLOAD, "--manifests", "3").output
    assert run(*WORKLOAD, "--manifests", str(int(relaxed["to"])), "--metadata-per-day", "1TB").exit_code == 0


def test_the_terminal_shows_the_figures_of_the_json():
    limits = ("--metadata-json", "30MB", "--wa-metadata", "50")
    document = json.loads(run(*WORKLOAD, *limits, "--json").output)
    lines = run(*WORKLOAD, *limits).output.splitlines()
    assert document["schema_version"] == 1
    assert max(map(len, lines)) <= 80
    assert lines[0].startswith(f"Commit every {format_duration(document['recommended']['commit_interval_s'])},")
    for judged in document["limits"]:
        (row,) = [
            line for line in lines if line.endswith("%") and format_value(judged["metric"], judged["bound"]) in line
        ]
        assert format_value(judged["metric"], judged["value"]) in row
    for one in document["frontier"]:
        every = format_duration(one["commit_interval_s"])
        (row,) = [line for line in lines if line.split(" ")[0].rstrip("*") == every and "json" not in line]
        for metric in ("metadata_bytes_per_day", "metadata_json_bytes", "manifests"):
            assert format_value(metric, one["figures"][metric]) in row
    assert all(line in lines for statement in document["sql"] for line in statement.splitlines())


def test_without_limits_the_knee_lies_within_the_intervals_tried_and_old_metadata_json_go():
    plan = make_plan(request())
    assert plan.because == "knee"
    assert plan.frontier[0].setting.interval_s < plan.chosen.setting.interval_s
    kept, gone = plan.keeping_json, plan.chosen
    assert kept.values["metadata_bytes"] == gone.values["metadata_bytes"]
    assert kept.values["metadata_on_disk_bytes"] > gone.values["metadata_on_disk_bytes"]


def test_a_choice_that_the_band_could_change_is_called_close():
    chosen = make_plan(request(metadata_json_bytes="20MB")).chosen
    size = chosen.values["metadata_json_bytes"]
    assert chosen.bands["metadata_json_bytes"] < 0.05
    tight, wide = (make_plan(request(metadata_json_bytes=f"{size * times:.0f}B")) for times in (1.0001, 1.1))
    assert tight.chosen.setting == wide.chosen.setting == chosen.setting
    assert tight.or_within_band
    assert not wide.or_within_band


def test_a_scenario_gives_its_table_and_limits_and_a_flag_replaces_one():
    overrides = {"limits.manifests": "<= 9", "limits.planning_p50_ms": "< 9", "limits.metadata_bytes": "<= 1GB"}
    read = request_from_file(
        SCENARIOS / "smoke.yaml", overrides | {"writer": "batch"}, Wishes(limits={"manifests": "7"})
    )
    assert [limit.bound for limit in read.limits if limit.metric == "manifests"] == [7]
    assert [text.split(" ")[0] for text in read.not_judged] == ["planning_p50_ms", "metadata_bytes"]
    assert read.document["table"]["columns"]
    assert case_of(read, Setting(interval_s=60.0, maintenance=NO_MAINTENANCE)).horizon_s == 30 * DAY_S


def test_a_scenario_that_sweeps_more_than_intervals_is_refused():
    with pytest.raises(WasimError, match=r"sweep\..* makes several cases"):
        request_from_file(SCENARIOS / "expire_and_rewrite.yaml", {}, Wishes(limits={}))


@pytest.mark.parametrize(
    ("arguments", "flag"),
    [
        ((), "--rows-per-second"),
        (("--rows-per-second", "-5"), "--rows-per-second"),
        (("--rows-per-second", "5", "--columns", "3"), "--columns"),
        (("--rows-per-second", "5", "--freshness", "60d"), "--freshness"),
        (("--rows-per-second", "5", "--metadata-per-day", "0"), "--metadata-per-day"),
        (("--rows-per-second", "5", "--wa-metadata", "nan"), "--wa-metadata"),
        (("--rows-per-second", "5", "--writer", "fax"), "--writer"),
        (("--rows-per-second", "5", "--set", "horizon=1d"), "--set"),
        ((str(SCENARIOS / "smoke.yaml"), "--columns", "9"), "--columns"),
    ],
)
def test_nonsense_is_one_line_that_names_the_flag(arguments, flag):
    result = run(*arguments)
    assert isinstance(result.exception, WasimError)
    assert int(result.exception.exit_code) == 2
    assert flag in str(result.exception)
    assert "\n" not in str(result.exception)


def test_intervals_end_at_the_freshness():
    assert intervals_of(30.0) == (1.0, 5.0, 10.0, 30.0)
    assert intervals_of(90.0)[-2:] == (60.0, 90.0)
    assert intervals_of(0.3) == (0.1, 0.3)
    assert len(intervals_of(86400.0)) == 8
