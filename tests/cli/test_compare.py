"""`wasim compare` on the saved sample: gates by metric, what is missing, Markdown for a pull request."""

import json
import shutil
from pathlib import Path

import pytest
from support.paths import SCENARIOS, sample_run
from typer.testing import CliRunner

from wasim import cli
from wasim.errors import WasimError


def ran(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(cli.app, ["compare", *arguments])
    return result.exit_code, result.stdout


@pytest.fixture(scope="module")
def slower(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample again, on a machine where planning took three times as long: as many bytes."""
    run = tmp_path_factory.mktemp("slower") / sample_run().name
    shutil.copytree(sample_run(), run)
    for path in run.glob("cases/*/case.json"):
        document = json.loads(path.read_text())
        for probe in document["probes"]:
            probe["planning_ms"] = [3 * spent for spent in probe["planning_ms"]]
        path.write_text(json.dumps(document))
    return run


@pytest.fixture(scope="module")
def half(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample without the cases of one writer."""
    run = tmp_path_factory.mktemp("half") / sample_run().name
    shutil.copytree(sample_run(), run)
    for path in run.glob("cases/*/case.json"):
        if json.loads(path.read_text())["case"]["writer"]["kind"] == "batch":
            shutil.rmtree(path.parent)
    return run


def test_a_bare_ratio_gates_bytes_alone(slower: Path) -> None:
    code, text = ran(str(sample_run()), str(slower), "--json", "--fail-above", "1.01")
    assert code == 0
    verdict = json.loads(text)["verdict"]
    assert (verdict["passed"], verdict["checked"], verdict["above"]) == (True, 4 * 4, [])


def test_a_named_metric_is_gated_by_its_own_ratio(slower: Path) -> None:
    code, text = ran(str(sample_run()), str(slower), "--json", "--fail-above", "metadata=1.01,planning=1.5")
    assert code == 1
    verdict = json.loads(text)["verdict"]
    assert not verdict["passed"]
    assert {(one["metric"], one["allowed"]) for one in verdict["above"]} == {("planning_p50_ms", 1.5)}


def test_without_a_gate_there_is_no_verdict() -> None:
    assert json.loads(ran(str(sample_run()), str(sample_run()), "--json")[1])["verdict"] is None


def test_a_missing_case_fails_only_where_asked(half: Path) -> None:
    assert ran(str(sample_run()), str(half), "--fail-above", "5")[0] == 0
    code, text = ran(str(sample_run()), str(half), "--fail-on-missing", "--json")
    assert code == 1
    assert len(json.loads(text)["verdict"]["missing"]) == 2
    assert ran(str(half), str(sample_run()), "--fail-on-missing")[0] == 0


def test_markdown_leads_with_the_verdict(slower: Path) -> None:
    code, text = ran(
        str(sample_run()), str(slower), "--format", "markdown", "--fail-above", "bytes=1.1,planning_p50_ms=1.5"
    )
    assert code == 1
    lines = text.splitlines()
    assert lines[0] == "### ✗ Metadata written ×1 over 4 cases"
    assert lines[2].startswith("- ✗ 4 of 20 figures are above bytes ×1.1, planning_p50_ms ×1.5")
    assert len([line for line in lines if line.startswith(("| streaming", "| batch"))]) == 4


@pytest.mark.parametrize("ratio", ["0", "-1", "nan", "", "metadata", "metadata=", "metadata=0", "1.1,,2", "1.1.1"])
def test_a_ratio_that_is_none_is_refused(ratio: str) -> None:
    result = CliRunner().invoke(cli.app, ["compare", str(sample_run()), str(sample_run()), "--fail-above", ratio])
    assert "Give a ratio above zero" in str(result.exception)


def test_an_unknown_metric_is_refused_with_those_known() -> None:
    result = CliRunner().invoke(cli.app, ["compare", str(sample_run()), str(sample_run()), "--fail-above", "metadat=2"])
    assert "'metadat', which is no metric" in str(result.exception)
    assert "metadata_json_bytes" in str(result.exception)


def test_a_run_of_another_horizon_is_refused_with_what_differs(tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.copytree(sample_run(), other)
    for path in other.glob("cases/*/case.json"):
        document = json.loads(path.read_text())
        document["case"]["horizon_s"] = 12.5
        path.write_text(json.dumps(document))
    result = CliRunner().invoke(cli.app, ["compare", str(sample_run()), str(other)])
    assert "differs in horizon (12s, 12.5s)" in str(result.exception)


@pytest.mark.parametrize(
    ("flag", "text", "said"),
    [
        ("--horizon", "soon", "--horizon is 'soon'"),
        ("--horizon", "100y", "and 3650d at most"),
        ("--provider", "floppy", "--provider 'floppy' is unknown"),
        ("--prices", "none.yaml", "none.yaml"),
        ("--link", "https://ci/1", "--link is of Markdown"),
    ],
)
def test_a_wrong_flag_is_no_difference_that_is_missing(flag: str, text: str, said: str) -> None:
    smoke = str(SCENARIOS / "smoke.yaml")
    wrong = CliRunner().invoke(cli.app, ["diff", smoke, smoke, flag, text]).exception
    assert isinstance(wrong, WasimError)
    assert said in str(wrong)


def test_flags_of_a_workload_that_change_nothing_are_named() -> None:
    smoke = str(SCENARIOS / "smoke.yaml")
    result = CliRunner().invoke(cli.app, ["diff", smoke, smoke, "--horizon", "1m", "--rows-per-second", "5"])
    assert result.stderr == "note: --rows-per-second changed nothing: no settings were tried on a workload.\n"


def test_a_sink_is_kafka_connects_unless_a_flag_says_otherwise(tmp_path: Path) -> None:
    sides = [tmp_path / "before.json", tmp_path / "after.json"]
    for side, interval_ms in zip(sides, (300_000, 600_000), strict=True):
        side.write_text(json.dumps({"iceberg.control.commit.interval-ms": str(interval_ms)}))
    manifests = []
    for flags in ((), ("--writer", "kafka_connect"), ("--writer", "streaming")):
        arguments = ["diff", *map(str, sides), "--horizon", "2d", "--json", *flags]
        (difference,) = json.loads(CliRunner().invoke(cli.app, arguments).stdout)["differences"]
        manifests.append({one["metric"]: one["after"] for one in difference["figures"]}["manifests"])
    assert manifests == [99, 99, 288]


def test_a_flag_says_how_many_tables_sooner_than_a_file(tmp_path: Path) -> None:
    sides = [tmp_path / "before.json", tmp_path / "after.json"]
    for side, interval_ms in zip(sides, (300_000, 600_000), strict=True):
        sink = {"iceberg.control.commit.interval-ms": str(interval_ms), "iceberg.tables": "a.b,c.d,e.f"}
        side.write_text(json.dumps(sink))
    counted = []
    for flags in ((), ("--writer", "kafka_connect"), ("--tables", "2")):
        arguments = ["diff", *map(str, sides), "--horizon", "1d", "--json", *flags]
        (difference,) = json.loads(CliRunner().invoke(cli.app, arguments).stdout)["differences"]
        counted.append(difference["tables"]["after"])
    assert counted == [3, 3, 2]
