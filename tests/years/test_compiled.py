"""Tables as compiled functions take them: the same numbers, in one piece of memory."""

from dataclasses import fields, replace

import numpy as np
from support.machine import simple_laws, table_with

from wasim.years.compiled import as_record
from wasim.years.machine.tables import COUNT, ROOM


def test_a_record_holds_every_number_of_a_table():
    for value in (table_with([(3, 100, 5, 2, 1)]), simple_laws()):
        record = as_record(value)
        assert [*record.dtype.names] == [one.name for one in fields(value)]
        for one in fields(value):
            np.testing.assert_array_equal(record[one.name], getattr(value, one.name), err_msg=one.name)


def test_counts_stay_integers_and_bytes_stay_fractions():
    record = as_record(table_with([]))
    assert (record.used.dtype, record.places.dtype) == (np.int64, np.int64)
    assert record.numbers.dtype == np.float64
    assert record.rows.shape[:2] == (2, ROOM)
    laws = as_record(simple_laws())
    assert (laws.filters.dtype, laws.files.dtype) == (np.int64, np.float64)


def test_records_of_one_type_share_no_memory():
    first, second = as_record(table_with([(3, 100, 5, 2, 1)])), as_record(table_with([]))
    assert first.dtype == second.dtype
    first.rows[0, 0, COUNT] = 7.0
    assert second.rows[0, 0, COUNT] == 0
    of_laws = [as_record(laws) for laws in (simple_laws(), replace(simple_laws(), target=1.0))]
    assert of_laws[0].dtype == of_laws[1].dtype
    assert of_laws[1].target == 1
