"""A plan's chosen setting as a scenario's file, for `simulate` and `bench` to carry out."""

import json
from collections.abc import Mapping
from shlex import quote
from typing import Any

from wasim.capacity.request import PlanRequest
from wasim.capacity.settings import Setting, document_of
from wasim.contention import LOCAL
from wasim.errors import printable
from wasim.units import format_duration

_DURATIONS = frozenset(["every", "older_than", "at"])
_SIZES = frozenset(["target_file_size_bytes"])


def scenario_of(request: PlanRequest, setting: Setting) -> str:
    """The scenario of a setting as YAML text, with what the plan's figures are of besides."""
    document = document_of(request, setting)
    writer = document["writer"]
    own = {"kind": writer} if isinstance(writer, str) else writer
    if request.writers > 1:
        document["writer"] = own = {**own, "writers": request.writers}
    ships = request.ships
    if ships.bytes or ships.rows:
        document["writer"] = {**own, "trigger": "none"}  # the interval comes first, as the statements set it
    provider = None if request.provider == LOCAL else request.provider
    flags = {"location": request.location, "provider": provider, "catalog": request.catalog}
    given = " ".join(f"--{name} {quote(printable(text))}" for name, text in flags.items() if text is not None)
    yaml = json.dumps(_written(document), indent=1)  # which is YAML too
    return f"# As planned: wasim simulate FILE {given}\n{yaml}\n"


def _written(value: Any, key: str = "") -> Any:  # noqa: ANN401 - a document of any depth
    """A value as a file has it: durations and sizes with their units."""
    if isinstance(value, Mapping):
        return {name: _written(one, name) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_written(one) for one in value]
    if isinstance(value, int | float) and not isinstance(value, bool):
        if key in _DURATIONS:
            return format_duration(float(value))
        if key in _SIZES:
            return f"{value:.0f}B"
    return value
