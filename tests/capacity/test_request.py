"""Requests from a scenario, a table that exists and a run."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from support.paths import DATA, SCENARIOS
from support.trees import emit_tree

from wasim.capacity import (
    NO_MAINTENANCE,
    Requirements,
    Setting,
    SettingSimulator,
    make_plan,
    plan_document,
    request_from_file,
    request_from_flags,
    request_from_run,
)
from wasim.capacity.from_table import request_from_table
from wasim.capacity.now import now_of
from wasim.capacity.request import request_from_document
from wasim.capacity.settings import case_of
from wasim.errors import WasimError
from wasim.ledger import FULL_SCAN
from wasim.scenario.from_flags import document_from_flags
from wasim.units import DAY_S


def test_a_flag_replaces_a_scenarios_limit():
    overrides = {"limits.manifests": "<= 9", "limits.commit_p95_ms": "< 9", "limits.metadata_bytes": "<= 1GB"}
    read = request_from_file(
        SCENARIOS / "smoke.yaml", overrides | {"writer": "batch"}, Requirements(limits={"manifests": "7"})
    )
    assert [limit.bound for limit in read.limits if limit.metric == "manifests"] == [7]
    assert [text.split(" ")[0] for text in read.not_judged] == ["commit_p95_ms", "metadata_bytes"]
    assert read.document["table"]["columns"]
    assert case_of(read, Setting(interval_s=60.0, maintenance=NO_MAINTENANCE)).horizon_s == 30 * DAY_S


def test_an_existing_table_is_planned_for_as_it_is_written():
    read = request_from_table(str(DATA / "tables" / "evolving_v2"), Requirements())
    assert [column["name"] for column in read.document["table"]["columns"]]
    assert float(read.document["workload"]["rows_per_second"]) > 0
    assert read.location == "file:/warehouse/hadoop/t/evolving_v2"
    setting = Setting(interval_s=300.0, maintenance=NO_MAINTENANCE)
    assert SettingSimulator(request=read).figures(setting).values["metadata_bytes"] > 0


def test_a_run_gives_its_scenario_and_its_machine(reported_sample):
    read = request_from_run(reported_sample, {"writer": "batch"}, Requirements())
    summary = json.loads((reported_sample / "summary.json").read_text())
    fitted = {one["latency"]: one for one in summary["fit"]["latencies"]}
    (megabyte,) = [one for one in fitted["load"]["coefficients"] if one["name"] == "metadata_megabyte"]
    machine = read.machine
    assert machine.load_ms_per_megabyte == megabyte["estimate"]["best"]
    probes = [probe for case in summary["cases"] for probe in case["planning"] if probe["query"] == FULL_SCAN]
    warm = [probe for probe in probes if probe["temperature"] == "warm"]
    ratios = [probe["planning_ms"]["median"] / machine.scanning_ms(probe["manifests_scanned"], 1, 1) for probe in warm]
    assert np.median(ratios) == pytest.approx(1, rel=0.02)
    assert machine.is_beyond(1e9, 1, 1)
    assert machine.is_beyond(1e3, 1, 1e9)
    assert not machine.is_beyond(1e3, 1, 1)


def test_a_table_kept_as_planned_is_read_back_so(tmp_path: Path):
    said = "interval=2m,expire=1h,keep=2h,compact=1h,gzip=yes,old-json=deleted"
    flags = request_from_flags({"rows_per_second": "5", "columns": "6", "horizon": "5h"}, Requirements())
    case = replace(case_of(flags, now_of(said, flags)), clock="real", horizon_s=5 * 3600.0)
    read = request_from_table(str(emit_tree(tmp_path / "t", case).root), Requirements(freshness="10m"), "5h")
    assert read.now == said
    assert read.document["writer"] == {"kind": "streaming", "append": "fast"}


def test_a_scenario_that_sweeps_more_than_intervals_is_refused():
    with pytest.raises(WasimError, match=r"sweep\..* makes several cases"):
        request_from_file(SCENARIOS / "expire_and_rewrite.yaml", {}, Requirements(limits={}))


def test_a_trigger_left_out_is_said_and_now_counts_it():
    document = {
        "name": "triggered",
        "question": "which?",
        "table": {"columns": [{"name": "v", "type": "long"}]},
        "workload": {"rows_per_second": 100, "files_per_commit": 1},
        "writer": {"kind": "streaming", "trigger": {"rows": 500}},
        "commit_interval": "10s",
    }
    found = request_from_document("a test", document, Requirements())
    assert (found.now, found.document["writer"]) == ("interval=5s", {"kind": "streaming"})
    assert "writer.trigger is left out" in found.warnings[0]


@pytest.mark.parametrize(("own", "now"), [({}, "interval=1m49.227s"), ({"trigger": "none"}, "interval=5m")])
def test_now_is_as_early_as_the_writer_s_release_allows(own: dict[str, str], now: str, tmp_path: Path):
    document = {
        "name": "hose",
        "question": "which?",
        "table": {"columns": [{"name": "v", "type": "double", "count": 10}]},
        "workload": {"rows_per_second": 500},
        "writer": {"kind": "batch", "profile": "firehose", **own},  # 5 MiB come before its five minutes
        "commit_interval": "5m",
        "horizon": "1d",
    }
    file = tmp_path / "hose.yaml"
    file.write_text(json.dumps(document))
    for found in (request_from_file(file, {}, Requirements()), request_from_document("it", document, Requirements())):
        assert found.now == now


@pytest.mark.parametrize(("time_travel", "warned"), [(None, 1), ("1d", 0)])
def test_a_plan_says_where_it_keeps_snapshots_shorter(time_travel: str | None, warned: int):
    document = {
        "name": "kept",
        "question": "which?",
        "table": {"columns": [{"name": "v", "type": "long"}]},
        "workload": {"rows_per_second": 100, "files_per_commit": 1},
        "writer": "batch",
        "commit_interval": "10m",
        "maintenance": {"expire_snapshots": {"every": "1d", "older_than": "30d"}},
    }
    found = request_from_document("a test", document, Requirements(time_travel=time_travel))
    assert sum("--time-travel 30d keeps them" in one for one in found.warnings) == warned


@pytest.mark.slow
def test_the_same_workload_spelled_otherwise_has_the_same_plan(tmp_path: Path):
    flags, now = {"rows_per_second": "50", "columns": "6", "horizon": "14d"}, "interval=1m,expire=1d,keep=2d"
    limits = {"metadata_bytes_per_day": "1GB", "planning_p50_ms": "1m"}
    asked = Requirements(freshness="1h", time_travel="2d", limits=limits, now=now)
    units = {"metadata_bytes_per_day": "1000MB", "planning_p50_ms": "60s"}
    other = Requirements(freshness="3600s", time_travel="48h", limits=units, now="keep=48h,expire=daily,interval=60s")
    kept = {"expire_snapshots": {"every": "24h", "older_than": "2d"}}
    document, _ = document_from_flags(flags)
    path = tmp_path / "same.yaml"
    path.write_text(json.dumps({**document, "commit_interval": "60s", "maintenance": kept}))
    plans = [
        make_plan(request_from_flags(flags, asked), explains=False),
        make_plan(request_from_flags({**flags, "horizon": "336h", "rows_per_second": "50.00"}, other), explains=False),
        make_plan(request_from_file(path, {}, replace(asked, now=None), "14d"), explains=False),
    ]
    of_spelling = ("source", "assumed", "warnings", "limits")
    found = [{name: one for name, one in plan_document(plan).items() if name not in of_spelling} for plan in plans]
    assert found[1] == found[0]
    assert found[2] == found[0]
