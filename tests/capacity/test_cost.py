"""What a month is paid for: by hand, and what queries pay for opening data files."""

from dataclasses import replace

import pytest

from wasim.capacity import Figures, Requirements, SettingSimulator, request_from_flags
from wasim.capacity.cost import Load, MonthlyCost, monthly_cost, opening_cost, waiting_for_expiry
from wasim.capacity.plan import search_for
from wasim.capacity.settings import NO_MAINTENANCE, Maintenance, Setting, case_of
from wasim.ledger.machine import SHIPPED_MACHINE
from wasim.scenario.prices import Prices, RequestPrices
from wasim.units import DAY_S, MONTH_S

COMPACTED = Setting(
    interval_s=300.0,
    maintenance=Maintenance(expire_every_s=DAY_S, older_than_s=5 * DAY_S, rewrite_every_s=None, compact_every_s=3600.0),
)


def test_small_files_are_compacted_where_queries_pay_to_open_them():
    flags = {"rows_per_second": "5000", "columns": "40", "files_per_commit": "8", "partitions": "24", "horizon": "4d"}

    def chosen(queries: str) -> Figures:
        request = request_from_flags(flags, Requirements(freshness="5m", queries_per_hour=queries))
        setting = Setting(interval_s=300.0, maintenance=NO_MAINTENANCE)
        return search_for(case_of(request, setting), SettingSimulator(request=request), ()).best_at(300.0)

    asked, unasked = chosen("10"), chosen("0")
    assert asked.setting.maintenance.compact_every_s is not None
    assert asked.values["files"] < 100_000
    assert unasked.setting.maintenance.compact_every_s is None
    assert unasked.cost.opening == 0
    left = SettingSimulator(request=request_from_flags(flags, Requirements(freshness="5m"))).figures(unasked.setting)
    opened = 24 * 8 * DAY_S / 300  # a day's
    per_file = 0.04194304 * 0.05 / 3600 + 2 * 0.0004 / 1000  # 4 MiB at 100 MB a second of a core, and two GETs
    assert left.cost.opening == pytest.approx(7200 * opened * per_file, rel=1e-3)


def test_storage_costs_do_not_depend_on_the_last_hour():
    flags = {"rows_per_second": "5000", "columns": "40", "files_per_commit": "8", "partitions": "24"}

    def storage(horizon: str) -> float:
        request = request_from_flags({**flags, "horizon": horizon}, Requirements(freshness="5m"))
        return SettingSimulator(request=request).figures(COMPACTED).cost.storage

    just_expired, about_to = storage("30d"), storage("30d23h")
    assert about_to == pytest.approx(just_expired, rel=0.01)


def test_a_higher_rate_costs_no_less_whenever_files_fill():
    flags = {"columns": "40", "files_per_commit": "8", "partitions": "24"}
    costs = []
    for rows in ("50", "100", "200"):
        request = request_from_flags({**flags, "rows_per_second": rows}, Requirements(freshness="5m"))
        costs.append(SettingSimulator(request=request).figures(COMPACTED).cost.storage)
    assert costs == sorted(costs)
    assert costs[-1] == pytest.approx(costs[0], rel=0.05)


MACHINE = replace(SHIPPED_MACHINE, load_ms=2.0, load_ms_per_megabyte=3.0, planning_ms=10.0, commit_ms=50.0, threads=2)
MACHINE = replace(MACHINE, wait_ms=4.0, ms_per_manifest=0.5, ms_per_file=0.01, ms_per_manifest_megabyte=8.0)
PRICES = Prices(
    version=1,
    source="by hand",
    as_of="2026-01-01",
    currency="USD",
    per_1000_requests=RequestPrices(put=5.0, get=0.4, head=0.3, list=7.0, delete=11.0),
    storage_per_gib_month=0.02,
    upload_per_gib=0.5,
    retrieval_per_gib=0.25,
    per_job=0.001,
    compute_per_core_hour=3600.0,  # one a second
)
LOAD = Load(
    horizon_s=MONTH_S / 2,
    commits=500.0,
    files_written=4_000.0,
    bytes_written=2.0**31,
    compacted_bytes=80e6,
    jobs=0.0,
    manifests_read=0.0,
    files_read=0.0,
    metadata_on_disk_bytes=2.0**32,
    replaced_data_bytes=2.0**33,
    json_bytes=2e6,
    stored_json_bytes=1e6,
    list_bytes=30_000.0,
    manifests=20.0,
    manifest_bytes=500_000.0,
    files=1_000.0,
    opened_files=7.0,
)


def test_a_month_s_cost_is_that_reckoned_by_hand():
    found = monthly_cost(LOAD, MACHINE, PRICES, 2.0)
    queries = 2 * MONTH_S / 3600
    # 8,000 files and 1,000 commits a month, each with five GETs of the catalog, one of metadata.json and a HEAD
    assert found.requests == pytest.approx((8_000 * 5 + 1_000 * 6 * 0.4 + 1_000 * 0.3) / 1000)
    assert found.storage == pytest.approx((4 + 8) * 0.02)
    read = 1_000 * 5 * 1e6 + queries * (1e6 + 30_000 + 500_000) + 2 * 80e6  # compaction reads what it writes
    assert found.transfer == pytest.approx(4 * 0.5 + read / 2**30 * 0.25)
    assert found.commits == pytest.approx(1_000 * (50 + 2 + 3 * 2) / 1000)
    assert found.maintenance == pytest.approx(80e6 / 40e6 * 2)
    reading_ms = 0.5 * 20 + 0.01 * 1_000 + 8 * 0.5
    planning_s = (2 + 3 * 2 + 10 + max(4 * 5, reading_ms / 2)) / 1000
    assert found.planning == pytest.approx(queries * (planning_s + 22 * 0.4 / 1000))
    assert found.opening == pytest.approx(queries * 7 * (4 * 2**20 / 100e6 + 2 * 0.4 / 1000))
    assert found.total == pytest.approx(sum(found.parts().values()))
    assert [*found.parts().values()] == sorted(found.parts().values(), reverse=True)
    assert found.times(3).total == pytest.approx(3 * found.total)


def test_jobs_and_compression_add_what_they_take():
    kept = replace(LOAD, jobs=45.0, manifests_read=900.0, files_read=4_000.0)  # of half a month
    costs = [monthly_cost(one, MACHINE, PRICES, 2.0) for one in (LOAD, kept)]
    assert costs[1].maintenance - costs[0].maintenance == pytest.approx(1_800 * 0.5 / 1000 + 90 * 0.001)
    assert costs[1].requests - costs[0].requests == pytest.approx((1_800 + 8_000) * 0.4 / 1000)
    zipped = monthly_cost(LOAD, MACHINE, PRICES, 2.0, gzips_json=True)
    assert zipped.commits - costs[0].commits == pytest.approx(1_000 * 2e6 / 80e6)
    assert replace(zipped, commits=costs[0].commits) == costs[0]


def test_replaced_bytes_wait_for_half_a_period_longer():
    assert waiting_for_expiry(900.0, horizon_s=30.0, kept_s=None, every_s=None) == 900
    assert waiting_for_expiry(900.0, horizon_s=30.0, kept_s=8.0, every_s=4.0) == pytest.approx(300)
    assert waiting_for_expiry(900.0, horizon_s=30.0, kept_s=28.0, every_s=8.0) == 900


def test_costs_go_by_rates_prices_and_queries():
    """What is paid for by the request, the byte or the second doubles with its price, or with what there is of it."""

    def cost(load: Load = LOAD, prices: Prices = PRICES, queries: float = 2.0) -> MonthlyCost:
        return monthly_cost(load, MACHINE, prices, queries)

    once = cost()
    assert cost(queries=4.0).opening == pytest.approx(2 * once.opening)
    assert cost(queries=4.0).planning == pytest.approx(2 * once.planning)
    assert cost(queries=0.0).planning == cost(queries=0.0).opening == 0
    longer = cost(replace(LOAD, horizon_s=2 * LOAD.horizon_s))  # the same in twice the time
    assert longer.requests == pytest.approx(once.requests / 2)
    assert longer.commits == pytest.approx(once.commits / 2)
    assert longer.storage == once.storage
    core = PRICES.model_copy(update={"compute_per_core_hour": 2 * PRICES.compute_per_core_hour})
    assert cost(prices=core).commits == pytest.approx(2 * once.commits)
    assert cost(prices=core).storage == once.storage
    stored = PRICES.model_copy(update={"storage_per_gib_month": 3 * PRICES.storage_per_gib_month})
    assert cost(prices=stored).storage == pytest.approx(3 * once.storage)
    assert opening_cost(14.0, PRICES, 2.0) == pytest.approx(2 * opening_cost(7.0, PRICES, 2.0))
