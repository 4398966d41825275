"""A YAML file as dicts, lists and text, with the position of each value.

Scalars stay what the user wrote: `1:30`, `no` and `1e3` are text here, and only `parts` says which of them is a number.
The document is built from the parser's events, so that the file need not be trusted: tags, anchors, aliases, directives
and further documents are refused, and size, depth and the number of values are bounded before anything is built.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError
from ruamel.yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    NodeEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)
from ruamel.yaml.reader import ReaderError

from wasim.errors import ScenarioError
from wasim.scenario.faults import Fault, Mark, MarkedFault, Place, mark_fault
from wasim.storage import StorageError
from wasim.storage.access import read_regular

MOST_BYTES = 1024 * 1024
MOST_DEPTH = 24
MOST_VALUES = 20_000
_TOP = Mark(1, 1)
_SYNTAX_REMEDY = "Check quotes and indents here; within braces, text that holds , [ ] or : needs quotes."
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A mapping of dicts, lists and text, and where its values start: text itself, lists and mappings at their key."""

    data: dict[str, Any]
    starts: dict[Place, Mark] = field(default_factory=lambda: {(): _TOP})
    keys: dict[Place, Mark] = field(default_factory=dict)

    def locate(self, place: Place, *, at_key: bool = False) -> Mark:
        """Where to point for a place: at its value or key, or at what is nearest around it if it is not there."""
        marks = self.starts | self.keys if at_key else self.starts
        while place not in marks:
            place = place[:-1]
        return marks[place]


class Refused(Exception):
    """The file is not a YAML document that wasim reads; `args` are the faults found until then, each marked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a file should hold, for the faults of one that does not: its name with an article, and what to do."""

    name: str = "a scenario"
    remedy: str = "Start from one in scenarios/."
    too_large: str = "Split it: one scenario per question."


SCENARIO = Wanted()


def read_named(path: Path, what: str) -> bytes:
    """The bytes of a file that should hold `what`, and one more than are allowed where there are. ScenarioError."""
    try:
        return read_regular(path, head=MOST_BYTES + 1)
    except FileNotFoundError:
        problem = f"{path}: no such file."
    except StorageError as error:
        problem = str(error)
    raise ScenarioError(f"{problem} Give the path of {what}.")


def read_document(content: bytes, wanted: Wanted = SCENARIO) -> tuple[Document, list[MarkedFault]]:
    """The file's mapping, and faults that leave it readable (duplicate keys, empty values). Raises Refused."""
    builder = _Builder(_events(_decode(content, wanted)), wanted)
    document = builder.document()
    if builder.refusals:
        raise Refused(*builder.refusals)
    return document, builder.faults


def written(value: Any) -> str:  # noqa: ANN401 - dicts, lists and text
    """A value on one line, in YAML's flow form: `{kind: streaming, append: merge}`."""
    if isinstance(value, list):
        return f"[{', '.join(written(item) for item in value)}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key}: {written(item)}' for key, item in value.items())}}}"
    return str(value)


def _decode(content: bytes, wanted: Wanted) -> str:
    if len(content) > MOST_BYTES:
        raise _refused(_TOP, "the file is larger than 1 MiB", wanted.too_large)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = content[: error.start].decode("utf-8", errors="replace")
        raise _refused(_mark_after(before), "the file is not UTF-8 text", "Save it as UTF-8.") from None


def _events(text: str) -> Iterator[Event]:
    """YAML's events; Refused where the text stops being YAML."""
    try:
        yield from YAML(typ="safe", pure=True).parse(text)
    except Refused:
        raise
    except ReaderError as error:
        mark, problem = _mark_after(text[: error.position]), "a control character stands here"
        raise _refused(mark, problem, "Take it out, or write it as text.") from None
    except Exception as error:
        # ruamel answers a few malformed directives and escapes with plain ValueError, IndexError and the like.
        where = (error.problem_mark or error.context_mark) if isinstance(error, MarkedYAMLError) else None
        said = " ".join(str(getattr(error, "problem", None) or error or type(error).__name__).split())[:200]
        mark = Mark(where.line + 1, where.column + 1) if where else _TOP
        raise _refused(mark, f"not YAML: {said}", _SYNTAX_REMEDY) from None


def _mark_after(before: str) -> Mark:
    lines = before.split("\n")
    return Mark(len(lines), len(lines[-1]) + 1)


def _mark(event: Event) -> Mark:
    return Mark(event.start_mark.line + 1, event.start_mark.column + 1)


def _refused(mark: Mark, problem: str, remedy: str) -> Refused:
    return Refused(mark_fault(mark, Fault(place=(), problem=problem, remedy=remedy)))


class _Builder:
    """Builds values from events, notes where they start, and gathers what is wrong on the way."""

    def __init__(self, events: Iterator[Event], wanted: Wanted) -> None:
        self._events, self._wanted = events, wanted
        self._values = 0
        self._starts: dict[Place, Mark] = {(): _TOP}
        self._keys: dict[Place, Mark] = {}
        self.faults: list[MarkedFault] = []
        self.refusals: list[MarkedFault] = []

    def document(self) -> Document:
        root: Any = ""
        starts = 0
        for event in self._events:
            if isinstance(event, DocumentStartEvent):
                starts += 1
                if starts > 1:
                    raise _refused(_mark(event), "a second document starts here", "Keep one per file.")
                if event.version or event.tags:
                    self._refuse(event, (), "a directive (% at the start of a line) is not read", "Take it out.")
            elif isinstance(event, NodeEvent):
                self._starts[()] = _mark(event)
                root = self._value(event, ())
        if isinstance(root, dict):
            return Document(data=root, starts=self._starts, keys=self._keys)
        if self.refusals:
            raise Refused(*self.refusals)
        wanted = self._wanted
        if root == "":
            raise _refused(_TOP, f"the file is empty, not {wanted.name}", wanted.remedy)
        raise _refused(self._starts[()], f"{wanted.name} is a mapping of keys to values", wanted.remedy)

    def _value(self, event: Event, place: Place) -> Any:  # noqa: ANN401 - dicts, lists and text
        self._values += 1
        if self._values > MOST_VALUES:
            raise _refused(_mark(event), f"more than {MOST_VALUES} values", "Split the file.")
        if len(place) > MOST_DEPTH:
            raise _refused(_mark(event), f"nested more than {MOST_DEPTH} levels deep", "Write it flatter.")
        if isinstance(event, AliasEvent):
            self._refuse(event, place, "is an alias (*)", "Write the value out.")
        elif getattr(event, "anchor", None) is not None:
            self._refuse(event, place, "has an anchor (&)", "Take it out, or put the text in quotes.")
        elif getattr(event, "tag", None) is not None:
            self._refuse(event, place, "has a tag (!)", "Take it out, or put the text in quotes.")
        if isinstance(event, MappingStartEvent):
            return self._mapping(place)
        if isinstance(event, SequenceStartEvent):
            return self._sequence(place)
        text = getattr(event, "value", "")
        if _CONTROL.search(text):
            self._refuse(event, place, "holds a control character", "Take it out.")
        return text

    def _mapping(self, place: Place) -> dict[str, Any]:
        found: dict[str, Any] = {}
        while not isinstance(key_event := next(self._events), MappingEndEvent):
            key, event = self._value(key_event, place), next(self._events)
            if not isinstance(key_event, ScalarEvent):
                self._refuse(key_event, place, "has a key that is not text", "Write keys as plain words.")
                self._value(event, place)
                continue
            within, mark = (*place, key), _mark(key_event)
            if key in found:
                remedy = f"Keep one; the first is in line {self._keys[within].line}."
                self.faults.append(mark_fault(mark, Fault(place=within, problem="is given twice", remedy=remedy)))
                self._value(event, (*within, "again"))
                continue
            self._keys[within] = mark
            found[key] = self._present(event, within, key=mark)
        return found

    def _sequence(self, place: Place) -> list[Any]:
        items: list[Any] = []
        while not isinstance(event := next(self._events), SequenceEndEvent):
            items.append(self._present(event, (*place, len(items))))
        return items

    def _present(self, event: Event, place: Place, *, key: Mark | None = None) -> Any:  # noqa: ANN401 - as _value
        """The value, marked; one that was left empty is a fault."""
        is_empty = isinstance(event, ScalarEvent) and event.style is None and not event.value
        is_marked = isinstance(event, ScalarEvent) and not is_empty
        self._starts[place] = _mark(event) if key is None or is_marked else key
        if is_empty:
            fault = Fault(place=place, problem="is empty", remedy="Give it a value, or take it out.")
            self.faults.append(mark_fault(self._starts[place], fault))
        return self._value(event, place)

    def _refuse(self, event: Event, place: Place, problem: str, remedy: str) -> None:
        self.refusals.append(mark_fault(_mark(event), Fault(place=place, problem=problem, remedy=remedy)))
