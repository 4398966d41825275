"""Where nobody reads the files, only their sizes are found, in parts and by other threads: those of the files."""

from dataclasses import replace

import numpy as np
import pytest
from support.synthetic import synthetic_case

from wasim.ledger import Action
from wasim.scenario.changes import Evolution, Maintenance
from wasim.twin import Site, shipped_profile, simulate_case

EVOLUTION = (
    {"at": "3s", "add_column": {"name": "late", "type": "int"}},
    {"at": "4s", "create_tag": "four"},
    {"at": "5s", "set_properties": {"write.metadata.previous-versions-max": "4"}},
    {"at": "7s", "rollback_commits": 2},
    {"at": "9s", "add_partition_field": {"column": "event_time", "transform": "day"}},
)


@pytest.mark.parametrize("version", [1, 2, 3])
@pytest.mark.parametrize("is_kept", [False, True])
def test_sizes_alone_are_those_of_the_files_that_are_written(version, is_kept, tmp_path):
    case = synthetic_case(writer="batch", horizon_s=14.0, properties={"commit.manifest.min-count-to-merge": "4"})
    case = replace(case, table=case.table.model_copy(update={"format_version": version}))
    if is_kept:
        case = replace(
            case,
            evolution=tuple(map(Evolution.model_validate, EVOLUTION)),
            maintenance=Maintenance.model_validate({"expire_snapshots": {"every": "6s", "older_than": "3s"}}),
        )
    site, profile = Site(location=str(tmp_path.absolute())), shipped_profile(case)
    sizes = simulate_case(case, profile, np.random.default_rng(3), site=site).events
    written = simulate_case(case, profile, np.random.default_rng(3), site=site, emit=tmp_path).events
    assert sizes.file.tolist() == written.file.tolist()
    assert sizes.bytes.tolist() == written.bytes.tolist()
    there = {str(path.relative_to(tmp_path)): path.stat().st_size for path in tmp_path.rglob("*.*") if path.is_file()}
    last = dict(zip(sizes.file, zip(sizes.action, sizes.bytes, strict=True), strict=True))
    assert there == {
        file: size for file, (action, size) in last.items() if action == Action.WRITE and not file.startswith("data/")
    }
