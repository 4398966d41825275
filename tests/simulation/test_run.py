"""Scenarios simulated: into a run's folder as bench leaves one, judged by its limits, reported and compared."""

import io
import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console
from support.paths import SCENARIOS
from support.small import SMALL_SCENARIO
from typer.testing import CliRunner, Result

from wasim.cli import app
from wasim.errors import ExitCode, WasimError
from wasim.ledger import METADATA_KINDS, Kind
from wasim.report.pages.cells import headline_table
from wasim.runner import Outcome
from wasim.runs import Run, read_run
from wasim.scenario import load_scenario
from wasim.scenario.prices import prices_for
from wasim.simulation import Mode, SimulationOptions, simulate, simulated_cases
from wasim.twin import profile_named, render_profile

SMOKE = SCENARIOS / "smoke.yaml"
# how batches differ from a stream is in test_fast_and_exact_agree_within_two_hundredths
STREAMS = {"writer": "streaming"}
DAY = STREAMS | {"horizon": "1d"}


def simulated(options: SimulationOptions, overrides: dict[str, str] | None = None) -> Outcome:
    return simulate(load_scenario(SMOKE, overrides), options, Console(file=io.StringIO()))


def invoke(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture(scope="module")
def exact(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    return simulated(SimulationOptions(results=tmp_path_factory.mktemp("exact")), STREAMS)


@pytest.fixture(scope="module")
def summed(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    return simulated(SimulationOptions(results=tmp_path_factory.mktemp("summed")), DAY)


@pytest.mark.parametrize("saves", [True, False])
def test_prices_are_the_named_provider_s_own(tmp_path: Path, saves: bool) -> None:
    options = SimulationOptions(provider="gcs", results=tmp_path if saves else None)
    assert simulated(options, STREAMS | {"commit_interval": "6s"}).prices == prices_for("gcs")


def test_fast_and_exact_agree_within_two_hundredths() -> None:
    exact, fast = (
        [
            one.simulate()[0]
            for one in simulated_cases(load_scenario(SMOKE, {"horizon": "200s"}), SimulationOptions(mode=mode))
        ]
        for mode in (Mode.EXACT, Mode.FAST)
    )
    for one, other in zip(exact, fast, strict=True):
        assert one.commits == other.commits
        assert one.totals.files_written == other.totals.files_written
        for kind in METADATA_KINDS:
            assert other.totals.written_bytes[kind] == pytest.approx(one.totals.written_bytes[kind], rel=0.02)
            assert other.live_bytes[kind] == pytest.approx(one.live_bytes[kind], rel=0.15)


def test_a_short_run_in_sums_is_not_fitted() -> None:
    fast = simulated(SimulationOptions(mode=Mode.FAST), {"horizon": "20s"})
    assert all(len(one.ledger) == one.commits and one.is_sampled for one in fast.run.cases)
    assert fast.fit.costs == ()


def test_what_is_live_is_on_disk(exact: Outcome) -> None:
    for case in exact.run.cases:
        for kind in Kind:
            assert 0 <= case.live_bytes[kind] <= case.totals.on_disk_bytes[kind]


def test_long_horizons_are_fast_and_short_ones_exact(exact: Outcome, summed: Outcome) -> None:
    assert [case.simulation.mode for case in summed.run.cases if case.simulation] == ["fast"] * 2
    assert [case.simulation.mode for case in exact.run.cases if case.simulation] == ["exact"] * 2


@pytest.mark.parametrize("name", ["exact", "summed"])
def test_a_run_has_a_folder_as_bench_leaves_one(name: str, request: pytest.FixtureRequest) -> None:
    outcome: Outcome = request.getfixturevalue(name)
    folder = outcome.run.folder
    assert folder is not None
    names = {"run.json", "scenario.yaml", "provenance.json", "summary.json", "report.html", "charts", "cases"}
    assert names <= {path.name for path in folder.iterdir()}
    of_a_case = {"case.json", "ledger.parquet"}
    recorded = {"events.parquet", "reports.parquet", "steps.parquet"} if name == "exact" else set()
    for case in outcome.run.cases:
        assert {path.name for path in (folder / "cases" / case.key).iterdir()} == of_a_case | recorded
    assert [case.totals for case in read_run(folder).cases] == [case.totals for case in outcome.run.cases]
    assert outcome.exit_code == ExitCode.DONE


@pytest.mark.parametrize("name", [pytest.param("exact", marks=pytest.mark.slow), "summed"])
def test_a_simulated_run_is_reported_and_compared(name: str, request: pytest.FixtureRequest) -> None:
    outcome: Outcome = request.getfixturevalue(name)
    reported = invoke("report", outcome.run.folder, "--json")
    assert reported.exit_code == 0
    assert json.loads(reported.stdout) == outcome.document
    compared = invoke("compare", outcome.run.folder, outcome.run.folder)
    assert compared.exit_code == 0
    assert "×1" in compared.stdout


def test_a_saved_run_keeps_the_horizon_of_its_command(summed: Outcome) -> None:
    assert summed.document["overrides"] == DAY
    assert [case["horizon_s"] for case in summed.document["cases"]] == [86_400.0] * 2


def one_case(folder: Path, lines: str = "") -> Path:
    """A scenario of one case, with lines more."""
    path = folder / "small.yaml"
    path.write_text(SMALL_SCENARIO + lines)
    return path


def test_only_the_table_leaves_nothing_behind(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = invoke(
        "simulate", one_case(tmp_path_factory.mktemp("small")), "--table-only", "--location", "s3://bucket/db/events"
    )
    assert result.exit_code == 0
    assert "batch" in result.stdout
    assert "Simulated for tables at s3://bucket/db/events." in " ".join(result.stdout.split())
    assert "Report:" not in result.stdout
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("how", ["--table-only", pytest.param("--out=results", marks=pytest.mark.slow)])
def test_a_breached_limit_exits_with_1_and_says_which(
    how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    limits = 'limits: {wa_metadata: "< 0.0001", snapshots: "< 100", commit_p95_ms: "< 1 ms"}\n'
    result = invoke("simulate", one_case(tmp_path, limits), how)
    assert result.exit_code == ExitCode.FINDINGS
    assert "limit wa_metadata < 0.0001 is breached" in result.stdout
    assert "limit snapshots < 100 holds" in result.stdout
    assert "limit commit_p95_ms < 1 ms is not judged: a simulation measures no time" in " ".join(result.stdout.split())


def test_what_decides_the_bytes_decides_the_key(tmp_path: Path) -> None:
    (tmp_path / "mine.json").write_text(render_profile(replace(profile_named("spark_streaming"), pace_s=1.0)))
    flavours: list[tuple[SimulationOptions, dict[str, str]]] = [
        (SimulationOptions(), {}),
        (SimulationOptions(mode=Mode.FAST), {}),
        (SimulationOptions(location="s3://bucket/db/events"), {}),
        (SimulationOptions(), {"writer.profile": "spark_streaming_1_10"}),
        (SimulationOptions(), {"writer.profile": str(tmp_path / "mine.json")}),
    ]
    keys = [simulated_cases(load_scenario(SMOKE, overrides), options)[0].key for options, overrides in flavours]
    assert len(set(keys)) == len(keys)


def test_the_document_names_the_tables_location_and_its_writer(tmp_path: Path) -> None:
    where = ("--location", "s3://bucket/db/events", "--profile", "spark_batch", "--json", "--table-only")
    document = json.loads(invoke("simulate", one_case(tmp_path), *where).stdout)
    (simulation,) = {json.dumps(case["simulation"]) for case in document["cases"]}
    assert json.loads(simulation) == {
        "mode": "exact",
        "profile": {"name": "spark_batch", "origin": "measured", "iceberg": "1.12"},
    }
    assert {case["location"] for case in document["cases"]} == {"s3://bucket/db/events"}


def test_a_run_cut_off_goes_on_after_its_last_case(exact: Outcome, tmp_path: Path) -> None:
    assert exact.run.folder is not None
    shutil.copytree(exact.run.folder.parent, tmp_path / exact.run.folder.parent.name, symlinks=True)
    first = replace(exact.run, folder=tmp_path / exact.run.folder.relative_to(exact.run.folder.parents[1]))
    assert first.folder is not None
    (first.folder / "summary.json").unlink()
    kept, lost = first.cases[0].key, first.cases[1].key
    (first.folder / "cases" / lost / "case.json").unlink()
    (first.folder / "cases" / lost).rename(first.folder / "cases" / f".unfinished-{lost}")
    before = (first.folder / "cases" / kept / "case.json").stat().st_mtime_ns
    again = simulated(SimulationOptions(results=tmp_path), STREAMS).run
    assert again.folder == first.folder
    assert (first.folder / "cases" / kept / "case.json").stat().st_mtime_ns == before
    assert [case.totals for case in again.cases] == [case.totals for case in first.cases]


def test_a_refused_case_is_refused_before_anything_is_simulated(tmp_path: Path) -> None:
    scenario = load_scenario(SCENARIOS / "flink_upsert.yaml", {"writer.profile": "core"})
    options = SimulationOptions(results=tmp_path, mode=Mode.FAST)
    with pytest.raises(WasimError, match="is not what the profile core does"):
        simulate(scenario, options, Console(file=io.StringIO()))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "wrong", [("--mode", "exactly"), ("--mode", "fast", "--emit", "trees"), ("--location", " "), ("--horizon", "soon")]
)
def test_an_option_that_cannot_be_is_refused(wrong: tuple[str, ...]) -> None:
    result = invoke("simulate", SMOKE, *wrong)
    assert isinstance(result.exception, WasimError)
    assert wrong[0].removeprefix("--") in str(result.exception)


def test_a_horizon_is_cut_to_whole_commits() -> None:
    cases = [
        one.simulate()[0] for one in simulated_cases(load_scenario(SMOKE, {"horizon": "15s"}), SimulationOptions())
    ]
    assert [(case.commits, case.amplification.horizon_s) for case in cases] == [(15, 15), (15, 15), (3, 12), (3, 12)]


def test_simulate_prints_the_document_that_bench_prints_and_emits_trees(tmp_path: Path) -> None:
    result = invoke("simulate", SMOKE, "--json", "--emit", tmp_path / "trees", "--table-only")
    document = json.loads(result.stdout)
    assert [case["engine"] for case in document["cases"]] == ["sim"] * 4
    assert [case["commits"] for case in document["cases"]] == [12, 12, 3, 3]
    times = document["cases"][0]["commit_ms"]
    assert 50 < times["median"] < times["p95"] < times["p99"] < 200
    assert times["modelled"]["provider"] == "local"
    assert f"Emitted: {tmp_path / 'trees'}, a folder a case" in result.stderr
    trees = sorted(path.name for path in (tmp_path / "trees").iterdir())
    assert trees == ["batch_every_1s", "batch_every_4s", "streaming_every_1s", "streaming_every_4s"]
    assert list((tmp_path / "trees" / "batch_every_4s" / "metadata").glob("00003-*.metadata.json"))


def test_emitting_a_year_is_refused_unless_exact_mode_is_named(tmp_path: Path) -> None:
    with pytest.raises(WasimError, match=r"--emit writes every file, which takes about \d+y.*on disk.*--mode exact"):
        simulated(SimulationOptions(emit=tmp_path / "trees"), {"horizon": "365d"})
    named = simulated_cases(load_scenario(SMOKE), SimulationOptions(emit=tmp_path / "trees", mode=Mode.EXACT))
    assert [one.mode for one in named] == [Mode.EXACT] * 4
    assert not (tmp_path / "trees").exists()


def test_delete_after_commit_leaves_less_on_disk(tmp_path: Path) -> None:
    scenario = tmp_path / "dropping.yaml"
    dropping = """
sweep:
  table.properties:
    - {write.metadata.previous-versions-max: "5", write.metadata.delete-after-commit.enabled: "false"}
    - {write.metadata.previous-versions-max: "5", write.metadata.delete-after-commit.enabled: "true"}
"""
    text = SMOKE.read_text()
    start, end = text.index("sweep:"), text.index("environment:")
    scenario.write_text(f"{text[:start]}commit_interval: 1s\nwriter: batch\n{dropping}{text[end:]}")
    keeps, drops = simulate(load_scenario(scenario), SimulationOptions(), Console(file=io.StringIO())).run.cases
    assert drops.totals.on_disk_bytes[Kind.METADATA_JSON] < 0.7 * keeps.totals.on_disk_bytes[Kind.METADATA_JSON]
    table = headline_table(
        Run(folder=None, scenario="s", question="?", provenance={}, cases=(keeps, drops), failures={})
    )
    column = table.head.index("metadata on disk")
    assert table.rows[0][column] != table.rows[1][column]
