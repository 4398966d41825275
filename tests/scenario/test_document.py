"""A YAML file as text with positions, and what no scenario may be made of."""

import pytest

from wasim.scenario.document import Document, Refused, read_document, written
from wasim.scenario.faults import Mark

NESTED = b"""\
name: nested
table:
  columns:
    - {name: a, type: int}
    - name: b
      type: no
"""


def read(content: bytes) -> Document:
    document, faults = read_document(content)
    assert not faults
    return document


def test_scalars_stay_as_written() -> None:
    document = read(b"{a: 1:30, b: no, c: 1e3, d: 0x1F, e: ~, f: 2020-01-01, g: '', '<<': {h: on}}")
    assert document.data == {
        "a": "1:30", "b": "no", "c": "1e3", "d": "0x1F", "e": "~", "f": "2020-01-01", "g": "", "<<": {"h": "on"},
    }  # fmt: skip


@pytest.mark.parametrize(
    ("place", "value", "key"),
    [
        (("name",), (1, 7), (1, 1)),
        (("table",), (2, 1), (2, 1)),
        (("table", "columns"), (3, 3), (3, 3)),
        (("table", "columns", 0), (4, 7), (4, 7)),
        (("table", "columns", 0, "type"), (4, 23), (4, 17)),
        (("table", "columns", 1, "type"), (6, 13), (6, 7)),
        (("table", "columns", 1, "missing"), (5, 7), (5, 7)),
        (("workload", "rows_per_second"), (1, 1), (1, 1)),
    ],
)
def test_a_place_is_its_value_its_key_or_around(
    place: tuple[str | int, ...], value: tuple[int, int], key: tuple[int, int]
) -> None:
    document = read(NESTED)
    assert document.locate(place) == Mark(*value)
    assert document.locate(place, at_key=True) == Mark(*key)


def test_a_file_of_one_mebibyte_is_read() -> None:
    assert read(b"a: b\n".ljust(1024 * 1024, b"#")).data == {"a": "b"}


def test_values_are_written_on_one_line() -> None:
    assert written(read(NESTED).data["table"]) == "{columns: [{name: a, type: int}, {name: b, type: no}]}"


def test_of_a_repeated_key_the_first_counts_with_its_positions() -> None:
    document, faults = read_document(b"a: {b: 1}\nc: x\na: {b: 2}\n")
    assert document.data == {"a": {"b": "1"}, "c": "x"}
    assert document.locate(("a", "b")) == Mark(1, 8)
    assert [(fault.mark, fault.text) for fault in faults] == [
        (Mark(3, 1), "a is given twice. Keep one; the first is in line 1.")
    ]


def test_aliases_are_never_followed() -> None:
    bomb = b"a: &a [x, x]\n" + b"".join(b"%c: &%c [*%c, *%c]\n" % (n, n, n - 1, n - 1) for n in range(98, 123))
    with pytest.raises(Refused) as caught:
        read_document(bomb)
    assert len(caught.value.args) == 26 + 2 * 25


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"", "1:1: the file is empty, not a scenario. Start from one in scenarios/."),
        (b"# nothing\n", "1:1: the file is empty, not a scenario. Start from one in scenarios/."),
        (b"- a\n", "1:1: a scenario is a mapping of keys to values. Start from one in scenarios/."),
        (b"name: \xff\n", "1:7: the file is not UTF-8 text. Save it as UTF-8."),
        (b"name: a\nquestion: \x00\n", "2:11: a control character stands here. Take it out, or write it as text."),
        (b'name: "\\ud800"\n', "1:7: name holds a control character. Take it out."),
        (b"a: " + b"[" * 40, "1:28: nested more than 24 levels deep. Write it flatter."),
        (b"a: [" + b"1," * 20_000, "1:39999: more than 20000 values. Split the file."),
        (b"#" * (1024 * 1024 + 1), "1:1: the file is larger than 1 MiB. Split it: one scenario per question."),
        (b"%YAML 1.1\n---\na: 1\n", "2:1: a directive (% at the start of a line) is not read. Take it out."),
    ],
)
def test_bytes_that_are_no_scenario_are_refused_in_one_line(content: bytes, fault: str) -> None:
    with pytest.raises(Refused) as caught:
        read_document(content)
    assert [f"{one.mark.line}:{one.mark.column}: {one.text}" for one in caught.value.args] == [fault]
