"""A YAML file as text, positions and nothing else.

Scalars stay what the user wrote: `1:30`, `no` and `1e3` are text here, and only `parts` says which of them is a number.
The file is not trusted: tags, anchors, aliases, directives and further documents are refused, and size, depth and
the number of values are bounded before anything is built.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
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

from wasim.scenario.faults import ON_COMMAND_LINE, Fault, Mark, MarkedFault, Place, mark_fault, quote

MOST_BYTES = 1024 * 1024
MOST_DEPTH = 24
MOST_VALUES = 20_000
_TOP = Mark(1, 1)
_SYNTAX_REMEDY = "Check quotes and indents here; within braces, text that holds , [ ] or : needs quotes."
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Scalar:
    """One value, as written; `plain` means without quotes."""

    mark: Mark
    text: str
    plain: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Sequence:
    """A list."""

    mark: Mark
    items: tuple["Node", ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mapping:
    """Keys and values, in the order written; `keys` holds where each key starts."""

    mark: Mark
    entries: dict[str, "Node"]
    keys: dict[str, Mark]


Node = Scalar | Sequence | Mapping


class Refused(Exception):
    """The file is not a YAML document that wasim reads; carries the faults found until then."""

    def __init__(self, *faults: MarkedFault) -> None:
        super().__init__(*faults)
        self.faults = faults


def read_document(content: bytes) -> tuple[Mapping, list[MarkedFault]]:
    """The file's mapping, and faults that leave it readable (duplicate keys, empty values). Raises Refused."""
    builder = _Builder(_events(_decode(content)))
    root = builder.document()
    if builder.refusals:
        raise Refused(*builder.refusals)
    return root, builder.faults


def read_value(text: str) -> Node:
    """One value, as a scenario writes it, marked as from the command line. Raises Refused."""
    try:
        root, faults = read_document(f"value: {text}".encode())
    except Refused:
        root = None
    if root is None or faults or list(root.entries) != ["value"]:
        remedy = "Give it as a scenario writes it, such as 365d, [1s, 5s] or {kind: batch}."
        raise Refused(MarkedFault(mark=ON_COMMAND_LINE, text=f"{quote(text)} is no value. {remedy}")) from None
    return _remarked(root.entries["value"])


def _remarked(node: Node) -> Node:
    if isinstance(node, Scalar):
        return Scalar(mark=ON_COMMAND_LINE, text=node.text, plain=node.plain)
    if isinstance(node, Sequence):
        return Sequence(mark=ON_COMMAND_LINE, items=tuple(_remarked(item) for item in node.items))
    entries = {key: _remarked(value) for key, value in node.entries.items()}
    return Mapping(mark=ON_COMMAND_LINE, entries=entries, keys=dict.fromkeys(entries, ON_COMMAND_LINE))


def plain(node: Node) -> Any:  # noqa: ANN401 - what pydantic validates: dicts, lists and text
    """The node as dicts, lists and text."""
    if isinstance(node, Scalar):
        return node.text
    if isinstance(node, Sequence):
        return [plain(item) for item in node.items]
    return {key: plain(value) for key, value in node.entries.items()}


def written(node: Node) -> str:
    """The node on one line, in YAML's flow form: `{kind: streaming, append: merge}`."""
    if isinstance(node, Scalar):
        return node.text
    if isinstance(node, Sequence):
        return f"[{', '.join(written(item) for item in node.items)}]"
    return f"{{{', '.join(f'{key}: {written(value)}' for key, value in node.entries.items())}}}"


def locate(root: Node, place: Place, *, at_key: bool = False) -> Mark:
    """Where to point for a place: at a value, or at its key when it is a list or a mapping."""
    node, mark = root, root.mark
    for step in place:
        if isinstance(node, Mapping) and isinstance(step, str) and step in node.entries:
            key, node = node.keys[step], node.entries[step]
            mark = node.mark if isinstance(node, Scalar) and not at_key else key
        elif isinstance(node, Sequence) and isinstance(step, int) and step < len(node.items):
            node = node.items[step]
            mark = node.mark
        else:
            break
    return mark


def _decode(content: bytes) -> str:
    if len(content) > MOST_BYTES:
        raise _refuse(_TOP, "the file is larger than 1 MiB", "Split it: one scenario per question.")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = content[: error.start].decode("utf-8", errors="replace")
        raise _refuse(_mark_at(before), "the file is not UTF-8 text", "Save it as UTF-8.") from None


def _events(text: str) -> Iterator[Event]:
    """YAML's events; Refused where the text stops being YAML."""
    try:
        yield from YAML(typ="safe", pure=True).parse(text)
    except ReaderError as error:
        mark = _mark_at(text[: error.position])
        raise _refuse(mark, "a control character stands here", "Take it out, or write it as text.") from None
    except MarkedYAMLError as error:
        where = error.problem_mark or error.context_mark
        mark = Mark(where.line + 1, where.column + 1) if where else _TOP
        raise _refuse(mark, f"not YAML: {_one_line(error)}", _SYNTAX_REMEDY) from None
    except Refused:
        raise
    except Exception as error:
        # ruamel answers a few malformed directives and escapes with plain ValueError, IndexError and the like.
        raise _refuse(_TOP, f"not YAML: {_one_line(error)}", _SYNTAX_REMEDY) from None


def _one_line(error: Exception) -> str:
    said = getattr(error, "problem", None) or str(error) or type(error).__name__
    return " ".join(str(said).split())[:200]


def _mark_at(before: str) -> Mark:
    lines = before.split("\n")
    return Mark(len(lines), len(lines[-1]) + 1)


def _refuse(mark: Mark, problem: str, remedy: str) -> Refused:
    return Refused(mark_fault(mark, Fault(place=(), problem=problem, remedy=remedy)))


def _mark(event: Event) -> Mark:
    start = event.start_mark
    return Mark(start.line + 1, start.column + 1)


class _Builder:
    """Builds nodes from events, and gathers what is wrong on the way."""

    def __init__(self, events: Iterator[Event]) -> None:
        self._events = events
        self._values = 0
        self.faults: list[MarkedFault] = []
        self.refusals: list[MarkedFault] = []

    def document(self) -> Mapping:
        root: Node | None = None
        for event in self._events:
            if isinstance(event, DocumentStartEvent):
                if root is not None:
                    raise _refuse(_mark(event), "a second document starts here", "Keep one scenario per file.")
                self._check_directives(event)
            elif isinstance(event, NodeEvent):
                root = self._node(event, ())
        if isinstance(root, Mapping):
            return root
        if root is None or root == Scalar(mark=root.mark, text="", plain=True):
            raise _refuse(_TOP, "the file holds no scenario", "Start from one in scenarios/.")
        if self.refusals:
            raise Refused(*self.refusals)
        raise _refuse(root.mark, "a scenario is a mapping of keys to values", "Start from one in scenarios/.")

    def _check_directives(self, event: DocumentStartEvent) -> None:
        if event.version or event.tags:
            self._refuse(event, (), "a directive (% at the start of a line) is not read", "Take it out.")

    def _node(self, event: Event, place: Place) -> Node:
        self._values += 1
        if self._values > MOST_VALUES:
            raise _refuse(_mark(event), f"more than {MOST_VALUES} values", "Split the scenario.")
        if len(place) > MOST_DEPTH:
            raise _refuse(_mark(event), f"nested more than {MOST_DEPTH} levels deep", "Write it flatter.")
        self._check_plainness(event, place)
        if isinstance(event, MappingStartEvent):
            return self._mapping(event, place)
        if isinstance(event, SequenceStartEvent):
            return self._sequence(event, place)
        if isinstance(event, ScalarEvent):
            self._check_characters(event, place)
            return Scalar(mark=_mark(event), text=event.value, plain=event.style is None)
        return Scalar(mark=_mark(event), text="", plain=False)  # an alias, refused already

    def _mapping(self, start: Event, place: Place) -> Mapping:
        entries: dict[str, Node] = {}
        keys: dict[str, Mark] = {}
        while not isinstance(event := next(self._events), MappingEndEvent):
            key = self._node(event, place)
            if not isinstance(key, Scalar):
                self._refuse(event, place, "has a key that is not text", "Write keys as plain words.")
                self._node(next(self._events), place)
                continue
            within = (*place, key.text)
            value = self._node(next(self._events), within)
            if key.text in entries:
                remedy = f"Keep one; the first is in line {keys[key.text].line}."
                fault = Fault(place=within, problem="is given twice", remedy=remedy)
                self.faults.append(mark_fault(key.mark, fault))
                continue
            entries[key.text], keys[key.text] = self._present(value, key.mark, within), key.mark
        return Mapping(mark=_mark(start), entries=entries, keys=keys)

    def _sequence(self, start: Event, place: Place) -> Sequence:
        items: list[Node] = []
        while not isinstance(event := next(self._events), SequenceEndEvent):
            within = (*place, len(items))
            items.append(self._present(self._node(event, within), _mark(event), within))
        return Sequence(mark=_mark(start), items=tuple(items))

    def _present(self, value: Node, mark: Mark, place: Place) -> Node:
        """The value; one that was left empty is a fault, and is marked where its key stands."""
        if not (isinstance(value, Scalar) and value.plain and not value.text):
            return value
        fault = Fault(place=place, problem="is empty", remedy="Give it a value, or take it out.")
        self.faults.append(mark_fault(mark, fault))
        return Scalar(mark=mark, text="", plain=True)

    def _check_plainness(self, event: Event, place: Place) -> None:
        if isinstance(event, AliasEvent):
            self._refuse(event, place, "is an alias (*)", "Write the value out.")
        elif getattr(event, "anchor", None) is not None:
            self._refuse(event, place, "has an anchor (&)", "Take it out, or put the text in quotes.")
        elif getattr(event, "tag", None) is not None:
            self._refuse(event, place, "has a tag (!)", "Take it out, or put the text in quotes.")

    def _check_characters(self, event: ScalarEvent, place: Place) -> None:
        if _CONTROL.search(event.value):
            self._refuse(event, place, "holds a control character", "Take it out.")

    def _refuse(self, event: Event, place: Place, problem: str, remedy: str) -> None:
        self.refusals.append(mark_fault(_mark(event), Fault(place=place, problem=problem, remedy=remedy)))
