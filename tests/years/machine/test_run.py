"""Tables that nobody chose, through the machine: their files are counted as exact simulation writes them."""

from collections.abc import Iterable
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pytest
from support.machine import simple_laws, table_with
from support.synthetic import synthetic_case

from wasim.ledger import Kind, sum_events
from wasim.scenario import Case
from wasim.scenario.changes import Changes, Maintenance
from wasim.scenario.parts import Columns, PartitionField, Upsert
from wasim.twin import Site, shipped_profile, simulate_table
from wasim.years import simulate_years
from wasim.years.machine.manifests import list_bytes
from wasim.years.machine.run import next_by_count, sample
from wasim.years.machine.tables import COMMITS, OF_TABLE, SAMPLE
from wasim.years.samples import Samples

JOBS: dict[str, tuple[dict[str, Any], ...]] = {
    "rewrite_data_files": ({"every": 11.0}, {"every": 7.0, "min_input_files": 2}, {"when_small_files": 14}),
    "rewrite_manifests": ({"every": 13.0}, {"when_manifests": 9}),
    "expire_snapshots": (
        {"every": 9.0, "older_than": 4.0},
        {"when_snapshots": 12, "older_than": 3.0, "retain_last": 2},
    ),
    "remove_orphan_files": ({"every": 17.0, "older_than": 6.0},),
}
REWRITTEN = Maintenance.model_validate({"rewrite_manifests": {"when_manifests": 12}})
CHANGES: dict[str, tuple[dict[str, Any], ...]] = {
    "delete": ({"rows": 100, "locality": "oldest_commits"}, {"rows": 70, "locality": "oldest"}),
    "update": ({"rows": 60, "locality": "newest"},),
    "merge": ({"rows": 50, "new_rows": 20, "locality": "newest"},),
    "overwrite": ({"rows": 120, "kind": "static"},),
}
PROPERTIES = {
    "commit.manifest.min-count-to-merge": ("4", "7", "15"),
    "commit.manifest.target-size-bytes": ("25000", "60000"),
    "write.metadata.previous-versions-max": ("5", "20"),
}


def drawn(random: Random, *, changes: bool) -> Case:
    """A table of forty commits, with maintenance, and statements on its newest or its oldest rows."""
    properties = {key: random.choice(some) for key, some in PROPERTIES.items() if random.random() < 0.6}
    case = synthetic_case(
        writer=random.choice(["streaming", "batch"]),
        horizon_s=40.0,
        files_per_commit=random.choice([1, 1, 3]),
        properties=properties,
    )
    version, by = random.choice([1, 2, 2, 3]), (PartitionField(column="event_id", transform="bucket[3]"),)
    jobs = {name: random.choice(JOBS[name]) for name in random.sample(sorted(JOBS), random.randint(1, 3))}
    found: dict[str, Any] = {}
    if changes:
        version = max(2, version)
        for name in random.sample(sorted(CHANGES), 2):
            mode = {} if name == "overwrite" else {"mode": random.choice(["copy-on-write", "merge-on-read"])}
            found[name] = {"every": float(random.choice([6, 10])), **mode, **random.choice(CHANGES[name])}
    partition_by = by if not changes and random.random() < 0.3 else ()
    table = case.table.model_copy(update={"format_version": version, "partition_by": partition_by})
    table = table.model_copy(update={"columns": (Columns(name="a", type="long"),)})
    return replace(
        case, table=table, maintenance=Maintenance.model_validate(jobs), changes=Changes.model_validate(found)
    )


def compare(case: Case, rel: float, kinds: Iterable[Kind]) -> None:
    profile = shipped_profile(case)
    made = simulate_table(case, profile, np.random.default_rng(1), most_rows_computed=1)
    exact, summed = sum_events(made.recording.events), simulate_years(case, profile, Site()).totals
    assert summed.files_written[Kind.METADATA_JSON] == exact.files_written[Kind.METADATA_JSON]
    for kind in kinds:
        for counts in ("files_written", "files_deleted"):
            found, wanted = (getattr(totals, counts)[kind] for totals in (summed, exact))
            assert found == pytest.approx(wanted, rel=rel, abs=2 if counts == "files_written" else 5), (counts, kind)
        written = exact.written_bytes[kind]
        assert summed.written_bytes[kind] == pytest.approx(written, rel=rel, abs=30_000), kind


@pytest.mark.parametrize("seed", range(8))
def test_a_drawn_table_is_maintained_as_exactly(seed: int):
    compare(drawn(Random(seed), changes=False), 0.01, Kind)  # noqa: S311 - no secret


@pytest.mark.parametrize("seed", [1, 2, 6, 7, 9])
def test_two_statements_of_a_drawn_table_take_turns(seed: int):
    compare(drawn(Random(seed), changes=True), 0.03, Kind)  # noqa: S311


def test_each_commit_that_brings_two_manifests_is_looked_at():
    """Upserts on read list one of data and one of deletes each: the sixth one makes twelve."""
    case = replace(synthetic_case(writer="batch", horizon_s=40.0), maintenance=REWRITTEN)
    upsert = Upsert.model_validate({"share": 0.5, "mode": "merge-on-read", "locality": "newest"})
    case = replace(case, writer=case.writer.model_copy(update={"upsert": upsert}))
    compare(case, 0.02, (Kind.DATA_MANIFEST, Kind.DELETE_MANIFEST, Kind.MANIFEST_LIST))


def test_manifests_are_counted_once_there_may_be_enough():
    """Seven are missing to ten, of which each commit brings one, or two where it deletes."""
    table, laws = table_with([(3, 500, 1, 0, 0)]), replace(simple_laws(), least_manifests=10.0)
    table.numbers[COMMITS] = 8.0
    assert [next_by_count(table, replace(laws, deletes=deletes), []) for deletes in (0, 1)] == [8 + 7, 8 + 4]


def test_a_sample_says_what_there_is():
    """Of data 3 manifests of 2 live files and 4 of none, of deletes 5 of 1."""
    table, laws = table_with([(3, 700, 2, 0, 0), (4, 300, 0, 0, 0)]), simple_laws()
    row = table.rows[1][0]
    row[:3], table.used[1], table.numbers[COMMITS] = [5.0, 110.0, 1.0], 1, 77.0
    table.flows[:] = [float(place) for place in range(len(table.flows))]
    samples = [0.0] * 2 * SAMPLE
    sample(table, laws, samples)
    sample(table, laws, samples)
    found = Samples.of(*np.hsplit(np.array(samples).reshape(2, SAMPLE), [OF_TABLE]))
    assert found.commits.tolist() == [77, 77]
    assert (found.data_manifests[0], found.delete_manifests[0], found.entries[0]) == (7, 5, 3 * 2 + 5)
    assert (found.data_manifest_bytes[0], found.delete_manifest_bytes[1]) == (3 * 700 + 4 * 300, 5 * 110)
    assert (found.scanned_manifests[1], found.scanned_bytes[1]) == (3 + 5, 3 * 700 + 5 * 110)
    assert found.list_bytes[1] == list_bytes(table, laws)
    assert found.flows[1].tolist() == table.flows
