"""A missing extra is one line that says how to install it."""

import pytest
from support.paths import ROOT, SCENARIOS
from typer.testing import CliRunner

from wasim.cli import app, options
from wasim.errors import EnvironmentFault, ExitCode


@pytest.mark.parametrize(
    ("package", "verb", "line"),
    [
        ("pyspark", ["bench", str(SCENARIOS / "smoke.yaml")], 'bench needs Spark: pip install "wasim[bench]"'),
        (
            "pyspark",
            ["simulate", str(SCENARIOS / "smoke.yaml"), "--grid", "x", "--master", "local[2]"],
            'simulate --master needs Spark: pip install "wasim[spark]"',
        ),
        (
            "pyspark",
            ["plan", "--fleet", str(ROOT / "docs" / "fleet.yaml"), "--master", "local[2]"],
            'plan --master needs Spark: pip install "wasim[spark]"',
        ),
        ("pandas", ["profile"], 'profile needs pandas: pip install "wasim[bench]"'),
    ],
)
def test_a_missing_extra_is_named_with_its_command(
    package: str, verb: list[str], line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(options, "find_spec", lambda name: None if name == package else object())
    fault = CliRunner().invoke(app, verb).exception
    assert isinstance(fault, EnvironmentFault)
    assert (str(fault), fault.exit_code) == (line, ExitCode.USER_MISTAKE)
