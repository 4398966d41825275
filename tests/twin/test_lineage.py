"""The columns of row lineage in entries of files that Spark writes again."""

import numpy as np
import pytest

from wasim.iceberg import DataFileEntry
from wasim.iceberg.properties import DEFAULT_METRICS, NO_METRICS
from wasim.iceberg.property_values import MetricsMode
from wasim.twin.bounds import single_value
from wasim.twin.lineage import CHANGED_AT_ID, ROW_ID, with_lineage
from wasim.twin.row_sets import INHERITED, RowSet

ROWS = RowSet(
    numbers=np.arange(3),
    versions=np.zeros(3, dtype=np.int64),
    row_ids=np.array([7, 5, 9]),
    changed_at=np.array([2, INHERITED, 2]),
)
COUNTS = MetricsMode(has_counts=True, bound_length=None)


@pytest.mark.parametrize(
    ("mode", "has_counts", "has_bounds"), [(DEFAULT_METRICS, 1, 1), (COUNTS, 1, 0), (NO_METRICS, 0, 0)]
)
def test_lineage_has_the_metrics_of_unlisted_columns(mode: MetricsMode, has_counts: int, has_bounds: int):
    file = DataFileEntry(file_path="f", record_count=3, file_size_bytes=900, value_counts={1: 3})
    found = with_lineage(file, ROWS, {ROW_ID: 80, CHANGED_AT_ID: 90}, mode)
    assert (found.column_sizes or {}) == ({ROW_ID: 80, CHANGED_AT_ID: 90} if has_counts else {})
    assert found.value_counts == {1: 3} | ({ROW_ID: 3, CHANGED_AT_ID: 3} if has_counts else {})
    assert (found.null_value_counts or {}) == ({ROW_ID: 0, CHANGED_AT_ID: 1} if has_counts else {})
    long = [single_value("long", value) for value in (5, 2, 9)]
    assert (found.lower_bounds or {}) == ({ROW_ID: long[0], CHANGED_AT_ID: long[1]} if has_bounds else {})
    assert (found.upper_bounds or {}) == ({ROW_ID: long[2], CHANGED_AT_ID: long[1]} if has_bounds else {})
