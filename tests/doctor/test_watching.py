"""Watching a table: new commits as they come."""

import shutil
import urllib.request

from support.trees import emit_tree

from wasim.doctor import InspectOptions, inspect_location
from wasim.doctor.watching import Exposition, new_commits, watch
from wasim.iceberg import IcebergFileError

OPTIONS = InspectOptions(grace_s=0, reads_manifests=False)


def test_each_new_commit_is_a_line_with_what_it_wrote(tmp_path):
    whole = emit_tree(tmp_path / "t", horizon_s=6.0).root
    newest = sorted((whole / "metadata").glob("*.metadata.json"))
    earlier = tmp_path / "earlier"
    shutil.copytree(whole, earlier)
    for path in newest[-2:]:
        (earlier / "metadata" / path.name).unlink()
    before, after = (inspect_location(str(root), OPTIONS) for root in (earlier, whole))
    first, second = new_commits(before, after)
    snapshots = after.tree.opened.metadata.snapshots
    assert f" append {snapshots[-2].snapshot_id}: json " in first
    assert f" append {snapshots[-1].snapshot_id}: json " in second
    (gone,) = new_commits(after, before)
    assert gone.endswith("2 snapshots went")


def test_a_look_that_fails_is_one_line(tmp_path):
    root = str(emit_tree(tmp_path / "t", horizon_s=3.0).root)
    found = inspect_location(root, OPTIONS)
    looks = iter([found, IcebergFileError("v4.metadata.json", "vanished"), found])

    def look():
        one = next(looks, found)
        if isinstance(one, Exception):
            raise one
        return one

    lines = list(watch(look, every_s=0.01, for_s=0.1))
    assert "3 snapshots" in lines[0]
    assert lines[1] == "could not look: v4.metadata.json: vanished"
    assert len(lines) == 2


def test_figures_are_served_on_the_loopback_alone():
    exposition = Exposition(0)
    try:
        exposition.text = "wasim_table_bytes 1\n"
        with urllib.request.urlopen(f"http://127.0.0.1:{exposition.port}/metrics", timeout=5) as answer:
            assert answer.read() == b"wasim_table_bytes 1\n"
        assert exposition._server.server_address[0] == "127.0.0.1"
    finally:
        exposition.close()
