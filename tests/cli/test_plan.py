"""`wasim plan`: what it prints, its exit codes, and flags that make no sense."""

import json
import re
from dataclasses import replace

import pytest
from support.paths import ROOT, SCENARIOS
from support.plans import a_plan, a_request
from typer.testing import CliRunner

from wasim.capacity import SettingSimulator
from wasim.cli import app
from wasim.errors import WasimError
from wasim.units import format_duration

WORKLOAD = ("--rows-per-second", "500", "--freshness", "30s", "--horizon", "10d", "--time-travel", "1d")


def run(*arguments):
    return CliRunner().invoke(app, ["plan", *arguments])


def test_impossible_limits_end_in_1_and_say_the_relaxation():
    result = run(*WORKLOAD, "--manifests", "3", "--metadata-per-day", "1TB", "--json")
    assert result.exit_code == 1
    (relaxed,) = json.loads(result.output)["relax"]
    assert relaxed["metric"] == "manifests"
    assert int(relaxed["to"]) > 3  # which is enough: tests/capacity/test_choice.py


def test_the_terminal_shows_the_figures_of_the_json():
    limits = ("--metadata-json", "30MB", "--planning", "1h", "--monthly-cost", "500")
    document = json.loads(run(*WORKLOAD, *limits, "--json").output)
    lines = run(*WORKLOAD, *limits, "--explain").output.splitlines()
    assert document["schema_version"] == 1
    assert max(map(len, lines)) <= 80
    assert lines[0].startswith(f"Commit every {format_duration(document['recommended']['commit_interval_s'])},")
    assert [one["metric"] for one in document["limits"]] == ["planning_p50_ms", "metadata_json_bytes", "monthly_cost"]
    assert sum(line.count("✓") for line in lines) == 1 + len(document["limits"])  # and freshness
    for one in document["intervals"]:
        if one["keeps_up_until_s"] is None:
            every = format_duration(one["commit_interval_s"])
            (row,) = [line for line in lines if line.removeprefix("→ ").split(" ")[0] == every and "▇" in line]
            assert f"{one['figures']['monthly_cost']:,.2f}" in row
    around = [document[one]["figures"] for one in ("shorter", "recommended", "longer")]
    (manifests,) = [line.split() for line in lines if re.match(r"manifests +[\d,]+ ", line)]
    assert manifests[1:4] == [f"{one['manifests']:,.0f}" for one in around]
    assert all(line in lines for statement in document["sql"] for line in statement.splitlines())


def test_the_first_screen_has_answer_figures_and_statements():
    lines = run(*WORKLOAD, "--now", "interval=10s").output.splitlines()
    assert len(lines) <= 24
    assert max(map(len, lines)) <= 80
    assert lines[0].startswith("Commit every 30s")
    (cost,) = [line.split() for line in lines if line.startswith("cost, a year")]
    assert float(cost[3].replace(",", "")) > float(cost[5].replace(",", ""))
    assert any("ALTER TABLE" in line for line in lines)


def test_statements_and_commits_are_those_that_are_asked_for(tmp_path):
    asked = ("--dialect", "flink", "--provider", "s3", "--catalog", "glue", "--emit-scenario", str(tmp_path / "s.yaml"))
    document = json.loads(run(*WORKLOAD, "--json", *asked).output)
    assert (document["dialect"], document["catalog"]) == ("flink", "glue")
    assert [one["language"] for one in document["statements"]] == ["Flink SQL", "Spark SQL", "PySpark"]
    assert (tmp_path / "s.yaml").read_text().partition("\n")[0].endswith("table_name --provider s3 --catalog glue")


def test_a_longer_location_costs_more_bytes():
    where = f"s3://{'b' * 63}/warehouse/security.db/events_of_the_last_years/"
    far = json.loads(run(*WORKLOAD, "--json", "--location", where).output)
    assert far["location"] == where.rstrip("/")
    near = SettingSimulator(request=replace(a_request(), location="s3://b/t")).figures(a_plan().chosen.setting)
    assert far["recommended"]["commit_interval_s"] == near.setting.interval_s
    assert 1.003 < far["recommended"]["figures"]["metadata_bytes"] / near.values["metadata_bytes"] < 1.3


@pytest.mark.parametrize(
    ("arguments", "flag"),
    [
        ((), "--rows-per-second"),
        (("--rows-per-second", "-5"), "--rows-per-second"),
        (("--rows-per-second", "5", "--location", "/"), "--location"),
        (("--rows-per-second", "5", "--columns", "3"), "--columns"),
        (("--rows-per-second", "5", "--freshness", "60d"), "--freshness"),
        (("--rows-per-second", "5", "--freshness", "20s", "--horizon", "40s"), "--horizon 40s has no room"),
        (("--rows-per-second", "5", "--horizon", "1ms"), "--horizon 1ms has no room"),
        (("--rows-per-second", "5", "--metadata-per-day", "0"), "--metadata-per-day"),
        (("--rows-per-second", "5", "--wa-metadata", "nan"), "--wa-metadata"),
        (("--rows-per-second", "5", "--planning", "5"), "--planning"),
        (("--rows-per-second", "5", "--monthly-cost", "-1"), "--monthly-cost"),
        (("--rows-per-second", "5", "--queries-per-hour", "many"), "--queries-per-hour"),
        (("--rows-per-second", "5", "--provider", "floppy"), "--provider"),
        (("--rows-per-second", "5", "--catalog", "yellow pages"), "--catalog 'yellow pages' is unknown"),
        (("--rows-per-second", "5", "--dialect", "latin"), "--dialect is 'latin'. Give spark, flink, trino or athena."),
        (("--rows-per-second", "5", "--prices", "none.yaml"), "none.yaml"),
        (("--rows-per-second", "5", "--prices", str(SCENARIOS / "smoke.yaml")), "is not a file of prices"),
        (("--rows-per-second", "5", "--writer", "fax"), "--writer"),
        (("--rows-per-second", "5", "--set", "horizon=1d"), "--set"),
        (("--rows-per-second", "5", "--s3-endpoint", "http://h"), "--s3-endpoint is for a table that exists"),
        (("--rows-per-second", "5", "--html", "no/such/folder/page.html"), "--html"),
        (("--rows-per-second", "5", "--emit-scenario", "/proc/x"), "--emit-scenario /proc/x: cannot be written"),
        (("--rows-per-second", "5", "--writers", "5", "--emit-scenario", "s.yaml"), "several writers only append"),
        (("--rows-per-second", "5", "--queries-per-hour", "2e9"), "from 0 to 1e9"),
        (("--rows-per-second", "5", "--writers", "3", "--tables", "4"), '--tables is "4", but writer.writers is 3'),
        (("--rows-per-second", "5", "--writer", "flink", "--profile", "trino"), "both say what writes"),
        (("--rows-per-second", "5", "--link", "https://ci/1"), "--link is of Markdown"),
        (("--fleet", str(ROOT / "docs" / "fleet.yaml"), "--explain"), "--explain is for one table"),
        (("--rows-per-second", "5", "--name", "table"), "--name"),
        (("--rows-per-second", "5", "--name", "a.b.c' OR '1"), "--name"),
        (("--rows-per-second", "500", "--partitions", "10000"), "in one commit. Give at most 1000."),
        (("--rows-per-second", "5", "--freshness", "40d"), "Give 120d at least"),
        (("--fleet", str(ROOT / "docs" / "fleet.yaml"), "--set", "horizon=3d"), "--set"),
        (("--fleet", str(ROOT / "docs" / "fleet.yaml"), "--name", "a.b.c"), "--name"),
        (("--from-run", "no/such/run"), "no/such/run: no finished run is there"),
        ((str(SCENARIOS / "smoke.yaml"), "--columns", "9"), "--columns"),
        ((str(SCENARIOS / "smoke.yaml"), "--from-run", "latest"), "--from-run"),
    ],
)
def test_nonsense_is_one_line_that_names_the_flag(arguments, flag):
    result = run(*arguments)
    assert isinstance(result.exception, WasimError)
    assert int(result.exception.exit_code) == 2
    assert flag in str(result.exception)
    assert "\n" not in str(result.exception)
