"""Days until marks, in the size that each of them judges."""

import re

from support.synthetic import synthetic_case
from support.trees import emit_tree

from wasim.doctor import InspectOptions, inspect_location
from wasim.doctor.growth import mark_rows

NOW = InspectOptions(grace_s=0)


def growth_of(root, **properties):
    emit_tree(root, synthetic_case(horizon_s=30.0, properties=properties))
    return inspect_location(str(root), NOW).growth


def test_compressed_metadata_reaches_marks_sooner_as_json_than_as_stored(tmp_path):
    growth = growth_of(tmp_path / "t", **{"write.metadata.compression-codec": "gzip"})
    as_json, as_stored = (growth.trends[f"metadata_json_{name}"] for name in ("text_bytes", "bytes"))
    assert as_json.now > 3 * as_stored.now
    # 5 MB is a limit on the file, 10 MB on what a catalog answers with
    assert growth.days_until["metadata.json of 5 MB"] > 3 * growth.days_until_other["metadata.json of 5 MB"]
    assert growth.days_until_other["metadata.json of 10 MB"] > 3 * growth.days_until["metadata.json of 10 MB"]


def test_both_sizes_are_one_where_nothing_is_compressed(tmp_path):
    growth = growth_of(tmp_path / "t")
    assert all(growth.days_until[name] == days for name, days in growth.days_until_other.items())


def test_a_mark_names_its_size_and_source(tmp_path):
    growth = growth_of(tmp_path / "t", **{"write.metadata.compression-codec": "gzip"})
    found = {name: (why, link) for name, _, why, link in mark_rows(growth)}
    why, link = found["metadata.json of 5 MB"]
    assert re.fullmatch(r"S3 Tables refuses it; as stored \(as JSON: .+\)", why)
    assert link == "https://github.com/estuary/connectors/issues/3984"
    assert found["metadata.json of 25 MB"][0].startswith("estuary#3404; as JSON (as stored: ")
