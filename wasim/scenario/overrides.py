"""Values from the command line, which take the place of the file's."""

from dataclasses import replace

from wasim.scenario.document import Mapping, Node, Refused, Scalar, Sequence, read_value
from wasim.scenario.faults import ON_COMMAND_LINE, Fault, MarkedFault, Place, mark_fault
from wasim.scenario.parts import WRITER_KINDS
from wasim.scenario.sweep import place_of


def override(root: Mapping, field: str, text: str) -> tuple[Mapping, list[MarkedFault]]:
    """The document with a value, written as YAML, at a dotted field. Faults if it is none, or there is no field.

    A sweep over the field, or over a part of it, is dropped; in a sweep over what the field is part of, each value
    takes it.
    """
    try:
        value = read_value(text)
    except Refused as refused:
        return root, [MarkedFault(mark=ON_COMMAND_LINE, text=f"{field}: {fault.text}") for fault in refused.faults]
    place = place_of(field, root, refused=())
    if isinstance(place, Fault):
        fault = Fault(place=(field,), problem=place.problem, remedy=place.remedy)
        return root, [mark_fault(ON_COMMAND_LINE, fault)]
    sweep = root.entries.get("sweep")
    root = _into(root, place, value)  # type: ignore[assignment]  # a mapping stays one
    if isinstance(sweep, Mapping):
        kept = {
            swept: _sweep_over(place_of(swept, root, refused=()), place, old, value)
            for swept, old in sweep.entries.items()
        }
        entries = {swept: values for swept, values in kept.items() if values is not None}
        root.entries["sweep"] = replace(sweep, entries=entries)
    return root, []


def _sweep_over(swept: Place | Fault, place: Place, values: Node, value: Node) -> Node | None:
    """The values of one swept field, with the value at its place within them; None if it takes the place of them."""
    if isinstance(swept, Fault) or not isinstance(values, Sequence):
        return values
    if swept[: len(place)] == place:
        return None
    if place[: len(swept)] == swept:
        return replace(values, items=tuple(_into(item, place[len(swept) :], value) for item in values.items))
    return values


def _into(node: Node | None, place: Place, value: Node) -> Node:
    """The node with the value at a place below it; where there is no such place, that is a fault found later."""
    if not place:
        return value
    step, rest = place[0], place[1:]
    if isinstance(node, Sequence):
        return replace(
            node, items=tuple(_into(item, rest, value) if n == step else item for n, item in enumerate(node.items))
        )
    if isinstance(node, Scalar) and node.text in WRITER_KINDS:  # `writer: streaming` is short for a mapping
        node = Mapping(mark=node.mark, entries={"kind": node}, keys={"kind": node.mark})
    if isinstance(node, Scalar):
        return node
    node = node or Mapping(mark=ON_COMMAND_LINE, entries={}, keys={})
    name = str(step)
    entries = node.entries | {name: _into(node.entries.get(name), rest, value)}
    return replace(node, entries=entries, keys={name: ON_COMMAND_LINE} | node.keys)
