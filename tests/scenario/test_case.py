"""What a case makes of its scenario: commits, rows, and what it is called."""

from collections.abc import Callable

import pytest

from wasim.scenario import Case
from wasim.scenario.case import covered_s, multiples_within, rows_within, whole_commits

MakeCase = Callable[..., Case]


@pytest.mark.parametrize(
    ("horizon_s", "commit_interval_s", "commits", "covered"),
    [
        (60.0, 5.0, 12, 60.0),
        (60.0, 7.0, 8, 56.0),
        (10.01, 1.001, 10, 10.01),
        (1.2, 0.1, 12, 1.2),
        (365 * 86400.0, 0.1, 315_360_000, 365 * 86400.0),
        (4.0, 5.0, 0, 0.0),
    ],
)
def test_rounding_errors_cut_no_commit_off_a_horizon(
    horizon_s: float, commit_interval_s: float, commits: int, covered: float
) -> None:
    assert whole_commits(horizon_s=horizon_s, commit_interval_s=commit_interval_s) == commits
    assert covered_s(horizon_s=horizon_s, commit_interval_s=commit_interval_s) == covered


@pytest.mark.parametrize(
    ("time_s", "of", "count"), [(10.0, 5.0, 2), (9.999, 5.0, 1), (0.3, 0.1, 3), (2.1, 0.7, 3), (4.0, 5.0, 0)]
)
def test_multiples_of_a_period_are_counted_through_a_time(time_s: float, of: float, count: int) -> None:
    assert multiples_within(time_s, of=of) == count


@pytest.mark.parametrize(
    ("rate", "interval_s", "rows"), [(100.0, 5.0, 500), (1.5, 1.0, 2), (0.5, 1.2, 1), (0.6, 1.0, 1)]
)
def test_rows_of_a_commit_are_whole(rate: float, interval_s: float, rows: int) -> None:
    assert rows_within(commit_interval_s=interval_s, rows_per_second=rate) == rows


def test_commits_by_a_time_end_with_the_last(small_case: MakeCase) -> None:
    case = small_case(horizon="10s")
    assert [case.commits_by(time_s) for time_s in (0.5, 1.0, 9.9, 10.0, 99.0)] == [0, 1, 9, 10, 10]


@pytest.mark.parametrize(("interval", "horizon", "since_s"), [("20m", "30d", 28 * 86_400), ("1m", "1h", 0)])
def test_a_cycle_is_of_whole_days(interval: str, horizon: str, since_s: float, small_case: MakeCase) -> None:
    """In 33 hours and 20 minutes, in which a hundred appends are merged, a job of every 6 hours runs five or six
    times, whenever they end: a plan counts eight in two days.
    """
    case = small_case(writer="batch", commit_interval=interval, horizon=horizon)
    assert case.cycle_since_s(86_400) == since_s
    assert case.full_cycle_s(case.horizon_s) == (172_800 if since_s else 86_400)


def test_rows_that_replace_others_are_not_counted_twice(small_case: MakeCase) -> None:
    case = small_case(horizon="4s", writer="{kind: batch, upsert: {share: 0.25}}")
    rows, replaced = case.rows_per_commit, case.replaced_rows_per_commit
    assert (rows, replaced) == (20, 5)
    assert [case.rows_through(commit) for commit in range(4)] == [0, 20, 35, 50]


@pytest.mark.parametrize(
    ("writer", "name"),
    [
        ("streaming", "streaming"),
        ("{kind: streaming, append: fast}", "streaming"),
        ("{kind: streaming, append: merge}", "streaming+merge"),
        ("{kind: streaming, sink: foreach_batch}", "streaming-foreach"),
        ("{kind: batch, writers: 4}", "4×batch"),
        ("{kind: batch, upsert: {share: 0.5}}", "batch-upsert"),
        ("{kind: streaming, append: merge, profile: kafka_connect}", "kafka_connect+merge"),
    ],
)
def test_a_writer_is_called_by_what_sets_it_apart(writer: str, name: str, small_case: MakeCase) -> None:
    assert small_case(writer=writer).writer_name == name


@pytest.mark.parametrize(
    ("sweep", "label"),
    [
        ("{maintenance: [{rewrite_data_files: {when_small_files: 10}, expire_snapshots: {every: 2m, older_than: 1m}}]}",
         "batch every 1s rewrite_data_files/10 small files + expire_snapshots/2m"),
        ("{maintenance: [none]}", "batch every 1s no maintenance"),
        ("{changes: [{update: {every: 90s, share: 0.5}}]}", "batch every 1s update/1m30s"),
        ("{maintenance.expire_snapshots: [none]}", "batch every 1s expire_snapshots=none"),
        ("{table.properties.commit.manifest.min-count-to-merge: [5]}", "batch every 1s "
         "commit.manifest.min-count-to-merge=5"),
        ("{writer.upsert.share: [0.5], writer.kind: [batch]}", "batch-upsert every 1s upsert.share=0.5"),
        ("{environment.spark.spark.sql.shuffle.partitions: [5], writer: [batch]}", "batch every 1s "
         "spark.sql.shuffle.partitions=5"),
    ],
)  # fmt: skip
def test_a_case_is_called_by_what_was_swept(sweep: str, label: str, small_case: MakeCase) -> None:
    assert small_case(writer="batch", sweep=sweep).label == label


def test_what_happens_to_a_table_besides_appends_is_known(small_case: MakeCase) -> None:
    appends = small_case(writer="batch")
    assert (appends.only_appends, appends.is_appends_of_one_writer) == (True, True)
    several = small_case(writer="{kind: batch, writers: 2}")
    assert (several.only_appends, several.is_appends_of_one_writer) == (True, False)
    for more in ({"maintenance": "{rewrite_manifests: {every: 1s}}"}, {"evolution": "[{at: 1s, create_tag: a}]"}):
        assert not small_case(writer="batch", **more).only_appends
    changed = small_case(writer="batch", changes="{delete: {every: 1s, rows: 1, mode: merge-on-read}}")
    assert changed.change_modes == {"write.delete.mode": "merge-on-read"}
    assert not changed.only_appends
