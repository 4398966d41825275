"""Profiles measured from tables."""

from dataclasses import replace

import numpy as np
import pytest
from support.recordings import RECORDINGS, recorded_case
from support.synthetic import synthetic_case

from wasim.errors import SavedFileError
from wasim.twin import measure_profile, read_profile, render_profile, shipped_profile, with_samples
from wasim.twin.measure import noise_bytes


@pytest.mark.parametrize(("name", "shipped"), [("merging_v3", "spark_batch"), ("streaming_v2", "spark_streaming")])
def test_a_measured_profile_is_the_shipped_one_but_for_samples(name, shipped):
    case = recorded_case(name)
    measured = measure_profile(RECORDINGS / name / "table", case, name=shipped)
    expected = shipped_profile(case)
    assert replace(measured, columns=(), footer=expected.footer, pace_s=expected.pace_s) == replace(
        expected, columns=(), together=(), sources={}, title="", versions="", trigger=measured.trigger
    )
    assert list(measured.summary) == list(expected.summary)
    assert set(with_samples(expected, measured).columns) == {*expected.columns, *measured.columns}


def test_a_profile_survives_its_file(tmp_path):
    profile = shipped_profile(synthetic_case())
    path = tmp_path / "profile.json"
    path.write_text(render_profile(profile))
    assert read_profile(path) == profile
    path.write_text(render_profile(profile).replace('"schema_version": 1', '"schema_version": 9'))
    with pytest.raises(SavedFileError, match="schema_version is 9"):
        read_profile(path)


def test_noise_is_distinguished_from_drift_and_from_jumps():
    rng = np.random.default_rng(0)
    noisy = [round(1000 + 8 * step) for step in rng.standard_normal(400).tolist()]
    assert noise_bytes(noisy) == pytest.approx(8, rel=0.6)
    assert noise_bytes([1000] * 6 + [1080] * 9) == 0
    assert noise_bytes([1000, 1001, 1000, 1000, 1001, 1002, 1001, 1050, 1051, 1050, 1051, 1050]) < 1
    assert noise_bytes([1000]) == 0
