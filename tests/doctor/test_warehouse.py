"""Many tables at once: what a row says is what inspecting the table says; findings are accepted by reason and date."""

import json
import shutil
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from support.trees import emit_tree
from typer.testing import CliRunner

from wasim.cli import app
from wasim.doctor import InspectOptions, inspect_location
from wasim.doctor.catalogs import NamedTable
from wasim.doctor.configuration import load_configuration
from wasim.doctor.findings import KNOWN
from wasim.doctor.table_files import FaultKind
from wasim.doctor.warehouse import find_tables
from wasim.errors import WasimError
from wasim.storage import S3Options, StorageError


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two tables, one of them larger, and one whose only metadata.json is broken."""
    root = tmp_path_factory.mktemp("warehouse")
    emit_tree(root / "web" / "small", horizon_s=8.0)
    emit_tree(root / "web" / "large", horizon_s=40.0)
    shutil.copytree(root / "web" / "small", root / "app" / "broken")
    for path in (root / "app" / "broken" / "metadata").glob("*.metadata.json"):
        path.write_text("{")
    (root / "notes").mkdir()
    return root


def printed(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["inspect", *arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.stdout


def test_tables_are_found_at_any_depth(warehouse: Path) -> None:
    found = find_tables(str(warehouse), S3Options())
    assert [Path(one).name for one in found] == ["broken", "large", "small"]
    assert find_tables(str(warehouse / "web" / "small"), S3Options()) == ()
    assert find_tables(str(warehouse / "notes"), S3Options()) == ()
    with pytest.raises(StorageError, match="its folders had no end after 2"):
        find_tables(str(warehouse), S3Options(most_files=2))


def test_a_catalog_s_table_takes_the_options_that_are_given():
    found = NamedTable(metadata_location="m", location="l", s3={"s3.region": "eu", "s3.endpoint": "http://c"})
    given = S3Options(most_files=3, timeout_s=2.0, endpoint="http://g")
    assert found.s3_options(given) == replace(given, region="eu")


def test_a_row_says_what_inspecting_the_table_says(warehouse: Path) -> None:
    code, text = printed(str(warehouse), "--grace", "0", "--json")
    assert code == 1
    document = json.loads(text)
    rows = {Path(row["table"]).name: row for row in document["tables"]}
    assert [Path(row["table"]).name for row in document["tables"]] == ["broken", "large", "small"]
    whole = inspect_location(str(warehouse / "web" / "large"), InspectOptions(grace_s=0))
    assert rows["large"]["metadata_bytes"] == whole.metadata_bytes
    assert rows["large"]["findings"] == [one.identity for one in whole.findings]
    assert document["metadata_bytes"] == sum(row["metadata_bytes"] for row in document["tables"])
    assert rows["broken"]["error"]


def test_the_last_line_is_of_all_tables(warehouse: Path) -> None:
    lines = printed(str(warehouse), "--grace", "0")[1].splitlines()
    assert lines[0].split()[0] == "table"
    assert [line.split()[0] for line in lines[1:]] == ["app/broken", "web/large", "web/small", "3"]


def test_views_of_one_table_are_refused_for_several(warehouse: Path) -> None:
    result = CliRunner().invoke(app, ["inspect", str(warehouse), "--files"])
    assert "--files is for one table" in str(result.exception)


def test_a_finding_is_accepted_until_its_date(warehouse: Path, tmp_path: Path) -> None:
    table = str(warehouse / "web" / "large")
    found = sorted({one.identity for one in inspect_location(table, InspectOptions(grace_s=0)).findings})
    assert found
    config = tmp_path / "wasim.toml"

    def until(day: date, pattern: str = "*") -> int:
        entry = '[[suppress]]\nid = "{}"\nreason = "moved"\nuntil = {}\ntable = "{}"\n'
        config.write_text("".join(entry.format(one, day, pattern) for one in found))
        return printed(table, "--grace", "0", "--config", str(config), "--fail-on", "note")[0]

    assert until(date(2999, 1, 1)) == 0
    assert until(date(2020, 1, 1)) == 1
    assert until(date(2999, 1, 1), pattern="*/small") == 1


def test_thresholds_of_the_file_hold_unless_a_flag_gives_others(warehouse: Path, tmp_path: Path) -> None:
    config = tmp_path / "wasim.toml"
    config.write_text("[thresholds]\nsnapshots = [2, 3]\n")
    table = (str(warehouse / "web" / "large"), "--config", str(config), "--json", "--fail-on", "never")
    found = {one["id"]: one["severity"] for one in json.loads(printed(*table)[1])["findings"]}
    assert found[KNOWN["snapshots"].identity] == "critical"
    found = json.loads(printed(*table, "--limit", "snapshots=1000")[1])["findings"]
    assert KNOWN["snapshots"].identity not in {one["id"] for one in found}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[thresholds]\nsnapshot = 3\n", "thresholds.snapshot is unknown"),
        ('[thresholds]\nsnapshots = "3"\n', "thresholds.snapshots is no bound"),
        ('[[suppress]]\nid = "WA001"\nuntil = 2026-01-01\n', "lacks what it needs"),
        ('[[suppress]]\nid = "WA999"\nreason = "r"\nuntil = 2026-01-01\n', "that is none"),
        ('[[suppress]]\nid = "WA001"\nreason = " "\nuntil = 2026-01-01\n', "gives no reason"),
        ('[[suppress]]\nid = "WA001"\nreason = "r"\nuntil = "soon"\n', "that is none"),
        ("[supress]\n", "'supress' is unknown"),
        ("[", "is no TOML"),
    ],
)
def test_a_mistake_in_the_file_is_named(tmp_path: Path, text: str, said: str) -> None:
    config = tmp_path / "wasim.toml"
    config.write_text(text)
    with pytest.raises(WasimError, match=said):
        load_configuration(config)


def test_every_finding_has_an_identity_of_its_own() -> None:
    assert set(KNOWN) >= set(FaultKind)
    assert len({one.identity for one in KNOWN.values()}) == len(KNOWN)
