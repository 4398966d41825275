"""The page that says how close the simulator comes to real runs."""

import csv
from dataclasses import replace

import pytest

pytest.importorskip("pyspark")


from tools.comparison import KindFidelity
from tools.fidelity import render_fidelity, render_rows
from wasim.ledger import Kind


def kind(name: Kind, *, files: tuple[int, int] = (3, 3), sizes: tuple[int, int] = (1000, 1001)) -> KindFidelity:
    return KindFidelity(
        kind=name,
        files_real=files[0],
        files_simulated=files[1],
        deleted_real=1,
        deleted_simulated=1,
        bytes_real=sizes[0],
        bytes_simulated=sizes[1],
        worst_commit_error=-0.02,
    )


CHECKED = [
    ("a", (kind(Kind.METADATA_JSON), kind(Kind.DATA, sizes=(1000, 900)))),
    ("b", (kind(Kind.METADATA_JSON, sizes=(1000, 997)), kind(Kind.MANIFEST_LIST, files=(3, 4)))),
]


def test_the_page_sums_up_each_kind():
    page = render_fidelity(CHECKED)
    assert "| metadata_json | 2 | 2 | 0.200% | -0.300% |" in page
    assert "| manifest_list | 1 | 0 | 0.100% | +0.100% |" in page
    assert "| a | data | 3 − 1 | 3 − 1 | 1,000 | 900 | -10.000% | -2.000% | – |" in page
    assert page.endswith("\n3 of 4 rows meet the goal: counts exact, metadata within 0.5%.\n")


def test_the_page_lists_only_rows_that_miss():
    page = render_fidelity(CHECKED, rows_file="fidelity.csv")
    assert "| b | manifest_list | 3 − 1 | 4 − 1 | 1,000 | 1,001 | +0.100% | -2.000% | no |" in page
    assert "| a |" not in page
    assert "miss the goal:" not in render_fidelity(CHECKED[:1], rows_file="fidelity.csv")


def test_rows_are_whole_as_csv():
    rows = list(csv.DictReader(render_rows(CHECKED).splitlines()))
    assert [(row["case"], row["kind"], row["meets_goal"]) for row in rows] == [
        ("a", "metadata_json", "true"),
        ("a", "data", "true"),
        ("b", "metadata_json", "true"),
        ("b", "manifest_list", "false"),
    ]
    assert float(rows[1]["error"]) == pytest.approx(-0.1)
    assert (rows[3]["files_simulated"], rows[3]["bytes_simulated"]) == ("4", "1001")


def test_metadata_beyond_its_goal_misses_and_data_does_not():
    far = kind(Kind.DATA_MANIFEST, sizes=(1000, 1006))
    assert not far.meets_goal
    assert replace(far, kind=Kind.DATA).meets_goal
