"""Table properties and commit intervals in configuration: properties files, Flink's, Kafka Connect's, dbt's.

Whatever the format, a file is a mapping of dotted keys to texts, and a key says by its end what it is: so a connector
reads the same by itself and within the document of an operator that deploys it.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from wasim.diff.settings import Reading, Settings, period_s
from wasim.iceberg.properties import KEY_PREFIXES
from wasim.scenario.document import Refused, read_document

_PROPERTIES = re.compile(
    r"(?P<owner>.*?)\.?(?:\+?(?:table_properties|tblproperties)|table-(?:default|override)|"
    r"iceberg\.tables\.(?:auto-create|write)-props)\.(?P<key>.+)"
)
"""dbt's models, a catalog's defaults for its tables, and the tables that a connector creates."""

_INTERVALS = re.compile(
    r"(?P<owner>.*?)\.?(?:iceberg\.control\.commit\.interval-ms|execution\.checkpointing\.interval|"
    r"(?:[\w-]+[._-])*trigger(?:[._-]?(?:processing[._-]?time|interval))?)",
    re.IGNORECASE,
)
_CONNECTOR = re.compile(r"(?P<owner>.*?)\.?connector\.class")
_CONNECTORS_INTERVAL_S = 300.0  # of iceberg.control.commit.interval-ms, where it is not given
_LINE = re.compile(r"\s*([^#!\s=:][^=:\s]*)\s*[=:\s]\s*(.*?)\s*")


def read_properties(text: str) -> Reading:
    """What a properties file sets: `key=value`, `key: value` or `key value` on each line."""
    joined = re.sub(r"\\\n\s*", "", text)
    lines = (_LINE.fullmatch(line) for line in joined.splitlines())
    return read_keys({match[1]: match[2] for match in lines if match})


def read_json(text: str) -> Reading:
    """What a JSON document sets."""
    try:
        data = json.loads(text)
    except ValueError as error:
        return Reading(unread=(f"it is no JSON: {error}",))
    return read_keys(dict(_flat(data)))


def read_yaml(text: str) -> Reading:
    """What a YAML document sets."""
    try:
        document, _ = read_document(text.encode())
    except Refused as refused:
        return Reading(unread=tuple(fault.text for fault in refused.faults[:1]))
    return read_keys(dict(_flat(document.data)))


def read_keys(flat: Mapping[str, str]) -> Reading:
    """What dotted keys set, by what they belong to; an interval that belongs to nothing is everything's."""
    properties: dict[str, dict[str, str]] = {}
    intervals: dict[str, float] = {}
    unread = []
    for key, value in flat.items():
        if match := _PROPERTIES.fullmatch(key):
            properties.setdefault(match["owner"], {})[match["key"]] = value
        elif key.startswith(KEY_PREFIXES):
            properties.setdefault("", {})[key] = value
        elif (match := _CONNECTOR.fullmatch(key)) and "iceberg" in value.lower():
            intervals.setdefault(match["owner"], _CONNECTORS_INTERVAL_S)
        elif match := _INTERVALS.fullmatch(key):
            seconds = period_s(value)
            if seconds is None:
                unread.append(f"{key} is {value}, which is no period")
            else:
                intervals[match["owner"]] = seconds
    owners = dict.fromkeys([*properties, *intervals])
    if len(owners) > 1 and not properties.get(""):
        owners.pop("", None)
    found = (
        Settings(
            table=_named(owner, flat),
            interval_s=intervals.get(owner, intervals.get("")),
            properties=properties.get(owner, {}),
        )
        for owner in owners
    )
    return Reading(settings=tuple(one for one in found if one.says_anything), unread=tuple(unread))


def _named(owner: str, flat: Mapping[str, str]) -> str:
    """A connector's tables, where it names them, or else what the keys belong to."""
    prefix = f"{owner}." if owner else ""
    return flat.get(f"{prefix}iceberg.tables", "") or owner


def _flat(value: Any, key: str = "") -> Iterator[tuple[str, str]]:  # noqa: ANN401 - dicts, lists and scalars
    if isinstance(value, dict):
        for name, item in value.items():
            yield from _flat(item, f"{key}.{name}" if key else str(name))
    elif isinstance(value, list):
        for place, item in enumerate(value):
            yield from _flat(item, f"{key}.{_name_of(item, place)}" if key else _name_of(item, place))
    elif value is not None:
        yield key, str(value).lower() if isinstance(value, bool) else str(value)


def _name_of(item: Any, place: int) -> str:  # noqa: ANN401 - as _flat
    return str(item["name"]) if isinstance(item, dict) and "name" in item else str(place)
