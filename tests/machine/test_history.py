"""Histories in plain Python and compiled; where each event of a table comes from."""

from dataclasses import replace

import numpy as np
import pytest
from support.paths import SCENARIOS

from wasim.machine.columns import REMOVED_FILES, WASTED_MANIFESTS, WRITTEN_FILES
from wasim.machine.compiled import CACHE, _cache_folder, compiled_run
from wasim.machine.history import History
from wasim.scenario import Case, load_scenario
from wasim.twin import Site, shipped_profile
from wasim.years import history_of, read_shape
from wasim.years.laws import jobs_of, laws_of

CASES = [
    ("commit_interval", 1),
    ("compaction", 2),
    ("expire_and_rewrite", 2),
    ("cow_vs_mor", 0),
    ("cow_vs_mor", 6),
    ("flink_upsert", 1),
]


def case_of(name: str, number: int, commits: int) -> Case:
    case = load_scenario(SCENARIOS / f"{name}.yaml").cases()[number]
    return replace(case, horizon_s=commits * case.commit_interval_s)


@pytest.mark.slow  # a minute or more, once for each state of the source: numba compiles all of it
@pytest.mark.parametrize(("name", "number"), CASES)
def test_compiled_code_comes_to_what_plain_python_comes_to(name, number):
    assert compiled_run() is not None, "numba is among the development packages"
    case = case_of(name, number, 3_000)
    shape = read_shape(case, shipped_profile(case), Site())
    plain, compiled = (history_of(case, shape, is_compiled=is_compiled) for is_compiled in (False, True))
    np.testing.assert_allclose(compiled.flows, plain.flows, rtol=1e-9)
    np.testing.assert_array_equal(compiled.data_manifests, plain.data_manifests)


def test_the_peak_between_two_samples_is_the_most_that_there_was():
    case = case_of("smoke", 1, 2_000)
    samples = history_of(case, read_shape(case, shipped_profile(case), Site()))
    assert samples.most_manifests[-20:].max() > 1.5 * samples.data_manifests[-1]  # just before a merge
    listed = samples.manifest_commits.sum() / case.commits
    assert samples.data_manifests[-1] < listed + 50 < samples.most_manifests.max() + 50


def test_two_seeds_differ_where_chance_decides_and_nowhere_else():
    chance, none = case_of("cow_vs_mor", 0, 600), case_of("compaction", 1, 600)
    for case, differs in ((chance, True), (none, False)):
        shape = read_shape(case, shipped_profile(case), Site())
        first, second = (history_of(case, shape, seed=seed).flows[-1, :WASTED_MANIFESTS] for seed in (1, 2))
        assert bool((first != second).any()) == differs
        np.testing.assert_allclose(first, second, rtol=0.05, atol=30)


def test_files_written_and_not_removed_are_never_less_than_none():
    case = case_of("cow_vs_mor", 2, 2_000)
    flows = history_of(case, read_shape(case, shipped_profile(case), Site())).flows
    assert (flows[:, WRITTEN_FILES : WRITTEN_FILES + 4] >= flows[:, REMOVED_FILES : REMOVED_FILES + 4] - 1e-6).all()


def test_a_folder_that_cannot_be_written_to_holds_no_compiled_code(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(CACHE, str(tmp_path / "file" / "below"))
    assert _cache_folder.__wrapped__() is None
    monkeypatch.setenv(CACHE, str(tmp_path / "cache"))
    assert _cache_folder.__wrapped__().is_dir()


@pytest.mark.slow
def test_compiled_code_is_kept_for_one_kind_of_numbers():
    run = compiled_run()
    if run is None:
        pytest.skip("numba is not installed")
    case = case_of("compaction", 1, 200)
    shape = read_shape(case, shipped_profile(case), Site())
    history = History(laws=laws_of(case, shape), jobs=jobs_of(case, shape.arrivals), places=[200.0], is_compiled=True)
    history.until(100.0, 5)
    history.until(200.0)
    stats = run.stats  # type: ignore[attr-defined]
    assert len({*stats.cache_hits, *stats.cache_misses}) <= 1
