"""Subtasks of keys, as a Flink 2.1.1 dealt them out: read from the names of the files that it wrote."""

import numpy as np

from wasim.twin.key_groups import subtasks_of_keys, subtasks_of_texts

OF_TWO = [1, 0, 1, 1, 1, 1, 0, 1, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 1, 0]
KEYS = (
    (8, 1767225600160000, "0d7f0e33", 0, 20456, False),
    (86, 1767225601720000, "0d7f0e33", 3, 20454, True),
    (170, 1767225603400000, "2717ece0", 0, 20455, False),
    (33, 1767225600660000, "484aa6cc", 1, 20454, True),
    (624, 1767225612480000, "484aa6cc", 3, 20454, False),
    (38, 1767225600760000, "88a09c48", 3, 20454, True),
    (28, 1767225600560000, "e86574df", 0, 20454, False),
    (23, 1767225600460000, "ecbe93f9", 2, 20455, False),
    (82, 1767225601640000, "ecbe93f9", 3, 20455, True),
)
TYPES = ("long", "timestamptz", "string", "int", "date", "boolean")
OF_PATHS = {
    "region=0d7f0e33/level_bucket=0": 1,
    "region=0d7f0e33/level_bucket=1": 0,
    "region=2717ece0/level_bucket=1": 2,
    "region=88a09c48/level_bucket=0": 2,
    "region=e86574df/level_bucket=0": 0,
    "region=fdfc31f7/level_bucket=1": 1,
}


def test_whole_numbers_go_where_flink_sent_them():
    assert subtasks_of_keys([("long", np.arange(24))], 2).tolist() == OF_TWO


def test_keys_of_six_types_go_where_flink_sent_them():
    columns = [np.array(column, dtype=object if kind == "string" else None) for kind, column in _columns()]
    assert subtasks_of_keys(list(zip(TYPES, columns, strict=True)), 3).tolist() == [0, 1, 2, 1, 2, 0, 1, 0, 1]


def test_partitions_go_where_flink_sent_them():
    assert subtasks_of_texts(OF_PATHS, 3).tolist() == list(OF_PATHS.values())


def test_many_subtasks_share_more_key_groups():
    subtasks = subtasks_of_keys([("long", np.arange(20_000))], 200)
    assert len(np.unique(subtasks)) == 200
    assert np.bincount(subtasks).min() > 40


def _columns():
    return zip(TYPES, zip(*KEYS, strict=True), strict=True)
