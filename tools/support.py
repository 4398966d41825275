"""What each engine carries out, asked of the engines themselves: `python -m tools.support > docs/support.md`.

Each row is a piece of a scenario. Whoever would carry it out is asked, and the answer is the cell: what `check` of an
engine refuses is not carried out, and what the sums say of themselves stands in their answer.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from tools.features import FEATURES, Feature, case_of
from wasim.core import CORE
from wasim.errors import WasimError
from wasim.iceberg.properties import PROPERTIES, Property, Support
from wasim.ledger.vocabulary import METADATA_KINDS
from wasim.scenario import Case
from wasim.scenario.settings import property_faults
from wasim.spark.drive import SPARK, Engine
from wasim.twin import Site, shipped_profile
from wasim.twin.supported import approximated, check_answerable, check_supported
from wasim.years import simulate_years

REFUSED = "no"
HEADS = ("`spark`", "`core`", "`simulate`, exact", "`simulate`, long horizons")


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineAnswer:
    """A cell, and the line that an engine gives for it: of a refusal, or of what it averages."""

    cell: str
    why: str = ""


def render_support() -> str:
    """docs/support.md."""
    return "\n".join([*_INTRODUCTION, *_operations(), *_properties()]) + "\n"


def answers(case: Case) -> tuple[EngineAnswer, ...]:
    """What each engine says of the case, in the order of `HEADS`."""
    return (_measured(SPARK, case), _measured(CORE, case), _exact(case), _summed(case))


def _measured(engine: Engine, case: Case) -> EngineAnswer:
    try:
        engine.check(case)
    except WasimError as error:
        return EngineAnswer(cell=REFUSED, why=str(error))
    return EngineAnswer(cell="measured" if engine.writes_data else "metadata measured")


def _exact(case: Case) -> EngineAnswer:
    try:
        check_supported(case, shipped_profile(case))
    except WasimError as error:
        return EngineAnswer(cell=REFUSED, why=str(error))
    why = " ".join(approximated(case))
    return EngineAnswer(cell="exactly, but for sizes" if why else "exactly", why=why)


def _summed(case: Case) -> EngineAnswer:
    profile = shipped_profile(case)
    try:
        check_answerable(case, profile)
        summed = simulate_years(case, profile, Site())
    except WasimError as error:
        return EngineAnswer(cell=REFUSED, why=str(error))
    written = [kind for kind in METADATA_KINDS if summed.totals.written_bytes[kind]]
    band = f"± {100 * max(summed.band[kind] for kind in written):.2g} %"
    if any(line.startswith("Not simulated") for line in summed.approximated):
        return EngineAnswer(cell="ignored", why=" ".join(summed.approximated))
    if summed.approximated:
        return EngineAnswer(cell=f"by the mean, {band}", why=" ".join(summed.approximated))
    return EngineAnswer(cell=f"event by event, {band}")


def _operations() -> Iterator[str]:
    yield "## Operations\n"
    notes: dict[str, int] = {}
    for group, features in FEATURES.items():
        yield f"| {group} | {' | '.join(HEADS)} |"
        yield "|---|" + "---|" * len(HEADS)
        for feature in features:
            yield f"| {feature.words} | {' | '.join(_cells(feature, notes))} |"
        yield ""
    yield "What the engines themselves say of it:\n"
    yield from (f"{number}. {line}" for line, number in notes.items())
    yield ""


def _cells(feature: Feature, notes: dict[str, int]) -> list[str]:
    try:
        found = answers(case_of(feature))
    except WasimError as error:
        found = (EngineAnswer(cell=REFUSED, why=f"No scenario may say so: {error}"),) * len(HEADS)
    cells = []
    for answer in found:
        number = notes.setdefault(answer.why, len(notes) + 1) if answer.why else None
        cells.append(answer.cell if number is None else f"{answer.cell} [{number}]")
    return cells


def _properties() -> Iterator[str]:
    yield "## Table properties\n"
    yield _ABOUT_PROPERTIES
    yield f"| property | changes | {' | '.join(HEADS)} |"
    yield "|---|---|" + "---|" * len(HEADS)
    for row in PROPERTIES:
        name = f"`{row.key}…`" if row.key.endswith(".") else f"`{row.key}`"
        changed = ", ".join(kind.replace("_", " ") for kind in row.changes) or "no file"
        yield f"| {name} | {changed} | {' | '.join(_cells_of_property(row))} |"


def _cells_of_property(row: Property) -> tuple[str, ...]:
    """What the engines say of each kind of value that Iceberg takes."""
    key = row.key + ("id" if row.key.endswith(".") else "")
    values = _VALUES.get(row.type.name) or tuple(row.type.name.split(" | "))
    for value in values:
        for fault in property_faults(("table", "properties"), key, value):
            return (f"no: {fault.problem}",) * len(HEADS)
    cases = {value: case_of(Feature(words=key, fields=_with_property(key, value))) for value in values}

    def cell(check: Callable[[Case], None], word: str) -> str:
        carried = [value for value, case in cases.items() if _passes(check, case)]
        if not carried:
            return REFUSED
        alone = "" if len(carried) == len(values) else f": `{'`, `'.join(carried)}` alone"
        return f"{word}{alone}"

    exact = cell(lambda case: check_supported(case, shipped_profile(case)), "exactly")
    exact += "" if row.support is not Support.APPENDS_ONLY else f", {row.support.value}"
    summed = "ignored" if exact == REFUSED else exact
    return (cell(SPARK.check, "measured"), cell(CORE.check, "metadata measured"), exact, summed)


def _with_property(key: str, value: str) -> dict[str, Any]:
    return {"table": {"properties": {key: value}}}


def _passes(check: Callable[[Case], None], case: Case) -> bool:
    try:
        check(case)
    except WasimError:
        return False
    return True


_INTRODUCTION = (
    "# What each engine carries out\n",
    "Generated by `make support`, which asks the engines; a test keeps it so.\n",
    "- **measured**: real Spark and Iceberg do it, and every byte is recorded. Engine `core` writes real metadata, and"
    " data files are only described.",
    "- **exactly**: the simulator does what the writer's code does, file by file.",
    "- **event by event**: long horizons carry out every such event; file sizes are means; the"
    " band is of bytes written.",
    "- **by the mean**: the answer says what it replaced by its mean, and how far it may be off.",
    "- **engine `pyiceberg`** is one writer that appends to tables of format version 2; **engine `flink`** one job of"
    " Flink's sink, which appends, or upserts by equality deletes, in format versions 2 and 3. Every byte is recorded;"
    " all else they refuse by name.",
    "- **ignored**: the answer leaves it out, and says so. **no**: refused, by the line below the tables.\n",
)
_ABOUT_PROPERTIES = (
    "A property that is not listed is none of Iceberg's, and stays in metadata.json as it is. A key that ends in …"
    " stands for all that begin so and have no row of their own.\n"
)
_VALUES = {
    "boolean": ("true", "false"),
    "int": ("1",),
    "int, not negative": ("1",),
    "int, at least 1": ("1",),
    "int, the default if negative": ("1",),
    "long": ("1048576",),
    "string": ("files",),
    "metrics mode": ("none", "counts", "full", "truncate(16)"),
}


if __name__ == "__main__":
    print(render_support(), end="")
