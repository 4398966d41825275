"""`wasim inspect` as a user runs it."""

import json

import pytest
from support.paths import DATA
from support.trees import emit_tree
from typer.testing import CliRunner

from wasim.cli import app
from wasim.errors import WasimError

MANIFEST = str(DATA / "tables/evolving_v2/metadata/ae87893a-bbc1-4197-98f9-ad71f9e5909d-m0.avro")


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    return str(emit_tree(tmp_path_factory.mktemp("inspect") / "t", horizon_s=12.0).root)


def run(*arguments):
    return CliRunner().invoke(app, ["inspect", *arguments])


def test_a_healthy_table_ends_in_0_and_findings_in_1(table):
    found = run(table, "--grace", "0")
    assert (found.exit_code, "Metadata takes" in found.output) == (1, True)
    assert run(table, "--fail-on", "never").exit_code == 0
    assert run(table, "--fail-on", "critical", "--limit", "small_file_share=2").exit_code == 0
    empty = run(str(DATA / "tables" / "empty_v2"))
    assert (empty.exit_code, "warning:" in empty.output) == (0, False)


def test_json_is_one_document_with_a_schema_version(table):
    document = json.loads(run(table, "--json", "--files").output)
    assert document["schema_version"] == 1
    assert document["history"]["commits"] == 12
    assert {row["state"] for row in document["file_verdicts"]} >= {"live", "retained", "metadata_log"}


def test_prometheus_text_has_a_help_for_every_metric(table):
    lines = run(table, "--prometheus").output.splitlines()
    helped = {line.split()[2] for line in lines if line.startswith("# HELP")}
    assert {line.partition("{")[0] for line in lines if not line.startswith("#")} == helped


def test_files_are_listed_with_a_reason_each(table):
    head, *rows = run(table, "--files", "--grace", "0").output.splitlines()
    assert head.split("\t") == ["delete?", "state", "bytes", "file", "reason"]
    assert len(rows) == 13 + 12 + 12
    assert all(len(row.split("\t")) == 5 for row in rows)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["/nowhere/at/all"], "is empty or absent"),
        (["gs://b/t"], "gs:// is not read"),
        (["s3://"], "names no bucket"),
        ([str(DATA / "tables" / "empty_v2"), "--forecast", "11y"], "and 3650d at most"),
        ([" "], "The location is empty"),
        (["/nowhere", "--html", "/nowhere/at/all/page.html"], "there is no folder /nowhere/at/all"),
        ([str(DATA / "tables" / "empty_v2"), "--grace", "soon"], "--grace is 'soon'"),
        ([str(DATA / "tables" / "empty_v2"), "--limit", "snapshots"], "--limit is 'snapshots'"),
        ([str(DATA / "tables" / "empty_v2"), "--limit", "snapshots=nan"], "--limit is 'snapshots=nan'"),
        ([str(DATA / "tables" / "empty_v2"), "--limit", "snapshots=5,3"], "--limit is 'snapshots=5,3'"),
        ([str(DATA / "tables" / "empty_v2"), "--limit", "wishes=1"], "There is no threshold wishes"),
        ([str(DATA / "tables" / "empty_v2"), "--table-uuid", "b"], "of the table UUID b"),
        ([str(DATA / "tables" / "empty_v2"), "--metadata-file", "v9.metadata.json"], "is no metadata.json of"),
        ([str(DATA / "tables" / "empty_v2"), "--name", "a b"], "--name is 'a b'. Give catalog.namespace.table"),
        ([str(DATA / "tables" / "empty_v2"), "--prometheus", "--json"], "--json and --prometheus exclude each other"),
        ([str(DATA / "tables" / "empty_v2"), "--prometheus", "--files"], "--prometheus and --files exclude each other"),
        (
            [str(DATA / "tables" / "empty_v2"), "--files", "--forecast", "1d"],
            "--forecast is not in what --files prints",
        ),
        ([str(DATA / "tables" / "empty_v2"), "--as-file"], "--as-file is for a file"),
        ([str(DATA / "tables"), "--threads", "4"], "--threads is for one table"),
        ([MANIFEST, "--name", "a.b.c"], f"--name is for a table, and {MANIFEST} is a file"),
    ],
)
def test_a_mistake_is_one_line(arguments, problem):
    caught = run(*arguments).exception
    assert isinstance(caught, WasimError)
    assert problem in str(caught)
    assert "\n" not in str(caught)
