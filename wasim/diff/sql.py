"""Table properties and commit intervals in SQL files: Spark's, Flink's, and dbt's models."""

import re
from collections.abc import Iterator

from wasim.diff.settings import Reading, Settings, period_s

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
    interval_s = None
    for match in _CHECKPOINT.finditer(plain):
        interval_s = period_s(match[1]) or interval_s
        if period_s(match[1]) is None:
            unread.append(f"the checkpoint interval {match[1].strip()}")
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
    settings = [Settings(table=name, interval_s=interval_s, properties=given) for name, given in found.items()]
    if not settings and interval_s is not None:
        settings = [Settings(interval_s=interval_s)]
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
