"""The doctor's page: one file, nothing loaded, everything escaped."""

import json
import re

from support.trees import emit_tree

from wasim.doctor import InspectOptions, inspect_location
from wasim.doctor.page import render_page
from wasim.doctor.terminal import render_inspection


def test_the_page_stands_alone_and_has_both_charts(tmp_path):
    page = render_page(inspect_location(str(emit_tree(tmp_path / "t", horizon_s=8.0).root), InspectOptions(grace_s=0)))
    assert page.count("<svg") == 2
    assert not re.search(r'(?:src|href)="(?!#)', page)
    for heading in ("Findings", "On storage", "What metadata.json is made of", "History", "What would free how much"):
        assert f">{heading}</h2>" in page


def test_text_of_a_table_is_escaped_and_stripped(tmp_path):
    root = emit_tree(tmp_path / "t", horizon_s=3.0).root
    newest = max((root / "metadata").glob("*.metadata.json"))
    document = json.loads(newest.read_bytes())
    hostile = "<script>alert(1)</script>\x1b[2J"
    document["location"] = hostile
    document["snapshots"][0]["summary"]["engine-name"] = hostile * 1000
    document["snapshots"][0]["summary"]["operation"] = hostile
    document["snapshots"][0]["manifest-list"] = f"s3://elsewhere/{hostile}"
    newest.write_text(json.dumps(document))
    inspection = inspect_location(str(root), InspectOptions(grace_s=0))
    page = render_page(inspection)
    assert "<script>" not in page
    assert "\x1b" not in page
    assert len(page) < 400_000
    from rich.console import Console

    console = Console(width=200, record=True, file=open("/dev/null", "w"))  # noqa: SIM115, PTH123
    console.print(render_inspection(inspection))
    assert "\x1b[2J" not in console.export_text()
