"""The files of a real table as Iceberg has them, numbered by it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from wasim.spark import Session

_NONE = "-"


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """A live file; of deletion vectors, whose files hold several, the offset within tells which."""

    path: str
    has_deletes: bool
    spec_id: int
    sequence_number: int
    first_row_id: int | None = None
    content_offset: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """What a statement on a table starts from. The live files are in the order of its manifests."""

    location: str
    properties: Mapping[str, str]
    live: Sequence[Listed]


def list_files(session: Session, table: Any) -> Listing:
    """An Iceberg table as it now is."""
    live = [
        Listed(
            path=path,
            has_deletes=content == "deletes",
            spec_id=int(spec_id),
            sequence_number=int(sequence_number),
            first_row_id=_number(first_row_id),
            content_offset=_number(offset),
        )
        for content, spec_id, sequence_number, first_row_id, offset, path in session.live_files(table)
    ]
    properties = {str(key): str(value) for key, value in table.properties().items()}
    return Listing(location=str(table.location()), properties=properties, live=live)


def _number(text: str) -> int | None:
    return None if text == _NONE else int(text)
