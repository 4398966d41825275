"""Tables that pyiceberg writes: recorded to the byte, and what the simulator makes of them unseen."""

import uuid
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from support.paths import SCENARIOS

pytest.importorskip("pyiceberg")

from pyiceberg.table import StaticTable

from tools.comparison import compare
from wasim.collect import audit, list_table
from wasim.errors import AuditMismatch, WasimError
from wasim.ledger import Recording
from wasim.ledger.vocabulary import METADATA_KINDS
from wasim.pyiceberg.catalog import Journal
from wasim.pyiceberg.engine import check_writable, write_table
from wasim.runner.written import recording_of
from wasim.scenario import Case, load_scenario
from wasim.scenario.parts import Columns, Table
from wasim.twin import Site, shipped_profile, simulate_case

CASES = load_scenario(SCENARIOS / "fidelity" / "pyiceberg.yaml").cases()


@pytest.fixture(autouse=True)
def _same_identifiers(monkeypatch: pytest.MonkeyPatch):
    """pyiceberg draws the same identifiers each time: as they fall, ten lists deflate to ± 0.3 % of their bytes."""
    drawn = np.random.default_rng(0)
    monkeypatch.setattr(uuid, "uuid4", lambda: uuid.UUID(bytes=drawn.bytes(16), version=4))


def written(case: Case, folder: Path) -> tuple[Recording, StaticTable]:
    journal = Journal()
    table = write_table(case, folder, journal)
    recording = recording_of(case, journal.lines, folder / "db" / "events")
    return recording, StaticTable.from_metadata(table.metadata_location)


@pytest.mark.parametrize("case", CASES, ids=["unpartitioned", "by identity"])
def test_metadata_is_simulated_within_half_a_percent(case: Case, tmp_path: Path):
    case = replace(case, horizon_s=20.0)
    real, table = written(case, tmp_path)
    assert sorted(table.scan(selected_fields=("event_id",)).to_arrow()["event_id"].to_pylist()) == list(range(2000))
    site = Site(location=str(tmp_path / "db" / "events"))
    simulated = simulate_case(case, shipped_profile(case), np.random.default_rng(case.seed), site=site)
    kinds = compare(real, simulated)
    assert all(one.counts_agree for one in kinds)
    assert [one.kind for one in kinds if one.kind in METADATA_KINDS and not one.meets_goal] == []


LISTS = Table(
    key_column=None,
    time_column="at",
    columns=(
        Columns(name="tags", type="list<string>", values=50),
        Columns(name="at", type="timestamp"),
        Columns(name="labels", type="map<string,double>", items=2),
        Columns(name="points", type="list<struct>", items=3, fields=(Columns(name="x", type="decimal(9,2)"),)),
    ),
)


def test_lists_and_maps_are_written_and_simulated_without_key(tmp_path: Path):
    case = replace(CASES[0], table=LISTS, horizon_s=10.0)
    real, table = written(case, tmp_path)
    rows = table.scan().to_arrow().to_pylist()
    assert {(len(row["tags"]), len(row["labels"]), len(row["points"])) for row in rows} == {(4, 2, 3)}
    assert len({tag for row in rows for tag in row["tags"]}) == 50
    simulated = simulate_case(
        case,
        shipped_profile(case),
        np.random.default_rng(case.seed),
        site=Site(location=str(tmp_path / "db" / "events")),
    )
    kinds = compare(real, simulated)
    print([(str(one.kind), f"{one.error:+.3%}") for one in kinds])
    assert all(one.counts_agree for one in kinds)
    assert [one.kind for one in kinds if one.kind in METADATA_KINDS and not one.meets_goal] == []


def test_a_file_that_nobody_recorded_fails_the_audit(tmp_path: Path):
    real, _ = written(replace(CASES[0], horizon_s=2.0), tmp_path)
    (tmp_path / "db" / "events" / "data" / "stray.parquet").write_bytes(b"1234")
    with pytest.raises(AuditMismatch, match=r"data/stray\.parquet"):
        audit(real.events, list_table(tmp_path / "db" / "events"))


def test_each_commit_reports_rows_and_one_manifest(tmp_path: Path):
    real, _ = written(replace(CASES[0], horizon_s=3.0), tmp_path)
    assert real.reports.records_added.tolist() == [100, 100, 100]
    assert real.reports.manifests_created.tolist() == [1, 1, 1]
    assert real.reports.manifests_kept.tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"writer.profile": "spark_batch"}, "writer.profile"),
        ({"workload.files_per_commit": "2"}, "workload.files_per_commit"),
        ({"table.format_version": "3"}, "table.format_version"),
        ({"maintenance.rewrite_manifests.every": "10s"}, "maintenance"),
    ],
)
def test_what_it_does_not_write_is_refused_by_name(settings: dict, named: str):
    case = load_scenario(SCENARIOS / "fidelity" / "pyiceberg.yaml", settings).cases()[0]
    with pytest.raises(WasimError, match=named):
        check_writable(case)
