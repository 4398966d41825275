"""Forecasts of a real table: by its own sizes, at whatever interval it is asked about."""

from dataclasses import replace

import pytest
from support.observed import CASE, observed

from wasim.forecast.of_table import TableForecasts
from wasim.ledger import Kind
from wasim.scenario.parts import Writer
from wasim.twin import Site


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
