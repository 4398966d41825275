"""Tables of format version 4, as the real library writes them: recorded, simulated, inspected."""

import numpy as np
import pytest
from support.agreement import recording_of, steps_of

from tools.comparison import compare
from wasim.doctor import InspectOptions, inspect_location
from wasim.doctor.inspection import live_bytes
from wasim.errors import WasimError
from wasim.iceberg import ManifestContent, read_manifest
from wasim.ledger import Kind
from wasim.twin import Site, shipped_profile, simulate_case

COLUMNS = "columns: [{name: reading, type: double}, {name: sensor, type: string, values: 5}]"
UNFINISHED = f"{{{COLUMNS}, format_version: 4, properties: {{commit.manifest.min-count-to-merge: '4'}}}}"


def test_version_4_is_recorded_simulated_and_inspected(run_on, small_case):
    case = small_case(
        table=UNFINISHED,
        horizon="9s",
        changes="{delete: {every: 4s, rows: 15, mode: merge-on-read}}",
        maintenance="{rewrite_manifests: {every: 9s}}",
    )
    run, context = run_on("core", case)
    real = recording_of(context)
    site = Site(location=f"file:{context.table_root.absolute()}")
    simulated = simulate_case(case, shipped_profile(case), np.random.default_rng(0), site=site)
    assert steps_of(simulated.events) == steps_of(real.events)
    errors = {one.kind: one.error for one in compare(real, simulated)}
    assert {kind for kind, error in errors.items() if abs(error) > 0.01} <= {Kind.DATA, Kind.DELETE_FILE}
    manifests = [path for path in context.table_root.glob("metadata/*-m*") if not path.name.startswith(".")]
    read = [read_manifest(path.read_bytes(), source=path.name) for path in manifests]
    assert {path.suffix for path in manifests} == {".parquet", ".avro"}  # those of rewrite_manifests are Avro still
    written = real.events.where(real.events.kind == Kind.DELETE_MANIFEST)
    assert sum(one.header.content is ManifestContent.DELETES for one in read) == len(written)
    found = live_bytes(inspect_location(str(context.table_root), InspectOptions(grace_s=0)))
    for kind in (Kind.METADATA_JSON, Kind.MANIFEST_LIST, Kind.DATA_MANIFEST, Kind.DELETE_MANIFEST):
        assert found[kind] == run.live_bytes[kind]


def test_tables_of_version_4_are_not_emitted(small_case, tmp_path):
    case = small_case(table=UNFINISHED)
    with pytest.raises(WasimError, match="--emit writes no tables of format version 4"):
        simulate_case(case, shipped_profile(case), np.random.default_rng(0), emit=tmp_path)
