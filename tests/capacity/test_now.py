"""What a table costs now, and what a plan saves."""

from dataclasses import replace

import pytest
from support.plans import a_plan, a_request, a_simulator

from wasim.capacity import Setting, SettingSimulator
from wasim.capacity.now import Money, _added_up, money_of, now_of, saving_of
from wasim.errors import WasimError
from wasim.units import DAY_S

NONSENSE = (
    *("expire=daily", "interval=1m,expire", "interval=1m,vacuum=1d", "interval=1m,gzip=so", "interval=never"),
    *("interval=11d", "interval=0.5ms", "interval=1m,interval=2m", "interval=1m,expire=1d,keep=never"),
)


@pytest.mark.parametrize("text", NONSENSE)
def test_a_now_that_makes_no_sense_is_one_line(text: str):
    with pytest.raises(WasimError, match=r"^--now [^\n]*$"):
        now_of(text, a_request())


def test_what_now_leaves_out_is_a_writer_s_default():
    found = now_of("interval=1m,expire=daily", a_request())
    assert (found.deletes_json, found.gzips_json, found.maintenance.compact_every_s) == (False, False, None)
    assert (found.maintenance.expire_every_s, found.maintenance.older_than_s) == (86_400, 432_000)


def test_now_takes_from_the_table_what_it_omits():
    own = {
        "write.metadata.compression-codec": "gzip",
        "write.metadata.delete-after-commit.enabled": "true",
        "history.expire.max-snapshot-age-ms": "3600000",
    }
    request = replace(a_request(), own_properties=own)
    found = now_of("interval=1m,expire=daily", request)
    assert (found.deletes_json, found.gzips_json, found.maintenance.older_than_s) == (True, True, 3_600)
    with pytest.raises(WasimError, match="--now gzip is no, but"):
        now_of("interval=1m,gzip=no", request)


def test_money_of_tables_adds_up_part_by_part():
    one, other = Money(month_1=1.0, month_12=2.0, year=20.0), Money(month_1=5.0, month_12=7.0, year=70.0)
    assert Money.of_all([(one, 3), (other, 2)]) == Money(month_1=13.0, month_12=20.0, year=200.0)
    assert other.less(one) == Money(month_1=4.0, month_12=5.0, year=50.0)


def test_a_pace_that_rises_evenly_is_paid_on_average():
    assert _added_up([1, 7, 30, 90], [3.0, 3.0, 3.0, 3.0], 30) == pytest.approx(90)
    rising = [float(day) for day in (1, 7, 30, 90)]
    assert _added_up([1, 7, 30, 90], rising, 30) == pytest.approx(0.5 + 30**2 / 2)  # of the first day the first known
    assert _added_up([1, 7, 30, 90], rising, 60) == pytest.approx(0.5 + 60**2 / 2)


def test_a_plan_saves_the_difference_and_says_what_is_deletable():
    chosen = a_plan().chosen
    saving = saving_of(a_simulator(), now_of("interval=10s", a_request()), chosen)
    assert saving.now.values["metadata_json_bytes"] > 10 * chosen.values["metadata_json_bytes"]
    saved = saving.now_money.less(saving.then_money)
    assert saved.year > 12 * saved.month_1 > 0  # without expiry each month costs more than the one before
    on_disk = saving.now.spreads["metadata_on_disk_bytes"].final
    assert 0.9 * on_disk < saving.once_bytes < on_disk


def test_a_settled_table_costs_as_much_in_each_month():
    request, simulator = a_request(), a_simulator()
    setting = now_of("interval=1m,expire=daily,keep=1d,rewrite=daily,old-json=deleted", request)
    assert isinstance(setting, Setting)
    money = money_of(simulator, setting)
    assert money.month_12 == pytest.approx(simulator.figures(setting).monthly_cost, rel=0.02)
    assert money.year == pytest.approx(money.month_12 * 365 / 30, rel=0.02)


DELETES = {"delete": {"every": "1d", "share": 0.01, "mode": "merge-on-read"}}


@pytest.mark.parametrize(
    ("changes", "writers"),
    [
        pytest.param(DELETES, 1, marks=pytest.mark.slow, id="statements"),
        pytest.param({}, 4, id="four writers"),
    ],
)
def test_without_expiry_each_month_costs_more_than_the_one_before(changes: dict[str, object], writers: int):
    request = a_request()
    document = {**request.document, "changes": changes, "writer": {"kind": "batch", "writers": writers}}
    simulator = SettingSimulator(request=replace(request, document=document, writers=writers))
    setting = now_of("interval=10m", request)
    money = money_of(simulator, setting)
    paces = [one.monthly_cost for one in simulator.figures_over(setting, [day * DAY_S for day in range(10, 361, 50)])]
    assert money.month_12 > 2 * money.month_1
    assert money.year == pytest.approx(sum(paces) / len(paces) * 365 / 30, rel=0.1)
