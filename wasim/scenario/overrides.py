"""Values from the command line, which take the place of the file's."""

from dataclasses import replace

from wasim.scenario.document import Document, Refused, read_document
from wasim.scenario.faults import ON_COMMAND_LINE, Fault, Mark, MarkedFault, Place, mark_fault, overlap, quote
from wasim.scenario.sweep import place_of, placed


def override(document: Document, field: str, text: str) -> tuple[Document, list[MarkedFault]]:
    """The document with a value, written as YAML, at a dotted field. Faults if it is none, or there is no field.

    A sweep over the field, or over a part of it, is dropped; in a sweep over what the field is part of, each value
    takes it.
    """
    place = place_of(field, document.data, refused=())
    if isinstance(place, Fault):
        return document, [mark_fault(ON_COMMAND_LINE, replace(place, place=(field,)))]
    try:
        read, faults = read_document(f"value: {text}".encode(errors="surrogatepass"))
    except Refused:
        read, faults = Document(data={}), []
    if faults or list(read.data) != ["value"]:
        remedy = "Give it as a scenario writes it, such as 365d, [1s, 5s] or {kind: batch}."
        return document, [MarkedFault(mark=ON_COMMAND_LINE, text=f"{field}: {quote(text)} is no value. {remedy}")]
    value = read.data["value"]
    data, changed = placed(document.data, place, value), [place]
    if isinstance(data.get("sweep"), dict):
        data["sweep"] = {}
        for swept, values in document.data["sweep"].items():
            other = place_of(swept, document.data, refused=())
            if isinstance(other, Fault) or not overlap(place, other) or not isinstance(values, list):
                data["sweep"][swept] = values
            elif len(place) > len(other):
                within = place[len(other) :]
                data["sweep"][swept] = [placed(item, within, value) for item in values]
                changed += [("sweep", swept, number, *within) for number in range(len(values))]
    starts, keys = _remarked(document.starts, changed), _remarked(document.keys, changed)
    return Document(data=data, starts=starts, keys=keys), []


def _remarked(marks: dict[Place, Mark], changed: list[Place]) -> dict[Place, Mark]:
    kept = {place: mark for place, mark in marks.items() if not any(place[: len(new)] == new for new in changed)}
    return kept | dict.fromkeys(changed, ON_COMMAND_LINE)
