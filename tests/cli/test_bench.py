"""`wasim bench --dry-run`."""

import json

from support.paths import SCENARIOS
from typer.testing import CliRunner

from wasim.cli import app

DRY = ("bench", str(SCENARIOS / "smoke.yaml"), "--dry-run")


def printed(*options: str) -> str:
    result = CliRunner().invoke(app, [*DRY, *options])
    assert result.exit_code == 0, result.output
    return result.output


def test_a_dry_run_estimates_each_case_and_all_of_them() -> None:
    lines = printed("--only", "4s").splitlines()
    assert lines[1].split() == ["#", "case", "commits", "time", "memory", "disk"]
    assert [line.split()[:2] for line in lines[2:]] == [["1", "streaming"], ["2", "batch"], ["all", "6"]]


def test_its_json_has_seconds_and_bytes() -> None:
    document = json.loads(printed("--json"))
    assert document["wall_s"] > sum(case["wall_s"] for case in document["cases"])
    assert document["disk_bytes"] == sum(case["disk_bytes"] for case in document["cases"])
