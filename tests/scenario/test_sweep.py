"""A sweep taken apart: which combinations there are, and where a value of one was written."""

from itertools import islice
from math import prod
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.scenarios import loaded

from wasim.errors import WasimError
from wasim.scenario.checks import CHECKS
from wasim.scenario.document import read_document
from wasim.scenario.examine import examine
from wasim.scenario.faults import Draft
from wasim.scenario.parts import WRITER_KINDS
from wasim.scenario.scenario import Scenario
from wasim.scenario.sweep import MOST_CASES, Axis, choices, examine_each, placed, read_axes, settle, source

SIZES = st.lists(st.integers(1, 6), max_size=4)


def axes_of(sizes: list[int]) -> tuple[Axis, ...]:
    """One axis a size, each of a field of its own in part `p`."""
    return tuple(
        Axis(field=f"p.f{number}", place=("p", f"f{number}"), values=tuple(range(size)))
        for number, size in enumerate(sizes)
    )


@given(sizes=SIZES)
def test_every_combination_comes_once_the_last_axis_fastest(sizes):
    found = list(choices(axes_of(sizes)))
    assert len(found) == prod(sizes)
    assert found == sorted(set(found))


@pytest.mark.parametrize(("sizes", "count"), [([100, 100], 10_000), ([100, 101], 1 + 99 + 100), ([10_001], 10_000)])
def test_of_too_many_combinations_those_of_one_field_are_left(sizes, count):
    found = list(choices(axes_of(sizes)))
    assert len(found) == len(set(found)) == count
    if prod(sizes) > MOST_CASES:
        assert all(sum(index > 0 for index in choice) <= 1 for choice in found)


@given(data=st.data(), sizes=SIZES)
def test_a_combination_knows_where_its_values_were_written(data, sizes):
    axes = axes_of(sizes)
    choice = tuple(data.draw(st.integers(0, size - 1)) for size in sizes)
    base = {"name": "n", "p": {"f0": "above", "kept": "yes"}, "sweep": {}}
    settled = settle(base, axes, choice)
    assert settled == {"name": "n", "p": base["p"] | {f"f{number}": index for number, index in enumerate(choice)}}
    for number, index in enumerate(choice):
        assert source(("p", f"f{number}", "deep"), axes, choice) == ("sweep", f"p.f{number}", index, "deep")
    assert source(("p", "kept"), axes, choice) == ("p", "kept")


@given(text=st.text(max_size=9).filter(lambda text: text not in WRITER_KINDS))
def test_only_a_writers_short_name_is_taken_for_a_mapping(text):
    assert placed(text, ("append",), "merge") == text
    assert placed("streaming", ("append",), "merge") == {"kind": "streaming", "append": "merge"}
    assert placed([text, {"a": 1}, 5], (1, "a"), 2) == [text, {"a": 2}, 5]


def test_cases_are_chosen_by_number_or_label(tmp_path):
    scenario = loaded(
        tmp_path,
        "name: swept\nquestion: Which?\ntable: {columns: [{name: n, type: int}]}\nworkload: {rows_per_second: 10}\n"
        "horizon: 1m\nsweep: {commit_interval: [5s, 15s], writer: [streaming, batch]}\n",
    )
    assert [case.label for case in scenario.only(["2", "streaming every 15s"]).cases()] == [
        "batch every 5s",
        "streaming every 15s",
    ]
    assert scenario.only(["5s"]).cases() == scenario.cases()
    assert scenario.only(["2"]).commits == 12
    for unknown in ("5", "flink"):
        with pytest.raises(WasimError, match=f"--only is '{unknown}', and none of the 4 cases is called that"):
            scenario.only([unknown])


SHIPPED = sorted(Path("scenarios").rglob("*.yaml"))


class Looked(Scenario):
    """A scenario that notes which of its parts are looked at."""

    def __getattribute__(self, name):
        if name in Scenario.model_fields:
            PARTS.add(name)
        return super().__getattribute__(name)


PARTS: set[str] = set()


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_checks_look_at_no_other_parts_than_they_name(path):
    base = read_document(path.read_bytes())[0].data
    axes = read_axes(base)[0]
    for choice in islice(choices(axes), 50):
        document = settle(base, axes, choice)
        draft = Draft(scenario=Looked(**dict(examine(document)[0])), document=document, broken=frozenset())
        for check in CHECKS:
            PARTS.clear()
            list(check.faults(draft))
            assert set(check.parts) >= PARTS, check


def test_a_sweep_is_examined_as_each_of_its_combinations():
    path = Path("scenarios/grid.yaml")
    base = read_document(path.read_bytes())[0].data
    base["sweep"] = base["sweep"] | {"workload.files_per_commit": ["1", "2000"], "commit_interval": ["1s", "10m", "x"]}
    axes, _ = read_axes(base)
    found = list(examine_each(base, axes))
    alone = {choice: examine(settle(base, axes, choice)) for choice, _, _ in found}
    assert all(faults or scenario == alone[choice][0] for choice, scenario, faults in found)
    shown = {
        (source(one.place, axes, choice), one.problem, one.remedy) for choice, _, faults in found for one in faults
    }
    assert shown == {
        (source(one.place, axes, choice), one.problem, one.remedy)
        for choice, (_, faults) in alone.items()
        for one in faults
    }
