"""What a table costs now, and what a plan saves."""

from dataclasses import replace

import pytest
from support.by_hand import ByLaw, plain, some_figures
from support.plans import a_plan, a_request, a_simulator

from wasim.capacity import Figures, Setting, SettingSimulator
from wasim.capacity.last_cycle import PACE_DAYS
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
    [pytest.param(DELETES, 1, marks=pytest.mark.slow, id="statements"), pytest.param({}, 4, id="four writers")],
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


def by_days(paces: dict[int, float]) -> ByLaw:
    """Whose month costs, at these days of a table, so much."""
    request = a_request()

    def over(figures: Figures, horizon_s: float) -> Figures:
        return replace(figures, values={**figures.values, "monthly_cost": paces[int(horizon_s / DAY_S)]})

    return ByLaw(request=request, law=lambda setting, rate: some_figures(setting), over=over)


EVEN = dict.fromkeys(PACE_DAYS, 6.0)


def test_an_even_pace_costs_as_much_each_month():
    money = money_of(by_days(EVEN), plain())
    assert (money.month_1, money.month_12) == (pytest.approx(6), 6)
    assert money.year == pytest.approx(6 * 365 / 30)


def test_paces_are_added_up_between_known_days():
    rising = dict(zip(PACE_DAYS, map(float, PACE_DAYS), strict=True))  # of the first day as at its end, then even
    money = money_of(by_days(rising), plain())
    assert money.month_1 == pytest.approx((1 + (1 + 30) / 2 * 29) / 30)
    assert money.year == pytest.approx((1 + (1 + 365) / 2 * 364) / 30)
    assert money.month_12 == 365
    seldom = money_of(by_days(rising), plain(3 * DAY_S))  # without a commit on the first day
    assert seldom.month_1 == pytest.approx((7 * 7 + (7 + 30) / 2 * 23) / 30)
    assert money_of(by_days(rising), plain(7 * DAY_S)).month_1 == seldom.month_1


def test_savings_are_of_both_settings_at_the_end():
    now, then = plain(10.0), some_figures(plain(), metadata_on_disk_bytes=3.0)

    def law(setting: Setting, rate: float) -> Figures:
        return some_figures(setting, 60 / setting.interval_s, metadata_on_disk_bytes=100 / setting.interval_s)

    simulator = ByLaw(request=a_request(), law=law)
    found = saving_of(simulator, now, then)
    assert found.now.setting == now
    assert (found.now_money.month_12, found.then_money.month_12) == (6, 2)
    assert found.once_bytes == 7
    assert simulator.ahead == []  # appends alone take no time
    more = some_figures(plain(), metadata_on_disk_bytes=30.0)
    assert saving_of(simulator, now, more).once_bytes == 0
    unknown = saving_of(simulator, None, then)
    assert (unknown.now, unknown.now_money, unknown.once_bytes) == (None, None, 0)
    changes = {"delete": {"every": "1h", "rows": 10, "mode": "copy-on-write"}}
    request = replace(a_request(), document={**a_request().document, "changes": changes})
    changing = ByLaw(request=request, law=law)
    saving_of(changing, now, then)
    assert [one for one, _ in changing.ahead] == [now, then.setting]


def test_each_key_of_now_sets_its_part():
    found = now_of(
        "interval=90s, expire=6h, keep=2d, compact=hourly, rewrite=daily, gzip=yes, old-json=kept, append=merge",
        a_request(),
    )
    kept = found.maintenance
    assert (found.interval_s, kept.expire_every_s, kept.older_than_s) == (90, 21_600, 172_800)
    assert (kept.compact_every_s, kept.rewrite_every_s) == (3_600, 86_400)
    assert (found.gzips_json, found.deletes_json, found.appends) == (True, False, "merge")
    assert now_of("interval=90s,append=default,gzip=no", a_request()).appends is None
    assert now_of("interval=1m,expire=never", a_request()).maintenance.expire_every_s is None
    assert now_of("interval=1m,keep=2d", a_request()).maintenance.older_than_s is None  # of what never expires
    for text, key in (("interval=1m,append=both", "append"), ("interval=1m,old-json=gone", "old-json")):
        with pytest.raises(WasimError, match=f"^--now {key} is "):
            now_of(text, a_request())
    with pytest.raises(WasimError, match=r"^--now interval .*"):
        now_of("interval=11d", a_request())
    with pytest.raises(WasimError, match="with a key twice"):
        now_of("interval=1m,interval=1m", a_request())


def test_jobs_that_counts_start_are_there_now_too():
    jobs = {"rewrite_data_files": {"when_small_files": 9}}
    request = replace(a_request(), document={**a_request().document, "maintenance": jobs})
    assert now_of("interval=1m", request).maintenance.own == ("compact at 9 small files",)
