"""Case ─► steps: order, numbers, which rows, and the table as it then is."""

from collections.abc import Callable
from itertools import pairwise

import pytest

from wasim.scenario import Case
from wasim.workload import SCATTER, Append, ChangeRows, CreateTable, Evolve, Maintain, Probe, Schedule, plan_steps

MakeCase = Callable[..., Case]


def numbers_taken(step: object) -> range:
    if isinstance(step, CreateTable | Probe):
        return range(0)
    assert isinstance(step, Append | ChangeRows | Maintain | Evolve)
    return range(step.number, step.number + (step.commits if isinstance(step, Append) else 1))


def test_appends_alone_are_one_run_between_probes(small_case: MakeCase) -> None:
    case = small_case(horizon="10s", planning="{rounds: 1, checkpoints: [0.3], cold: false}")
    steps = [step for step in plan_steps(case) if not isinstance(step, CreateTable)]
    assert [(step.first_commit, step.commits) for step in steps if isinstance(step, Append)] == [(1, 3), (4, 7)]
    assert [step.after_commit for step in steps if isinstance(step, Probe)] == [3, 10]


def test_every_number_is_taken_once(small_case: MakeCase) -> None:
    case = small_case(
        horizon="12s",
        changes="{update: {every: 3s, share: 0.5}, delete: {every: 5s, rows: 2}}",
        maintenance="{rewrite_manifests: {when_manifests: 3}, expire_snapshots: {every: 4s, older_than: 1s}}",
        evolution="[{at: 6s, create_tag: half}]",
    )
    taken = [number for step in plan_steps(case) for number in numbers_taken(step)]
    assert taken == list(range(1, len(taken) + 1))


def test_at_one_time_append_comes_first_and_probe_last(small_case: MakeCase) -> None:
    case = small_case(
        changes="{delete: {every: 4s, rows: 2}, update: {every: 4s, share: 0.5}}",
        maintenance="{expire_snapshots: {every: 4s, older_than: 1s}, rewrite_data_files: {every: 4s}}",
        evolution="[{at: 4s, create_tag: end}]",
    )
    *_, append, update, delete, tag, rewrite, expire, probe = plan_steps(case)
    assert isinstance(append, Append)
    assert isinstance(probe, Probe)
    names = [step.operation for step in (update, delete, tag, rewrite, expire)]  # type: ignore[union-attr]
    assert names == ["update", "delete", "create_tag", "rewrite_data_files", "expire_snapshots"]


@pytest.mark.parametrize(
    ("every_s", "commit_interval_s", "horizon_s", "count", "commits"),
    [
        (3.0, 1.0, 10.0, 3, [3, 6, 9]),
        (0.7, 1.0, 3.0, 4, [0, 1, 2, 2]),
        (5.0, 2.0, 10.0, 2, [2, 5]),
        (11.0, 1.0, 10.0, 0, []),
        (0.1, 0.3, 0.6, 6, [0, 0, 1, 1, 1, 2]),
    ],
)
def test_a_job_follows_the_commit_made_by_its_time(
    every_s: float, commit_interval_s: float, horizon_s: float, count: int, commits: list[int]
) -> None:
    schedule = Schedule(every_s=every_s, commit_interval_s=commit_interval_s, horizon_s=horizon_s)
    assert schedule.count == count
    assert [schedule.commit_at(turn) for turn in range(1, count + 1)] == commits


@pytest.mark.parametrize(("every_s", "commit_interval_s"), [(3.0, 1.0), (0.7, 1.0), (5.0, 2.0), (0.1, 0.3), (1.0, 7.0)])
def test_a_run_never_follows_the_same_commit_twice(every_s: float, commit_interval_s: float) -> None:
    schedule = Schedule(every_s=every_s, commit_interval_s=commit_interval_s, horizon_s=30.0)
    for commit in range(20):
        later = next(turn for turn in range(1, 1000) if schedule.commit_at(turn) > commit)
        assert schedule.turn_after(commit) == later


def test_a_schedule_counts_exactly_after_hundreds_of_millions_of_commits() -> None:
    schedule = Schedule(every_s=0.7, commit_interval_s=0.1, horizon_s=365 * 86400.0)
    assert schedule.count == 365 * 864_000 // 7
    assert all(schedule.commit_at(turn) == 7 * turn for turn in range(schedule.count - 1000, schedule.count + 1))


def test_steps_of_a_long_horizon_come_one_by_one(small_case: MakeCase) -> None:
    case = small_case(horizon="3650d", maintenance="{rewrite_manifests: {every: 1s}}")
    steps = plan_steps(case)
    assert [next(steps).number for _ in range(5)] == [0, 1, 2, 3, 4]  # type: ignore[union-attr]


def test_what_would_come_after_the_horizon_never_does(small_case: MakeCase) -> None:
    late = small_case(
        horizon="6s",
        maintenance="{expire_snapshots: {every: 7s, older_than: 1s}}",
        evolution="[{at: 7s, create_tag: a}]",
    )
    assert list(plan_steps(late)) == [
        step for step in plan_steps(small_case(horizon="6s")) if not isinstance(step, Maintain | Evolve)
    ]


def test_event_time_never_goes_back(small_case: MakeCase) -> None:
    case = small_case(
        horizon="12s",
        changes="{update: {every: 700ms, share: 0.5}}",
        maintenance="{rewrite_manifests: {every: 1500ms}}",
    )
    times = [step.event_time_s for step in plan_steps(case) if isinstance(step, ChangeRows | Maintain)]
    assert len(times) == 17 + 8
    assert all(earlier <= later for earlier, later in pairwise(times))


def test_what_was_deleted_is_not_chosen_again(small_case: MakeCase) -> None:
    case = small_case(
        horizon="6s", changes="{delete: {every: 2s, rows: 15, locality: oldest}, update: {every: 2s, share: 1}}"
    )
    updates = [step.rows for step in plan_steps(case) if isinstance(step, ChangeRows) and step.operation == "update"]
    deletes = [step.rows for step in plan_steps(case) if isinstance(step, ChangeRows) and step.operation == "delete"]
    assert [(rows.first, rows.stop) for rows in deletes] == [(0, 15), (15, 30), (30, 45)]
    assert [(rows.first, rows.stop) for rows in updates] == [(0, 40), (15, 80), (30, 120)]


def test_rows_of_whole_commits_end_where_commits_end(small_case: MakeCase) -> None:
    case = small_case(horizon="6s", changes="{delete: {every: 2s, rows: 25, locality: oldest_commits}}")
    deletes = [step.rows for step in plan_steps(case) if isinstance(step, ChangeRows)]
    assert [(rows.first, rows.stop) for rows in deletes] == [(0, 20), (20, 40), (40, 60)]


@pytest.mark.parametrize(("share", "parts"), [("0.25", SCATTER // 4), ("1", SCATTER)])
def test_scattered_rows_are_a_share_by_hash(share: str, parts: int, small_case: MakeCase) -> None:
    case = small_case(changes=f"{{update: {{every: 2s, share: {share}}}}}")
    chosen = [step.rows for step in plan_steps(case) if isinstance(step, ChangeRows)]
    assert [rows.parts for rows in chosen] == [parts, parts]
    assert len({rows.salt for rows in chosen}) == 2


def test_an_overwritten_table_holds_the_rows_of_the_overwrite(small_case: MakeCase) -> None:
    case = small_case(changes="{overwrite: {every: 2s, rows: 10, kind: static}}", horizon="4s")
    chosen = [(step.rows.first, step.rows.stop) for step in plan_steps(case) if isinstance(step, ChangeRows)]
    assert chosen == [(30, 40), (70, 80)]


def test_a_dynamic_overwrite_by_no_rows_changes_nothing(small_case: MakeCase) -> None:
    case = small_case(changes="{overwrite: {every: 2s, share: 0.01, kind: dynamic}}", horizon="6s")
    chosen = [(step.rows.first, step.rows.stop) for step in plan_steps(case) if isinstance(step, ChangeRows)]
    assert chosen == [(40, 40), (79, 80), (120, 120)]


def test_inserted_rows_have_numbers_that_no_other_row_has(small_case: MakeCase) -> None:
    case = small_case(changes="{merge: {every: 1s, rows: 2, new_rows: 3}}")
    ranges = [step.new_rows for step in plan_steps(case) if isinstance(step, ChangeRows)]
    assert ranges == [(-3, 0), (-6, -3), (-9, -6), (-12, -9)]


def test_appends_see_the_table_as_it_is_by_then(small_case: MakeCase) -> None:
    case = small_case(
        evolution="[{at: 1s, add_column: {name: extra, type: int}}, {at: 2s, drop_column: sensor},"
        " {at: 3s, rename_column: {column: reading, to: value}}]"
    )
    columns = [[c.name for c in step.table.columns] for step in plan_steps(case) if isinstance(step, Append)]
    assert columns == [
        ["reading", "sensor"], ["reading", "sensor", "extra"], ["reading", "extra"], ["value", "extra"],
    ]  # fmt: skip


def test_upserts_bring_fewer_new_rows_than_they_write(small_case: MakeCase) -> None:
    case = small_case(writer="{kind: batch, upsert: {share: 0.25}}")
    assert [case.rows_through(commit) for commit in range(5)] == [0, 20, 35, 50, 65]
    assert [step.replaced_per_commit for step in plan_steps(case) if isinstance(step, Append)] == [5]
