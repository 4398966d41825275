"""A file's settings by what it is: wasim's own scenario, or one of the formats in which people keep theirs."""

import re
from collections.abc import Callable, Mapping
from pathlib import PurePosixPath

from wasim.diff.configuration import read_json, read_properties, read_yaml
from wasim.diff.settings import Reading
from wasim.diff.sql import read_sql
from wasim.scenario.document import Refused, read_document

_READERS: Mapping[str, Callable[[str], Reading]] = {
    ".sql": read_sql,
    ".properties": read_properties,
    ".conf": read_properties,
    ".json": read_json,
    ".yaml": read_yaml,
    ".yml": read_yaml,
}
SUFFIXES = tuple(_READERS)
_CODE = re.compile(
    r"TBLPROPERTIES|write\.metadata\.|processingTime|enableCheckpointing|commit\.manifest", re.IGNORECASE
)


def is_scenario(name: str, text: str) -> bool:
    """Whether a file is a scenario of wasim's."""
    if PurePosixPath(name).suffix not in (".yaml", ".yml"):
        return False
    try:
        document, _ = read_document(text.encode())
    except Refused:
        return False
    return {"table", "workload", "writer"} & document.data.keys() >= {"table", "workload"}


def read_settings(name: str, text: str) -> Reading:
    """What a file sets. Of code that seems to set something, that it was not read."""
    reader = _READERS.get(PurePosixPath(name).suffix.lower())
    if reader is not None:
        return reader(text)
    if mentioned := _CODE.search(text):
        return Reading(unread=(f"{mentioned[0]} in a file of a kind that is not read ({', '.join(SUFFIXES)} are)",))
    return Reading()
