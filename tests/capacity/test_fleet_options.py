"""What a table of a fleet may be set to, as an equal one's, and what is said of one that has no setting."""

from dataclasses import replace
from pathlib import Path

import pytest
from support.by_hand import ByLaw, some_figures
from support.paths import SCENARIOS

from wasim.capacity import (
    Figures,
    Maintenance,
    PlanRequest,
    Requirements,
    Setting,
    fleet_options,
    plan,
    request_from_flags,
)
from wasim.capacity.fleet_options import Asked, answer, request_of, stand_in_of
from wasim.errors import ScenarioError, WasimError
from wasim.scenario.fleet import FleetTable

ASKED = Requirements(freshness="10m", time_travel="1d")


def table(**given: object) -> FleetTable:
    return FleetTable.model_validate({"name": "c.n.t", "rows_per_second": 100, **given})


@pytest.mark.parametrize(
    ("own", "rate"),
    [(100, 64), (127, 64), (129, 256), (64, 64), (32.1, 64), (31.9, 16), (1, 1), (0.51, 1), (0.4, 0.25)],
)
def test_rates_of_half_to_twice_as_much_count_as_equal(own: float, rate: float):
    found = stand_in_of(table(rows_per_second=own, count=5, weight=3), ASKED)
    assert (found.rows_per_second, found.freshness) == (rate, 600)
    assert (found.name, found.count, found.weight) == ("", 1, 1)
    assert 0.5 <= own / rate <= 2


def test_rates_that_commits_could_not_carry_stay_unrounded():
    # 100 files a commit of ten minutes: at 0.25 rows a second one would have 150 rows, at 0.0625 only 37
    kept = stand_in_of(table(rows_per_second=0.12, files_per_commit=100), replace(ASKED, freshness="10m"))
    assert kept.rows_per_second == 0.12
    assert stand_in_of(table(rows_per_second=0.2, files_per_commit=100), ASKED).rows_per_second == 0.25
    assert stand_in_of(table(rows_per_second=0.2, files_per_commit=150), ASKED).rows_per_second == 0.25
    assert stand_in_of(table(rows_per_second=0.2, files_per_commit=151), ASKED).rows_per_second == 0.2
    fast = stand_in_of(table(rows_per_second=1.5e6), replace(ASKED, freshness="600s"))
    assert fast.rows_per_second == 4.0**10
    faster = stand_in_of(table(rows_per_second=9e5, freshness=1_000.0), ASKED)
    assert faster.rows_per_second == 9e5  # a billion rows a commit at most
    as_now = stand_in_of(table(rows_per_second=1.7, files_per_commit=16, now="interval=10s"), ASKED)
    assert as_now.rows_per_second == 1.7  # at 1 a second no commit of ten seconds would have 16 files


def test_a_table_s_own_freshness_and_limits_go_first():
    own = request_of(table(freshness=90.0, limits={"manifests": "<= 70"}, now="interval=1m"), ASKED)
    assert (own.freshness_s, own.now, own.source) == (90, "interval=1m", "table c.n.t")
    assert [(one.metric, one.bound) for one in own.limits] == [("manifests", 70)]
    assert request_of(table(), ASKED).freshness_s == 600
    flags = {"rows_per_second": "100", "columns": "9", "files_per_commit": "3", "partitions": "2", "writer": "batch"}
    like = request_of(table(columns=9, files_per_commit=3, partitions=2, writer="batch"), ASKED)
    assert like.document == request_from_flags(flags, ASKED).document


def test_a_table_of_a_scenario_has_its_fields_replaced():
    described = {"name": "s", "scenario": str(SCENARIOS / "smoke.yaml"), "set": {"writer": "batch"}}
    found = request_of(FleetTable.model_validate(described), ASKED)
    assert found.document["writer"] == {"kind": "batch"}
    assert found.source == described["scenario"]


@pytest.fixture
def by_law(monkeypatch: pytest.MonkeyPatch) -> list[ByLaw]:
    """Instead of simulations: a month costs as many units as commits are made in an hour, and metadata goes with their
    square. An interval of a second is not kept up with.
    """
    made: list[ByLaw] = []

    def simulator(request: PlanRequest, **_: object) -> ByLaw:
        def law(setting: Setting, rate: float) -> Figures:
            hourly = 3600 / setting.interval_s
            late_s = 5.0 if setting.interval_s <= 1 else None
            return some_figures(setting, hourly, metadata_bytes_per_day=hourly**2, keeps_up_s=late_s)

        made.append(ByLaw(request=request, law=law))
        return made[-1]

    for module in (fleet_options, plan):
        monkeypatch.setattr(module, "SettingSimulator", simulator)
    return made


INTERVALS_S = (1.0, 60.0, 300.0, 600.0)


@pytest.mark.usefixtures("by_law")
def test_options_shorten_from_the_longest_interval_within_limits():
    asked = Asked(table=table(), requirements=ASKED, intervals_s=INTERVALS_S, is_read_off=True)
    free = answer(asked).options
    assert [(one.setting.interval_s, one.monthly_cost) for one in free] == [(600, 6), (300, 12), (60, 60)]
    limited = table(limits={"metadata_bytes_per_day": "<= 144"})
    found = answer(replace(asked, table=limited))
    assert [one.metadata_bytes_per_day for one in found.options] == [36, 144]
    assert found.chosen is None  # a fleet chooses
    nothing = answer(replace(asked, intervals_s=(1e-4,)))
    assert nothing.options == ()
    assert nothing.request is not None


def test_a_search_goes_on_from_the_setting_found_before(by_law: list[ByLaw]):
    known = Setting(
        interval_s=600.0, maintenance=Maintenance(expire_every_s=7.0, older_than_s=9.0, rewrite_every_s=None)
    )
    asked = Asked(table=table(), requirements=ASKED, intervals_s=(60.0,), begin_with=known, is_read_off=True)
    answer(asked)
    first, _ = next(iter(by_law[-1].asked))
    assert first == known.at_interval(60.0)


@pytest.mark.usefixtures("by_law")
def test_a_table_s_own_plan_gives_its_options_and_choice():
    found = answer(Asked(table=table(limits={"metadata_bytes_per_day": "<= 144"}), requirements=ASKED))
    assert [one.setting.interval_s for one in found.options] == [300, 600]
    assert found.chosen == found.options[-1]
    assert found.fault == ""
    refused = answer(Asked(table=table(limits={"metadata_bytes_per_day": "<= 9"}), requirements=ASKED))
    assert (refused.chosen, refused.options) == (None, ())
    assert refused.fault.startswith("Nothing up to 10m meets the limits. Relax metadata a day from 9 B to 36 B")


@pytest.mark.parametrize("is_read_off", [True, False])
def test_what_a_setting_saves_is_of_that_setting(by_law: list[ByLaw], is_read_off: bool):
    rarely = Setting(interval_s=600.0)
    asked = Asked(table=table(now="interval=5m"), requirements=ASKED, setting=rarely, is_read_off=is_read_off)
    found = answer(asked)
    assert found.chosen is not None
    assert (found.chosen.setting, found.chosen.monthly_cost) == (rarely, 6)
    assert found.saving is not None
    assert found.saving.now is not None
    assert found.saving.now.setting.interval_s == 300
    assert found.saving.now_money.year == 2 * found.saving.then_money.year
    assert by_law[-1].encoded == (set() if is_read_off else {300, 600})  # of many, none has its own files encoded
    unknown = answer(replace(asked, table=table()))
    assert unknown.saving is not None
    assert unknown.saving.now is None


def test_faults_name_their_table_or_become_its_reason(tmp_path: Path):
    broken = Asked(table=table(now="interval=soon"), requirements=ASKED, is_read_off=True)
    with pytest.raises(WasimError, match=r"^table c\.n\.t: --now interval is 'soon'"):
        answer(broken)
    named = answer(replace(broken, names_faults=True))
    assert named.fault.startswith("--now interval is 'soon'")
    assert (named.options, named.chosen) == ((), None)
    path = tmp_path / "bad.yaml"
    path.write_text("name: x\n")
    scenario = FleetTable.model_validate({"name": "s", "scenario": str(path)})
    with pytest.raises(ScenarioError) as raised:  # which says where by itself
        answer(Asked(table=scenario, requirements=ASKED))
    assert not str(raised.value).startswith("table ")
