"""What `validate` says of sound scenarios that are not carried out to the letter."""

from pathlib import Path

import pytest
from support.scenarios import loaded

SOUND = """\
name: noted
question: What is not as written?
table: {columns: [{name: amount, type: double}]}
workload: {rows_per_second: 100}
writer: batch
horizon: 1m
sweep: {commit_interval: [1s, 5s]}
"""


def notes_of(tmp_path: Path, old: str = "", new: str = "") -> tuple[str, ...]:
    return loaded(tmp_path, SOUND.replace(old, new) if old else SOUND).notes


def test_what_is_carried_out_as_written_has_no_notes(tmp_path: Path) -> None:
    assert notes_of(tmp_path) == ()
    at_the_end = "writer: batch\nevolution: [{at: 1m, create_tag: a}]\nmaintenance: {rewrite_manifests: {every: 1m}}"
    assert notes_of(tmp_path, "writer: batch", at_the_end) == ()


@pytest.mark.parametrize(
    ("old", "new", "notes"),
    [
        (
            "[1s, 5s]", "[1s, 7s, 11s]",
            ("horizon: 1m is cut to whole commits, to 56s at 7s, to 55s at 11s.",),
        ),
        (
            "100}", "1.5}",
            ("workload.rows_per_second: rows per commit are rounded, 1.5 to 2 at 1s, 7.5 to 8 at 5s.",),
        ),
        (
            "writer: batch", "writer: batch\nmaintenance: {expire_snapshots: {every: 30d, older_than: 5d}}",
            ("maintenance.expire_snapshots: every 30d is longer than the horizon of 1m, so it never happens.",),
        ),
        (
            "writer: batch", "writer: batch\nevolution: [{at: 2m, create_tag: end}]",
            ("evolution[0]: at 2m is after the horizon of 1m, so it never happens.",),
        ),
    ],
)  # fmt: skip
def test_what_differs_from_the_file_is_said_once(old: str, new: str, notes: tuple[str, ...], tmp_path: Path) -> None:
    assert notes_of(tmp_path, old, new) == notes


def test_what_a_cut_horizon_misses_is_said_of_it(tmp_path: Path) -> None:
    upkeep = (
        "writer: batch\nmaintenance: {rewrite_manifests: {every: 1m}, expire_snapshots: {every: 2m, older_than: 5d}}"
    )
    noted = SOUND.replace("writer: batch", upkeep).replace("[1s, 5s]", "[7s, 11s]")
    assert loaded(tmp_path, noted).notes[1:] == (
        "maintenance.rewrite_manifests: every 1m is longer than the horizon of 56s, 55s, so it never happens.",
        "maintenance.expire_snapshots: every 2m is longer than the horizon of 1m, so it never happens.",
    )


def test_only_the_first_few_of_many_cases_are_named(tmp_path: Path) -> None:
    (note,) = notes_of(tmp_path, "[1s, 5s]", "[7s, 11s, 13s, 17s, 19s]")
    assert note == (
        "horizon: 1m is cut to whole commits, to 56s at 7s, to 55s at 11s, to 52s at 13s, to 51s at 17s, and so on."
    )
