"""Requests from a scenario, a table that exists and a run."""

import json
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.by_hand import ByLaw, some_figures
from support.paths import DATA, SCENARIOS
from support.trees import emit_tree

from wasim.capacity import (
    NO_MAINTENANCE,
    Figures,
    PlanRequest,
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
from wasim.capacity.request import is_table_name, now_words, parsed_limit, preference, request_from_document
from wasim.capacity.settings import case_of
from wasim.contention import load_providers
from wasim.errors import SavedFileError, WasimError
from wasim.ledger import FULL_SCAN, Kind
from wasim.ledger.machine import SHIPPED_MACHINE
from wasim.ledger.readers import ICEBERG_JAVA
from wasim.scenario.faults import Fault
from wasim.scenario.from_flags import document_from_flags
from wasim.scenario.metrics import METRICS
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


def test_a_run_gives_its_scenario_and_its_machine(tmp_path: Path):
    probe = {"query": FULL_SCAN, "temperature": "warm", "reader": ICEBERG_JAVA, "variant": "", "files_planned": 90}
    probe |= {"manifests_scanned": 40, "metadata_json_bytes": 7e5}
    taken_ms = SHIPPED_MACHINE.scanning_ms(40, 90, 0)
    case = {"planning": [probe | {"planning_ms": {"median": 3 * taken_ms}}], "live_manifests": 40}
    case |= {"live_bytes": {Kind.DATA_MANIFEST: 0}, "commit_ms": {"median": 321}}
    load = [{"name": name, "estimate": {"best": ms}} for name, ms in (("base", 2.0), ("metadata_megabyte", 9.0))]
    fit = {"latencies": [{"latency": "load", "coefficients": load}]}
    run = {"overrides": {"horizon": "7d"}, "fit": fit, "cases": [case], "provenance": {"cores": 2}}
    (tmp_path / "summary.json").write_text(json.dumps(run))
    (tmp_path / "scenario.yaml").write_text((SCENARIOS / "smoke.yaml").read_text())
    read = request_from_run(tmp_path, {"writer": "batch"}, Requirements())
    machine = read.machine
    assert (read.source, read.document["writer"]) == (str(tmp_path), {"kind": "batch"})
    assert (machine.load_ms, machine.load_ms_per_megabyte, machine.measured_commit_ms) == (2, 9, 321)
    assert machine.slowness == pytest.approx(3)
    assert [machine.is_beyond(*one) for one in ((7e5, 40, 90), (7.1e5, 1, 1), (1, 41, 1), (1, 1, 91))] == [
        *(False, True, True, True)
    ]
    (tmp_path / "summary.json").write_text(json.dumps(run | {"cases": []}))  # where nothing was timed
    assert request_from_run(tmp_path, {"writer": "batch"}, Requirements()).machine == SHIPPED_MACHINE


def test_a_table_kept_as_planned_is_read_back_so(tmp_path: Path):
    said = "interval=2m,expire=1h,keep=2h,compact=1h,gzip=yes,old-json=deleted"
    flags = request_from_flags({"rows_per_second": "5", "columns": "6", "horizon": "5h"}, Requirements())
    case = replace(case_of(flags, now_of(said, flags)), clock="real", horizon_s=5 * 3600.0)
    read = request_from_table(str(emit_tree(tmp_path / "t", case).root), Requirements(freshness="10m"), "5h")
    assert read.now == said
    assert read.document["writer"] == {"kind": "streaming", "append": "fast"}


def test_a_scenario_that_sweeps_more_than_intervals_is_refused():
    scenario = SCENARIOS / "flink_upsert.yaml"
    with pytest.raises(WasimError, match=r"several by sweep\.writer and sweep\.maintenance") as refused:
        request_from_file(scenario, {}, Requirements(limits={}))
    words = shlex.split(str(refused.value).partition("such as ")[2].removesuffix("."))
    chosen = dict(word.split("=", 1) for word in words if word != "--set")
    assert request_from_file(scenario, chosen, Requirements(limits={})).document["writer"]["profile"] == "flink"


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


@pytest.mark.parametrize("own", [{}, {"history.expire.max-snapshot-age-ms": "7200000"}])
def test_a_scenario_s_own_expiry_is_its_time_travel(own: dict[str, str]):
    document = {
        "name": "kept",
        "question": "which?",
        "table": {"columns": [{"name": "v", "type": "long"}], "properties": own},
        "workload": {"rows_per_second": 100, "files_per_commit": 1},
        "writer": "batch",
        "commit_interval": "10m",
        "maintenance": {"expire_snapshots": {"every": "1d", "older_than": "30d"}},
    }
    found = request_from_document("a test", document, Requirements())
    assert found.time_travel_s == 30 * DAY_S
    assert "Time travel 30d, as it is now." in found.assumed
    assert request_from_document("a test", document, Requirements(time_travel="1d")).time_travel_s == DAY_S


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


def of_flags(asked: Requirements | None = None, **flags: str) -> PlanRequest:
    return request_from_flags({"rows_per_second": "500", "horizon": "10d", **flags}, asked or Requirements())


def with_jobs(request: PlanRequest, **jobs: dict[str, Any]) -> PlanRequest:
    return replace(request, document={**request.document, "maintenance": jobs})


@pytest.mark.parametrize(
    ("flags", "longest_s"),
    [
        ({}, 3600),
        ({"horizon": "3h"}, 3600),
        ({"horizon": "2h"}, 2400),  # a third of it
        ({"rows_per_second": "500000"}, 2000),  # a billion rows a commit
        ({"rows_per_second": "0.0001"}, 10_800),  # of a row in 10,000 s, in whole hours
        ({"rows_per_second": "0.0002777"}, 7200),
        ({"rows_per_second": "0.0002778"}, 3600),
        ({"horizon": "2s"}, 0.666),  # whole milliseconds
    ],
)
def test_intervals_end_at_an_hour_or_what_fits(flags: dict[str, str], longest_s: float):
    assert of_flags(**flags).longest_s == longest_s
    assert of_flags(Requirements(freshness="7m"), **flags).longest_s == 420
    asked = of_flags(Requirements(freshness="6h"), **flags).longest_s
    assert asked == (2_000 if "rows_per_second" in flags and longest_s == 2_000 else 21_600)


def test_equal_spellings_of_a_request_are_equal_requests():
    asked = Requirements(freshness="1h", time_travel="2d", limits={"metadata_bytes_per_day": "1GB"})
    spelled = Requirements(freshness="60m", time_travel="48h", limits={"metadata_bytes_per_day": "1000MB"})
    one, other = of_flags(asked), of_flags(spelled, rows_per_second="500.0", horizon="240h")
    assert (one.longest_s, one.time_travel_s, one.horizon_s) == (other.longest_s, other.time_travel_s, other.horizon_s)
    assert [limit.bound for limit in one.limits] == [limit.bound for limit in other.limits]

    def made(request: PlanRequest) -> dict[str, Any]:
        def law(setting: Setting, rate: float) -> Figures:
            return some_figures(setting, 3600 / setting.interval_s, metadata_bytes_per_day=3e12 / setting.interval_s)

        document = plan_document(make_plan(request, ByLaw(request=request, law=law), explains=False))
        return {name: one for name, one in document.items() if name != "assumed"}

    assert made(one) == made(other)


def test_flags_and_the_same_scenario_ask_the_same(tmp_path: Path):
    limits = {"manifests": "70", "metadata_bytes_per_day": "1GB"}
    document, _ = document_from_flags({"rows_per_second": "50", "columns": "6"})
    path = tmp_path / "same.yaml"
    written = {"manifests": "<= 70", "metadata_bytes_per_day": "<= 1GB"}
    in_file = json.dumps({**document, "commit_interval": "60s", "limits": written})
    path.write_text(in_file)
    read = request_from_file(path, {}, Requirements())
    flags = request_from_flags({"rows_per_second": "50", "columns": "6"}, Requirements(limits=limits))
    assert {(one.metric, one.bound, one.comparison) for one in read.limits} == {
        (one.metric, one.bound, one.comparison) for one in flags.limits
    }
    assert case_of(read, Setting(interval_s=60.0)).table == case_of(flags, Setting(interval_s=60.0)).table
    assert read.now == "interval=1m"
    turned = {**json.loads(in_file), "table": dict(reversed(document["table"].items()))}  # properties in another order
    path.write_text(json.dumps(dict(reversed(turned.items()))))
    assert request_from_file(path, {}, Requirements()).document == read.document


def test_a_scenario_s_own_compaction_is_kept_with_its_target():
    plain = of_flags()
    assert (plain.own_compaction_s, plain.compaction, plain.own_words) == (None, {}, ())
    assert plain.compaction_target_bytes == plain.table_target_bytes == 512 << 20
    own = with_jobs(
        plain,
        rewrite_data_files={"every": "2h", "target_file_size_bytes": "64MiB"},
        expire_snapshots={"every": "1d", "older_than": "5d", "retain_last": 7},
        rewrite_manifests={"every": "1d"},
    )
    assert (own.own_compaction_s, own.compaction_target_bytes, own.retain_last) == (7200, 64 << 20, 7)
    assert [*own.own_jobs] == ["rewrite_data_files"]
    counted = with_jobs(plain, rewrite_data_files={"when_small_files": 40, "target_file_size_bytes": 1 << 20})
    assert (counted.own_compaction_s, counted.compaction_target_bytes) == (None, 1 << 20)
    assert counted.own_words == ("compact at 40 small files",)
    orphans = with_jobs(plain, remove_orphan_files={"every": 86400.0, "older_than": "3d"})
    assert orphans.own_words == ("remove orphan files daily",)
    smaller = replace(plain, own_properties={"write.target-file-size-bytes": "1000"})
    assert (smaller.table_target_bytes, smaller.compaction) == (1000, {"target_file_size_bytes": 1000})


def test_as_many_snapshots_stay_as_table_or_expiry_keep():
    plain = of_flags()
    assert plain.retain_last == 1
    kept = replace(plain, own_properties={"history.expire.min-snapshots-to-keep": "5"})
    assert kept.retain_last == 5
    expiry = {"every": "1d", "older_than": "5d"}
    assert with_jobs(kept, expire_snapshots={**expiry, "retain_last": 9}).retain_last == 9
    assert with_jobs(kept, expire_snapshots={**expiry, "retain_last": 2}).retain_last == 5
    assert with_jobs(plain, expire_snapshots=expiry).retain_last == 1


@pytest.mark.parametrize(("codec", "gzips"), [(None, True), ("none", False), ("gzip", True)])
def test_metadata_json_is_compressed_unless_the_table_says_otherwise(codec: str | None, gzips: bool):
    own = {} if codec is None else {"write.metadata.compression-codec": codec}
    request = replace(of_flags(), own_properties=own)
    assert request.gzips_json == gzips
    assert not request.written_by("pyiceberg").gzips_json


def test_less_metadata_is_aimed_at_unless_limited():
    assert [one.metric for one in of_flags().aims] == ["wa_metadata"]
    for metric, text in (("metadata_bytes_per_day", "1GB"), ("wa_metadata", "3")):
        assert of_flags(Requirements(limits={metric: text})).aims == ()
    assert len(of_flags(Requirements(limits={"manifests": "3"})).aims) == 1


def test_several_writers_together_write_what_one_would():
    several = of_flags(writers="4")
    assert (several.writers, several.document["writer"]["writers"]) == (4, 1)
    assert of_flags().writers == 1


def test_a_table_s_own_age_is_its_time_travel():
    own = {"history.expire.max-snapshot-age-ms": "7200000"}

    def read(asked: Requirements, properties: dict[str, str]) -> PlanRequest:
        return request_from_document("it", dict(of_flags().document), asked, own_properties=properties)

    assert read(Requirements(), own).time_travel_s == 7200
    assert any("Time travel 2h, as it is now." in one for one in read(Requirements(), own).assumed)
    assert not any("(default)" in one for one in read(Requirements(), own).assumed if one.startswith("Time travel"))
    asked = read(Requirements(time_travel="1d"), own)
    assert asked.time_travel_s == DAY_S
    assert not any(one.startswith("Time travel") for one in asked.assumed)
    assert read(Requirements(), {}).time_travel_s == 5 * DAY_S
    assert any(one == "Time travel 5d (default)." for one in read(Requirements(), {}).assumed)


@pytest.mark.parametrize(
    ("jobs", "more", "said"),
    [
        ({}, {}, "interval=1m"),
        ({"expire_snapshots": {"every": "1h", "older_than": "2d"}}, {}, "interval=1m,expire=1h,keep=2d"),
        ({"rewrite_manifests": {"every": 86400.0}}, {}, "interval=1m,rewrite=1d"),
        ({"rewrite_data_files": {"every": "90m"}}, {}, "interval=1m,compact=1h30m"),
        ({"rewrite_data_files": {"when_small_files": 5}}, {}, None),
        ({"remove_orphan_files": {"older_than": "3d"}}, {}, "interval=1m"),
        ({}, {"write.metadata.compression-codec": "gzip"}, "interval=1m,gzip=yes"),
        ({}, {"write.metadata.delete-after-commit.enabled": "true"}, "interval=1m,old-json=deleted"),
    ],
)
def test_upkeep_is_said_as_now_reads_it(jobs: dict[str, Any], more: dict[str, str], said: str | None):
    document = {"commit_interval": "60s", "table": {"properties": more}, "maintenance": jobs}
    assert now_words(document) == said
    assert now_words({**document, "commit_interval": 60.0}) == said
    assert now_words({name: one for name, one in document.items() if name != "commit_interval"}) is None
    if said is not None:
        found = now_of(said, replace(of_flags(), own_properties=more))
        assert found.interval_s == 60


@pytest.mark.parametrize(
    ("text", "number"),
    [("0", 0.0), ("1e9", 1e9), ("2.5", 2.5), ("-1", None), ("1.0001e9", None), ("nan", None), ("ten", None)],
)
def test_queries_are_a_number_up_to_a_billion(text: str, number: float | None):
    if number is not None:
        assert of_flags(Requirements(queries_per_hour=text)).queries_per_hour == number
    else:
        with pytest.raises(WasimError, match=r"^--queries-per-hour is .*Give a number from 0 to 1e9\.$"):
            of_flags(Requirements(queries_per_hour=text))


def test_starting_a_job_costs_what_prices_or_flags_say():
    shipped = of_flags()
    assert of_flags(Requirements(per_job="0.5")).prices == shipped.prices.model_copy(update={"per_job": 0.5})
    with pytest.raises(WasimError, match="--prices and --per-job exclude each other"):
        of_flags(Requirements(per_job="1", prices=Path("prices.yaml")))
    assert of_flags(Requirements(provider="gcs")).prices != shipped.prices
    assert of_flags(Requirements(provider="local")).prices == shipped.prices


def test_reading_in_a_store_takes_each_object_longer():
    stored, here = of_flags(Requirements(provider="s3")), of_flags()
    get = load_providers().store("s3").get
    assert (stored.machine.get_ms, stored.machine.get_ms_per_mebibyte) == (get.p50_ms, get.ms_per_mib)
    assert here.machine.get_ms == of_flags(Requirements(provider="local")).machine.get_ms == 0
    assert (stored.provider, here.provider) == ("s3", "local")
    with pytest.raises(WasimError, match="is unknown"):
        of_flags(Requirements(provider="s4"))


@pytest.mark.parametrize(
    ("text", "is_one"),
    [("a.b", True), ("a.b.c", True), ("`a b`.c", True), ("a", False), ("a.b-c", False), ("a..b", False), ("", False)],
)
def test_table_names_are_those_that_sql_could_use(text: str, is_one: bool):
    assert is_table_name(text) == is_one


def test_a_name_that_sql_could_not_call_is_refused():
    assert of_flags(Requirements(table_name="lake.db.t")).table_name == "lake.db.t"
    with pytest.raises(WasimError, match=r"^--name is 'no name'\. Give catalog\.namespace\.table"):
        of_flags(Requirements(table_name="no name"))
    nested = (
        r"^--name is 'lake\.a\.b\.t', and Athena has no namespaces within namespaces\. Give catalog\.database\.table\."
    )
    with pytest.raises(WasimError, match=nested):
        of_flags(Requirements(table_name="lake.a.b.t", dialect="athena"))


def test_the_freshest_needs_a_limit_to_stop_at():
    assert preference(None, is_limited=False) == preference("cheapest", is_limited=False) == "cheapest"
    assert preference("freshest", is_limited=True) == "freshest"
    with pytest.raises(WasimError, match="has no limit to stop at"):
        preference("freshest", is_limited=False)
    with pytest.raises(WasimError, match=r"^--prefer is 'best'\. Give cheapest or freshest\.$"):
        preference("best", is_limited=True)
    bounded = Requirements(prefer="freshest", limits={"manifests": "5"})
    assert of_flags(bounded).prefer == "freshest"


@pytest.mark.parametrize(
    ("metric", "text", "bound"),
    [
        ("metadata_bytes_per_day", "2KB", 2000),
        ("planning_p50_ms", "2s", 2000),
        ("manifests", "3", 3),
        ("manifests", "2.5", None),
        ("monthly_cost", "9e18", 9e18),
        ("monthly_cost", "9.3e18", None),  # 2 to the 63rd and more
        ("manifests", "0", None),
        ("manifests", "-3", None),
        ("manifests", "few", None),
        ("planning_p50_ms", "2", None),
        ("metadata_json_bytes", "soon", None),
    ],
)
def test_a_limit_is_a_positive_amount_of_its_unit(metric: str, text: str, bound: float | None):
    if bound is not None:
        limit = parsed_limit(metric, text)
        assert (limit.metric, limit.bound, limit.comparison) == (metric, bound, "<=")
    else:
        with pytest.raises(WasimError, match=rf"^{METRICS[metric].flag} is "):
            parsed_limit(metric, text)


def test_a_folder_without_a_finished_run_is_named(tmp_path: Path):
    with pytest.raises(SavedFileError, match="no finished run is there"):
        request_from_run(tmp_path, {}, Requirements())
    (tmp_path / "run.json").write_text("{}")
    with pytest.raises(SavedFileError, match="the run has no summary yet"):
        request_from_run(tmp_path, {}, Requirements())
    for text in ("not json", "[1]", '{"overrides": 5}'):
        (tmp_path / "summary.json").write_text(text)
        with pytest.raises(SavedFileError, match="cannot be read as a run's summary"):
            request_from_run(tmp_path, {}, Requirements())


def test_a_scenario_s_sweep_of_intervals_leaves_now_unknown(tmp_path: Path):
    document, _ = document_from_flags({"rows_per_second": "50", "columns": "6"})
    path = tmp_path / "swept.yaml"
    path.write_text(json.dumps({**document, "sweep": {"commit_interval": ["10s", "1m"]}}))
    assert request_from_file(path, {}, Requirements()).now is None
    overridden = request_from_file(path, {"commit_interval": "5m"}, Requirements(), "3d")
    assert (overridden.now, overridden.horizon_s) == ("interval=5m", 3 * DAY_S)
    assert not any("Horizon" in one for one in overridden.assumed)


def test_what_a_plan_leaves_out_of_a_scenario_is_said():
    document = {**of_flags().document, "maintenance": {"rewrite_manifests": {"every": "1d"}}}
    changes = {"delete": {"every": "1h", "rows": 10, "mode": "copy-on-write"}}
    found = request_from_document("it", {**document, "changes": changes}, Requirements())
    assert any("replaced by those tried here" in one for one in found.assumed)
    assert any("statements are in all figures: delete." in one for one in found.assumed)
    plain = request_from_document("it", dict(of_flags().document), Requirements())
    assert not any("replaced" in one or "statements" in one for one in plain.assumed)
    active = {**document["workload"], "active": {"lasts": "1h", "every": "1d"}}
    with pytest.raises(WasimError, match=r"workload\.active is simulated, not planned"):
        request_from_document("it", {**document, "workload": active}, Requirements())


def test_a_profile_that_wasim_does_not_ship_is_refused():
    with pytest.raises(WasimError, match=r"--writer is 'beam'"):
        of_flags(writer="beam")
    assert of_flags(writer="firehose").profile == of_flags().written_by("firehose").profile == "firehose"
    assert of_flags().profile is None
    fault = Fault(place=("commit_interval",), problem="is bad", remedy="Mend it.")
    assert of_flags().explain_fault(fault).startswith("--freshness")
    assert replace(of_flags(), source="a file").explain_fault(fault) == "a file: commit_interval is bad. Mend it."


@pytest.mark.parametrize(
    ("freshness", "flags", "said"),
    [
        ("1h", {}, "Amazon Data Firehose commits every 15m at the latest: no longer interval can be set."),
        ("5m", {}, ""),
        (None, {}, ""),
        (
            "5m",
            {"rows_per_second": "50000", "columns": "20"},
            "Amazon Data Firehose commits every 15s at the latest: it has gathered 128 MiB by then.",
        ),
    ],
)
def test_a_writer_s_own_longest_interval_is_said(freshness: str | None, flags: dict[str, str], said: str):
    assert of_flags(Requirements(freshness=freshness), writer="firehose", **flags).writers_bound == said
    assert of_flags(Requirements(freshness=freshness), **flags).writers_bound == ""
