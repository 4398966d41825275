"""A real table's own sizes in place of simulated ones: made up, they are found again."""

from dataclasses import replace

import numpy as np
import pytest
from support.observed import CASE, observed, shape

from wasim.ledger import Kind
from wasim.years import History, grown_of, sum_history
from wasim.years.observed import Fit, as_observed, band_of, fit_files, fits_of


def test_sizes_that_are_fixed_and_scaled_are_found_again():
    found = observed(1.3, 250.0)
    fits = fits_of(shape(), found)
    for fit in (fits.lists, fits.manifests):
        assert (fit.fixed, fit.scale, fit.band) == pytest.approx((250, 1.3, 0), abs=1e-6)
    fitted = as_observed(shape(), found, fits, CASE).sizes
    for count in (1, 7, 60, 450):
        assert fitted.lists.by_count.at(count) == pytest.approx(250 + 1.3 * shape().sizes.lists.by_count.at(count))
        simulated = shape().sizes.data_manifests.by_count.at(count)
        assert fitted.data_manifests.by_count.at(count) == pytest.approx(250 + 1.3 * simulated)
    assert fitted.data_manifests.new == pytest.approx(250 + 1.3 * shape().sizes.data_manifests.new)
    assert fitted.json.created - shape().sizes.json.created == pytest.approx(700)


def test_all_that_manifests_take_more_is_scaled_too():
    more = {
        "compacted_more": 5.0,
        "sorted_more": 7.0,
        "together_more": 6.0,
        "per_new": 90.0,
        "first_more": 11.0,
        "further_more": 13.0,
    }
    given, found = shape(), observed(1.3)
    of_data, lists = replace(given.sizes.data_manifests, **more), replace(given.sizes.lists, sibling_saving=30.0)
    sizes = replace(given.sizes, data_manifests=of_data, lists=lists)
    fitted = as_observed(replace(given, sizes=sizes), found, fits_of(given, found), CASE).sizes
    assert {name: getattr(fitted.data_manifests, name) / 1.3 for name in more} == pytest.approx(more)
    assert fitted.lists.sibling_saving == pytest.approx(1.3 * 30)


def test_few_files_or_like_ones_are_fitted_by_their_ratio():
    for simulated in (np.array([1.0, 9.0, 4.0]), np.linspace(100.0, 149.0, 20)):
        fit = fit_files(simulated, 3 * simulated)
        assert (fit.fixed, fit.scale, fit.of(10.0)) == pytest.approx((0, 3, 30))
    assert fit_files(np.array([]), np.array([])) == Fit()
    steep = np.linspace(100.0, 151.0, 8)
    assert fit_files(steep, 40 + 2 * steep).fixed == pytest.approx(40)


def test_a_band_holds_nine_of_ten_files():
    expected = np.array([100.0] * 11)
    found = np.array([100.0] * 9 + [80.0, 50.0])
    assert band_of(expected, found) == pytest.approx(0.25)  # of 100 to 80, the last but one


def test_what_follows_no_commit_keeps_its_pace():
    found = observed(others=0.5, other_manifests=0.3, versions=1.2, held_share=0.4)
    rarely = found.every(3.0, with_statistics=False)
    assert rarely.made == pytest.approx(400 / 3)
    assert (rarely.others, rarely.other_manifests, rarely.held_share) == pytest.approx((1.5, 0.9, 1.0))
    assert rarely.versions == pytest.approx(1 + 0.2 * 3)
    assert found.every(2.0, with_statistics=True).versions == 2
    assert observed().every(2.0, with_statistics=False).versions is None
    assert found.every(1.0, with_statistics=False) == found


def test_others_write_lists_and_manifests_beside_the_writer():
    plain, beside = (
        sum_history(CASE, one, grown_of(CASE, one, History(case=CASE, shape=one).run()))
        for found in (observed(), observed(others=0.5, other_manifests=0.25))
        for one in [as_observed(shape(), found, fits_of(shape(), found), CASE)]
    )
    for kind, share in ((Kind.MANIFEST_LIST, 0.5), (Kind.DATA_MANIFEST, 0.25)):
        written = plain.totals.written_bytes[kind]
        assert beside.totals.written_bytes[kind] == pytest.approx((1 + share) * written, rel=1e-3)
    assert plain.band[Kind.METADATA_JSON] >= 0.02


def test_statistics_found_in_a_table_come_with_its_commits():
    def json_bytes(statistics: float) -> float:
        found = observed()
        found = replace(found, json=replace(found.json, statistics=statistics))
        fitted = as_observed(shape(), found, fits_of(shape(), found), CASE)
        summed = sum_history(CASE, fitted, grown_of(CASE, fitted, History(case=CASE, shape=fitted).run()))
        return summed.totals.written_bytes[Kind.METADATA_JSON]

    entries = CASE.commits * (CASE.commits + 1) / 2  # nothing expires
    assert json_bytes(300.0) - json_bytes(0.0) == pytest.approx(300 * entries, rel=1e-6)
