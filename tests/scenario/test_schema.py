"""The schema, the page and the verbs say what the language is."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest
from support.paths import ROOT
from support.scenarios import loaded
from typer.testing import CliRunner

from wasim.cli import app, main
from wasim.errors import ExitCode
from wasim.scenario.examine import part_in
from wasim.scenario.metrics import METRICS
from wasim.scenario.parts import Columns, PartitionField
from wasim.scenario.scenario import Scenario
from wasim.scenario.schema import json_schema
from wasim.scenario.values import Part
from wasim.units import DURATION_WANTED

PAGE = (ROOT / "docs" / "scenarios.md").read_text()


def fields(part: type[Part], before: str = "", seen: set[type[Part]] | None = None) -> Iterator[tuple[str, str]]:
    """Every field of the language, dotted, with its description; those of a part where it first stands."""
    seen = set() if seen is None else seen
    seen.add(part)
    for name, field in part.model_fields.items():
        yield before + name, field.description or ""
        inner = part_in(field.annotation)
        if inner and inner not in seen:
            yield from fields(inner, f"{before}{name}.", seen)


FIELDS = dict(fields(Scenario))


def test_the_shipped_schema_is_what_the_verb_prints() -> None:
    printed = CliRunner().invoke(app, ["schema"])
    assert printed.exit_code == ExitCode.DONE
    assert printed.stdout == (ROOT / "scenarios" / "schema.json").read_text()


@pytest.mark.parametrize("field", FIELDS)
def test_every_field_says_what_it_is(field: str) -> None:
    assert FIELDS[field].endswith(".")


@pytest.mark.parametrize("field", FIELDS)
def test_the_page_has_a_row_for_every_field(field: str) -> None:
    part, _, name = field.rpartition(".")
    section = PAGE.split(f"\n## {part.split('.')[-1] or 'scenario'}\n")[1].split("\n## ")[0]
    assert re.search(rf"^\| `{name}` \|", section, re.MULTILINE), f"{field} has no row in docs/scenarios.md"


@pytest.mark.parametrize("metric", METRICS)
def test_the_page_has_a_row_for_every_metric(metric: str) -> None:
    assert f"| `{metric}` |" in PAGE


def test_the_scenario_on_the_page_loads(tmp_path: Path) -> None:
    blocks = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    assert loaded(tmp_path, blocks[0]).cases()


def test_the_schema_knows_no_null_and_no_pydantic_words() -> None:
    text = json.dumps(json_schema())
    assert '"null"' not in text
    assert not re.search(r'"(ge|gt|le|lt|title)": (\d|\{)', text)


def test_the_schema_resolves_all_its_references() -> None:
    schema = json_schema()
    names = set(re.findall(r'"#/\$defs/(\w+)"', json.dumps(schema)))
    assert names <= set(schema["$defs"])


@pytest.mark.parametrize(
    "field", ["commit_interval", "writer", "writer.append", "table.format_version", "workload.files_per_commit", "seed"]
)
def test_the_schema_sweeps_fields_by_their_dotted_names(field: str) -> None:
    assert json_schema()["properties"]["sweep"]["properties"][field]["type"] == "array"


@pytest.mark.parametrize(
    "field",
    [
        "table.properties.commit.manifest.min-count-to-merge",
        "table.columns.payload.count",
        "table.columns.a.fields.b.length",
        "table.partition_by.event_time.transform",
        "environment.spark.spark.ui.port",
    ],
)
def test_the_schema_sweeps_named_elements_and_properties(field: str) -> None:
    patterns = json_schema()["properties"]["sweep"]["patternProperties"]
    assert sum(bool(re.search(pattern, field)) for pattern in patterns) == 1


def test_the_schema_lets_an_editor_see_every_field() -> None:
    schema = json_schema()
    assert set(schema["properties"]) == {*Scenario.model_fields, "sweep"}
    for part in (Columns, PartitionField):
        assert set(schema["$defs"][part.__name__]["properties"]) == set(part.model_fields)


def test_validate_prints_one_line_for_a_sound_scenario(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    result = CliRunner().invoke(app, ["validate", "scenarios/smoke.yaml"])
    assert result.exit_code == ExitCode.DONE
    assert result.stdout == "scenarios/smoke.yaml: smoke, 4 cases, 30 commits\n"


def test_validate_lists_the_cases_when_asked() -> None:
    result = CliRunner().invoke(app, ["validate", "--cases", str(ROOT / "scenarios" / "smoke.yaml")])
    assert "streaming every 4s" in result.stdout


def test_validate_prints_all_faults_and_exits_2(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = tmp_path / "broken.yaml"
    broken.write_text((ROOT / "scenarios" / "smoke.yaml").read_text().replace("12s", "soon").replace("[1s", "[-1s"))
    monkeypatch.setattr("sys.argv", ["wasim", "validate", str(broken), str(tmp_path / "none.yaml")])
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == ExitCode.USER_MISTAKE
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err == (
        f'{broken}:16:10: horizon is "soon". Give {DURATION_WANTED}.\n'
        f'{broken}:19:21: sweep.commit_interval[0] is "-1s". Give {DURATION_WANTED}.\n'
        f"{tmp_path / 'none.yaml'}: no such file. Give the path of a scenario, such as scenarios/smoke.yaml.\n"
    )


def test_literals_of_the_language_are_on_the_page() -> None:
    for part in (
        Scenario,
        *(found for field in Scenario.model_fields.values() if (found := part_in(field.annotation))),
    ):
        for field in part.model_fields.values():
            words = [word for word in get_args(field.annotation) if isinstance(word, str)]
            assert all(f"`{word}`" in PAGE for word in words)
