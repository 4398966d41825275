"""Values as scenarios write them, and what they become: the types that the parts of a scenario are made of.

What a validator raises completes the sentence `Give …`.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, Self, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    SerializerFunctionWrapHandler,
    model_serializer,
)
from pydantic_core.core_schema import CoreSchema, no_info_before_validator_function

from wasim.units import BYTE_UNITS, DURATION_UNITS_S, DURATION_WANTED, format_duration, parse_bytes, parse_duration_s

MOST_SECONDS = 86400e6
"""A million days, of a commit interval or a horizon."""

_WHOLE = re.compile(r"[-+]?[0-9]{1,18}")
_NUMBER = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]{1,3})?")
_PLAIN_TYPE = (
    r"boolean|int|long|float|double|date|timestamp|timestamptz|string|binary|decimal\([0-9]{1,2}, ?[0-9]{1,2}\)|struct"
)
_TYPE = re.compile(rf"{_PLAIN_TYPE}|list<({_PLAIN_TYPE})>|map<(string|int|long|date), ?({_PLAIN_TYPE})>")
_CUT_TYPE = re.compile(r"decimal\([^)]*|(list|map)<[^>]*")
_TRANSFORM = re.compile(r"identity|year|month|day|hour|bucket\[[1-9][0-9]{0,8}\]|truncate\[[1-9][0-9]{0,8}\]")
_DURATION = rf"^([0-9]+(\.[0-9]+)?({'|'.join(DURATION_UNITS_S)}))+$"
_SIZE = rf"^[0-9]+(\.[0-9]+)?\s*({BYTE_UNITS})$"

Parsed = TypeVar("Parsed")


def _from_text(pattern: re.Pattern[str], parse: Callable[[str], Parsed], wanted: str) -> Callable[[object], object]:
    """A validator that parses text, lets numbers pass and names what is wanted."""

    def validate(value: object) -> object:
        if isinstance(value, str) and pattern.fullmatch(value):
            return parse(value)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return value
        raise ValueError(wanted)

    return validate


def _duration(value: object) -> float:
    """Seconds of a duration; a number, which YAML's text never is, is one already."""
    try:
        seconds = parse_duration_s(value) if isinstance(value, str) else float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        seconds = 0.0
    if seconds <= 0:
        raise ValueError(DURATION_WANTED)
    if seconds > MOST_SECONDS:
        raise ValueError(f"at most {format_duration(MOST_SECONDS)}")
    return seconds


def _size(value: object) -> object:
    if isinstance(value, str) and not _WHOLE.fullmatch(value):
        try:
            return parse_bytes(value)
        except ValueError:
            raise ValueError("bytes, such as 536870912, 512 MiB or 128MB") from None
    return whole(value)


@dataclass(frozen=True, slots=True)
class NoneOr:
    """A field that may be left out: `none`, as in a sweep, is read as `meaning`."""

    meaning: object

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Validates `none` as its meaning."""
        return no_info_before_validator_function(
            lambda value: self.meaning if value == "none" else value, handler(source)
        )

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, object]:
        """The field's schema, or the word."""
        return {"anyOf": [{"const": "none"}, handler(schema)]}


Optionally = Annotated[Parsed | None, NoneOr(None)]
"""A field that may be left out, or given as `none`."""


def _whole_milliseconds(seconds: float) -> float:
    ms = seconds * 1000
    # a duration such as 1.001s is a binary fraction, and so off by a little
    if round(ms) < 1 or abs(ms - round(ms)) > max(1e-6, ms * 1e-12):
        raise ValueError("whole milliseconds, at least 1ms")
    return seconds


def sentence(text: str) -> str:
    """A question that says something."""
    if not text.strip():
        raise ValueError("a sentence")
    return text


def different(names: tuple[str, ...]) -> tuple[str, ...]:
    """Names of which none is given twice."""
    if len(set(names)) < len(names):
        raise ValueError("each name once")
    return names


def _switch(value: object) -> bool:
    if isinstance(value, bool):
        return value
    if value in ("true", "false"):
        return value == "true"
    raise ValueError("true or false")


def _column_type(value: object) -> str:
    if isinstance(value, str) and _TYPE.fullmatch(value):
        return value
    if isinstance(value, str) and _CUT_TYPE.fullmatch(value):
        raise ValueError('it in quotes, as in {type: "decimal(10,2)"}: within braces, a comma ends a value')
    raise ValueError(
        "boolean, int, long, float, double, date, timestamp, timestamptz, string, binary, decimal(10,2), struct,"
        " list<string> or map<string,string>"
    )


def _matching(pattern: re.Pattern[str], wanted: str) -> BeforeValidator:
    def validate(value: object) -> str:
        if isinstance(value, str) and pattern.fullmatch(value):
            return value
        raise ValueError(wanted)

    return BeforeValidator(validate, json_schema_input_type=Annotated[str, Field(pattern=f"^({pattern.pattern})$")])


whole = _from_text(_WHOLE, int, "a whole number, such as 5")
Whole = Annotated[int, BeforeValidator(whole, json_schema_input_type=int)]
Size = Annotated[
    int, BeforeValidator(_size, json_schema_input_type=int | Annotated[str, Field(pattern=_SIZE)]), Field(ge=1024)
]
"""Bytes of a file: a whole number, or an amount with its unit."""
Number = Annotated[
    float, BeforeValidator(_from_text(_NUMBER, float, "a number, such as 0.5 or 200"), json_schema_input_type=float)
]
Switch = Annotated[bool, BeforeValidator(_switch, json_schema_input_type=bool)]
Duration = Annotated[float, BeforeValidator(_duration, json_schema_input_type=Annotated[str, Field(pattern=_DURATION)])]
Interval = Annotated[Duration, AfterValidator(_whole_milliseconds)]
Text = Annotated[str, Field(json_schema_extra={"type": ["string", "number", "boolean"]})]
"""A string kept as written: `true` and `10` need no quotes."""

ColumnType = Annotated[
    str, BeforeValidator(_column_type, json_schema_input_type=Annotated[str, Field(pattern=f"^({_TYPE.pattern})$")])
]
Transform = Annotated[str, _matching(_TRANSFORM, "identity, year, month, day, hour, bucket[16] or truncate[4]")]
ColumnName = Annotated[
    str,
    _matching(
        re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,127}"), "a name of letters, digits and _, that starts with no digit"
    ),
]
ReaderName = Literal["iceberg_java", "iceberg_java_distributed", "pyiceberg", "clickhouse"]
ScenarioName = Annotated[
    str, _matching(re.compile(r"[a-z0-9][a-z0-9_]{0,63}"), "a name of small letters, digits and _, such as smoke")
]


class Part(BaseModel):
    """A part of a scenario: frozen, and unknown keys are faults.

    Fields that are `newer` than saved documents are left out of them at their default, so that cases keep their keys.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    newer: ClassVar[tuple[str, ...]] = ()

    def __deepcopy__(self, memo: dict[int, Any] | None = None) -> Self:
        """Itself, as nothing in it changes: pydantic copies each default of a field."""
        return self

    @model_serializer(mode="wrap")
    def _as_saved(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        written: dict[str, Any] = write(self)
        defaults = type(self).model_fields
        unset = [name for name in self.newer if getattr(self, name) == defaults[name].default]
        return {name: value for name, value in written.items() if name not in unset}
