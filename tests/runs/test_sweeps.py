"""Write amplification over one denominator: what small files cost shows."""

from dataclasses import replace

from support.synthetic import Sweep, synthetic_run

from wasim.runs.sweeps import share_denominator


def test_all_intervals_divide_by_the_data_bytes_of_the_longest():
    run = synthetic_run(sweep=Sweep(intervals_s=(1.0, 60.0), writers=("streaming",)))
    short, long = share_denominator(run.cases)
    assert long.amplification.data == 1
    assert short.amplification.data == short.totals.data_bytes / long.ingested_bytes > 1
    assert short.amplification.metadata == short.totals.metadata_bytes / long.ingested_bytes


def test_other_tables_and_other_horizons_share_nothing():
    run = synthetic_run(sweep=Sweep(intervals_s=(1.0, 60.0), writers=("streaming",)))
    wide = synthetic_run(sweep=Sweep(intervals_s=(1.0,), writers=("streaming",), added_columns=(90,))).cases[0]
    later = synthetic_run(sweep=Sweep(intervals_s=(1.0,), writers=("streaming",), horizon_s=480.0)).cases[0]
    *_, alone, longer = share_denominator((*run.cases, wide, later))
    assert (alone.amplification.data, longer.amplification.data) == (1, 1)


def test_several_writers_keep_their_own():
    one = synthetic_run(sweep=Sweep(intervals_s=(1.0,), writers=("batch",))).cases[0]
    writer = one.case.writer.model_copy(update={"writers": 4})
    crowd = replace(one, case=replace(one.case, writer=writer), ingested_bytes=one.ingested_bytes // 2)
    assert [case.amplification.data for case in share_denominator((one, crowd))] == [
        1,
        crowd.totals.data_bytes / crowd.ingested_bytes,
    ]
