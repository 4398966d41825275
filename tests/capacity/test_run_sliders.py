"""The sliders in a run's report: which intervals they reach, and which runs have none."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from support.by_hand import ByLaw, some_figures

from wasim.capacity import Figures, Setting, run_sliders
from wasim.capacity.lattice import PASSES
from wasim.capacity.milestones import Milestones
from wasim.capacity.run_sliders import MOST_INTERVALS, Sliders, _intervals, sliders_of_run
from wasim.capacity.settings import setting_of
from wasim.scenario import Case, load_scenario
from wasim.units import DAY_S, HOUR_S

SCENARIO = """\
name: swept
question: Which interval?
table: {columns: [{name: label, type: string, values: 1000}, {name: value, type: double}]}
workload: {rows_per_second: 100, files_per_commit: 4}
writer: streaming
horizon: 1d
sweep: {commit_interval: [30s, 2m]}
limits: {manifests: "<= 700", monthly_cost: "<= 5"}
"""


def options(*intervals_s: float) -> SimpleNamespace:
    return SimpleNamespace(options=[SimpleNamespace(interval_s=one) for one in intervals_s])


@pytest.mark.parametrize(
    ("swept_s", "own_s", "found"),
    [
        ((), 60.0, [30, 60, 120, 300]),  # the next steps, by their ratio
        ((60.0,), 7.0, [5, 7, 10, 60]),
        ((1.0, 60.0, 120.0, 300.0), 60.0, [1, 60, 120, 300]),
        ((1.0, 2.0, 60.0, 120.0, 300.0), 60.0, [1, 2, 60, 300]),  # those that lie closest are left out
        ((), 0.2, [0.2, 0.5, 1, 5]),
        ((), 7 * DAY_S, [HOUR_S, 6 * HOUR_S, DAY_S, 7 * DAY_S]),
    ],
)
def test_intervals_of_a_run_and_steps_nearby_are_reached(swept_s, own_s: float, found: list[float]):
    assert _intervals(options(*swept_s), own_s) == found
    assert len(found) == MOST_INTERVALS


@pytest.fixture
def sliders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Sliders | None]:
    """The sliders of a run of a scenario whose second case is suggested, simulated by a law."""
    days = Milestones(json_passes=dict.fromkeys(PASSES.values()), metadata_outweighs=None)
    made: list[ByLaw] = []

    def law(setting: Setting, rate: float) -> Figures:
        return some_figures(setting, milestones=days)

    def simulator(request: object) -> ByLaw:
        made.append(ByLaw(request=request, law=law))  # type: ignore[arg-type]
        return made[-1]

    monkeypatch.setattr(run_sliders, "SettingSimulator", simulator)

    def of(text: str = SCENARIO, *, suggested: bool = True, **overrides: str) -> Sliders | None:
        (tmp_path / "scenario.yaml").write_text(text)
        case = load_scenario(tmp_path / "scenario.yaml", overrides).cases()[-1]
        option = SimpleNamespace(run=SimpleNamespace(case=case, site=None), interval_s=case.commit_interval_s)
        answer = SimpleNamespace(suggested=(options(30.0, 120.0), option) if suggested else None)
        made.clear()
        monkeypatch.setattr(run_sliders, "site_of", lambda run: SimpleNamespace(location="s3://mine/t"))
        found = sliders_of_run(SimpleNamespace(overrides=overrides), answer, tmp_path)  # type: ignore[arg-type]
        assert (found is None) == (not made)
        if made:
            assert made[0].request.location == "s3://mine/t"
        return found

    return of


def test_a_run_of_appends_has_sliders_from_its_own_setting(sliders):
    found = sliders()
    assert "As it was run" in found.body
    assert "explorer" in found.style
    assert '<output for="slide-interval">2m</output>' in found.body
    assert '<output for="slide-horizon">30d</output>' in found.body
    for timed in ("load_p50_ms", "planning_p50_ms", "monthly_cost"):  # the report has those that were measured
        assert f'data-metric="{timed}"' not in found.body
    assert '"field":"manifests"' in found.body
    assert '"field":"monthly_cost"' not in found.body
    assert '"horizon":{"names":["1d","30d","365d"]' in found.body


def test_what_a_setting_cannot_say_has_no_sliders(sliders):
    assert sliders(suggested=False) is None
    assert sliders(maintenance="{rewrite_data_files: {when_small_files: 50}}") is None
    assert sliders(maintenance="{rewrite_manifests: {every: 1h}}") is not None
    assert sliders(writer="{kind: batch, writers: 2}") is None
    assert sliders(changes="{delete: {every: 1h, rows: 5, mode: copy-on-write}}") is None
    assert sliders(SCENARIO.replace("commit_interval: [30s, 2m]", "commit_interval: [30s, 500ms]"), writer="batch")
    seldom = {"maintenance": "{rewrite_manifests: {every: 1h}}", "writer": "batch", "commit_interval": "500ms"}
    assert sliders(SCENARIO.replace("sweep: {commit_interval: [30s, 2m]}\n", ""), **seldom) is None  # merges take long


def case_of(tmp_path: Path, **overrides: str) -> Case:
    (tmp_path / "scenario.yaml").write_text(SCENARIO)
    return load_scenario(tmp_path / "scenario.yaml", overrides).cases()[0]


def test_a_case_s_setting_is_its_maintenance(tmp_path: Path):
    assert setting_of(case_of(tmp_path)) == Setting(interval_s=30.0, deletes_json=False)
    jobs = "expire_snapshots: {every: 1h, older_than: 2d}, rewrite_manifests: {every: 3h}"
    jobs = f"{{{jobs}, rewrite_data_files: {{every: 1d}}}}"
    properties = '{write.metadata.delete-after-commit.enabled: "true", write.metadata.compression-codec: gzip}'
    found = setting_of(case_of(tmp_path, **{"maintenance": jobs, "table.properties": properties}))
    kept = found.maintenance
    assert (kept.expire_every_s, kept.older_than_s, kept.rewrite_every_s) == (HOUR_S, 2 * DAY_S, 3 * HOUR_S)
    assert kept.compact_every_s == DAY_S
    assert found.deletes_json
    assert found.gzips_json
    assert replace(found, maintenance=replace(kept, rewrite_every_s=None)).words.startswith("30s, expire hourly")
