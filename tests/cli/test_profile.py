"""`wasim profile`: what is refused before anything runs."""

from pathlib import Path

import pytest
from support.paths import SCENARIOS
from typer.testing import CliRunner

from wasim import cli
from wasim.errors import WasimError

SMOKE = SCENARIOS / "smoke.yaml"

pytest.importorskip("pyspark")  # the verb asks for Spark before it looks at anything else


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["profile", "--writer", "flink"], "--writer is 'flink'. Give streaming or batch"),
        (["profile", "--engine", "trino"], "--engine is 'trino'"),
        (["profile", str(SMOKE)], "has the writers batch, streaming; a profile is of one"),
    ],
)
def test_what_cannot_be_measured_is_said_in_a_line(arguments: list[str], said: str) -> None:
    result = CliRunner().invoke(cli.app, arguments)
    assert isinstance(result.exception, WasimError)
    assert said in str(result.exception)


def test_profiling_a_table_with_files_elsewhere_is_refused(tmp_path: Path) -> None:
    scenario = tmp_path / "placed.yaml"
    text = SMOKE.read_text().replace("sweep:\n", "sweep:\n  table.properties.write.metadata.path: [log]\n")
    scenario.write_text(text.replace("writer: [streaming, batch]", "writer: [batch]"))
    result = CliRunner().invoke(cli.app, ["profile", str(scenario)])
    assert "table.properties.write.metadata.path puts files elsewhere" in str(result.exception)
