"""What queries pay for opening data files."""

import pytest

from wasim.capacity import Figures, Requirements, SettingSimulator, make_plan, request_from_flags
from wasim.capacity.settings import Maintenance, Setting
from wasim.units import DAY_S

COMPACTED = Setting(
    interval_s=300.0,
    maintenance=Maintenance(expire_every_s=DAY_S, older_than_s=5 * DAY_S, rewrite_every_s=None, compact_every_s=3600.0),
)


def test_small_files_are_compacted_where_queries_pay_to_open_them():
    flags = {
        "rows_per_second": "5000",
        "columns": "40",
        "files_per_commit": "8",
        "partitions": "24",
        "horizon": "4d",
    }

    def chosen(queries: str) -> Figures:
        request = request_from_flags(flags, Requirements(freshness="5m", queries_per_hour=queries))
        found = make_plan(request, explains=False).chosen
        assert found is not None
        return found

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
