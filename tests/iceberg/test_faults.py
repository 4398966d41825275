"""Errors about files: one line that a terminal can show, however long and strange the file's words are."""

import pickle

import pytest

from wasim.errors import UnsupportedFile, printable
from wasim.iceberg import IcebergFileError


@pytest.mark.parametrize("most", [5, 400, 1_000])
def test_text_is_cut_where_it_is_longer_than_allowed(most):
    assert printable("x" * most, most) == "x" * most
    assert printable("x" * (most + 1), most) == "x" * (most - 1) + "…"


def test_characters_that_steer_a_terminal_are_replaced():
    assert printable("a\x1b[31m\u202eb\ud800") == "a\ufffd[31m\ufffdb\ufffd"


@pytest.mark.parametrize("kind", [IcebergFileError, UnsupportedFile])
def test_names_and_problems_of_files_are_cut_to_length(kind):
    error = kind("s" * 1_001, "p" * 401)
    assert (error.source, error.problem) == ("s" * 999 + "…", "p" * 399 + "…")
    again = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own
    assert (type(again), str(again)) == (kind, str(error))
    assert str(kind("s" * 1_000, "p" * 400)) == f"{'s' * 1_000}: {'p' * 400}"
