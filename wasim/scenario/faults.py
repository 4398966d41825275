"""Faults: what is wrong in a scenario, where, and what to do about it; and the form of the rules that find them."""

import difflib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from wasim.scenario.scenario import Scenario

Place = tuple[str | int, ...]
"""The way to a value from the top of a scenario: `("table", "columns", 2, "type")`."""

_LONGEST_QUOTE = 60


@dataclass(frozen=True, slots=True, order=True)
class Mark:
    """Where something starts in the file, both counted from 1."""

    line: int
    column: int


ON_COMMAND_LINE = Mark(0, 0)
"""The mark of values that were given there instead of in the file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """`problem` reads on from the field's name (`is "-3s"`); `remedy` is a sentence that says what to do.

    `at_key` says that the key is what is wrong, so that it is what the position points at.
    """

    place: Place
    problem: str
    remedy: str
    at_key: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class MarkedFault:
    """A fault as it is shown: its position in the file, and its text without the position."""

    mark: Mark
    text: str


def mark_fault(mark: Mark, fault: Fault) -> MarkedFault:
    """The fault in words, at its position."""
    words = (format_place(fault.place), fault.problem)
    return MarkedFault(mark=mark, text=f"{' '.join(word for word in words if word)}. {fault.remedy}")


def format_place(place: Place) -> str:
    """A place as people write it: `table.columns[2].type`."""
    text = ""
    for step in place:
        text += f"[{step}]" if isinstance(step, int) else f"{'.' if text else ''}{visible(step)}"
    return text


def overlap(one: Place, other: Place) -> bool:
    """Whether one place lies within the other, or is it."""
    shorter = min(len(one), len(other))
    return one[:shorter] == other[:shorter]


def quote(text: str) -> str:
    """Text as it was written, in quotes, on one line, shortened when long."""
    return f'"{visible(text)}"'


def visible(text: str) -> str:
    """Text on one line: characters that a terminal would not show are spelt out, long text is shortened."""
    short = text if len(text) <= _LONGEST_QUOTE else text[: _LONGEST_QUOTE - 1] + "…"
    return "".join(character if character.isprintable() else f"\\u{ord(character):04x}" for character in short)


def suggest(wrong: str, known: Iterable[str]) -> str:
    """A sentence that names the nearest known word, or all of them when none is near."""
    words = [visible(word) for word in known]
    if not words:
        return "Take it out."
    nearest = difflib.get_close_matches(wrong, words, n=1, cutoff=0.6)
    return f"Did you mean {nearest[0]}?" if nearest else f"Known here: {', '.join(words)}."


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """One combination of a scenario; `broken` fields are held by stand-ins in `scenario`."""

    scenario: Scenario
    document: Mapping[str, Any]
    broken: frozenset[Place]

    def quoted(self, *place: str | int) -> str:
        """The text at a place in quotes, as the user wrote it."""
        value: Any = self.document
        for step in place:
            value = value[step]
        return quote(str(value))

    def fault(self, place: Place, why: str, remedy: str) -> Fault:
        """The fault of a value as the user wrote it: `is "5s", ` and `why`."""
        return Fault(place=place, problem=f"is {self.quoted(*place)}, {why}", remedy=remedy)

    def has_sound(self, *needs: Place) -> bool:
        """Whether no broken field is one of these, nor lies within one or around one."""
        return not any(overlap(need, field) for field in self.broken for need in needs)


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One rule; `needs` are the fields that must be sound before it can judge, `parts` the parts of a scenario, by
    name, that it looks at.
    """

    faults: Callable[[Draft], Iterator[Fault]]
    needs: tuple[Place, ...]
    parts: tuple[str, ...]
