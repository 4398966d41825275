"""Settings read from files: wasim's own scenario, SQL, properties, JSON and YAML as people keep theirs."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from math import inf
from pathlib import PurePosixPath
from typing import Any

from wasim.errors import quoted
from wasim.iceberg.properties import KEY_PREFIXES, property_of
from wasim.report.words import leaves
from wasim.scenario.document import Refused, read_document
from wasim.units import DAY_S, HOUR_S

_UNITS_S = {"ms": 0.001, "milli": 0.001, "millisecond": 0.001, "s": 1.0, "sec": 1.0, "second": 1.0}
_UNITS_S |= {"m": 60.0, "min": 60.0, "minute": 60.0, "h": HOUR_S, "hour": HOUR_S, "d": DAY_S, "day": DAY_S}
_PART = rf"(\d+(?:\.\d+)?)\s*({'|'.join(sorted(_UNITS_S, key=len, reverse=True))})s?"
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_PERIOD = re.compile(rf"(?:{_PART}\s*)+")
_ISO = re.compile(r"p(\d+d)?(?:t(.+))?")  # P1DT2H; a month of it is none of 60 seconds
_CALL = re.compile(r"(?:\w+\.)?(?:Processing|Trigger)\w*\(\s*(.+?)\s*\)", re.IGNORECASE)
FLINK = "flink"
WRITERS = ("kafka_connect", FLINK)  # the profiles of those whose files say so


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Settings of one table, or of several of a job. `table` is empty where the file does not name it.

    `interval_s` is None where none is set. `not_a_period` is the text of an interval that could not be read. `writer`
    is the profile of the writer that the file is for; empty where it does not say.
    """

    table: str = ""
    tables: int = 1
    interval_s: float | None = None
    not_a_period: str = ""
    writer: str = ""
    properties: Mapping[str, str] = field(default_factory=dict)

    @property
    def says_anything(self) -> bool:
        """Whether anything is set that commits or files depend on."""
        says_interval = self.interval_s is not None or bool(self.not_a_period)
        return says_interval or any(property_of(key) for key in self.properties)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What a file sets, and sentences on what in it was not read."""

    settings: tuple[Settings, ...] = ()
    unread: tuple[str, ...] = ()


def period_s(text: str) -> float | None:
    """Seconds of a period as engines write it: `10 seconds`, `1m30s`, `PT1M30S`, `ProcessingTime(10 seconds)`, bare
    milliseconds; None for anything else.
    """
    said = text.strip().strip("'\"")
    call = _CALL.fullmatch(said)
    said = (call[1].strip("'\"") if call else said).lower().removeprefix("interval ").strip("'\" ")
    if iso := _ISO.fullmatch(said):
        said = "".join(part or "" for part in iso.groups())
    said = f"{said} ms" if _NUMBER.fullmatch(said) else said
    if not _PERIOD.fullmatch(said):
        return None
    seconds = sum(float(count) * _UNITS_S[unit] for count, unit in re.findall(_PART, said))
    return seconds if 0 < seconds < inf else None


_COMMENT = re.compile(r"--[^\n]*|/\*.*?\*/|\{#.*?#\}|('(?:[^']|'')*'|\"[^\"]*\")", re.DOTALL)
_STATEMENT = re.compile(r"(?:'(?:[^']|'')*'|\"[^\"]*\"|[^;'\"])+")
_NAME = r"((?:`[^`]+`|\"[^\"]+\"|[\w$]+)(?:\s*\.\s*(?:`[^`]+`|\"[^\"]+\"|[\w$]+))*)"
_TABLE = re.compile(
    rf"\b(?:CREATE(?:\s+OR\s+REPLACE)?|REPLACE|ALTER)\s+TABLE\s+(?:IF\s+(?:NOT\s+)?EXISTS\s+)?{_NAME}", re.I
)
_SET = re.compile(
    r"\b(?:UNSET\s+TBLPROPERTIES|TBLPROPERTIES|SET\s+PROPERTIES|WITH|SET)(?:\s+IF\s+EXISTS)?\s*(?=\()", re.I
)
_OPENS = re.compile(r"[()']")
_TEXT = r"'(?:[^']|'')*'|\"[^\"]*\""
_PAIR = re.compile(rf"({_TEXT}|[\w.-]+)\s*(?:=|:)\s*({_TEXT}|[\w.+-]+)")
_JINJA = re.compile(r"\b(?:table_properties|tblproperties)\s*=\s*\{(.*?)\}", re.DOTALL)
_CHECKPOINT = re.compile(r"\bSET\s+'?execution\.checkpointing\.interval'?\s*=\s*('?[^';]+'?)", re.I)


def read_sql(text: str) -> Reading:
    """What the statements of a file set, in its order: of one table the later statement's properties count."""
    plain = _COMMENT.sub(lambda match: match[1] or " ", text)
    found: dict[str, dict[str, str]] = {}
    unread: list[str] = []
    *_, checkpoint = ["", *_CHECKPOINT.findall(plain)]
    interval_s = period_s(checkpoint)
    not_a_period = "" if interval_s else checkpoint.strip()
    if not_a_period:
        unread.append(f"the checkpoint interval {not_a_period}")
    for jinja in _JINJA.finditer(plain):
        found.setdefault("", {}).update(_pairs(jinja[1]))
    for statement in _STATEMENT.findall(plain):
        table = _TABLE.search(statement)
        if table is None:
            continue
        name, rest = re.sub(r"[`\"\s]", "", table[1]), statement[table.end() :]
        for unset, given in _lists(rest):
            properties = found.setdefault(name, {})
            pairs = dict(_pairs(given))
            if unset:
                for key in re.findall(_TEXT, given):
                    properties.pop(_unquoted(key), None)
            elif not pairs and given.strip():
                unread.append(f"the properties of {name}")
            properties.update(pairs)
    if checkpoint and not found:
        found[""] = {}
    settings = [
        Settings(
            table=name,
            interval_s=interval_s,
            not_a_period=not_a_period,
            writer=FLINK if checkpoint or given.get("connector") == "iceberg" else "",
            properties=given,
        )
        for name, given in found.items()
    ]
    return Reading(settings=tuple(one for one in settings if one.says_anything), unread=tuple(unread))


def _lists(rest: str) -> Iterator[tuple[bool, str]]:
    """What stands in the parentheses of each list of properties, and whether it takes them away."""
    for keyword in _SET.finditer(rest):
        depth, end = 0, keyword.end()
        while end < len(rest):
            match = _OPENS.search(rest, end)
            if match is None:
                break
            end = match.end()
            if match[0] == "'":
                end = rest.find("'", end) + 1 or len(rest)
                continue
            depth += 1 if match[0] == "(" else -1
            if not depth:
                yield keyword[0].upper().startswith("UNSET"), rest[keyword.end() + 1 : end - 1]
                break


def _pairs(given: str) -> Iterator[tuple[str, str]]:
    for key, value in _PAIR.findall(given):
        yield _unquoted(key), _unquoted(value)


def _unquoted(text: str) -> str:
    return text[1:-1].replace("''", "'") if text[:1] in ("'", '"') else text


_PROPERTIES = re.compile(
    r"(?P<owner>.*?)\.?(?:\+?(?:table_properties|tblproperties)|table-(?:default|override)|"
    r"(?P<kafka_connect>iceberg\.tables\.(?:auto-create|write)-props))\.(?P<key>.+)"
)
"""dbt's models, a catalog's defaults for its tables, and the tables that a connector creates."""

_INTERVALS = re.compile(
    r"(?P<owner>.*?)\.?(?:(?P<kafka_connect>iceberg\.control\.commit\.interval-ms)|"
    r"(?P<flink>execution\.checkpointing\.interval)|"
    r"(?:[\w-]+[._-])*trigger(?:[._-]?(?:processing[._-]?time|interval))?)",
    re.IGNORECASE,
)
_OF_A_STREAM = re.compile(r"\W*(?:p?t?\d|once|available|continuous|processing|trigger)", re.IGNORECASE)
"""How what a stream is triggered by begins: a build's `trigger` is a branch, a project or yes."""

_CONNECTOR = re.compile(r"(?P<owner>.*?)\.?(?P<kafka_connect>connector\.class)")
_CONNECTORS_INTERVAL = "300000"  # of iceberg.control.commit.interval-ms, where it is not given
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
    return read_keys(_flat(data))


def read_yaml(text: str) -> Reading:
    """What a YAML document sets."""
    try:
        document, _ = read_document(text.encode())
    except Refused as refused:
        return Reading(unread=tuple(fault.text for fault in refused.args[:1]))
    return read_keys(_flat(document.data))


def read_keys(flat: Mapping[str, str]) -> Reading:
    """What dotted keys set, by what they belong to; an interval that belongs to nothing is everything's."""
    properties: dict[str, dict[str, str]] = {}
    intervals: dict[str, tuple[str, str]] = {}
    writers: dict[str, str] = {}
    for key, value in flat.items():
        if match := _PROPERTIES.fullmatch(key):
            properties.setdefault(match["owner"], {})[match["key"]] = value
        elif key.startswith(KEY_PREFIXES):
            properties.setdefault("", {})[key] = value
        elif (match := _CONNECTOR.fullmatch(key)) and "iceberg" in value.lower():
            intervals.setdefault(match["owner"], (key, _CONNECTORS_INTERVAL))
        elif (match := _INTERVALS.fullmatch(key)) and (
            not key.lower().endswith("trigger") or _OF_A_STREAM.match(value)  # by its name, or else by its value
        ):
            intervals[match["owner"]] = key, value
        if match and (writer := next((name for name in WRITERS if match.groupdict().get(name)), "")):
            writers[match["owner"]] = writer
    owners = dict.fromkeys([*properties, *intervals])
    if len(owners) > 1 and not properties.get(""):
        owners.pop("", None)
    found = []
    for owner in owners:
        _, text = intervals.get(owner, intervals.get("", ("", "")))
        seconds, name = period_s(text), _named(owner, flat)
        found.append(
            Settings(
                table=name,
                tables=name.count(",") + 1,
                interval_s=seconds,
                not_a_period="" if seconds else text,
                writer=writers.get(owner, writers.get("", "")),
                properties=properties.get(owner, {}),
            )
        )
    unread = (f"{key} is {text}, which is no period" for key, text in intervals.values() if not period_s(text))
    return Reading(settings=tuple(one for one in found if one.says_anything), unread=tuple(unread))


def _named(owner: str, flat: Mapping[str, str]) -> str:
    """A connector's tables, a comma between them, where it names them, or else what the keys belong to."""
    prefix = f"{owner}." if owner else ""
    tables = (name.strip() for name in flat.get(f"{prefix}iceberg.tables", "").split(","))
    return ",".join(filter(None, tables)) or owner


def _flat(data: Any) -> dict[str, str]:  # noqa: ANN401 - dicts, lists and scalars
    found = ((key, value) for key, value in leaves(data, _name_of) if value is not None)
    return {key: str(value).lower() if isinstance(value, bool) else str(value) for key, value in found}


def _name_of(item: Any, place: int) -> str:  # noqa: ANN401 - as _flat
    return str(item["name"]) if isinstance(item, dict) and "name" in item else str(place)


_READERS: Mapping[str, Callable[[str], Reading]] = {
    ".sql": read_sql,
    ".properties": read_properties,
    ".conf": read_properties,
    ".json": read_json,
    ".yaml": read_yaml,
    ".yml": read_yaml,
}
_CODE = re.compile(
    r"(?:TBLPROPERTIES|write\.metadata\.|processingTime|enableCheckpointing|commit\.manifest).*", re.IGNORECASE
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
    """What a file sets. Of each line of code that seems to set something, that it was not read."""
    reader = _READERS.get(PurePosixPath(name).suffix.lower())
    if reader is not None:
        return reader(text)
    lines = dict.fromkeys(map(quoted, _CODE.findall(text)))
    return Reading(unread=tuple(f"{line} in a file of a kind that is not read" for line in lines))
