"""What is ahead of a table: simulated as it is it comes to what it is, and other ways of writing it part from there."""

import io
import json
import re
from dataclasses import replace

import pytest
from rich.console import Console
from support.command_line import run_main
from support.paths import DATA
from support.synthetic import synthetic_case
from support.trees import emit_tree

from wasim.doctor import InspectOptions, inspect_location
from wasim.doctor.outlook import outlook_of
from wasim.doctor.terminal import outlook_lines, prospect_table, render_inspection
from wasim.doctor.upkeep import _period_s
from wasim.errors import WasimError
from wasim.ledger import METADATA_KINDS
from wasim.scenario.changes import Changes, Maintenance

DAY_S = 86_400.0
INTERVAL_S = 1.0
AT_INTERVAL = InspectOptions(grace_s=0, commit_interval_s=INTERVAL_S)
HORIZON_S = 100 * INTERVAL_S
OTHER_CODEC = '"write.parquet.compression-codec":"snappy"'


def tree_of(root, **jobs):
    case = replace(synthetic_case(interval_s=INTERVAL_S, horizon_s=HORIZON_S), maintenance=Maintenance(**jobs))
    return emit_tree(root, case)


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    tree = tree_of(tmp_path_factory.mktemp("outlook") / "t")
    return tree, outlook_of(inspect_location(str(tree.root), AT_INTERVAL), DAY_S)


def test_a_table_simulated_as_is_comes_to_itself(written):
    tree, outlook = written
    assert (outlook.commits_so_far, outlook.commit_interval_s) == (100, INTERVAL_S)
    for one in outlook.now:
        assert one.simulated == pytest.approx(one.found, rel=0.02), one.name
    expected = sum(tree.on_disk_bytes[kind] for kind in METADATA_KINDS)
    assert outlook.prospects[0].written_so_far_bytes == pytest.approx(expected, rel=0.01)


def test_longer_intervals_and_remedies_cost_less(written):
    prospects = {one.name: one for one in written[1].prospects}
    as_it_is = prospects["as it is"]
    assert prospects["every 5s"].written_ahead_bytes < as_it_is.written_ahead_bytes / 20
    assert prospects["every 5s"].manifests == pytest.approx(as_it_is.manifests / 5, rel=0.02)
    assert prospects["+ all of these"].on_disk_bytes < as_it_is.on_disk_bytes / 10
    assert {one.written_so_far_bytes for name, one in prospects.items() if "expire" in name} == {
        as_it_is.written_so_far_bytes  # no snapshot is a day old yet
    }


def test_the_time_ahead_begins_where_the_table_is(written):
    first = outlook_of(inspect_location(str(written[0].root), AT_INTERVAL), HORIZON_S).prospects[0]
    beside = written[0].root.with_name("u")  # paths repeat in metadata: one as long
    twice = emit_tree(beside, synthetic_case(interval_s=INTERVAL_S, horizon_s=2 * HORIZON_S))
    expected = sum(twice.on_disk_bytes[kind] for kind in METADATA_KINDS)
    assert first.written_so_far_bytes + first.written_ahead_bytes == pytest.approx(expected, rel=0.01)


def test_maintenance_is_read_off_the_history(tmp_path):
    jobs = {
        "expire_snapshots": {"every": 10, "older_than": 30},
        "rewrite_manifests": {"every": 15},
        "rewrite_data_files": {"every": 20},
    }
    tree = tree_of(tmp_path / "t", **Maintenance.model_validate(jobs).model_dump())
    outlook = outlook_of(inspect_location(str(tree.root), AT_INTERVAL), HORIZON_S)
    found = outlook.maintenance
    assert found.rewrite_manifests.every == pytest.approx(15, rel=0.1)
    assert found.rewrite_data_files.every == pytest.approx(20, rel=0.1)
    assert found.expire_snapshots.older_than == pytest.approx(30, rel=0.4)
    # a job that the table has is no remedy any more
    assert [one.name for one in outlook.prospects if one.name.startswith("+")] == [
        "+ delete metadata.json after commit, keep 10"
    ]


def test_calls_close_together_are_no_job_as_frequent():
    assert _period_s([100.0, 112.0, 124.0], 86_400.0) == 86_400 / 4
    assert _period_s([15.0, 30.0], 40.0) == 15


def test_what_of_the_table_is_ignored_is_said(tmp_path):
    root = tree_of(tmp_path / "t").root
    newest = max((root / "metadata").glob("*.metadata.json"))
    newest.write_text(newest.read_text().replace('"write.parquet.compression-codec":"zstd"', OTHER_CODEC))
    assert OTHER_CODEC in newest.read_text()
    notes = outlook_of(inspect_location(str(root), AT_INTERVAL), HORIZON_S).notes
    assert 'Not simulated: table.properties.write.parquet.compression-codec, which is "snappy"' in notes


def test_a_forecast_without_its_row_changes_claims_no_band(written, tmp_path):
    changes = Changes.model_validate({"update": {"every": "20s", "rows": 9, "mode": "merge-on-read"}})
    case = replace(synthetic_case(interval_s=INTERVAL_S, horizon_s=HORIZON_S), changes=changes)
    outlook = outlook_of(inspect_location(str(emit_tree(tmp_path / "t", case).root), AT_INTERVAL), HORIZON_S)
    assert "5 commits that wrote delete files: taken as appends, without these" in outlook.notes
    assert any("changes of rows" in line for line in outlook_lines(outlook))
    assert outlook.band is None
    assert written[1].band is not None


def test_summaries_that_lie_have_no_outlook(tmp_path):
    root = tree_of(tmp_path / "t").root
    newest = max((root / "metadata").glob("*.metadata.json"))
    newest.write_text(newest.read_text().replace('"added-records":"', '"added-records":"9' + "0" * 12))
    with pytest.raises(WasimError, match="rows a second, which no case has"):
        outlook_of(inspect_location(str(root), AT_INTERVAL), HORIZON_S)


@pytest.mark.parametrize(
    ("field", "others", "said"),
    [
        ("last-sequence-number", "4611686018427387904", "took more than a century"),
        ("timestamp-ms", "1763719325168000", "are not stamped in milliseconds"),
    ],
)
def test_numbers_that_lie_have_no_outlook(tmp_path, field, others, said):
    root = tree_of(tmp_path / "t").root
    newest = max((root / "metadata").glob("*.metadata.json"))
    newest.write_text(re.sub(rf'"{field}" ?: ?\d+', f'"{field}":{others}', newest.read_text()))
    with pytest.raises(WasimError, match=said):
        outlook_of(inspect_location(str(root), InspectOptions(grace_s=0)), HORIZON_S)


def test_a_table_without_history_says_why_it_has_no_outlook():
    inspection = inspect_location(str(DATA / "tables" / "empty_v2"), AT_INTERVAL)
    with pytest.raises(WasimError, match="commit interval is unknown"):
        outlook_of(inspection, DAY_S)


def test_the_command_shows_it_in_every_view(written, tmp_path, capsys):
    arguments = ["inspect", str(written[0].root), "--commit-interval", "1s", "--forecast", "10m", "--fail-on", "never"]
    page = tmp_path / "page.html"
    assert run_main(*arguments, "--json", "--html", str(page)) == 0
    document = json.loads(capsys.readouterr().out)["outlook"]
    assert document["ahead_s"] == 600
    assert [one["name"] for one in document["prospects"]][:2] == ["as it is", "every 5s"]
    assert 'id="outlook"' in page.read_text()
    assert run_main(*arguments) == 0
    assert "With this setting from the start" in capsys.readouterr().out


@pytest.mark.parametrize("bytes_each", [1023 << 10, 999 << 40])
def test_no_figure_is_lost_in_eighty_columns(written, bytes_each):
    prospects = [
        replace(
            one,
            written_so_far_bytes=bytes_each,
            written_ahead_bytes=bytes_each + 1,
            metadata_json_bytes=bytes_each // 2,
            manifests=1_234_567,
        )
        for one in written[1].prospects
    ]
    outlook = replace(written[1], prospects=tuple(prospects))
    console = Console(width=80, file=io.StringIO())
    console.print(render_inspection(inspect_location(str(written[0].root), AT_INTERVAL), outlook))
    lines = console.file.getvalue().splitlines()
    for _, *cells in prospect_table(outlook).rows:
        assert any(" ".join(line.split()).endswith(" ".join(cells)) for line in lines)


def test_a_table_without_a_forecast_is_inspected_all_the_same(capsys):
    assert run_main("inspect", str(DATA / "tables" / "empty_v2"), "--forecast", "1d") == 0
    shown = capsys.readouterr()
    assert "No forecast: " in shown.err
    assert "Nothing found" in shown.out or "Findings" in shown.out
