"""A scenario under examination, as understood and as written, and the form of the rules that judge it."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from wasim.scenario.faults import Fault, Place, overlap, quote
from wasim.scenario.scenario import Scenario


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

    def has_sound(self, *needs: Place) -> bool:
        """Whether no broken field is one of these, nor lies within one or around one."""
        return not any(overlap(need, field) for need in needs for field in self.broken)


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One rule; `needs` are the fields that must be sound before it can judge."""

    faults: Callable[[Draft], Iterator[Fault]]
    needs: tuple[Place, ...]
