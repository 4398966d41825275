"""What a sound scenario does not say as it will be carried out: horizons cut, rows rounded, what never happens."""

from collections.abc import Iterable, Iterator

from wasim.scenario.case import Case
from wasim.scenario.scenario import Scenario
from wasim.units import format_duration

_ROUNDED = 1e-6  # share of the rows that goes without a note: rates such as 0.3333333 every 3s have few digits
_MOST_NAMED = 4
UNFINISHED_VERSION = 4  # of Iceberg's format
UNFINISHED = f"Format version {UNFINISHED_VERSION} is unfinished: files are as Iceberg 1.12 writes them."


def take_notes(combinations: Iterable[tuple[Scenario, Case]]) -> tuple[str, ...]:
    """Sentences on what differs from the scenario's own words, each once."""
    noted: dict[str, list[str]] = {}
    for scenario, case in combinations:
        for note, when in _notes(case, scenario.horizon):
            whens = noted.setdefault(note, [])
            if when not in whens:
                whens.append(when)
    return tuple(note.format(_some(whens)) for note, whens in noted.items())


def _notes(case: Case, horizon_s: float) -> Iterator[tuple[str, str]]:
    """Sentences with {} where cases differ, each with what stands there for this case."""
    interval = format_duration(case.commit_interval_s)
    if case.table.format_version == UNFINISHED_VERSION:
        yield UNFINISHED, ""
    if case.horizon_s != horizon_s:
        cut = f"to {format_duration(case.horizon_s)} at {interval}"
        yield f"horizon: {format_duration(horizon_s)} is cut to whole commits, {{}}.", cut
    rows = case.workload.rows_per_second * case.commit_interval_s
    if abs(rows - case.rows_per_commit) > _ROUNDED * rows:
        rounded = f"{rows:.10g} to {case.rows_per_commit} at {interval}"
        yield "workload.rows_per_second: rows per commit are rounded, {}.", rounded
    for part in ("changes", "maintenance"):
        for name, given in getattr(case, part):
            if given is not None and given.every is not None and given.every > case.horizon_s:
                horizon = _missed(given.every, case, horizon_s)
                every = format_duration(given.every)
                yield f"{part}.{name}: every {every} is longer than the horizon of {{}}, so it never happens.", horizon
    for number, one in enumerate(case.evolution):
        if one.at > case.horizon_s:
            at, horizon = format_duration(one.at), _missed(one.at, case, horizon_s)
            yield f"evolution[{number}]: at {at} is after the horizon of {{}}, so it never happens.", horizon


def _missed(time_s: float, case: Case, horizon_s: float) -> str:
    """The horizon that a time is beyond: as written, or only as cut."""
    return format_duration(horizon_s if time_s > horizon_s else case.horizon_s)


def _some(texts: list[str]) -> str:
    """A few of the texts, and whether there are more."""
    return ", ".join([*texts[:_MOST_NAMED], *(["and so on"] if len(texts) > _MOST_NAMED else [])])
