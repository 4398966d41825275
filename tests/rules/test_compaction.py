"""Which data files and groups rewrite_data_files takes, and how many files it makes of them."""

import pytest

from wasim.rules.compaction import (
    groups_per_commit,
    is_much_deleted,
    is_outside,
    is_rewritten,
    output_files,
    row_groups,
    task_bytes,
    tasks_of,
)

TARGET = 1000


@pytest.mark.parametrize(("size", "taken"), [(749, True), (750, False), (1800, False), (1801, True)])
def test_files_between_both_bounds_are_left_alone(size, taken):
    assert is_outside(size, TARGET) == taken


@pytest.mark.parametrize(
    ("files", "size", "taken"),
    [(4, 900, False), (5, 900, True), (2, 1000, False), (2, 1001, True), (1, 1800, False), (1, 1801, True)],
    ids=["few", "enough", "a file's content", "more content", "one", "one too large"],
)
def test_a_group_is_rewritten_for_its_files_or_its_content(files, size, taken):
    assert is_rewritten(files, size, 5, TARGET) == taken


@pytest.mark.parametrize(
    ("size", "made"),
    [(999, 1), (1099, 1), (1100, 2), (1750, 2), (1751, 2), (2150, 2), (2300, 3), (9_750, 9), (9_751, 10), (10_400, 10)],
)
def test_a_group_becomes_as_many_files_as_its_bytes_need(size, made):
    assert output_files(size, TARGET) == made


@pytest.mark.parametrize(
    ("size", "most"),
    [(500_000, 1_000_000), (2_100_000, 1_055_120), (2_000_000, 1_005_120), (3_300_000, 1_000_000)],
    ids=["one file", "a rest shared out", "two files", "a rest of its own"],
)
def test_a_task_takes_what_a_file_is_to_have(size, most):
    assert task_bytes(size, 1_000_000) == most


def test_a_split_goes_to_the_first_task_with_room():
    assert tasks_of([400, 700, 600, 300, 1200], 1000) == [[0, 2], [1, 3], [4]]


def test_of_many_open_tasks_the_fullest_is_closed():
    sizes = [510, 520, 590, 530, 540, 550, 560, 570, 580, 505, 506, 400]
    assert tasks_of(sizes, 1000) == [[2], [0, 11], [1], [3], [4], [5], [6], [7], [8], [9], [10]]


def test_row_groups_are_those_of_parquet():
    assert [row_groups(mib << 20) for mib in (1, 128, 192, 512)] == [1, 1, 2, 4]


def test_three_tenths_of_a_file_deleted_are_much():
    assert [is_much_deleted(deleted, 10) for deleted in (0, 2, 3)] == [False, False, True]
    assert not is_much_deleted(0, 0)


def test_groups_are_shared_out_evenly_over_commits():
    assert [groups_per_commit(7, most) for most in (1, 3, 10)] == [7, 3, 1]
