"""Intervals that are tried, and what a forecast says in one figure."""

from dataclasses import fields, replace

import pytest
from support.observed import CASE, observed
from support.synthetic import Sweep, synthetic_case, synthetic_run

from wasim.contention import ModelledLatency
from wasim.fit import FitReport, fit_run
from wasim.forecast import RunForecasts, forecast_run
from wasim.forecast.ahead import Forecaster, TableForecasts, longer_steps, shorter_step, site_of, steps_between
from wasim.ledger import METADATA_KINDS, Kind
from wasim.report.answer import Option, answer_run, conclude
from wasim.report.pages.answer_cells import options_remarks, options_table
from wasim.runs import Run
from wasim.scenario.changes import Changes, ExpireSnapshots, Maintenance
from wasim.scenario.parts import Writer
from wasim.scenario.prices import load_prices
from wasim.twin import Site, shipped_profile
from wasim.units import DAY_S, HOUR_S, MONTH_S, YEAR_S
from wasim.years import simulate_years


def test_intervals_step_along_the_ladder_and_beyond():
    assert steps_between(60.0, 300.0) == [90.0, 120.0, 180.0, 240.0]
    assert [shorter_step(one) for one in (0.5, 1.0, 1.5, 5.0)] == [None, None, 1.0, 1.0]
    assert [longer_steps(one)[0] for one in (21_600.0, 86_400.0, 604_800.0)] == [86_400.0, 604_800.0, 1_209_600.0]


def test_a_forecast_adds_up_kinds_and_tables():
    case = synthetic_case(writer="batch", interval_s=600.0)
    hour, day = (Forecaster().of(case.over(horizon_s)) for horizon_s in (HOUR_S, DAY_S))
    written = day.run.totals.written_bytes
    assert day.written_bytes == sum(written[kind] for kind in METADATA_KINDS) > 20 * hour.written_bytes
    bands = [day.run.band[kind] for kind in METADATA_KINDS if written[kind]]
    assert min(bands) <= day.band <= max(bands)
    assert (hour.most("manifests"), day.most("manifests")) == (6, 99)  # merged once there are a hundred
    several = replace(case, writer=case.writer.model_copy(update={"tables": 3}))
    all_of_three = Forecaster().of(several.over(HOUR_S))
    assert all_of_three.written_bytes == 3 * hour.written_bytes
    assert all_of_three.most("metadata_on_disk_bytes") == 3 * hour.most("metadata_on_disk_bytes")


def test_a_table_of_simulated_sizes_is_forecast_as_simulated():
    table = TableForecasts(case=CASE, observed=observed(), site=Site())
    own, profile = table.over(CASE, 800.0), table.as_its_profile_has_it(800.0)
    for kind in (Kind.MANIFEST_LIST, Kind.DATA_MANIFEST):
        assert own.run.totals.written_bytes[kind] == pytest.approx(profile.run.totals.written_bytes[kind], rel=0.002)
    assert own.run.totals.files_written == profile.run.totals.files_written


def test_what_others_write_does_not_go_with_the_interval():
    """Half as many lists as the writer's at an interval of a second."""
    rarely = replace(CASE, commit_interval_s=4.0)
    plain, beside = (
        TableForecasts(case=CASE, observed=one, site=Site()).over(rarely, 800.0).run.totals.files_written
        for one in (observed(), observed(others=0.5, versions=1.5))
    )
    assert plain[Kind.MANIFEST_LIST] == 200
    assert beside[Kind.MANIFEST_LIST] - plain[Kind.MANIFEST_LIST] == pytest.approx(400, rel=0.01)
    assert beside[Kind.METADATA_JSON] - plain[Kind.METADATA_JSON] == pytest.approx(400, rel=0.01)


def test_versions_with_statistics_of_their_own_go_with_the_interval():
    case = replace(CASE, writer=Writer(kind="batch", profile="trino"))
    table = TableForecasts(case=case, observed=observed(versions=2.0), site=Site())
    rarely = table.over(replace(case, commit_interval_s=4.0), 800.0).run.totals.files_written
    assert rarely[Kind.METADATA_JSON] == pytest.approx(1 + 2 * 200, rel=0.01)


NOTHING_KNOWN = {one.name: 0.0 for one in fields(ModelledLatency)}
NOTHING = FitReport(costs=(), latencies=(), held_out=(), sustainable=())
EXPIRY = Maintenance(expire_snapshots=ExpireSnapshots(every=3_600.0, older_than=3_600.0))


@pytest.fixture(scope="module")
def run() -> Run:
    """Appends every ten minutes, without maintenance and with snapshots expired by the hour."""
    (plain,) = synthetic_run(sweep=Sweep(intervals_s=(600.0,), writers=("streaming",), horizon_s=6_000.0)).cases
    swept = {**plain.case.swept, "maintenance": "expire_snapshots/1h"}
    kept = replace(plain, case=replace(plain.case, maintenance=EXPIRY, swept=swept))
    return replace(synthetic_run(), cases=(plain, kept))


@pytest.fixture(scope="module")
def forecasts(run: Run) -> RunForecasts:
    return forecast_run(run)


def option_of(run: Run, forecasts: RunForecasts) -> Option:
    return answer_run(run, NOTHING, (), load_prices(), forecasts).choices[1].options[0]


def test_every_case_has_hour_day_month_and_year(run: Run, forecasts: RunForecasts) -> None:
    assert list(forecasts.by_case) == [one.case.label for one in run.cases]
    assert all(list(one) == [HOUR_S, DAY_S, MONTH_S, YEAR_S] for one in forecasts.by_case.values())


def test_a_month_under_maintenance_is_that_of_simulate_years(run: Run, forecasts: RunForecasts) -> None:
    case = replace(run.cases[1].case, horizon_s=MONTH_S)
    summed = simulate_years(case, shipped_profile(case), Site())
    option = option_of(run, forecasts)
    assert option.by_horizon[MONTH_S] == summed.totals.metadata_bytes
    assert 0 < option.by_horizon[DAY_S] < option.by_horizon[MONTH_S] / 29


def test_a_month_is_priced_by_what_it_leaves(run: Run, forecasts: RunForecasts) -> None:
    prices, month = load_prices(), forecasts.of(run.cases[1])[MONTH_S]
    files = sum(month.run.totals.files_written.values())
    kept = sum(month.run.totals.on_disk_bytes[kind] for kind in METADATA_KINDS) / 2**30 * prices.storage_per_gib_month
    assert option_of(run, forecasts).month_price == pytest.approx(kept + files / 1000 * prices.per_1000_requests.put)


def test_how_long_it_keeps_up_ends_where_the_simulation_does(run: Run, forecasts: RunForecasts) -> None:
    answer = answer_run(run, NOTHING, (), None, forecasts)
    keeps_up = answer.choices[1].options[0].keeps_up
    assert keeps_up is not None
    assert (keeps_up.slope, keeps_up.until_s) == ("simulated", YEAR_S)
    table = options_table(answer, run)
    assert table.rows[-1][table.head.index("keeps up")] == "> 1y"
    assert any("maintenance included" in remark for remark in options_remarks(answer))


def test_policies_are_compared_by_a_month_where_all_have_one(run: Run, forecasts: RunForecasts) -> None:
    plain, kept = run.cases
    faster = replace(kept, case=replace(kept.case, commit_interval_s=60.0))
    sweep = replace(run, cases=(plain, replace(plain, case=replace(plain.case, commit_interval_s=60.0)), kept, faster))
    answer = answer_run(sweep, fit_run(sweep), (), None, forecast_run(sweep))
    assert conclude(answer, sweep).startswith(
        "At 1m, streaming expire_snapshots/1h writes the least metadata in the first month: "
    )


def test_a_refused_case_has_no_forecast_and_says_why(run: Run) -> None:
    case = run.cases[1].case
    unknown = replace(case, writer=case.writer.model_copy(update={"profile": "no/such/profile.json"}))
    found = forecast_run(replace(run, cases=(replace(run.cases[1], case=unknown),)))
    assert found.by_case == {}
    assert "no/such/profile.json: is no file and no shipped profile" in found.notes[0]


def test_a_table_is_forecast_where_it_lies(run: Run) -> None:
    near, far = (replace(run.cases[0], location=location) for location in ("s3://b/t", "s3://b/" + 95 * "t"))
    (before,), (after,) = (
        [one[MONTH_S] for one in forecast_run(replace(run, cases=(case,))).by_case.values()] for case in (near, far)
    )
    json_bytes = [one.run.totals.written_bytes[Kind.METADATA_JSON] for one in (before, after)]
    assert 1.05 < json_bytes[1] / json_bytes[0] < 1.3
    assert forecast_run(run).notes[0].startswith("The run does not say where its table was")


def test_what_a_forecast_ignores_is_said_with_its_cases(run: Run) -> None:
    plain, kept = run.cases
    given = {"write.parquet.compression-codec": "snappy"}
    odd = replace(kept, case=replace(kept.case, table=kept.case.table.model_copy(update={"properties": given})))
    said = f'Not simulated: table.properties.write.parquet.compression-codec, which is "snappy". ({odd.case.label})'
    assert said in forecast_run(replace(run, cases=(plain, odd))).notes


def test_horizons_are_an_interval_at_least_statements_a_month(run: Run) -> None:
    hourly = replace(run.cases[0].case, commit_interval_s=HOUR_S)
    daily = replace(hourly, commit_interval_s=DAY_S + 1)
    changes = Changes.model_validate({"update": {"every": "1d", "rows": 10, "mode": "copy-on-write"}})
    found = []
    for case in (hourly, daily, replace(daily, changes=changes)):
        (ahead,) = forecast_run(replace(run, cases=(replace(run.cases[0], case=case),))).by_case.values()
        found.append(list(ahead))
    assert found == [[HOUR_S, DAY_S, MONTH_S, YEAR_S], [MONTH_S, YEAR_S], [MONTH_S]]


@pytest.mark.parametrize(("provider", "raced_in"), [(None, None), ("local", None), ("s3", "s3")])
def test_writers_race_in_the_store_that_a_run_s_did(provider: str | None, raced_in: str | None, run: Run) -> None:
    latency = None if provider is None else ModelledLatency(**NOTHING_KNOWN | {"provider": provider})
    one = replace(run.cases[0], latency=latency)
    assert site_of(one) == Site(provider=raced_in)
    assert site_of(replace(one, location="s3://b/t")) == Site(provider=raced_in, location="s3://b/t")
