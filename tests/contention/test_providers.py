"""Latencies of stores and catalogs: as a file has them, by name, and what of a file makes no sense."""

from pathlib import Path

import numpy as np
import pytest
from pydantic import ValidationError

from wasim.contention import LOCAL, catalog_named, commit_slowing, load_providers, provider_named
from wasim.contention.providers import SHIPPED_PROVIDERS, WIDTHS, Latency, Slowing
from wasim.errors import ScenarioError, WasimError
from wasim.units import MIB

FIGURES = {"p50_ms": 10, "p99_ms": 30, "known": "derived", "source": "here", "as_of": "2026-01-01"}


def test_commits_slow_by_each_mebibyte_of_metadata_json():
    slowing = Slowing(base_ms=100, ms_per_mib=50, width=0.2)
    assert slowing.commit_s(np.array([0, 2 * MIB])).tolist() == [0.1, 0.2]
    sizes = np.array([0.0, 2.0, 4.0, 6.0]) * MIB
    assert [slowing.first_late(sizes, every_s) for every_s in (0.2, 0.09, 1.0)] == [2, 0, None]


def test_a_commit_as_long_as_its_interval_is_not_late():
    slowing = Slowing(base_ms=100, ms_per_mib=50, width=0.2)
    assert slowing.first_late(np.array([0.0, 0.0]), 0.1) is None
    assert slowing.first_late(np.array([0.0, 1.0]), 0.1) == 1


def test_commits_slow_by_engine_reading_and_writing_together():
    engine, local = load_providers().engine, load_providers().store(LOCAL)
    found = commit_slowing()
    assert found.base_ms == engine.p50_ms
    assert found.ms_per_mib == engine.ms_per_mib + local.get.ms_per_mib + local.put.ms_per_mib
    assert found.width == engine.width
    assert found.commit_s(np.array([2 * MIB]))[0] == pytest.approx((found.base_ms + 2 * found.ms_per_mib) / 1000)


def test_the_width_of_a_figure_is_that_of_its_origin():
    widths = [
        Latency.model_validate(FIGURES | {"known": known}).width for known in ("measured", "derived", "estimated")
    ]
    assert widths == [WIDTHS[known] for known in ("measured", "derived", "estimated")]
    assert widths == sorted(widths)


def test_a_99th_percentile_is_no_less_than_the_median():
    assert Latency.model_validate(FIGURES | {"p99_ms": 10}).p99_ms == 10
    with pytest.raises(ValidationError, match="not below p50_ms"):
        Latency.model_validate(FIGURES | {"p99_ms": 9.9})


def test_a_catalog_in_storage_swaps_as_its_store_does():
    providers = load_providers()
    for name, store in providers.stores.items():
        assert providers.store(name) is store
        assert providers.swap(name, "storage") == store.swap
        assert providers.swap(name, "jdbc") == providers.catalogs["jdbc"]
    with pytest.raises(WasimError, match=r"'glue2' is unknown\. Give .*storage\.$"):
        providers.swap("s3", "glue2")


def test_catalogs_are_of_the_file_that_the_provider_names(tmp_path: Path):
    path = tmp_path / "mine.yaml"
    path.write_text(SHIPPED_PROVIDERS.read_text().replace("  glue:\n", "  ours:\n", 1))
    assert catalog_named(None, "s3") is None
    assert [catalog_named("glue", "s3"), catalog_named("storage", None)] == ["glue", "storage"]
    assert catalog_named("ours", f"{path}#s3") == "ours"
    for name, provider in (("ours", "s3"), ("glue", f"{path}#s3")):
        with pytest.raises(WasimError, match=f"--catalog '{name}' is unknown"):
            catalog_named(name, provider)


@pytest.mark.parametrize(("provider", "renames"), [(None, True), ("azure", True), ("s3", False), ("gcs", False)])
def test_the_hadoop_catalog_needs_a_store_that_renames(provider: str | None, renames: bool):
    if renames:
        assert catalog_named("hadoop", provider) == "hadoop"
    else:
        with pytest.raises(WasimError, match=f"commits by renaming: {provider} cannot"):
            catalog_named("hadoop", provider)


def test_a_whole_commit_takes_what_was_published_of_it():
    providers = load_providers()
    s3 = providers.store("s3")
    requests_ms = 2 * s3.get.p50_ms + 3 * s3.put.p50_ms  # table and list; list, metadata.json and manifest
    of = {name: providers.catalogs[name].p50_ms + requests_ms for name in ("glue", "unity")}
    assert of["glue"] == pytest.approx(320, abs=1)
    assert of["unity"] + s3.put.p50_ms == pytest.approx(5170, abs=10)  # its figure has the data file's too


def test_own_files_are_named_before_their_store(tmp_path: Path):
    path = tmp_path / "mine.yaml"
    text = SHIPPED_PROVIDERS.read_text()
    path.write_text(text.replace("  s3:\n", "  mine:\n", 1))
    providers, name = provider_named(f"{path}#mine")
    assert name == "mine"
    assert providers.store("mine") == load_providers().store("s3")
    assert provider_named("s3")[0] is load_providers()
    for text in ("mine", f"{path}#s3"):
        with pytest.raises(WasimError, match="is unknown"):
            provider_named(text)
    (bad := tmp_path / "bad.yaml").write_text("version: 1\n")
    with pytest.raises(ScenarioError, match="engine"):
        provider_named(f"{bad}#mine")
