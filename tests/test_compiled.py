"""Compiled functions: they come to the same, are kept for the next process, and are loaded without numba."""

import errno
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from wasim.compiled import _digest, compiled

pytest.importorskip("numba")


def add_to(values: list[list[float]], more: list[float], times: float) -> None:
    for row in range(len(values)):
        for column in range(len(more)):
            values[row][column] += times_of(more[column], times)


def times_of(value: float, times: float) -> float:
    return (value / (times - times)) if times > 1e9 else value * times**2.5


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModuleType:
    """A module with both functions; the folder of the sources takes nothing, and the user's cache is another."""
    found = ModuleType("wasim.tried")
    for one in (add_to, times_of):
        monkeypatch.setattr(one, "__module__", "wasim.tried")
        setattr(found, one.__name__, one)
    monkeypatch.setattr("wasim.compiled.os.access", lambda path, mode: False)
    monkeypatch.setenv("WASIM_CACHE", str(tmp_path / "cache"))
    return found


def test_what_was_compiled_is_kept_and_loads_without_numba(
    module: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    first, again, as_it_stands = (np.arange(6.0).reshape(2, 3) for _ in range(3))
    more = np.array([1.0, 2.0, 4.0])
    run = compiled.__wrapped__
    assert run((module,), "add_to", compiles=False) is None
    run((module,), "add_to", compiles=True)(first, more, 3.0)
    assert [one.suffix for one in (tmp_path / "cache").iterdir()] == [".o"]
    monkeypatch.setitem(sys.modules, "numba", None)
    run((module,), "add_to", compiles=False)(again, more, 3.0)
    add_to(as_it_stands, more, 3.0)
    np.testing.assert_allclose(first, as_it_stands, rtol=1e-15)
    np.testing.assert_array_equal(first, again)


def test_for_arguments_of_another_layout_it_is_compiled_anew(module: ModuleType):
    run, first, again = compiled.__wrapped__, np.zeros((1, 3)), np.zeros((1, 3))
    run((module,), "add_to", compiles=True)(first, np.array([1.0, 2.0, 4.0]), 4.0)
    run((module,), "add_to", compiles=False)(again, np.array([1, 2, 4]), 4.0)
    np.testing.assert_array_equal(first, again)
    assert first.tolist() == [[32, 64, 128]]


def test_where_nothing_can_be_kept_nothing_is_compiled(
    module: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("WASIM_CACHE", str(tmp_path / "file" / "cache"))
    monkeypatch.setattr("wasim.compiled.__file__", str(tmp_path / "elsewhere" / "compiled.py"))
    assert compiled.__wrapped__((module,), "add_to", compiles=True) is None


def test_what_cannot_be_kept_is_compiled_for_one_process(
    module: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    values = np.zeros((1, 1))
    compiled.__wrapped__((module,), "add_to", compiles=True)(values, np.array([1.0]), 4.0)
    assert values[0, 0] == 32
    assert not [*(tmp_path / "cache").iterdir()]


def test_divided_by_zero_a_number_is_infinite(module: ModuleType):
    values = np.zeros((1, 1))
    compiled.__wrapped__((module,), "add_to", compiles=True)(values, np.array([1.0]), 1e10)
    assert values[0, 0] == np.inf


def test_two_functions_of_one_name_are_refused(module: ModuleType):
    other = ModuleType("wasim.other")
    other.times_of = add_to  # type: ignore[attr-defined]
    with pytest.raises(ValueError, match=r"wasim\.other\.times_of is compiled with another function"):
        compiled((module, other), "add_to", compiles=True)


def test_a_function_has_one_digest_in_each_process():
    """Also one that has code within it, whose address differs."""
    made = []
    for _ in range(2):
        names: dict[str, Any] = {}
        exec("def total(values):\n    return sum(one for one in values)", names)  # noqa: S102 - our own text
        made.append(names["total"])
    assert made[0].__code__.co_consts[1] is not made[1].__code__.co_consts[1]
    assert _digest({}, made[:1]) == _digest({}, made[1:])
