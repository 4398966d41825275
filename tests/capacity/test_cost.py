"""What queries pay for opening data files."""

import pytest

from wasim.capacity import Figures, Requirements, SettingSimulator, make_plan, request_from_flags
from wasim.capacity.cost import files_of_a_day
from wasim.units import DAY_S


def test_small_files_are_compacted_where_queries_would_pay_to_open_them():
    flags = {"rows_per_second": "5000", "columns": "40", "files_per_commit": "8", "partitions": "24"}

    def chosen(queries: str) -> Figures:
        found = make_plan(request_from_flags(flags, Requirements(freshness="5m", queries_per_hour=queries))).chosen
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


def test_a_query_opens_the_small_files_of_half_a_period_of_compaction_and_a_day_s_compacted_ones():
    all_of_them = files_of_a_day(3000.0, 0.0, horizon_s=30 * DAY_S, compact_every_s=None)
    daily, hourly = (
        files_of_a_day(3000.0, 60.0, horizon_s=30 * DAY_S, compact_every_s=every_s) for every_s in (DAY_S, 3600.0)
    )
    assert (all_of_them, daily) == pytest.approx((100, 52))
    assert hourly == pytest.approx(100 / 48 + 2)
    assert files_of_a_day(3000.0, 60.0, horizon_s=30 * DAY_S, compact_every_s=30 * DAY_S) == 100
    assert files_of_a_day(50.0, 0.0, horizon_s=3600.0, compact_every_s=None) == 50
