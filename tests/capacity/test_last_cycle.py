"""What a table holds over its last full cycle, and that the horizon's phase decides nothing."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from support.plans import a_request, a_simulator

from wasim.capacity import Figures, Maintenance, Requirements, Setting, SettingSimulator, request_from_flags
from wasim.capacity.last_cycle import (
    LastCycle,
    Spread,
    _gathering_since_s,
    _over,
    _statements_of,
    courses_ahead,
    courses_of,
    last_cycle,
)
from wasim.ledger import METADATA_KINDS, Action, Kind
from wasim.scenario.changes import Changes
from wasim.scenario.changes import Maintenance as Jobs
from wasim.scenario.cycles import Window, _evenly, window_of
from wasim.scenario.metrics import parse_limit
from wasim.twin import Site, shipped_profile, simulate_table
from wasim.units import DAY_S, HOUR_S
from wasim.years import simulate_years

KEPT = Maintenance(expire_every_s=DAY_S, older_than_s=DAY_S, rewrite_every_s=None, compact_every_s=HOUR_S)
SETTING = Setting(interval_s=60.0, maintenance=KEPT)
MIB = 2.0**20


def figures_of(horizon: str, setting: Setting = SETTING):
    request = a_request()
    return a_simulator(replace(request, document={**request.document, "horizon": horizon})).figures(setting)


@pytest.mark.parametrize(
    "setting",
    [
        SETTING,
        pytest.param(
            replace(SETTING, maintenance=replace(KEPT, compact_every_s=None, rewrite_every_s=DAY_S)),
            marks=pytest.mark.slow,
        ),
        pytest.param(
            replace(SETTING, maintenance=replace(KEPT, compact_every_s=None), appends="merge"), marks=pytest.mark.slow
        ),
    ],
)
def test_no_figure_depends_on_the_hour_the_horizon_ends(setting: Setting):
    figures = [figures_of(horizon, setting).values for horizon in ("239h", "10d", "241h", "251h30m")]
    for name, value in figures[1].items():
        if name not in ("metadata_bytes", "files"):  # which grow with the horizon
            assert [one[name] for one in figures] == pytest.approx([value] * 4, rel=0.01), name


def by_count(horizon: str) -> Figures:
    request = a_request()
    jobs = {"rewrite_data_files": {"when_small_files": 300}}
    asked = replace(request, document={**request.document, "horizon": horizon, "maintenance": jobs})
    return a_simulator(asked).figures(replace(SETTING, maintenance=replace(KEPT, compact_every_s=None)))


def test_compaction_by_count_costs_the_same_at_any_horizon():
    figures = [by_count(horizon) for horizon in ("10d", "11d", "12d", "13d")]
    costs = [one.monthly_cost for one in figures]
    assert costs == pytest.approx([costs[0]] * 4, rel=0.02)
    uncompacted = figures_of("10d", replace(SETTING, maintenance=replace(KEPT, compact_every_s=None)))
    opened = figures[0].cost.opening / uncompacted.cost.opening  # of a day's 1,440 files half of 300, and those made
    assert opened == pytest.approx((300 / 2 + 1440 / 299) / 1440, rel=0.03)


def test_a_horizons_figures_do_not_depend_on_others():
    together = a_simulator().figures_over(SETTING, [DAY_S, 7 * DAY_S, 10 * DAY_S])
    assert together[2].values == figures_of("10d").values


def test_metadata_json_is_largest_just_before_an_expiry():
    found = figures_of("10d").spreads["metadata_json_bytes"]
    assert found.most == pytest.approx(2 * found.final, rel=0.05)  # a day kept, and a day until the next expiry
    assert found.final < found.mean < found.most


def test_manifests_are_most_just_before_compaction():
    found = figures_of("10d").spreads["manifests"]
    assert 60 <= found.most - found.final <= 100  # with those that a compaction emptied
    assert found.mean == pytest.approx((found.most + found.final) / 2, rel=0.1)


@pytest.mark.parametrize("rewrite_every_s", [None, DAY_S])
def test_merging_appends_reach_as_many_manifests_as_they_merge(rewrite_every_s: float | None):
    kept = replace(KEPT, compact_every_s=None, rewrite_every_s=rewrite_every_s)
    setting = replace(SETTING, maintenance=kept, appends="merge")
    found = figures_of("10d", setting).spreads["manifests"]
    assert 96 <= found.most <= 106
    assert 40 < found.mean < 65


def test_merging_appends_are_seen_until_they_fill_a_manifest():
    flags = {"rows_per_second": "1000", "columns": "30", "files_per_commit": "4", "writer": "flink"}
    kept = replace(KEPT, older_than_s=5 * DAY_S, compact_every_s=None)
    found = []
    for days in (28, 33, 36, 60):  # the manifest is full on day 31; from day 28 on merges take fewer manifests each
        request = request_from_flags({**flags, "horizon": f"{days}d"}, Requirements())
        found.append(SettingSimulator(request=request).figures(Setting(interval_s=600.0, maintenance=kept)))
    assert {round(one.values["manifests"], -1) for one in found} == {100}
    assert found[2].metadata_bytes_per_day == pytest.approx(found[1].metadata_bytes_per_day, rel=0.005)
    assert found[3].metadata_bytes_per_day == pytest.approx(found[1].metadata_bytes_per_day, rel=0.005)
    assert found[0].metadata_bytes_per_day == pytest.approx(found[1].metadata_bytes_per_day, rel=0.2)


def test_days_are_averaged_over_several_manifests_that_fill():
    """Here one is full every other day, and days write 25 to 63 MB, by which of them fill what."""
    flags = {"rows_per_second": "16384", "columns": "163", "files_per_commit": "4", "partitions": "12"}
    simulator = SettingSimulator(request=request_from_flags({**flags, "writer": "flink"}, Requirements()))
    setting = Setting(interval_s=900.0, maintenance=replace(KEPT, older_than_s=5 * DAY_S, compact_every_s=None))
    simulator.encode(900.0)
    found = [
        simulator._of_other_manifests(setting, scale).figures(setting).metadata_bytes_per_day for scale in (1.0, 0.99)
    ]
    assert found[1] == pytest.approx(found[0], rel=0.01)


def filling(days: int) -> Figures:
    """A table whose compacted entries fill a manifest in 24 days: in the last of them, every append merges."""
    flags = {"rows_per_second": "8000", "columns": "6", "files_per_commit": "4", "partitions": "12", "writer": "flink"}
    request = request_from_flags({**flags, "horizon": f"{days}d"}, Requirements())
    sizes = {"commit.manifest.target-size-bytes": str(1 << 20), "write.target-file-size-bytes": str(64 << 20)}
    table = {**request.document["table"], "properties": sizes}
    simulator = SettingSimulator(request=replace(request, document={**request.document, "table": table}))
    return simulator.figures(replace(SETTING, interval_s=600.0, gzips_json=True))


def test_days_that_fill_a_manifest_count_whenever_they_are():
    found, limit = [filling(days) for days in (33, 40, 48, 56, 66)], parse_limit("metadata_bytes_per_day", "< 60 MiB")
    assert [one.metadata_bytes_per_day / MIB for one in found] == pytest.approx([17.1] * 5, rel=0.03)
    most = [one.judged("metadata_bytes_per_day") for one in found]
    assert [one / MIB for one in most] == pytest.approx([81.7] * 5, rel=0.025)
    assert all(one.broken([limit]) for one in found)
    early, within = filling(20), filling(24)
    assert not early.broken([limit])
    assert within.broken([limit])
    assert early.metadata_bytes_per_day < within.metadata_bytes_per_day < found[0].metadata_bytes_per_day
    assert found[1].monthly_cost == pytest.approx(found[3].monthly_cost, rel=0.01)


def few_commits(properties: dict[str, str], kept: Maintenance) -> tuple[SettingSimulator, Setting]:
    """Three days of a batch every half an hour, and how it is kept."""
    flags = {"rows_per_second": "0.1", "columns": "6", "writer": "batch", "horizon": "3d"}
    request = request_from_flags(flags, Requirements())
    table = {**request.document["table"], "properties": properties}
    simulator = SettingSimulator(request=replace(request, document={**request.document, "table": table}))
    return simulator, Setting(interval_s=1_800.0, maintenance=kept, gzips_json=True)


def test_most_metadata_lies_on_disk_before_what_was_replaced_expires():
    kept = replace(KEPT, expire_every_s=HOUR_S, older_than_s=6 * HOUR_S, compact_every_s=DAY_S)
    simulator, setting = few_commits({"write.metadata.previous-versions-max": "2"}, kept)
    found = simulator.figures(setting).spreads["metadata_on_disk_bytes"]
    case = simulator.case(setting)
    made = simulate_table(
        case, shipped_profile(case), np.random.default_rng(0), site=Site(location=a_request().location)
    )
    events = made.recording.events.where(np.isin(made.recording.events.kind, METADATA_KINDS))
    on_disk = np.cumsum(np.where(events.action == Action.WRITE, events.bytes, -events.bytes))
    assert found.most == pytest.approx(on_disk.max(), rel=0.05)
    assert found.most > 1.1 * found.final


@pytest.mark.parametrize("merges", ["true", "false"])
def test_manifests_that_compaction_emptied_go_with_the_next_merge_append(merges: str):
    simulator, setting = few_commits(
        {"commit.manifest-merge.enabled": merges}, replace(KEPT, compact_every_s=4 * HOUR_S)
    )
    assert simulator.figures(setting).spreads["manifests"].most == 10  # one compacted, eight new ones, one written


def test_a_day_is_that_of_a_grown_table():
    found, request = figures_of("10d"), a_request()
    case = SettingSimulator(request=request).case(SETTING)
    sums = [
        simulate_years(case.over(days * DAY_S), shipped_profile(case), Site(location=request.location))
        for days in (8, 9)
    ]
    day = sums[1].totals.metadata_bytes - sums[0].totals.metadata_bytes
    assert found.metadata_bytes_per_day == pytest.approx(day, rel=0.03)
    assert found.metadata_bytes_per_day > 1.05 * sums[0].totals.metadata_bytes / 8


def test_a_horizon_below_a_day_is_all_of_the_cycle():
    case = a_simulator().case(SETTING)
    window = window_of(case, 5 * HOUR_S)
    assert (window.start_s, window.end_s) == (0, 5 * HOUR_S)
    assert window_of(case, 3.4 * DAY_S).end_s == 3 * DAY_S


@pytest.mark.slow
def test_statements_that_outnumber_commits_write_files_and_cost_money():
    request, kept = a_request(), replace(KEPT, compact_every_s=None)
    changes = {"update": {"every": "1m", "share": 0.001, "mode": "merge-on-read"}}
    document = {**request.document, "changes": changes, "writer": "batch"}
    found = SettingSimulator(request=replace(request, document=document)).figures(
        Setting(interval_s=600.0, maintenance=kept)
    )
    assert found.values["snapshots"] == pytest.approx(2 * 11 * 144, rel=0.02)  # ten statements and a commit, two days
    assert 0 < found.cost.opening < found.monthly_cost


@pytest.mark.slow
def test_manifests_that_compaction_leaves_are_seen_while_they_gather():
    request = request_from_flags({"rows_per_second": "100", "columns": "20", "horizon": "100d"}, Requirements())
    simulator, setting = SettingSimulator(request=request), replace(SETTING, interval_s=300.0)
    found = simulator.figures_over(setting, [days * DAY_S for days in (40, 58, 72, 90)])  # of cycles of 36 days
    assert [one.monthly_cost for one in found] == pytest.approx([found[0].monthly_cost] * 4, rel=0.01)
    assert {round(one.values["manifests"], -1) for one in found} == {110}


def test_appends_that_merge_are_looked_at_until_they_do():
    kept = replace(KEPT, compact_every_s=None)
    case = a_simulator().case(Setting(interval_s=1_800.0, maintenance=kept, appends="merge"))
    assert window_of(case, 10 * DAY_S).length_s == 3 * DAY_S  # a hundred of half an hour


def test_appends_that_merge_a_hundred_leave_ninety_nine():
    assert _evenly(10.0, 20.0, 4) == [10, 12, 15, 18, 20]
    merging = replace(SETTING, interval_s=600.0, maintenance=replace(KEPT, compact_every_s=None), appends="merge")
    for days in (10, 10.3):
        assert a_simulator().figures(merging, horizon_s=days * DAY_S).values["manifests"] == 99


def test_a_mean_is_over_time_not_over_moments():
    found = _over(np.array([0.0, 8.0, 10.0]), np.array([0.0, 8.0, 2.0]))
    assert (found.mean, found.most, found.final) == (pytest.approx((32 + 10) / 10), 8, 2)
    at_a_job = _over(np.array([0.0, 5.0, 5.0, 10.0]), np.array([0.0, 6.0, 2.0, 4.0]))
    assert at_a_job.mean == pytest.approx((15 + 15) / 10)
    assert _over(np.array([7.0]), np.array([3.0])).mean == 3
    assert found.times(4) == replace(found, mean=4 * 4.2, most=32.0, final=8.0)


HOURS = Setting(interval_s=3600.0, maintenance=replace(KEPT, compact_every_s=None))


@pytest.fixture(scope="module")
def hourly() -> LastCycle:
    """Of a commit each hour over ten days, whose snapshots expire daily, a day old."""
    simulator = a_simulator()
    case, shape = simulator.case(HOURS), simulator.shape(HOURS)
    window = window_of(case)
    return last_cycle(case, courses_of(case, shape, window).over(window), shape, shape)


def test_a_day_s_cycle_has_its_commits_and_files(hourly: LastCycle):
    assert (hourly.commits, hourly.length_s) == (24, DAY_S)
    assert hourly.written("files_written", [Kind.METADATA_JSON]) >= 24  # and one of the expiry
    assert hourly.written("files_written", [Kind.DATA]) == 24
    assert hourly.written("files_written", [Kind.DATA, Kind.MANIFEST_LIST]) == 48
    assert (hourly.files.final, hourly.files.most) == (240, 240)
    assert hourly.files.mean == pytest.approx(228)
    assert hourly.files_of_a_day == 24
    assert (hourly.delete_files.most, hourly.replaced_bytes) == (0, 0)
    data = hourly.written("written_bytes", [Kind.DATA])
    assert hourly.arrived_bytes == pytest.approx(data, rel=1e-6)


def test_jobs_run_as_often_as_their_periods_and_counts_say():
    simulator = a_simulator()
    jobs = {
        "rewrite_data_files": {"when_small_files": 300},
        "rewrite_manifests": {"when_manifests": 61},
        "expire_snapshots": {"when_snapshots": 500, "older_than": "10m"},
        "remove_orphan_files": {"every": "2h", "older_than": "1d"},
    }
    case = replace(simulator.case(SETTING), maintenance=Jobs.model_validate(jobs))
    shape, window = simulator.shape(SETTING), window_of(case)
    runs = last_cycle(case, courses_of(case, shape, window).over(window), shape, shape).runs
    assert runs == {
        "rewrite_data_files": pytest.approx(1440 / 299, rel=0.05),  # of 1,440 commits; one file is left each time
        "rewrite_manifests": pytest.approx(1440 / 59, rel=0.05),  # and a manifest; compaction adds one, now and then
        "expire_snapshots": pytest.approx(1440 / 488, rel=0.07),  # ten are younger, and the jobs' own
        "remove_orphan_files": 12,
    }


def test_snapshots_of_two_days_are_retained_before_they_expire(hourly: LastCycle):
    assert hourly.snapshots.final == pytest.approx(24, abs=1)
    assert hourly.snapshots.most == pytest.approx(48, abs=1)
    assert hourly.snapshots.mean == pytest.approx(36, abs=2)
    entry = (hourly.json.most - hourly.json.final) / 24
    assert 850 < entry < 1150  # of a snapshot, and of its log
    assert hourly.plain_json == hourly.json  # which nothing compresses
    sizes = hourly.plain_json_at(np.array([217.0, 230.0, 239.0]))
    assert (np.diff(sizes) > 0).all()


def test_metadata_on_disk_falls_from_before_an_expiry(hourly: LastCycle):
    on_disk, totals = hourly.on_disk, hourly.end.totals
    assert on_disk.final == sum(totals.on_disk_bytes[kind] for kind in METADATA_KINDS)
    assert on_disk.most > on_disk.mean > on_disk.final > 0
    assert on_disk.mean == pytest.approx((on_disk.most + on_disk.final) / 2, rel=0.01)  # a single expiry a cycle
    assert on_disk.plus(5.0) == Spread(mean=on_disk.mean + 5, most=on_disk.most + 5, final=on_disk.final + 5)


def test_bytes_of_a_cycle_are_end_less_start(hourly: LastCycle):
    for before, kind in zip(hourly.since, (Kind.DATA_MANIFEST, Kind.DATA, Kind.METADATA_JSON), strict=True):
        added = hourly.end.totals.written_bytes[kind] - before.written_bytes[kind]
        assert hourly.written("written_bytes", [kind]) == added
    case, window = hourly.case, Window(start_s=0.0, end_s=6 * HOUR_S)
    short = last_cycle(case, courses_of(case, hourly.shape, window).over(window), hourly.shape, hourly.shape)
    assert short.since == (None, None, None)
    assert short.written("files_written", [Kind.DATA]) == 6
    assert short.files_of_a_day == 6


def test_courses_of_shorter_horizons_lie_on_the_way():
    simulator = a_simulator()
    case, shape = simulator.case(HOURS).over(100 * DAY_S), simulator.shape(HOURS)
    window = window_of(case)
    found = courses_of(case, shape, window)
    assert sorted(one.end_s / DAY_S for one in found.windows) == [30, 90, 100]  # of appends, none below a month
    course = found.over(window)
    assert (course.held_s, course.sees_cycles, course.merged_s) == (window.start_s, False, window.start_s)
    changes = Changes.model_validate({"delete": {"every": DAY_S, "rows": 5, "mode": "copy-on-write"}})
    assert _statements_of(replace(case, changes=changes), window) == 100
    assert _statements_of(case, window) == 0
    assert courses_ahead([(case, shape, window)])[0].windows == found.windows


def gathering(left: list[float], days: list[int], kept: Maintenance = KEPT, **window: float) -> float | None:
    """The day from which manifests are looked at, where compaction left so many on these days."""
    case = a_simulator().case(Setting(interval_s=DAY_S, maintenance=replace(kept, expire_every_s=None)))
    commits = np.repeat(np.array(days, dtype=float), 2)  # before the job of a moment, and after it
    scanned = np.array([one for count in left for one in (999.0, count)])
    found = _gathering_since_s(case, SimpleNamespace(commits=commits, scanned_manifests=scanned), Window(**window))
    return None if found is None else found / DAY_S


DAYS = [10, 20, 30, 40, 50]


def test_compacted_tables_are_seen_over_whole_cycles_of_their_merges():
    window = {"start_s": 54 * DAY_S, "end_s": 55 * DAY_S}
    # merged on days 30 and 50; sixteen days before the last one, the cycle of 20 days had begun
    assert gathering([40, 80, 10, 60, 5], DAYS, **window) == 35
    assert gathering([40, 80, 31, 60, 11], DAYS, **window) == 0  # never by half of a hundred: all of its history
    assert gathering([40, 80, 29, 60, 11], DAYS, **window) == 25  # since day 30 once, after 30 days
    assert gathering([40, 80, 10, 60, 5], DAYS, start_s=20 * DAY_S, end_s=55 * DAY_S) == 20
    assert gathering([40, 80, 10, 60, 5], DAYS, start_s=44 * DAY_S, end_s=45 * DAY_S) == 15  # day 50 is yet to come
    assert gathering([1], [1], replace(KEPT, compact_every_s=None), **window) is None
