"""Tables that nobody chose, through the machine: their files are counted as exact simulation writes them."""

from collections.abc import Iterable
from dataclasses import replace
from math import inf
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
from wasim.years.flows import Flow
from wasim.years.history import new_table
from wasim.years.machine.files import begin_cohort
from wasim.years.machine.manifests import list_bytes
from wasim.years.machine.run import is_due_by_count, next_by_count, rest, run, sample
from wasim.years.machine.tables import COMMITS, DEALT, IDLE, NEXT_RUN, OF_TABLE, SAMPLE, SAMPLED, SMALL_FILES
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


INTERVAL_S = 600.0
TIMES = ("every", "older_than")
BY = {
    "": (),
    "both": (
        PartitionField(column="event_time", transform="hour"),
        PartitionField(column="event_id", transform="bucket[2]"),
    ),
    "bucket": (PartitionField(column="event_id", transform="bucket[3]"),),
    "hour": (PartitionField(column="event_time", transform="hour"),),
}
KINDS = ("append", "update", "delete", "merge", "overwrite", "upsert")
# How far bytes may be off, by format version: in version 3 rows that are written again say where they came from
WITHIN = {
    2: {Kind.METADATA_JSON: 0.0012, Kind.DATA: 0.002, Kind.DELETE_FILE: 0.006},
    3: {Kind.METADATA_JSON: 0.004, Kind.DATA: 0.05, Kind.DELETE_FILE: 0.01},
}


def of_one_statement(seed: int) -> Case:
    """A table of forty commits in seven hours, partitioned or not, that one statement changes at an end or anywhere."""
    random, kind = Random(seed), KINDS[seed % len(KINDS)]  # noqa: S311
    properties = {key: random.choice(some) for key, some in PROPERTIES.items() if random.random() < 0.6}
    writer, files = random.choice(["streaming", "batch"]), random.choice([1, 1, 3])
    jobs = random.sample([job for job in sorted(JOBS) if job != "remove_orphan_files"], random.randint(0, 3))
    upkeep = {job: dict(random.choice(JOBS[job])) for job in jobs}
    by, version = random.choice(sorted(BY)), random.choice([2, 3])
    locality = random.choice(["scattered", "newest", "oldest", "oldest_commits"])
    mode = random.choice(["copy-on-write", "merge-on-read"])
    found: dict[str, Any] = {"every": 0.0}
    upsert = None
    if kind == "upsert":
        share = random.choice([0.1, 0.5])
        locality = "newest" if locality.startswith("oldest") else locality
        upsert, writer = Upsert.model_validate({"share": share, "mode": mode, "locality": locality}), "batch"
    elif kind == "overwrite":
        locality = random.choice(["static", "dynamic"])
        found = {"every": float(random.choice([3, 6, 10])), "rows": random.choice([300, 3000]), "kind": locality}
    elif kind != "append":
        locality = "oldest" if kind != "delete" and locality.startswith("oldest") else locality
        found = {"every": float(random.choice([3, 6, 10])), "rows": random.choice([40, 400, 3000])}
        found |= {"mode": mode, "locality": locality}
        found |= {"new_rows": random.choice([10, 100])} if kind == "merge" else {}
    for given in (*upkeep.values(), found):
        given.update({key: given[key] * INTERVAL_S for key in TIMES if key in given})
    case = synthetic_case(
        writer=writer, interval_s=INTERVAL_S, horizon_s=40 * INTERVAL_S, files_per_commit=files, properties=properties
    )
    table = {"format_version": version, "partition_by": BY[by], "columns": (Columns(name="a", type="long"),)}
    return replace(
        case,
        table=case.table.model_copy(update=table),
        workload=case.workload.model_copy(update={"rows_per_second": 1.0}),
        writer=case.writer.model_copy(update={"upsert": upsert}),
        maintenance=Maintenance.model_validate(upkeep),
        changes=Changes.model_validate({kind: found} if found["every"] else {}),
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


EXACT = {
    "append": (18, 84, 156),
    "update": (1, 127, 151, 181, 187, 211, 259),
    "delete": (74, 134, 158, 188, 200, 278, 290),
    "merge": (165, 207, 219, 237),
    "overwrite": (82, 94, 178, 208, 214),
    "upsert": (107, 185, 209),
}


@pytest.mark.parametrize("seed", [seed for seeds in EXACT.values() for seed in seeds])
def test_a_statement_writes_as_many_files_as_exactly(seed: int):
    """Of half of all seeds every count is that of exact simulation; of these, ones unlike each other."""
    case = of_one_statement(seed)
    profile = shipped_profile(case)
    made = simulate_table(case, profile, np.random.default_rng(1), most_rows_computed=1)
    exact, summed = sum_events(made.recording.events), simulate_years(case, profile, Site()).totals
    assert (summed.files_written, summed.files_deleted) == (exact.files_written, exact.files_deleted)
    for kind, written in summed.written_bytes.items():
        within = WITHIN[case.table.format_version].get(kind, 0.015)
        assert written == pytest.approx(exact.written_bytes[kind], rel=within), kind


def small_case(
    partition_by: list[dict[str, str]],
    changes: Changes,
    columns: tuple[Columns, ...] = (Columns(name="a", type="long"),),
    **other: Any,
) -> Case:
    case = synthetic_case(writer="batch", interval_s=120.0, horizon_s=200 * 120.0)
    table = {"partition_by": partition_by, "columns": columns, "key_column": "event_id", "time_column": "event_time"}
    table = case.table.model_validate(case.table.model_dump() | table)
    workload = case.workload.model_copy(update={"rows_per_second": 8.0})
    return replace(case, table=table, workload=workload, changes=changes, **other)


def test_hours_are_compacted_by_the_files_that_each_has():
    """Commits every 7 minutes: nine or ten files come into an hour, and its second compaction takes the ninth."""
    case = small_case([{"column": "event_time", "transform": "hour"}], Changes(), commit_interval_s=420.0)
    upkeep = Maintenance.model_validate({"rewrite_data_files": {"when_small_files": 20}})
    compare(replace(case, horizon_s=200 * 420.0, maintenance=upkeep), 0.01, Kind)


def upserting(case: Case, mode: str) -> Case:
    upsert = Upsert.model_validate({"share": 0.1, "mode": mode, "locality": "newest"})
    return replace(case, writer=case.writer.model_copy(update={"upsert": upsert}))


def test_files_of_two_statements_are_hit_by_their_sizes():
    """Upserts write small files, MERGE large ones: taken for files of one size, 34 % too few were hit."""
    merge = {"every": 7200.0, "share": 0.2, "mode": "merge-on-read"}
    case = small_case([], Changes.model_validate({"merge": merge}))
    compare(upserting(case, "merge-on-read"), 0.03, (Kind.DATA, Kind.DELETE_FILE, Kind.DELETE_MANIFEST))


@pytest.mark.parametrize("mode", ["merge-on-read", "copy-on-write"])
def test_commits_that_walk_through_partitions_change_rows_in_few(mode: str):
    """Three of ten regions come with each commit: 177 % too many delete files, where a commit's rows were in any."""
    regions = (Columns(name="region", type="string", values=10), Columns(name="a", type="long"))
    case = small_case([{"column": "region"}], Changes(), regions)
    walk = case.workload.model_copy(update={"partitions_per_commit": 3})
    case = upserting(replace(case, workload=walk, horizon_s=100 * 120.0), mode)
    profile = shipped_profile(case)
    made = simulate_table(case, profile, np.random.default_rng(1), most_rows_computed=1)
    exact, summed = sum_events(made.recording.events), simulate_years(case, profile, Site()).totals
    assert summed.files_written == exact.files_written


def test_the_newest_rows_lie_with_others_after_an_update():
    """So each upsert of a bucket writes all of it from then on: data had 65 % too few bytes."""
    update = {"every": 3600.0, "share": 0.01}
    case = small_case([{"column": "event_id", "transform": "bucket[8]"}], Changes.model_validate({"update": update}))
    compare(upserting(replace(case, horizon_s=90 * 120.0), "copy-on-write"), 0.05, (Kind.DATA, Kind.MANIFEST_LIST))


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


def test_jobs_by_count_are_due_once_there_are_enough():
    table, laws = table_with([(3, 500, 1, 0, 0)]), replace(simple_laws(), new_small=1.0)
    begin_cohort(table, 1.0)
    table.cohorts[0][SMALL_FILES] = 4.0
    for files, manifests, is_due in ((4, inf, True), (5, inf, False), (inf, 3, True), (inf, 4, False), (4, 4, True)):
        due = replace(laws, least_files=float(files), least_manifests=float(manifests))
        assert is_due_by_count(table, due, []) == is_due


def test_chance_is_looked_at_once_it_may_have_brought_enough():
    """Of three missing files, each commit's one brings all by chance after the second."""
    laws = replace(simple_laws(), new_small=1.0, files=1.0, by_chance=1, least_files=5.0, uneven=0.0)
    chances = [[1.0] * 20 if commits >= 4 else [1.0, 0.0] for commits in range(9)]
    table = table_with([])
    begin_cohort(table, 1.0)
    table.numbers[COMMITS] = table.numbers[DEALT] = 2.0
    table.cohorts[0][SMALL_FILES] = 2.0
    assert next_by_count(table, laws, chances) == 2 + 2
    waited = [next_by_count(table, replace(laws, least_files=least), chances) for least in (10.0, 11.0, 50.0)]
    assert next_by_count(table, replace(laws, by_chance=0, new_small=0.5, least_files=4.0), []) == 2 + 3
    assert waited == [2 + 2, 2 + 9, 2 + 48]  # of nine commits and more the mean decides
    assert next_by_count(table, replace(laws, least_files=50.0, new_small=0.0), chances) == inf  # none come


def test_commits_of_nothing_come_before_other_jobs_and_after():
    table = table_with([(3, 500, 1, 0, 0)])
    table.numbers[NEXT_RUN + IDLE] = 1.0
    schedule = [[0.0] * 3 for _ in range(IDLE + 1)] + [[7.0, 2.0, 7.0], [7.0, 0.0, 7.0]]
    assert [rest(table, simple_laws(), schedule, part) for part in range(2)] == [True, False]
    assert table.flows[Flow.SNAPSHOTS] == 2


@pytest.mark.parametrize("room", [0, 1, 2])
def test_commits_stop_where_samples_have_no_room(room: int):
    """Each of these takes one; statements and jobs may take nine more around it."""
    table, schedule = new_table(), [*[[inf]] * (IDLE + 1), [0.0], [0.0]]
    run(table, simple_laws(), 9.0, [1.0, 2.0, 3.0, inf], schedule, [], [0.0] * (10 + room) * SAMPLE)
    assert table.numbers[COMMITS] == table.numbers[SAMPLED] == room


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
