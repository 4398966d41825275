"""What a commit of the writer brings."""

from dataclasses import replace

import numpy as np
import pytest
from support.synthetic import synthetic_case

from wasim.scenario.examine import examine
from wasim.scenario.from_flags import document_from_flags
from wasim.scenario.parts import Columns, PartitionField
from wasim.scenario.sweep import make_case
from wasim.twin import shipped_profile
from wasim.years.arrivals import Arrivals, CommitSamples, FileBytes, even_arrivals, growing_fields, rolled, walk

SPREAD = (0.0, 0.0, 0.25, 0.5, 0.25)  # commits bring two to four files


def test_chances_are_those_of_runs_of_commits():
    arrivals = Arrivals(
        files=3.0, rows_per_file=1.0, partitions=3.0, open_partitions=4.0, lifetime_s=np.inf, spread=SPREAD
    )
    assert arrivals.chance(1, 3.5) == pytest.approx(0.25)
    assert arrivals.chance(2, 7) == pytest.approx(2 * 0.5 * 0.25 + 0.25**2)
    assert arrivals.chance(0, 1) == 0
    assert arrivals.chance(3, -2) == pytest.approx(1)


@pytest.mark.parametrize(
    ("files", "partitions", "rows_per_second"), [(4, 0, 100), (3, 1, 100), (4, 16, 1), (2, 120, 5)]
)
def test_expected_commits_are_those_of_a_sample(files: int, partitions: int, rows_per_second: int):
    flags = {"rows_per_second": str(rows_per_second), "files_per_commit": str(files), "partitions": str(partitions)}
    document, _ = document_from_flags(flags)
    case = make_case(examine(document | {"commit_interval": "1m"})[0], repetition=0, swept={})
    sampled, expected = CommitSamples(profile=shipped_profile(case)).arrivals(case), even_arrivals(case)
    for name in ("files", "rows_per_file", "partitions", "open_partitions", "lifetime_s"):
        assert getattr(expected, name) == pytest.approx(getattr(sampled, name), rel=0.01), name


def test_a_task_begins_another_file_at_the_target_size():
    def arrivals(rows_per_second: str) -> tuple[Arrivals, float]:
        document, _ = document_from_flags({"rows_per_second": rows_per_second, "columns": "40"})
        case = make_case(examine(document | {"commit_interval": "5m"})[0], repetition=0, swept={})
        profile = shipped_profile(case)
        sizes = FileBytes(case, profile)
        found = rolled(CommitSamples(profile=profile).arrivals(case), case, sizes)
        return found, sizes.of(found.rows_per_file)

    (few, _), (many, size) = arrivals("1000"), arrivals("100000")
    assert (few.files, few.pieces) == (1, 1)
    assert many.files == many.pieces > 1
    assert 512 << 20 > size > 0.99 * (512 << 20) * (many.pieces - 1) / many.pieces
    assert many.rows_per_commit == 30_000_000


def test_values_of_time_and_of_growing_keys_last_a_while():
    """A hundred rows a second: 5,000 keys of one truncated value take 50 s."""
    fields = [("event_time", "hour"), ("event_id", "truncate[5000]"), ("event_id", "bucket[4]"), ("a_1", "truncate[9]")]
    by = tuple(PartitionField(column=column, transform=transform) for column, transform in fields)
    case = synthetic_case(interval_s=10.0)
    case = replace(case, table=case.table.model_copy(update={"partition_by": by}))
    assert growing_fields(case) == {0: 3_600, 1: pytest.approx(50)}


def test_bytes_between_two_writers_are_in_proportion():
    case = synthetic_case()
    narrow, other = (FileBytes(case, shipped_profile(case)) for _ in range(2))
    other.log_bytes = [one + 1 for one in narrow.log_bytes]
    for rows in (100, 2_000):
        expected = 0.75 * narrow.of(rows) + 0.25 * other.of(rows)
        assert narrow.between(other, 0.25).of(rows) == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize(
    ("values", "taken", "parts"), [(20, 4, (5, 1)), (16, 5, (16, 5)), (300, 40, (15, 2)), (9, 9, (0, 0))]
)
def test_commits_walk_through_equal_parts_of_all_partitions(values: int, taken: int, parts: tuple[int, int]):
    """As many are open as there are values, also where a sample of commits has walked through few."""
    case = synthetic_case()
    column = Columns(name="region", type="string", values=values)
    table = case.table.model_copy(update={"columns": (column,), "partition_by": (PartitionField(column="region"),)})
    work = case.workload.model_copy(update={"partitions_per_commit": taken, "rows_per_second": 2_000})
    case = replace(case, table=table, workload=work)
    assert walk(case) == parts
    assert CommitSamples(profile=shipped_profile(case)).arrivals(case).open_partitions == pytest.approx(values)
