"""JSON as Iceberg's Java writes it, and bounded reading of JSON that anyone wrote."""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from json.encoder import encode_basestring
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar

from wasim.errors import IcebergFileError

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
Made = TypeVar("Made")

LONG_MIN, LONG_MAX = -(2**63), 2**63 - 1
# A table of half a million snapshots has as many of them; as empty lists they would take a gigabyte.
MOST_ITEMS = 20_000_000
# The densest text of Iceberg's, columns with names of one letter, has a value in ten bytes.
FREE_ITEMS, BYTES_PER_ITEM = 1_000_000, 10
# A text with one character beyond U+FFFF takes four bytes for each of its characters.
MOST_WIDE_CHARACTERS = 100_000
MOST_TEXT_BYTES = 1 << 30

# Jackson escapes these and nothing else; other control characters become \u00XX with capital hex digits.
_SHORT_ESCAPES = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}
_ESCAPED = re.compile(r'["\\\x00-\x1f]')
# A string or number, an empty object or array, or a mark.
_WIDE = re.compile(rb"[\xf0-\xf7][\x80-\xbf]{3}")
_WIDE_STARTS = bytes(range(0xF0, 0xF8))
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_TOKENS = re.compile(r'("(?:[^"\\]|\\.)*"|[^"\[\]{},:]+)|(\{\}|\[\])|([\[\]{},:])')


class JsonFloat(float):
    """A number with a fraction or exponent that remembers its spelling: Java's `1.0E10` is not Python's."""

    text: str

    def __new__(cls, text: str) -> "JsonFloat":
        """The float that the text spells."""
        value = super().__new__(cls, text)
        value.text = text
        return value


def quote(text: str) -> str:
    """A JSON string as Jackson escapes it: non-ASCII stays as it is."""
    quoted = encode_basestring(text)
    # Python writes rare control characters with small hex digits, and only those with \u00.
    return f'"{_ESCAPED.sub(_escape, text)}"' if "\\u00" in quoted else quoted


def _escape(match: re.Match[str]) -> str:
    character = match[0]
    return _SHORT_ESCAPES.get(character) or f"\\u{ord(character):04X}"


def compact_json(value: Json) -> str:
    """Compact JSON of a parsed value, floats spelled as they were read."""
    match value:
        case str():
            return quote(value)
        case list():
            return json_array(map(compact_json, value))
        case dict():
            return json_object((key, compact_json(item)) for key, item in value.items())
        case JsonFloat():
            return value.text
    return json.dumps(value)


def pretty_json(text: str, *, depth: int = 0) -> str:
    """Compact JSON as Jackson's default pretty printer writes it, within `depth` objects.

    Members stand on lines of their own, two spaces deeper; the items of an array follow each other on one line.
    """
    out: list[str] = []
    opened: list[str] = []
    for token, empty, mark in _TOKENS.findall(text):
        match mark:
            case "":
                out.append(token or f"{empty[0]} {empty[1]}")
            case ":":
                out.append(" : ")
            case "[" | "{":
                opened.append(mark)
                depth += mark == "{"
                out.append("[ " if mark == "[" else _line("{", depth))
            case "]" | "}":
                depth -= opened.pop() == "{"
                out.append(" ]" if mark == "]" else _line("", depth) + "}")
            case _:
                out.append(", " if opened[-1] == "[" else _line(",", depth))
    return "".join(out)


def _line(before: str, depth: int) -> str:
    return before + "\n" + "  " * depth


def json_object(members: Iterable[tuple[str, str]]) -> str:
    """An object from keys and values already rendered."""
    return "{" + ",".join([f"{_quoted_key(key)}:{text}" for key, text in members]) + "}"


@lru_cache(maxsize=1024)
def _quoted_key(key: str) -> str:
    """Keys are few, and come back in every object."""
    return quote(key)


def json_array(items: Iterable[str]) -> str:
    """An array of values already rendered."""
    return f"[{','.join(items)}]"


def json_text_map(values: Mapping[str, str]) -> str:
    """An object of strings."""
    return json_object((key, quote(text)) for key, text in values.items())


def read_json(data: bytes | str, *, source: str) -> Json:
    """The value in UTF-8 JSON text; IcebergFileError for anything else, such as nesting that exhausts the stack."""
    try:
        text = data if isinstance(data, str) else _decoded(data, source)
        most = min(MOST_ITEMS, FREE_ITEMS + len(text) // BYTES_PER_ITEM)
        if sum(map(text.count, ",[{")) > most:
            raise IcebergFileError(source, f"holds more than {most} JSON values")
        value: Json = json.loads(text, parse_float=JsonFloat, parse_constant=_refuse_constant)
    except UnicodeDecodeError as error:
        raise IcebergFileError(source, f"is not UTF-8 text at byte {error.start}") from error
    except RecursionError as error:
        raise IcebergFileError(source, "holds JSON nested too deeply to be Iceberg's") from error
    except ValueError as error:
        raise IcebergFileError(source, _what_is_wrong(text, error)) from error
    return value


def _what_is_wrong(text: str, error: ValueError) -> str:
    """Why text is no JSON: a file whose end is missing is named as such."""
    if not text.strip():
        return "is empty"
    if isinstance(error, json.JSONDecodeError) and (error.pos >= len(text.rstrip()) or "Unterminated" in error.msg):
        return f"is cut short: its JSON has no end after {len(text):,} characters"
    return f"is not JSON: {error}"


def _decoded(data: bytes, source: str) -> str:
    """The text, with the few characters that would make it four bytes wide escaped, and within bounds of memory."""
    if data.startswith(_BYTE_ORDER_MARK):
        data = data[len(_BYTE_ORDER_MARK) :]
    if data.isascii():
        return data.decode("ascii")
    wide = len(data) - len(data.translate(None, delete=_WIDE_STARTS))
    if wide > MOST_WIDE_CHARACTERS and 4 * (len(data) - 3 * wide) > MOST_TEXT_BYTES:
        raise IcebergFileError(source, f"takes more than {MOST_TEXT_BYTES} bytes of memory as text")
    if 0 < wide <= MOST_WIDE_CHARACTERS:
        data = _WIDE.sub(lambda match: json.dumps(match[0].decode()).strip('"').encode(), data)
    return data.decode("utf-8")


def _refuse_constant(name: str) -> Json:
    raise ValueError(f"{name} is no JSON number")


class JsonFields:
    """One JSON object being read: keys are taken by type, and `made` reports those that nobody knew."""

    def __init__(self, value: Json, *, where: str, source: str, unknown: list[tuple[str, Json]]) -> None:
        """The object at a place in a file; the list gathers fields that nobody took."""
        self._where = where
        self.source = source
        self._unknown = unknown
        if not isinstance(value, dict):
            raise self.wrong("is not an object")
        self._left = dict(value)

    def wrong(self, problem: str, key: str = "") -> IcebergFileError:
        """The error to raise about this object, or about one of its keys."""
        place = ".".join(part for part in (self._where, key) if part) or "the document"
        return IcebergFileError(self.source, f"{place} {problem}")

    def has(self, key: str) -> bool:
        """Whether the key is present and not null; a null is the same as an absent key."""
        if self._left.get(key) is None:
            self._left.pop(key, None)
            return False
        return True

    def value(self, key: str) -> Json:
        """Any value, taken."""
        if key not in self._left:
            raise self.wrong("is missing", key)
        return self._left.pop(key)

    def integer(self, key: str) -> int:
        """A whole number that fits a Java long."""
        return self._whole(self.value(key), key)

    def integer_or(self, key: str, default: int) -> int:
        """A whole number, or the default when the key is absent or null."""
        value = self.optional_integer(key)
        return default if value is None else value

    def optional_integer(self, key: str) -> int | None:
        """A whole number, or None when the key is absent or null."""
        value = self._left.pop(key, None)
        return None if value is None else self._whole(value, key)

    def _whole(self, value: Json, key: str) -> int:
        if type(value) is not int or not LONG_MIN <= value <= LONG_MAX:
            raise self.wrong("is not a whole number of 64 bits", key)
        return value

    def text(self, key: str) -> str:
        """A string."""
        return self._string(self.value(key), key)

    def optional_text(self, key: str) -> str | None:
        """A string, or None when the key is absent or null."""
        value = self._left.pop(key, None)
        return None if value is None else self._string(value, key)

    def _string(self, value: Json, key: str) -> str:
        if not isinstance(value, str):
            raise self.wrong("is not a string", key)
        return value

    def boolean(self, key: str) -> bool:
        """True or false."""
        value = self.value(key)
        if not isinstance(value, bool):
            raise self.wrong("is neither true nor false", key)
        return value

    def integers(self, key: str) -> tuple[int, ...]:
        """An array of whole numbers; empty when absent."""
        items = self._items(key)
        if not all(type(item) is int and LONG_MIN <= item <= LONG_MAX for item in items):
            raise self.wrong("holds something else than whole numbers", key)
        return tuple(item for item in items if isinstance(item, int))

    def texts(self, key: str) -> tuple[str, ...]:
        """An array of strings; empty when absent."""
        items = self._items(key)
        found = tuple(item for item in items if isinstance(item, str))
        if len(found) < len(items):
            raise self.wrong("holds something else than strings", key)
        return found

    def text_map(self, key: str) -> dict[str, str]:
        """An object of strings in file order; empty when absent. Numbers and booleans become their text, as in Java."""
        value = self._left.pop(key, None)
        if value is None:
            return {}
        if not isinstance(value, dict) or {type(None), dict, list} & set(map(type, value.values())):
            raise self.wrong("is not an object of strings", key)
        return {name: item if isinstance(item, str) else compact_json(item) for name, item in value.items()}

    def object(self, key: str) -> "JsonFields":
        """A nested object."""
        return self.child(self.value(key), key)

    def objects(self, key: str) -> list["JsonFields"]:
        """An array of objects; empty when absent."""
        return [self.child(item, f"{key}[{index}]") for index, item in enumerate(self._items(key))]

    def members(self, key: str) -> list[tuple[str, "JsonFields"]]:
        """The members of an object of objects, in file order; empty when absent."""
        value = self.value(key) if self.has(key) else {}
        if not isinstance(value, dict):
            raise self.wrong("is not an object", key)
        return [(name, self.child(item, f"{key}.{name}")) for name, item in value.items()]

    def made(self, value: Made) -> Made:
        """The value made of this object; what was not taken of it goes among the unknown fields."""
        if self._left:
            prefix = f"{self._where}." if self._where else ""
            self._unknown.extend((prefix + key, value) for key, value in self._left.items())
        return value

    def _items(self, key: str) -> list[Json]:
        value = self._left.pop(key, None)
        if value is None:
            return []
        if not isinstance(value, list):
            raise self.wrong("is not an array", key)
        return value

    def child(self, value: Json, key: str) -> "JsonFields":
        """A value taken from under a key, as an object of its own."""
        where = f"{self._where}.{key}" if self._where else key
        return JsonFields(value, where=where, source=self.source, unknown=self._unknown)


class Member(NamedTuple):
    """A member of an object: how it is read, and as what text it is written, None where it is left out."""

    read: Callable[[JsonFields, str], Any]
    text: Callable[[Any], str | None]


def _given(text: Callable[[Any], str]) -> Callable[[Any], str | None]:
    return lambda value: None if value is None else text(value)


NUMBER, TEXT = Member(JsonFields.integer, str), Member(JsonFields.text, quote)
BOOLEAN = Member(JsonFields.boolean, compact_json)
OPTIONAL_NUMBER = Member(JsonFields.optional_integer, _given(str))
OPTIONAL_TEXT = Member(JsonFields.optional_text, _given(quote))
NUMBERS = Member(JsonFields.integers, lambda numbers: json_array(map(str, numbers)))
TEXTS_BY_KEY = Member(JsonFields.text_map, lambda texts: json_text_map(texts) if texts else None)


class Form(Generic[Made]):
    """A dataclass as an object: its members in the order of writing, after a `type` if it has one.

    A member `file-size-in-bytes` is the attribute `file_size_bytes`, unless `names` has another.
    """

    def __init__(
        self, made: Callable[..., Made], members: Mapping[str, Member], *, kind: str = "", names: Mapping[str, str] = {}
    ) -> None:
        self.made, self.kind = made, kind
        self._members = [
            (key, names.get(key, key.replace("-in-", "-").replace("-", "_")), member) for key, member in members.items()
        ]

    @property
    def each(self) -> Member:
        """A member that holds an array of these objects; empty when absent."""
        return Member(
            lambda fields, key: tuple(map(self.read, fields.objects(key))),
            lambda values: json_array(map(self.json, values)),
        )

    def read(self, fields: JsonFields) -> Made:
        """What an object already parsed holds."""
        return fields.made(self.made(**{name: member.read(fields, key) for key, name, member in self._members}))

    def json(self, value: Made) -> str:
        """Its text, as Iceberg's parser of the same name writes it."""
        texts = [(key, member.text(getattr(value, name))) for key, name, member in self._members]
        head = [("type", quote(self.kind))] if self.kind else []
        return json_object([*head, *((key, text) for key, text in texts if text is not None)])
