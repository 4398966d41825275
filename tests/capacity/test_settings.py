"""Intervals that are tried."""

from dataclasses import replace

import pytest
from support.plans import a_request

from wasim.capacity import Requirements, request_from_flags
from wasim.capacity.settings import (
    NO_MAINTENANCE,
    Maintenance,
    Setting,
    able_intervals,
    case_of,
    document_of,
    intervals_of,
)
from wasim.capacity.words import period_words
from wasim.errors import WasimError
from wasim.units import DAY_S, HOUR_S


def test_intervals_end_at_the_longest():
    assert intervals_of(30.0) == (1.0, 5.0, 10.0, 30.0)
    assert intervals_of(90.0)[-2:] == (60.0, 90.0)
    assert intervals_of(0.3) == (0.1, 0.3)
    assert len(intervals_of(86400.0)) == 8


def test_the_simplest_setting_has_least_to_set_and_to_start():
    plain = Setting(interval_s=30.0, maintenance=NO_MAINTENANCE)
    kept = replace(NO_MAINTENANCE, expire_every_s=DAY_S, older_than_s=DAY_S, compact_every_s=6 * HOUR_S)
    assert kept.runs_per_day == 1 + 4
    each = (plain, replace(plain, gzips_json=True), replace(plain, maintenance=kept), replace(plain, appends="merge"))
    assert [one.complexity for one in each] == [(0, 0), (1, 0), (2, 5), (2, 0)]
    assert replace(plain, maintenance=kept, gzips_json=True, deletes_json=False, retries=20).words == (
        "30s, expire daily, compact every 6h, gzip, old metadata.json kept, 20 retries"
    )
    assert plain.upkeep_words == "no maintenance"


def test_intervals_beyond_a_writer_or_its_horizon_are_left_out():
    request = a_request()
    assert able_intervals([0.0005, 1.0, 60.0, 40 * DAY_S], request) == (1, 60)  # of ten days


@pytest.mark.parametrize(
    ("freshness_s", "found"),
    [
        (600.0, (1, 5, 10, 30, 60, 120, 300, 600)),  # eight at most
        (601.0, (5, 10, 30, 60, 120, 300, 600, 601)),
        (1.0, (0.1, 0.5, 1)),  # below a second where the freshness is
        (1.5, (1, 1.5)),
        (0.1, (0.1,)),
    ],
)
def test_the_ladder_s_longest_steps_below_the_freshness_are_tried(freshness_s: float, found: tuple[float, ...]):
    assert intervals_of(freshness_s) == found


def test_intervals_of_too_few_or_many_rows_are_left_out():
    request = request_from_flags({"rows_per_second": "0.1", "files_per_commit": "1"}, Requirements())
    assert able_intervals([1.0, 5.0, 10.0, 60.0], request) == (5, 10, 60)  # half a row is one
    assert able_intervals([1.0, 5.0], request, rate=10.0) == (1, 5)
    many = request_from_flags({"rows_per_second": "1e6"}, Requirements())
    assert able_intervals([500.0, 1_000.0, 1_001.0], many) == (500, 1000)
    assert able_intervals([500.0, 1_000.0], many, rate=2.0) == (500,)


def test_a_period_is_said_as_people_say_it():
    assert [period_words(one) for one in (DAY_S, HOUR_S, 6 * HOUR_S, 7 * DAY_S)] == [
        *("daily", "hourly", "every 6h", "every 7d")
    ]
    plain = Setting(interval_s=30.0)
    for changed, words in (
        ({"appends": "merge"}, "merge appends"),
        ({"manifest_target_bytes": 32 << 20}, "manifests of 32.0 MiB"),
        ({"deletes_json": False}, "old metadata.json kept"),
        ({"retries": 7}, "7 retries"),
    ):
        assert replace(plain, **changed).upkeep_words == f"no maintenance, {words}"
    own = replace(NO_MAINTENANCE, own=("compact at 5 small files",))
    assert (own.words, own.runs_per_day) == ("compact at 5 small files", 0)


def test_settings_that_differ_in_expiry_share_their_course():
    kept = replace(NO_MAINTENANCE, rewrite_every_s=DAY_S, compact_every_s=HOUR_S)
    one = Setting(interval_s=30.0, maintenance=kept, appends="fast", manifest_target_bytes=5)
    same = replace(one, gzips_json=True, retries=3, deletes_json=False)
    same = replace(same, maintenance=replace(kept, expire_every_s=DAY_S, older_than_s=DAY_S))
    assert one.course_key == same.course_key
    others = (
        one.at_interval(60.0),
        replace(one, appends=None),
        replace(one, manifest_target_bytes=None),
        replace(one, maintenance=replace(kept, rewrite_every_s=None)),
        replace(one, maintenance=replace(kept, compact_every_s=None)),
    )
    assert len({one.course_key, *(other.course_key for other in others)}) == 6


def test_a_setting_s_document_has_its_jobs_and_properties():
    request = a_request()
    kept = Maintenance(
        expire_every_s=HOUR_S, older_than_s=2 * HOUR_S, rewrite_every_s=DAY_S, compact_every_s=6 * HOUR_S
    )
    setting = Setting(
        interval_s=90.0, maintenance=kept, gzips_json=True, appends="merge", manifest_target_bytes=77, retries=9
    )
    found = document_of(request, setting, rate=3.0)
    assert found["commit_interval"] == "1m30s"
    assert found["workload"]["rows_per_second"] == "1500.0"
    assert found["writer"] == {"kind": "streaming", "append": "merge"}
    assert found["table"]["properties"] == {
        "write.metadata.delete-after-commit.enabled": "true",
        "write.metadata.compression-codec": "gzip",
        "commit.manifest.target-size-bytes": "77",
        "commit.retry.num-retries": "9",
    }
    assert found["maintenance"] == {
        "expire_snapshots": {"every": "1h", "older_than": "2h", "retain_last": 1},
        "rewrite_manifests": {"every": "1d"},
        "rewrite_data_files": {"every": "6h"},
    }
    assert document_of(request, setting)["workload"] == request.document["workload"]
    assert "maintenance" not in request.document  # which stays as it is
    plain = document_of(request, Setting(interval_s=90.0))
    assert (plain["maintenance"], plain["writer"]) == ({}, request.document["writer"])


def test_properties_left_out_are_named_where_the_table_has_them():
    old_json, codec = "write.metadata.delete-after-commit.enabled", "write.metadata.compression-codec"
    plain, request = Setting(interval_s=60.0, deletes_json=False), a_request()
    assert document_of(request, plain)["table"]["properties"] == {}
    own = {**request.document["table"], "properties": {old_json: "true", codec: "gzip"}}
    found = document_of(replace(request, document={**request.document, "table": own}), plain)
    assert found["table"]["properties"] == {old_json: "false", codec: "none"}


def test_a_setting_without_a_scenario_s_compaction_has_none():
    request = a_request()
    jobs = {"rewrite_data_files": {"every": "1h"}, "remove_orphan_files": {"every": "1d", "older_than": "3d"}}
    request = replace(request, document={**request.document, "maintenance": jobs})
    plain = Setting(interval_s=60.0)
    assert [*document_of(request, plain)["maintenance"]] == ["remove_orphan_files"]
    counted = {"rewrite_data_files": {"when_small_files": 9}}
    kept = replace(request, document={**request.document, "maintenance": counted})
    assert document_of(kept, plain)["maintenance"] == counted  # a count starts it, whatever the setting


def test_a_case_s_faults_are_named_by_their_flags():
    request = a_request()
    with pytest.raises(WasimError, match=r"^--freshness"):
        case_of(request, Setting(interval_s=40 * DAY_S))
    assert case_of(request, Setting(interval_s=60.0), rate=2.0).workload.rows_per_second == 1000
